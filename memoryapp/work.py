"""The worker's bookkeeping: claims, batches, postponements. The rows of
``Outbox`` and the states of messages change here and nowhere else."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import F, Max, Min, Q

from memoryapp import events, pacing, rules
from memoryapp.context import acting_for, relaying
from memoryapp.models import (
    Extraction,
    Fact,
    Message,
    Outbox,
)
from memoryapp.ports import Extractor, ProviderError
from memoryapp.records import Batch, ExtractionResult, KnownFact, Quote, Turn

logger = logging.getLogger(__name__)

BATCH_MESSAGES = 40
BATCH_CHARACTERS = 24_000
CONTEXT_MESSAGES = 6
KNOWN_FACTS = 200
# How long the sweep leaves new work to the fast path.
FAST_PATH = timedelta(seconds=15)
# Failures that say nothing about the messages, and how long they use up no attempts.
OUTAGES = frozenset({"unavailable", "timeout", "rate_limited", "server_error", "unauthorised"})
OUTAGE_PATIENCE = timedelta(days=1)
# When a pause without an end is asked after; its end has the work done at once.
LOOK_AGAIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Claim:
    """One worker's hold on one conversation's work."""

    user_id: UUID
    outbox_id: UUID
    conversation_id: UUID
    attempts: int


def queue(
    *, user_id: UUID, conversation_id: UUID, now: datetime, wait: timedelta = FAST_PATH
) -> Outbox:
    """Note that the conversation has messages to be read, if need be after ``wait`` by the
    sweep. Needs ``acting_for``, in the transaction that stored them.

    A row with an ``error`` waits for its time: it isn't for the fast path. While work waits
    for the conversation's pause, messages that follow join it.
    """
    due = paced(user_id=user_id, conversation_id=conversation_id, now=now)
    if due.reason:
        held = Outbox.objects.filter(
            user_id=user_id,
            conversation_id=conversation_id,
            claimed_until__isnull=True,
            done_at__isnull=True,
            failed_at__isnull=True,
            error__in=("debounce", "hours"),
        )
        row = held.first()
        # None is changed when a worker has just taken it: it may have missed the messages.
        if row is not None and held.filter(id=row.id).update(not_before=due.at, error=due.reason):
            row.not_before, row.error = due.at, due.reason
            return row
    return Outbox.objects.create(
        user_id=user_id,
        conversation_id=conversation_id,
        created_at=now,
        not_before=max(due.at, now + wait),
        error=due.reason,
    )


def paced(*, user_id: UUID, conversation_id: UUID, now: datetime) -> pacing.Due:
    """When the conversation's waiting messages may be read. Needs ``acting_for``."""
    pause = timedelta(seconds=settings.EXTRACTION_DEBOUNCE_SECONDS)
    came: Mapping[str, datetime | None] = {"first": None, "last": None}
    if pause:
        came = Message.objects.filter(
            user_id=user_id, conversation_id=conversation_id, state=Message.State.PENDING
        ).aggregate(first=Min("received_at"), last=Max("received_at"))
    return pacing.due(
        now=now,
        first=came["first"],
        last=came["last"],
        pause=pause,
        hours=pacing.Hours.parse(settings.EXTRACTION_HOURS),
    )


def hold_back(*, claim: Claim, now: datetime) -> bool:
    """Whether the time for the work hasn't come: it is given up then, until it comes. While
    the user has the memory paused, nothing is read."""
    with acting_for(claim.user_id):
        pause = rules.pause_of(user_id=claim.user_id, now=now)
    if pause is not None:
        put_off(claim=claim, reason="paused", until=pause.paused_until or now + LOOK_AGAIN)
        return True
    if not settings.EXTRACTION_DEBOUNCE_SECONDS and not settings.EXTRACTION_HOURS:
        return False
    with acting_for(claim.user_id):
        due = paced(user_id=claim.user_id, conversation_id=claim.conversation_id, now=now)
    if due.reason:
        put_off(claim=claim, reason=due.reason, until=due.at)
    return bool(due.reason)


def resume(*, user_id: UUID, now: datetime) -> None:
    """What waited for the end of a pause is due. Needs ``acting_for``."""
    Outbox.objects.filter(user_id=user_id, error="paused", done_at__isnull=True).update(
        not_before=now, error=""
    )


def put_off(*, claim: Claim, reason: pacing.Reason, until: datetime) -> None:
    """Give the work up until then, as if it had not been tried: waiting is no failure."""
    hours = pacing.Hours.parse(settings.EXTRACTION_HOURS)
    with acting_for(claim.user_id):
        Outbox.objects.filter(user_id=claim.user_id, id=claim.outbox_id).update(
            claimed_until=None,
            attempts=claim.attempts - 1,
            error=reason,
            not_before=hours.opens(until) if hours else until,
        )


