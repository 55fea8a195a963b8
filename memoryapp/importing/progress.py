"""How far an import is, and what it has found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Count, Q

from memoryapp.models import (
    Conversation,
    Fact,
    Import,
    Message,
    Outbox,
)
from memoryapp.sql import load

from .items import MEMORIES


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
    """How far the import is, and what it has found so far. Written for tables that have
    just grown, whose statistics the planner doesn't have yet: no joins."""
    mine = Message.objects.filter(user_id=row.user_id, source_import_id=row.id)
    notes = Conversation.objects.filter(
        user_id=row.user_id, external_id=MEMORIES + row.format
    ).values_list("id", flat=True)
    is_note, waits = Q(conversation_id=notes.first()), Q(state=Message.State.PENDING)
    counts = mine.aggregate(
        talks=Count("conversation_id", distinct=True, filter=~is_note),
        notes=Count("id", filter=is_note),
        talks_waiting=Count("conversation_id", distinct=True, filter=~is_note & waits),
        notes_waiting=Count("id", filter=is_note & waits),
        unread=Count("id", filter=waits),
    )
    found = _found(row)
    if row.state in (Import.State.STORING, Import.State.READY):
        total = row.preview.get("conversations", 0) + row.preview.get("memories", 0)
        read = min(row.position, total)
    else:
        total = counts["talks"] + counts["notes"]
        read = total - counts["talks_waiting"] - counts["notes_waiting"]
    work = (
        Outbox.objects.filter(
            user_id=row.user_id,
            source_import_id=row.id,
            conversation__isnull=True,
            done_at__isnull=True,
        )
        .exclude(error="")
        .first()
    )
    return Progress(
        read,
        total,
        sum(found.values()),
        found.get(Fact.Status.PENDING, 0),
        counts["unread"],
        work.error if work else "",
        work.not_before if work else None,
    )


def _found(row: Import) -> dict[str, int]:
    """How many facts hold, and how many wait for the user's word."""
    with connection.cursor() as cursor:
        cursor.execute(load("import_found"), {"user": row.user_id, "import": row.id})
        return dict(cursor.fetchall())
