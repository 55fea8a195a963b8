"""An import's states and its work. Every function needs ``acting_for`` unless it says
otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q

from memoryapp import audit, rules, uploads
from memoryapp.context import acting_for
from memoryapp.models import (
    Conversation,
    Extraction,
    Import,
    Message,
    Outbox,
)
from memoryapp.records import ExtractionResult

from .items import MEMORIES

if TYPE_CHECKING:
    from memoryapp.importers import Preview

# Whoever uploads and then goes away leaves nothing behind for longer.
ABANDONED = timedelta(days=1)
# The import reads its conversations itself, in order; the sweep takes over when it can't.
HELD_BACK = timedelta(days=1)
WORKING = (Import.State.LOOKING, Import.State.STORING, Import.State.READING)
BEFORE = (
    Import.State.RECEIVING,
    Import.State.LOOKING,
    Import.State.READY,
    Import.State.REFUSED,
)


class NotFound(LookupError):
    """The import isn't this user's, or isn't there."""


class NotNow(RuntimeError):
    """The import isn't in a state for that; the text is a short code: ``state``, ``paused``."""


class Stopped(Exception):
    """Somebody undid the import, or another worker holds it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One worker's hold on an import."""

    user_id: UUID
    outbox_id: UUID
    import_id: UUID
    attempts: int


def begin(
    *, user_id: UUID, by: audit.Actor, application_id: UUID | None, format: str, now: datetime
) -> Import:
    return Import.objects.create(
        user_id=user_id,
        actor=str(by),
        application_id=application_id,
        format=format,
        created_at=now,
    )


def received(*, row: Import, file: str, size: int, now: datetime) -> Outbox:
    """The upload is complete: note the work of looking into it."""
    row.file, row.size, row.state = file, size, Import.State.LOOKING
    row.save(update_fields=["file", "size", "state"])
    return _queue(row, now)


def _queue(row: Import, now: datetime) -> Outbox:
    return Outbox.objects.create(
        user_id=row.user_id,
        source_import_id=row.id,
        created_at=now,
        not_before=now + timedelta(seconds=15),
    )


def get(*, user_id: UUID, import_id: UUID) -> Import:
    """Raises NotFound."""
    row = Import.objects.filter(user_id=user_id, id=import_id).first()
    if row is None:
        raise NotFound("no such import")
    return row


def looked(*, claim: Claim, preview: Preview, now: datetime) -> None:
    """Keep the preview: the import waits for the user's word."""
    Import.objects.filter(
        user_id=claim.user_id, id=claim.import_id, state=Import.State.LOOKING
    ).update(
        state=Import.State.READY,
        format=preview.format,
        preview={
            "conversations": preview.conversations,
            "messages": preview.messages,
            "memories": preview.memories,
            "skipped": dict(preview.skipped),
            "notes": dict(preview.notes),
            "first_at": preview.first_at.isoformat() if preview.first_at else None,
            "last_at": preview.last_at.isoformat() if preview.last_at else None,
        },
    )
    _ended(claim, now)


def start(
    *, user_id: UUID, import_id: UUID, by: audit.Actor, now: datetime, mine: bool = False
) -> Outbox:
    """The user said yes; with ``mine`` that an own export is theirs, so that what they had
    approved there holds, and the settings come along. Raises NotFound, NotNow."""
    row = get(user_id=user_id, import_id=import_id)
    if rules.paused(user_id=user_id, now=now):
        raise NotNow("paused")
    if not Import.objects.filter(user_id=user_id, id=import_id, state=Import.State.READY).update(
        state=Import.State.STORING,
        started_at=now,
        actor=str(by),
        preview={**row.preview, "mine": True} if mine else row.preview,
    ):
        raise NotNow("state")
    queued = _queue(row, now)
    event = audit.Event("import.start", f"import:{import_id}", {"format": row.format})
    audit.record(user_id=user_id, by=by, events=[event], now=now)
    return queued


def discard(*, row: Import) -> None:
    """Remove an import that brought nothing, and its file. Raises NotNow."""
    if not Import.objects.filter(user_id=row.user_id, id=row.id, state__in=BEFORE).delete()[0]:
        raise NotNow("state")
    uploads.drop_on_commit(row.file)


def abandoned(*, user_id: UUID, now: datetime) -> list[Import]:
    """Imports that nobody went on with for a day."""
    return list(
        Import.objects.filter(user_id=user_id, state__in=BEFORE, created_at__lte=now - ABANDONED)
    )


