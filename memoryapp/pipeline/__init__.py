"""The only place that chains the stages. Read this one first, then ``writing.py``. (What is
brought in from other products takes a way of its own to here: ``import_pipeline``.)

Writing: ``accept`` stores messages and queues their reading; ``read`` (in a worker)
extracts, reconciles and stores; ``index_messages`` makes what was read findable. Reading:
``recall`` and ``context``; ``used`` has it noted what an answer used; ``check`` holds an
answer against memory. The user's hand:
``edit_fact``, ``weigh_fact``, ``approve``, ``reject``, ``erase_facts``,
``erase_conversation``, ``undo``.

No transaction is held open while a model is called.
"""

from .checking import check
from .forgetting import Changed, Found, find_somebody, find_topic, forget
from .hand import (
    approve,
    edit_fact,
    erase_conversation,
    erase_facts,
    reject,
    undo_act,
    weigh_fact,
)
from .keeping import due, journal, retry_failed, sweep, upkeep
from .naming import part, rename
from .reading import context, count_recall, recall, used
from .settling import fold, settle
from .undoing import undo
from .vectors import embed, index_messages, reembed
from .writing import accept, find, load_example, read, told

__all__ = [
    "Changed",
    "Found",
    "accept",
    "approve",
    "check",
    "context",
    "count_recall",
    "due",
    "edit_fact",
    "embed",
    "erase_conversation",
    "erase_facts",
    "find",
    "find_somebody",
    "find_topic",
    "fold",
    "forget",
    "index_messages",
    "journal",
    "load_example",
    "part",
    "read",
    "recall",
    "reembed",
    "reject",
    "rename",
    "retry_failed",
    "settle",
    "sweep",
    "told",
    "undo",
    "undo_act",
    "upkeep",
    "used",
    "weigh_fact",
]
