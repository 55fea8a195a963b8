"""What an import's items become. Other products' ids are kept as keyed hashes: some are
made of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from memoryapp.first_person import first_person
from memoryapp.models import (
    Fact,
    Import,
    Message,
)
from memoryapp.records import (
    Batch,
    Candidate,
    ExtractionResult,
    KnownFact,
    Quote,
    Role,
    Turn,
    normalise,
)

if TYPE_CHECKING:
    from memoryapp.importers import ImportedConversation, ImportedMemory

NOTE = "note"
MEMORIES = "memories:"
# By the importers' formats; a pasted list has no maker.
PRODUCTS: Mapping[str, str] = {
    "chatgpt": "ChatGPT",
    "claude": "Claude",
    "gemini": "Gemini",
    "mem0": "mem0",
    "openmemory": "OpenMemory",
    "librechat": "LibreChat",
    "openwebui": "Open WebUI",
    "letta": "Letta",
    "memoryapp": "memoryapp",
}
KNOWN_FACTS = 200
VALUE = 500


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as it is stored: ids are keyed hashes. ``messages`` are (id, role,
    content, sent_at)."""

    name: str
    title: str
    began: datetime
    messages: Sequence[tuple[str, Role, str, datetime]]


def talk(*, user: Any, row: Import, item: ImportedConversation) -> Talk:
    """The conversation to store. A message without a time, or with one still to come, gets
    the import's own: how it is known that its age isn't."""
    began = min(item.created_at or row.created_at, row.created_at)
    return Talk(
        name=f"{row.format}:{_hashed(user, row.format, item.external_id)}",
        title=item.title,
        began=began,
        messages=[
            (
                _hashed(user, row.format, item.external_id, message.external_id),
                message.role,
                message.content,
                min(message.sent_at or row.created_at, row.created_at),
            )
            for message in item.messages
        ],
    )


def memories(*, user: Any, row: Import, title: str, items: Sequence[ImportedMemory]) -> Talk:
    """Another product's memories as a conversation of their own, one for each product, so
    that the same memory is known again. They are no words of the user's: their role is
    ``tool``, and ``system`` for what was told to the assistant."""
    return Talk(
        name=MEMORIES + row.format,
        title=title,
        began=row.created_at,
        messages=[
            (
                memory_id(user, row, item.external_id),
                "system" if item.metadata.get("section") == "about_replies" else "tool",
                item.text,
                min(item.updated_at or item.created_at or row.created_at, row.created_at),
            )
            for item in items
        ],
    )


def memory_id(user: Any, row: Import, external_id: str) -> str:
    return _hashed(user, row.format, "memory", external_id)


def _hashed(user: Any, *parts: str) -> str:
    return str(user.keyed_hash("import", *parts).hex()[:48])


def retracted(*, user: Any, row: Import, items: Sequence[ImportedMemory]) -> list[UUID]:
    """The messages of memories that the user has deleted over there, and that are here."""
    return list(
        Message.objects.filter(
            user_id=row.user_id,
            conversation__user_id=row.user_id,
            conversation__external_id=MEMORIES + row.format,
            external_id__in=[memory_id(user, row, item.external_id) for item in items],
        )
        .exclude(content="")
        .values_list("id", flat=True)
    )


@dataclass(frozen=True, slots=True)
class Understood:
    """What a batch of memories comes to: ``facts`` proved by whole memories, ``notes`` that
    the user must judge, and how many were ``instructions`` to an assistant or held nothing
    but ``secrets``."""

    facts: Sequence[Candidate]
    notes: Sequence[Candidate]
    instructions: int
    secrets: int


def batch(*, user: Any, rows: Sequence[Message]) -> Batch:
    """The memories as their user would say them, for an extractor."""
    facts = list(
        Fact.objects.filter(
            user_id=user.pk, status=Fact.Status.CURRENT, operation="state"
        ).order_by("-last_stated_at")[:KNOWN_FACTS]
    )
    names = {
        name
        for fact in facts
        if fact.subject == "user" and fact.attribute in ("name", "preferred_name")
        for name in {fact.value, fact.value.split()[0]}
    }
    return Batch(
        turns=[
            Turn(row.id, "user", first_person(row.content, names=names), row.sent_at)
            for row in rows
        ],
        known=[
            KnownFact(f.subject, f.attribute, f.scope, f.value, f.polarity)  # type: ignore[arg-type]
            for f in facts
        ],
        time_zone=user.time_zone,
        language=user.language,
    )


def understood(*, rows: Sequence[Message], found: ExtractionResult, instructs: Any) -> Understood:
    """Candidates whose quotes are the memories themselves. What no extractor understood
    waits as a note, unless ``instructs`` says that it speaks to an assistant."""
    of = {row.id: row for row in rows}
    facts = [
        replace(c, quote=_whole(of[c.quote.message_id]))
        for c in found.candidates
        if c.quote is not None and c.quote.message_id in of
    ]
    known = {c.quote.message_id for c in facts if c.quote is not None}
    notes: list[Candidate] = []
    left_out: Counter[str] = Counter()
    for row in rows:
        if row.id in known or not row.content.strip():
            continue
        if row.role == "system" or instructs(row.content):
            left_out["instructions"] += 1
        elif row.redactions:
            left_out["secrets"] += 1
        else:
            notes.append(_note(row))
    return Understood(facts, notes, left_out["instructions"], left_out["secrets"])


def _whole(row: Message) -> Quote:
    return Quote(row.id, 0, len(row.content), row.content)


def _note(row: Message) -> Candidate:
    text = " ".join(row.content.split())
    return Candidate(
        subject="user",
        attribute=NOTE,
        value=_cut(text),
        quote=_whole(row),
        sent_at=row.sent_at,
        kind="personal",
        statement=text,
        confidence=0.5,
    )


def _cut(text: str) -> str:
    """The text, or its beginning, so that value and key fit; the quote keeps all of it."""
    value, most = text, VALUE
    while len(value) > VALUE or len(normalise(value)) > VALUE:
        most -= 10
        value = text[:most] + "…"
    return value