def claim(*, user_id: UUID, outbox_id: UUID, now: datetime) -> Claim | None:
    """Hold the work for a while; None when it is done, held, or set aside.

    The attempt is counted before the work, so that a message which kills its worker is
    set aside after EXTRACTION_ATTEMPTS and doesn't come back for ever.
    """
    with acting_for(user_id):
        open_ = Outbox.objects.filter(
            Q(claimed_until__isnull=True) | Q(claimed_until__lt=now),
            user_id=user_id,
            id=outbox_id,
            conversation__isnull=False,
            done_at__isnull=True,
            failed_at__isnull=True,
        )
        row = open_.first()
        if row is None or row.conversation_id is None:
            return None
        others = Outbox.objects.filter(
            user_id=user_id,
            conversation_id=row.conversation_id,
            claimed_until__gte=now,
            done_at__isnull=True,
        ).exclude(id=outbox_id)
        if others.exists():
            return None  # its holder reads these messages too, or the sweep comes back
        if row.attempts >= settings.EXTRACTION_ATTEMPTS:
            _set_aside(user_id, row, error=row.error or "worker_lost", now=now)
            return None
        claimed = open_.update(
            claimed_until=now + timedelta(seconds=settings.CLAIM_SECONDS),
            attempts=F("attempts") + 1,
        )
        if not claimed:
            return None
        return Claim(user_id, outbox_id, row.conversation_id, row.attempts + 1)


def load(*, claim: Claim, now: datetime) -> Batch | None:
    """The conversation's next pending messages with what came before them, and the hold
    renewed; None when nothing is pending."""
    user_id = claim.user_id
    with acting_for(user_id):
        Outbox.objects.filter(user_id=user_id, id=claim.outbox_id).update(
            claimed_until=now + timedelta(seconds=settings.CLAIM_SECONDS)
        )
        talk = Message.objects.filter(user_id=user_id, conversation_id=claim.conversation_id)
        pending = list(
            talk.filter(state=Message.State.PENDING).order_by("sent_at", "id")[:BATCH_MESSAGES]
        )
        if not pending:
            return None
        turns: list[Turn] = []
        size = 0
        for message in pending:
            size += len(message.content)
            if turns and size > BATCH_CHARACTERS:
                break
            turns.append(_turn(message))
        before = (
            talk.filter(state=Message.State.PROCESSED, purged_at__isnull=True)
            .filter(sent_at__lte=turns[0].sent_at)
            .order_by("-sent_at", "-id")[:CONTEXT_MESSAGES]
        )
        known = Fact.objects.filter(user_id=user_id, status=Fact.Status.CURRENT).order_by(
            "-last_stated_at"
        )[:KNOWN_FACTS]
        user = get_user_model().objects.get(pk=user_id)
        return Batch(
            turns=turns,
            context=[_turn(m) for m in reversed(before)],
            known=[
                KnownFact(f.subject, f.attribute, f.scope, f.value, f.polarity)  # type: ignore[arg-type]
                for f in known
            ],
            time_zone=user.time_zone,
            language=user.language,
        )


def _turn(message: Message) -> Turn:
    return Turn(
        message_id=message.id,
        role=message.role,  # type: ignore[arg-type]  # checked when it was accepted
        content=message.content,
        sent_at=message.sent_at,
    )


def still_unread(*, claim: Claim, batch: Batch) -> set[UUID]:
    """The batch's messages that nobody has read or erased meanwhile, locked."""
    return set(
        Message.objects.select_for_update()
        .filter(
            user_id=claim.user_id,
            id__in=[turn.message_id for turn in batch.turns],
            state=Message.State.PENDING,
        )
        .values_list("id", flat=True)
    )


def mark_read(*, claim: Claim, messages: set[UUID]) -> None:
    Message.objects.filter(user_id=claim.user_id, id__in=messages).update(
        state=Message.State.PROCESSED
    )


def mask(*, user_id: UUID, quote: Quote) -> None:
    """Blank a span of a message, keeping its length so that other spans still fit."""
    message = Message.objects.select_for_update().get(user_id=user_id, id=quote.message_id)
    blank = "█" * (quote.end - quote.start)
    message.content = message.content[: quote.start] + blank + message.content[quote.end :]
    message.save(update_fields=["content"])


def finish(*, claim: Claim, now: datetime) -> bool:
    """Note that the work is done; False, and it goes on, when messages wait that came in
    meanwhile or lay beyond the batch."""
    with acting_for(claim.user_id):
        if Message.objects.filter(
            user_id=claim.user_id,
            conversation_id=claim.conversation_id,
            state=Message.State.PENDING,
        ).exists():
            return False
        Outbox.objects.filter(user_id=claim.user_id, id=claim.outbox_id).update(
            claimed_until=None, done_at=now, not_before=now, error=""
        )
        events.conversation_read(
            user_id=claim.user_id, conversation_id=claim.conversation_id, at=now
        )
    return True


