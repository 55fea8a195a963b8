"""Nightly: what has run its time is put away (DESIGN section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from memoryapp import audit, store
from memoryapp.models import (
    EmbeddingCache,
    HandAct,
    IdempotencyKey,
    MemorySettings,
    MemoryUse,
    Message,
    Outbox,
)
from memoryapp.registry import Registry

KEEP_ANSWERS = timedelta(hours=24)
KEEP_DONE_WORK = timedelta(days=7)
# A question's vector can be made again, and says what was asked.
KEEP_QUESTIONS = timedelta(days=30)
# So long can the user take back what they did by hand.
KEEP_ACTS = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Report:
    """Facts expired, rows merged away, facts archived, messages whose text was purged, and
    what was tidied up: finished work, old answers, old questions' vectors, old uses, and what
    undoing needed."""

    expired: int = 0
    merged: int = 0
    archived: int = 0
    purged: int = 0
    tidied: int = 0


def consolidate(
    *,
    user_id: UUID,
    registry: Registry,
    now: datetime,
    by: audit.Actor,
    archive_after: timedelta,
    retention: timedelta,
) -> Report:
    """One user's nightly work, in the caller's transaction (``acting_for(user_id)``); done
    again it finds nothing to do. ``retention`` is the server's, for users who chose none."""
    kept_since = _kept_since(user_id, now, retention)
    return Report(
        expired=store.expire(user_id=user_id, by=by, now=now),
        merged=store.merge_duplicates(user_id=user_id, registry=registry, by=by, now=now),
        archived=store.archive(user_id=user_id, by=by, now=now, after_days=archive_after.days),
        purged=_purge(user_id, by, now, kept_since),
        tidied=_tidy(user_id, by, now, kept_since),
    )


def _kept_since(user_id: UUID, now: datetime, retention: timedelta) -> datetime:
    chosen = (
        MemorySettings.objects.filter(user_id=user_id, retention_days__isnull=False)
        .values_list("retention_days", flat=True)
        .first()
    )
    return now - (retention if chosen is None else timedelta(days=chosen))


def _purge(user_id: UUID, by: audit.Actor, now: datetime, before: datetime) -> int:
    """Empty the messages kept for long enough; evidence keeps its quotes, and what is not
    yet read keeps its text. Days count from the arrival: an imported old conversation is
    not gone the next morning."""
    purged = Message.objects.filter(
        user_id=user_id,
        state=Message.State.PROCESSED,
        purged_at=None,
        received_at__lte=before,
    ).update(content="", purged_at=now)
    return _noted(user_id, by, now, "message.purge", purged)


def _tidy(user_id: UUID, by: audit.Actor, now: datetime, kept_since: datetime) -> int:
    answers, _ = IdempotencyKey.objects.filter(
        user_id=user_id, created_at__lte=now - KEEP_ANSWERS
    ).delete()
    work, _ = Outbox.objects.filter(user_id=user_id, done_at__lte=now - KEEP_DONE_WORK).delete()
    questions, _ = EmbeddingCache.objects.filter(
        user_id=user_id, used_at__lte=now - KEEP_QUESTIONS
    ).delete()
    uses, _ = MemoryUse.objects.filter(user_id=user_id, at__lte=kept_since).delete()
    acts, _ = HandAct.objects.filter(user_id=user_id, at__lte=now - KEEP_ACTS).delete()
    return _noted(user_id, by, now, "queue.tidy", answers + work + questions + uses + acts)


def _noted(user_id: UUID, by: audit.Actor, now: datetime, action: str, count: int) -> int:
    if count:
        event = audit.Event(action, "", {"count": count})
        audit.record(user_id=user_id, by=by, events=[event], now=now)
    return count
