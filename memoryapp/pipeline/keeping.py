"""What keeps the work going: sweeping, trying again, the nightly consolidation."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from memoryapp import (
    audit,
    broker,
    consolidate,
    erase,
    providers,
    work,
)
from memoryapp import (
    registry as registries,
)
from memoryapp.context import acting_for


def due(*, limit: int = 500) -> list[tuple[UUID, UUID]]:
    """Work that no worker holds and that is due, as (user, outbox) ids."""
    return work.due(now=providers.clock().now(), limit=limit)


def sweep() -> int:
    """Send due work to the workers again: what a lost broker or worker left behind."""
    sent = 0
    for user_id, outbox_id in due():
        with transaction.atomic():
            if work.take_for_sweep(
                user_id=user_id, outbox_id=outbox_id, now=providers.clock().now()
            ):
                broker.on_commit("memoryapp.tasks.read", str(user_id), str(outbox_id))
                sent += 1
    return sent


def retry_failed(*, user_id: UUID) -> int:
    """Queue again what was set aside; returns how many messages."""
    with acting_for(user_id):
        count, queued = work.requeue_failed(user_id=user_id, now=providers.clock().now())
        for outbox_id in queued:
            broker.on_commit("memoryapp.tasks.read", str(user_id), str(outbox_id))
    return count


def journal(*, user_id: UUID) -> int:
    """Write what the journal of erasures lacks; returns how many entries."""
    with acting_for(user_id):
        return erase.journal.complete(user_id=user_id, now=providers.clock().now())


def upkeep(*, user_id: UUID, archive_after: timedelta, retention: timedelta) -> consolidate.Report:
    """One user's nightly consolidation."""
    with acting_for(user_id):
        return consolidate.consolidate(
            user_id=user_id,
            registry=registries.load(),
            now=providers.clock().now(),
            by=audit.Actor.system("consolidate"),
            archive_after=archive_after,
            retention=retention,
        )