def note_extraction(
    *,
    claim: Claim,
    extractor: Extractor,
    found: ExtractionResult,
    messages: int,
    started_at: datetime,
    now: datetime,
) -> Extraction:
    return Extraction.objects.create(
        user_id=claim.user_id,
        conversation_id=claim.conversation_id,
        extractor=extractor.name,
        version=extractor.version[:40],
        started_at=started_at,
        ended_at=now,
        outcome="ok",
        messages=messages,
        candidates=len(found.candidates),
        dropped=dict(Counter(d.reason for d in found.dropped)),
        tokens=found.tokens,
    )


def postpone(
    *,
    claim: Claim,
    messages: Collection[UUID],
    extractor: Extractor,
    error: ProviderError,
    started_at: datetime,
    now: datetime,
) -> None:
    """A provider failed: the work is due again later, or the messages are set aside when
    that can't help. An outage is no fault of theirs, and uses up no attempt for a day."""
    logger.warning(
        "reading %s of %s failed (%s), attempt %d",
        claim.conversation_id,
        claim.user_id,
        error.code,
        claim.attempts,
    )
    with acting_for(claim.user_id):
        Extraction.objects.create(
            user_id=claim.user_id,
            conversation_id=claim.conversation_id,
            extractor=extractor.name,
            version=extractor.version[:40],
            started_at=started_at,
            ended_at=now,
            outcome=error.code[:20],
            messages=len(messages),
            tokens=error.tokens,
        )
        row = Outbox.objects.get(user_id=claim.user_id, id=claim.outbox_id)
        age, outage = now - row.created_at, error.code in OUTAGES
        excused = outage and age < OUTAGE_PATIENCE
        if not excused and (error.permanent or claim.attempts >= settings.EXTRACTION_ATTEMPTS):
            _set_aside(claim.user_id, row, messages=messages, error=error.code, now=now)
            return
        # In an outage each wait about doubles the time since the work was queued.
        growing = age.total_seconds() if outage else 5.0 * 3.0 ** (claim.attempts - 1)
        wait = max(error.retry_after or 0.0, min(3600.0, max(5.0, growing)))
        row.claimed_until, row.error = None, error.code[:40]
        row.not_before = now + timedelta(seconds=wait)
        row.attempts = claim.attempts - 1 if excused else claim.attempts
        row.save(update_fields=["claimed_until", "error", "not_before", "attempts"])


def _set_aside(
    user_id: UUID,
    row: Outbox,
    *,
    error: str,
    now: datetime,
    messages: Collection[UUID] | None = None,
) -> None:
    """Give up on the messages, or on all that wait. Others that wait in the conversation
    become work of their own."""
    row.failed_at, row.claimed_until, row.error = now, None, error[:40]
    row.save(update_fields=["failed_at", "claimed_until", "error"])
    if (talk := row.conversation_id) is not None:
        waiting = Message.objects.filter(
            user_id=user_id, conversation_id=talk, state=Message.State.PENDING
        )
        given_up = waiting if messages is None else waiting.filter(id__in=messages)
        given_up.update(state=Message.State.FAILED)
        if waiting.exists():
            queue(user_id=user_id, conversation_id=talk, now=now)
    logger.error("set aside the work %s of %s: %s", row.id, user_id, row.error)


def requeue_failed(*, user_id: UUID, now: datetime) -> tuple[int, list[UUID]]:
    """Failed messages are pending again; returns how many, and the new work's ids.
    Needs ``acting_for``."""
    failed = Message.objects.filter(user_id=user_id, state=Message.State.FAILED)
    talks = list(failed.values_list("conversation_id", flat=True).distinct())
    count = failed.update(state=Message.State.PENDING)
    queued = [queue(user_id=user_id, conversation_id=talk, now=now).id for talk in talks]
    return count, queued


def due(*, now: datetime, limit: int, imports: bool = False) -> list[tuple[UUID, UUID]]:
    """Work that nobody holds: conversations to read, or else ``imports`` to go on with."""
    with relaying():
        return list(
            Outbox.objects.filter(
                Q(claimed_until__isnull=True) | Q(claimed_until__lt=now),
                conversation__isnull=imports,
                done_at__isnull=True,
                failed_at__isnull=True,
                not_before__lte=now,
            )
            .order_by("not_before")
            .values_list("user_id", "id")[:limit]
        )


def take_for_sweep(*, user_id: UUID, outbox_id: UUID, now: datetime) -> bool:
    """Move the next sweep of this work on by a minute; False when another sweep did."""
    with acting_for(user_id):
        return bool(
            Outbox.objects.filter(user_id=user_id, id=outbox_id, not_before__lte=now).update(
                not_before=now + timedelta(seconds=60)
            )
        )