def claim(*, user_id: UUID, outbox_id: UUID, now: datetime) -> tuple[Claim, Import] | None:
    """Hold the import for a while; None when it is done, held, or has failed too often. The
    attempt is counted before the work. Opens its own transaction."""
    with acting_for(user_id):
        open_ = Outbox.objects.filter(
            Q(claimed_until__isnull=True) | Q(claimed_until__lt=now),
            user_id=user_id,
            id=outbox_id,
            conversation__isnull=True,
            done_at__isnull=True,
            failed_at__isnull=True,
        )
        work = open_.first()
        if work is None:
            return None
        row = Import.objects.filter(
            user_id=user_id, outbox__user_id=user_id, outbox__id=work.id, state__in=WORKING
        ).first()
        if row is None:
            open_.update(done_at=now)
            return None
        held = Claim(user_id, outbox_id, row.id, work.attempts + 1)
        if work.attempts >= settings.EXTRACTION_ATTEMPTS:
            fail(claim=held, code=work.error or "worker_lost", now=now)
            return None
        taken = open_.update(
            claimed_until=now + timedelta(seconds=settings.CLAIM_SECONDS),
            attempts=F("attempts") + 1,
        )
        return (held, row) if taken else None


def hold(*, claim: Claim, state: str, now: datetime) -> None:
    """Renew the hold and lock the import against being undone meanwhile. Raises Stopped."""
    row = (
        Import.objects.select_for_update()
        .filter(user_id=claim.user_id, id=claim.import_id, state=state)
        .first()
    )
    if row is None:
        raise Stopped
    Outbox.objects.filter(user_id=claim.user_id, id=claim.outbox_id).update(
        claimed_until=now + timedelta(seconds=settings.CLAIM_SECONDS)
    )


def pause(*, claim: Claim, now: datetime) -> None:
    """A slice is done and more is to do: anybody may go on at once."""
    Outbox.objects.filter(user_id=claim.user_id, id=claim.outbox_id, done_at__isnull=True).update(
        claimed_until=None, attempts=0, error="", not_before=now + timedelta(seconds=15)
    )


def postpone(*, claim: Claim, code: str, retry_after: float | None, now: datetime) -> None:
    """A provider failed: go on later."""
    wait = max(retry_after or 0.0, min(3600.0, 5.0 * 3.0 ** (claim.attempts - 1)))
    _wait(claim, code, now + timedelta(seconds=wait), claim.attempts)


def put_off(*, claim: Claim, code: str, until: datetime) -> None:
    """Give the work up until then, as if it had not been tried: waiting is no failure."""
    _wait(claim, code, until, claim.attempts - 1)


def _wait(claim: Claim, code: str, until: datetime, attempts: int) -> None:
    Outbox.objects.filter(user_id=claim.user_id, id=claim.outbox_id).update(
        claimed_until=None, error=code[:40], not_before=until, attempts=attempts
    )


def advance(*, claim: Claim, position: int, counts: Mapping[str, int]) -> None:
    """Note what was just stored, in the transaction that stored it; the import is locked."""
    row = Import.objects.get(user_id=claim.user_id, id=claim.import_id)
    row.position = position
    row.counts = _added(row.counts, counts)
    row.save(update_fields=["position", "counts"])


def _added(held: Mapping[str, Any], more: Mapping[str, int]) -> dict[str, Any]:
    return {**held, **{key: held.get(key, 0) + n for key, n in more.items() if n}}


def stored(*, claim: Claim, skipped: Mapping[str, int], notes: Mapping[str, int]) -> None:
    """Everything is in: the file is no longer needed."""
    row = Import.objects.get(user_id=claim.user_id, id=claim.import_id)
    uploads.drop_on_commit(row.file)
    row.state, row.file = Import.State.READING, ""
    row.counts = {**row.counts, "skipped": dict(skipped), "noted": dict(notes)}
    row.save(update_fields=["state", "file", "counts"])


def finish(*, claim: Claim, now: datetime) -> None:
    """All is read that can be read now; what had to wait is left to the sweep."""
    _release(claim, now)
    row = Import.objects.get(user_id=claim.user_id, id=claim.import_id)
    row.state, row.ended_at = Import.State.DONE, now
    row.save(update_fields=["state", "ended_at"])
    _ended(claim, now)
    counts = {key: n for key, n in row.counts.items() if isinstance(n, int)}
    event = audit.Event("import.end", f"import:{row.id}", counts)
    audit.record(user_id=claim.user_id, by=audit.Actor.system("import"), events=[event], now=now)


def fail(*, claim: Claim, code: str, now: datetime, refused: bool = False) -> None:
    """The import can't go on; what is in stays, is read, and can be undone."""
    _release(claim, now)
    row = Import.objects.select_for_update().get(user_id=claim.user_id, id=claim.import_id)
    if row.state not in WORKING:
        return
    refused = refused or row.state == Import.State.LOOKING
    row.state = Import.State.REFUSED if refused else Import.State.FAILED
    uploads.drop_on_commit(row.file)
    row.error, row.ended_at, row.file = code[:40], now, ""
    row.save(update_fields=["state", "error", "ended_at", "file"])
    _ended(claim, now)
    if not refused:
        event = audit.Event("import.fail", f"import:{row.id}", {"code": row.error})
        audit.record(
            user_id=claim.user_id, by=audit.Actor.system("import"), events=[event], now=now
        )


