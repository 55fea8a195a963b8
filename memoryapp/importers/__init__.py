"""Reads the exports of other products: pure, streaming, nothing stored.

``detect`` names the format, ``preview`` counts, ``read`` gives the items. Whatever the
export holds and is not given comes as Skipped with a reason. One file a format.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from memoryapp.brought import (
    BroughtConversation,
    BroughtFact,
    BroughtLink,
    BroughtName,
    BroughtSettings,
)
from memoryapp.importers import (
    archive,
    chatgpt,
    claude,
    gemini,
    letta,
    librechat,
    mem0,
    openmemory,
    openwebui,
    own,
    paste,
)
from memoryapp.importers.common import (
    FORMATS,
    Format,
    Found,
    ImportedConversation,
    ImportedMemory,
    ImportedMessage,
    ImportRefused,
    Item,
    Limits,
    Noted,
    Preview,
    Skipped,
    Source,
)
from memoryapp.importers.detect import detect, recognise, seen_in

__all__ = [
    "FORMATS",
    "Format",
    "ImportRefused",
    "ImportedConversation",
    "ImportedMemory",
    "ImportedMessage",
    "Item",
    "Limits",
    "Noted",
    "Preview",
    "Skipped",
    "Source",
    "detect",
    "preview",
    "read",
]

_READERS: dict[Format, Callable[[Sequence[Found], Limits], Iterator[Item]]] = {
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "gemini": gemini.read,
    "mem0": mem0.read,
    "openmemory": openmemory.read,
    "librechat": librechat.read,
    "openwebui": openwebui.read,
    "letta": letta.read,
    "memoryapp": own.read,
    "paste": paste.read,
}


def read(source: Source, *, format: Format | None = None) -> Iterator[Item]:
    """The items of a source, each conversation and memory once, in memory bounded by
    ``source.limits.record``. ``format`` says what it is, for a paste that doesn't look
    like a list; else it is detected. Raises ImportRefused."""
    for _, item in _read(source, format):
        yield item


def preview(source: Source, *, format: Format | None = None) -> Preview:
    """What ``read`` would give, counted. Raises ImportRefused."""
    conversations = messages = memories = 0
    skipped: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    first: datetime | None = None
    last: datetime | None = None
    found: Format | None = None
    seen: set[str] = set()
    for its_format, item in _read(source, format):
        found = its_format
        times: list[datetime | None] = []
        if isinstance(item, Skipped):
            skipped[item.reason] += item.count
        elif isinstance(item, Noted):
            notes[item.reason] += item.count
        elif isinstance(item, ImportedConversation):
            conversations += item.external_id not in seen
            seen.add(item.external_id)
            messages += len(item.messages)
            times = [message.sent_at for message in item.messages]
        elif isinstance(item, BroughtConversation):
            conversations += 1
            messages += len(item.messages)
            times = [message.sent_at for message in item.messages]
        elif isinstance(item, BroughtFact):
            memories += 1
            times = [item.last_stated_at]
        elif isinstance(item, BroughtLink | BroughtName | BroughtSettings):
            continue
        elif item.deleted:
            skipped["deleted"] += 1
        else:
            memories += 1
            times = [item.created_at]
        known = [time for time in times if time is not None]
        if known:
            first = min([*known, first] if first else known)
            last = max([*known, last] if last else known)
    if found is None:
        found = format or detect(source)
    if found is None:
        raise ImportRefused("unknown_format")
    return Preview(
        found, conversations, messages, memories, dict(skipped), first, last, dict(notes)
    )


def _read(source: Source, wanted: Format | None) -> Iterator[tuple[Format, Item]]:
    with archive.opened(source) as (documents, left_out):
        found_format, found, others = recognise(documents, source.limits, wanted)
        if found_format is None:
            raise ImportRefused("unknown_format", seen=seen_in(documents, source.limits))
        limits = source.limits
        if found_format == "openmemory":
            limits = openmemory.LIMITS
            if len(documents) + len(left_out) > limits.members:
                raise ImportRefused("too_many_members")
        for skipped in (*left_out, *others):
            yield found_format, skipped
        for item in _once(_READERS[found_format](found, limits), limits):
            yield found_format, item


def _once(items: Iterator[Item], limits: Limits) -> Iterator[Item]:
    """Each conversation's messages and each memory once: shards and files of one archive
    overlap. Remembers eight bytes of each id."""
    conversations: dict[bytes, bytearray] = {}
    memories: set[bytes] = set()
    for item in items:
        if len(conversations) + len(memories) > limits.records:
            raise ImportRefused("too_many_records")
        if isinstance(item, ImportedMemory):
            key = _short(item.external_id)
            if key in memories:
                yield Skipped("memory", "duplicate")
                continue
            memories.add(key)
        elif isinstance(item, ImportedConversation):
            new = _new_messages(item, conversations)
            if not new:
                yield Skipped("conversation", "duplicate")
                continue
            item = replace(item, messages=new)
        elif isinstance(item, BroughtConversation | BroughtFact):
            key = item.id.bytes
            if key in memories:
                yield Skipped("memory", "duplicate")
                continue
            memories.add(key)
        yield item


def _new_messages(
    item: ImportedConversation, known: dict[bytes, bytearray]
) -> tuple[ImportedMessage, ...]:
    keys = [_short(message.external_id) for message in item.messages]
    before = known.setdefault(_short(item.external_id), bytearray())
    had = {bytes(before[at : at + 8]) for at in range(0, len(before), 8)}
    new = [
        (key, message) for key, message in zip(keys, item.messages, strict=True) if key not in had
    ]
    for key, _ in new:
        before += key
    return tuple(message for _, message in new)


def _short(external_id: str) -> bytes:
    return hashlib.blake2b(external_id.encode(), digest_size=8).digest()
