"""Celery tasks of three lines: ids in, one call, nothing of content on the way."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from celery import shared_task
from django.conf import settings
from django.contrib.auth import get_user_model

from memoryapp import anchors, broker, import_pipeline, pipeline, providers, webhooks


@shared_task
def read(user_id: str, outbox_id: str) -> None:
    """Read a conversation's pending messages."""
    if pipeline.read(user_id=UUID(user_id), outbox_id=UUID(outbox_id)):
        broker.send("memoryapp.tasks.index_messages", user_id)


@shared_task
def index_messages(user_id: str) -> None:
    """Make messages findable, some at a time: others' work comes in between."""
    if pipeline.index_messages(user_id=UUID(user_id)):
        broker.send("memoryapp.tasks.index_messages", user_id)


@shared_task
def import_step(user_id: str, outbox_id: str) -> None:
    """Go on with an import for a while."""
    if import_pipeline.step(user_id=UUID(user_id), outbox_id=UUID(outbox_id)):
        broker.send("memoryapp.tasks.index_messages", user_id)


@shared_task
def count_recall(
    user_id: str, fact_ids: list[str], answer: dict[str, str | None] | None = None
) -> None:
    """Note that facts were recalled, and for which answer."""
    pipeline.count_recall(
        user_id=UUID(user_id), fact_ids=[UUID(i) for i in fact_ids], answer=answer
    )


@shared_task
def sweep_outbox() -> None:
    """Send again what is due and nobody holds."""
    pipeline.sweep()
    import_pipeline.sweep()
    webhooks.sweep(now=providers.clock().now())


@shared_task
def deliver_webhook(user_id: str, delivery_id: str) -> None:
    """Send an event to an endpoint."""
    webhooks.deliver(
        user_id=UUID(user_id), delivery_id=UUID(delivery_id), now=providers.clock().now()
    )


@shared_task
def note_heads() -> None:
    """Note the heads of the logs outside of the database."""
    anchors.note(now=providers.clock().now())


@shared_task
def consolidate_everyone() -> None:
    """Start each user's nightly work as a task of its own."""
    for user_id in get_user_model().objects.values_list("id", flat=True).iterator():
        broker.send("memoryapp.tasks.consolidate_one", str(user_id))


@shared_task
def consolidate_one(user_id: str) -> None:
    """One user's nightly work."""
    pipeline.upkeep(
        user_id=UUID(user_id),
        archive_after=timedelta(days=settings.ARCHIVE_AFTER_DAYS),
        retention=timedelta(days=settings.MESSAGE_RETENTION_DAYS),
    )
    pipeline.journal(user_id=UUID(user_id))
    import_pipeline.tidy(user_id=UUID(user_id))
    webhooks.tidy(user_id=UUID(user_id), now=providers.clock().now())
    broker.send("memoryapp.tasks.index_messages", user_id)
