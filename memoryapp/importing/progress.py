"""How far an import is, and what it has found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memoryapp.models import (
    Conversation,
    Fact,
    Import,
    Message,
    Outbox,
)

from .items import MEMORIES

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Progress:
    """``read`` of ``total`` conversations and memories; ``found`` facts that hold or wait for
    the user's word (``to_review`` of them); ``unread`` messages. ``waits_for`` is a short
    word when the work waits: ``budget``, or how a provider failed."""

    read: int
    total: int
    found: int
    to_review: int
    unread: int
    waits_for: str = ""
    waits_until: datetime | None = None


def progress(*, row: Import) -> Progress:
    """How far the import is, and what it has found so far."""
    mine = Message.objects.filter(user_id=row.user_id, source_import_id=row.id)
    facts = Fact.objects.filter(
        user_id=row.user_id,
        operation="state",
        evidence__user_id=row.user_id,
        evidence__message_id__in=mine.values("id"),
    )
    current = facts.filter(status=Fact.Status.CURRENT).distinct().count()
    to_review = facts.filter(status=Fact.Status.PENDING).distinct().count()
    unread = mine.filter(state=Message.State.PENDING)
    if row.state in (Import.State.STORING, Import.State.FAILED) and not row.ended_at:
        total = row.preview.get("conversations", 0) + row.preview.get("memories", 0)
        read = min(row.position, total)
    else:
        total, waiting = _units(row, mine), _units(row, unread)
        read = total - waiting
    waits = (
        Outbox.objects.filter(user_id=row.user_id, source_import_id=row.id, done_at__isnull=True)
        .exclude(error="")
        .first()
    )
    return Progress(
        read,
        total,
        current + to_review,
        to_review,
        unread.count(),
        waits.error if waits else "",
        waits.not_before if waits else None,
    )


def _units(row: Import, messages: Any) -> int:
    """Conversations, and memories each on its own."""
    notes = Conversation.objects.filter(
        user_id=row.user_id, external_id=MEMORIES + row.format
    ).values("id")
    talks = messages.exclude(conversation_id__in=notes)
    return int(
        talks.values("conversation_id").distinct().count()
        + messages.filter(conversation_id__in=notes).count()
    )
