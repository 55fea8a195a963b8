"""mem0: what its library and its platform list, its history, and its plugin's text file.

``created_at`` is when mem0 wrote the row, not when it was said, and since the platform only
adds, rows contradict each other: they are evidence, not the present.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from memoryapp.importers.common import (
    Found,
    ImportedMemory,
    Item,
    Limits,
    Tally,
    clean,
    content_id,
    name,
)
from memoryapp.importers.streams import Unreadable, text_of, values
from memoryapp.importers.times import moment
from memoryapp.records import normalise

_PATHS = frozenset({"item", "results.item", "relations.item", "next", "count", "id"})
_DEFAULT_PAGE = 20
_USERS = 1000
_KEPT = ("categories", "replaced_by", "expiration_date", "synthesized", "metadata")
_FIELD = re.compile(r"^(\w+):[ \t]*(.*)$", re.MULTILINE)
# Three dashes also draw a line in a memory's text: only those around fields begin a block.
_BLOCK = re.compile(r"^---[ \t]*\n((?:\w+:[^\n]*\n)+)---[ \t]*(?:\n|\Z)", re.MULTILINE)


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """Memories in the files' order, then what was left out."""
    tally = Tally()
    for one in found:
        if one.shape.root == "text":
            yield from _from_text(text_of(one.document, limits), tally)
        else:
            yield from _from_json(one, limits, tally)
    yield from tally.items()


def _from_json(found: Found, limits: Limits, tally: Tally) -> Iterator[ImportedMemory]:
    rows = 0
    count: int | None = None
    more = False
    users: set[str] = set()
    single = found.shape.root == "object" and "results" not in found.shape.keys
    for path, value in values(found.document, frozenset({""}) if single else _PATHS, limits):
        if isinstance(value, Unreadable):
            tally.skip("memory", value.reason)
        elif path in ("item", "results.item", ""):
            rows += 1
            if isinstance(value, dict) and len(users) < _USERS:
                users.add(name(value.get("user_id")))
            memory = _memory(value, tally)
            if memory is not None:
                yield memory
        elif path == "relations.item":
            tally.skip("relation", "graph_relation")
        elif path == "next":
            more = bool(value)
        elif path == "count" and isinstance(value, int):
            count = value
    if len(users) > 1:
        tally.note("file", "several_users", len(users))
    if more or (count is not None and count > rows):
        tally.skip("memory", "further_pages", max(1, (count or 0) - rows))
    elif count is None and rows == _DEFAULT_PAGE:
        tally.note("file", "maybe_cut")


def _memory(row: object, tally: Tally) -> ImportedMemory | None:
    if not isinstance(row, dict):
        tally.skip("memory", "malformed")
        return None
    if "memory_id" in row:
        tally.skip("memory", "history_entry")
        return None
    text = clean(row.get("memory"))
    reason = "" if text else "empty"
    if "assistant" in (row.get("role"), row.get("attributed_to")):
        reason = "from_assistant"
    if reason:
        tally.skip("memory", reason)
        return None
    return _imported(name(row.get("id")), text, row)


def _imported(own_id: str, text: str, row: dict[str, Any]) -> ImportedMemory:
    extra = {key: row[key] for key in _KEPT if row.get(key)}
    return ImportedMemory(
        own_id or content_id("mem0", normalise(text)),
        text,
        moment(row.get("created_at")),
        moment(row.get("updated_at")),
        metadata={"source": "mem0"} | extra,
    )


def _from_text(text: str, tally: Tally) -> Iterator[ImportedMemory]:
    """Blocks of ``---``, fields, ``---``, words."""
    text = text.replace("\r\n", "\n")
    blocks = list(_BLOCK.finditer(text))
    ends = [block.start() for block in blocks[1:]] + [len(text)]
    for block, end in zip(blocks, ends, strict=True):
        row: dict[str, Any] = dict(_FIELD.findall(block[1]))
        if "categories" in row:
            row["categories"] = [part.strip() for part in row["categories"].split(",")]
        body = clean(text[block.end() : end])
        if body:
            yield _imported(clean(row.get("id")), body, row)
        else:
            tally.skip("memory", "empty")
    if not blocks or text[: blocks[0].start()].strip():
        tally.skip("memory", "malformed")
