"""What the user does with an import, and what is swept up behind it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.files.base import File

from memoryapp import (
    audit,
    broker,
    erase,
    importing,
    providers,
    uploads,
    work,
)
from memoryapp.context import acting_for
from memoryapp.models import ErasureReceipt, Import

from .steps import TASK, step

# Looking into so much is quicker than asking a worker.
AT_ONCE = 8 * uploads.MIB


def receive(
    *,
    user_id: UUID,
    content: File[Any] | bytes,
    by: audit.Actor,
    application_id: UUID | None = None,
    pasted: bool = False,
    look: bool | None = None,
) -> UUID:
    """Keep an upload and look what is in it, at once when it is small (or ``look`` says so),
    else in a worker; returns the import's id. What was ``pasted`` may be plain sentences.
    Raises uploads.TooLarge; nothing is kept then."""
    now = providers.clock().now()
    with acting_for(user_id):
        row = importing.begin(
            user_id=user_id,
            by=by,
            application_id=application_id,
            format="paste" if pasted else "",
            now=now,
        )
    try:
        file, size = uploads.keep(str(row.id), content)
    except BaseException:
        with acting_for(user_id):
            importing.discard(row=row)
        raise
    at_once = size <= AT_ONCE if look is None else look
    with acting_for(user_id):
        queued = importing.received(row=row, file=file, size=size, now=now)
        if not at_once:
            broker.on_commit(TASK, str(user_id), str(queued.id))
    if at_once:
        step(user_id=user_id, outbox_id=queued.id)
    return row.id


def start(*, user_id: UUID, import_id: UUID, by: audit.Actor, mine: bool = False) -> UUID:
    """Have a previewed import taken in; returns its work's id. ``mine`` is the user's word
    that an own export is theirs. Raises importing.NotFound, and importing.NotNow (``state``,
    ``paused``)."""
    with acting_for(user_id):
        queued = importing.start(
            user_id=user_id, import_id=import_id, by=by, now=providers.clock().now(), mine=mine
        )
        broker.on_commit(TASK, str(user_id), str(queued.id))
    return queued.id


def undo(*, user_id: UUID, import_id: UUID, by: audit.Actor) -> ErasureReceipt | None:
    """Erase all that an import brought and all that was learnt only from it; one that
    has brought nothing yet is removed, and there is no receipt. Raises importing.NotFound,
    and importing.NotNow when it was undone before."""
    now = providers.clock().now()
    with acting_for(user_id):
        row = importing.get(user_id=user_id, import_id=import_id)
        if row.state in importing.BEFORE:
            importing.discard(row=row)
            return None
        if row.state == Import.State.UNDONE:
            raise importing.NotNow("state")
        receipt = erase.erase_import(user_id=user_id, import_id=import_id, by=by, now=now)
        importing.undone(user_id=user_id, import_id=import_id, now=now)
    return receipt


def tidy(*, user_id: UUID) -> int:
    """Remove uploads that nobody went on with for a day; returns how many."""
    with acting_for(user_id):
        rows = importing.abandoned(user_id=user_id, now=providers.clock().now())
        for row in rows:
            importing.discard(row=row)
    return len(rows)


def sweep() -> int:
    """Send imports to the workers again that a lost broker or worker left behind."""
    now = providers.clock().now()
    sent = 0
    for user_id, outbox_id in work.due(now=now, limit=100, imports=True):
        if work.take_for_sweep(user_id=user_id, outbox_id=outbox_id, now=now):
            sent += broker.send(TASK, str(user_id), str(outbox_id))
    return sent