def undone(*, user_id: UUID, import_id: UUID, now: datetime) -> None:
    row = Import.objects.get(user_id=user_id, id=import_id)
    uploads.drop_on_commit(row.file)
    row.state, row.file, row.ended_at = Import.State.UNDONE, "", now
    row.save(update_fields=["state", "file", "ended_at"])
    Outbox.objects.filter(user_id=user_id, source_import_id=import_id).update(
        done_at=now, claimed_until=None
    )


def _ended(claim: Claim, now: datetime) -> None:
    Outbox.objects.filter(user_id=claim.user_id, id=claim.outbox_id).update(
        done_at=now, claimed_until=None
    )


def _release(claim: Claim, now: datetime) -> None:
    """Let the sweep have the conversations that were held back."""
    _held_back(claim).update(not_before=now)


def _held_back(claim: Claim) -> Any:
    """The work that nobody has tried yet. Once tried, it waits for a time of its own."""
    row = Import.objects.get(user_id=claim.user_id, id=claim.import_id)
    return Outbox.objects.filter(
        user_id=claim.user_id,
        source_import_id=row.id,
        conversation__isnull=False,
        not_before__gte=_held_until(row),
        attempts=0,
        claimed_until=None,
        done_at__isnull=True,
        failed_at__isnull=True,
    )


def _unread(user_id: UUID, import_id: UUID) -> Any:
    return Message.objects.filter(
        user_id=user_id, source_import_id=import_id, state=Message.State.PENDING
    )


def queue_reading(*, row: Import, conversation_id: UUID, began: datetime, now: datetime) -> None:
    """Note that the conversation has messages to be read, once, in the transaction that
    stored them. The import reads in the order of ``not_before``, the oldest first; should
    the import stop, the sweep does, in the same order."""
    same = Outbox.objects.filter(
        user_id=row.user_id, conversation_id=conversation_id, source_import_id=row.id, attempts=0,
        done_at__isnull=True,
    )  # fmt: skip
    if same.exists():
        return
    age = max(0.0, began.timestamp()) / 2**32  # of 136 years, as a share
    Outbox.objects.create(
        user_id=row.user_id,
        conversation_id=conversation_id,
        source_import_id=row.id,
        created_at=now,
        not_before=_held_until(row) + age * timedelta(hours=1),
    )


def _held_until(row: Import) -> datetime:
    return (row.started_at or row.created_at) + HELD_BACK


def next_to_read(*, claim: Claim, limit: int) -> list[UUID]:
    """The work of the conversations that wait, as outbox ids, the oldest conversation
    first; each once."""
    return list(_held_back(claim).order_by("not_before", "id").values_list("id", flat=True)[:limit])


def unread_memories(*, claim: Claim, limit: int) -> list[Message]:
    """The next memories to be read, oldest first; empty when none waits."""
    row = Import.objects.get(user_id=claim.user_id, id=claim.import_id)
    notes = Conversation.objects.filter(
        user_id=claim.user_id, external_id=MEMORIES + row.format
    ).first()
    if notes is None:
        return []
    return list(
        _unread(claim.user_id, claim.import_id)
        .filter(conversation_id=notes.id)
        .order_by("sent_at", "id")[:limit]
    )


def still_unread(*, claim: Claim, ids: Sequence[UUID]) -> set[UUID]:
    """Those that nobody has read or erased meanwhile, locked."""
    return set(
        _unread(claim.user_id, claim.import_id)
        .filter(id__in=ids)
        .select_for_update()
        .values_list("id", flat=True)
    )


def note_extraction(
    *, claim: Claim, name: str, version: str, found: ExtractionResult, messages: int,
    started_at: datetime, now: datetime,
) -> Extraction:  # fmt: skip
    return Extraction.objects.create(
        user_id=claim.user_id,
        extractor=name,
        version=version,
        started_at=started_at,
        ended_at=now,
        outcome="ok",
        messages=messages,
        candidates=len(found.candidates),
        dropped=dict(Counter(d.reason for d in found.dropped)),
        tokens=found.tokens,
    )


def memories_read(*, claim: Claim, ids: set[UUID], counts: Mapping[str, int]) -> None:
    Message.objects.filter(user_id=claim.user_id, id__in=ids).update(state=Message.State.PROCESSED)
    row = Import.objects.get(user_id=claim.user_id, id=claim.import_id)
    row.counts = _added(row.counts, counts)
    row.save(update_fields=["counts"])
