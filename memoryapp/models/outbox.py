"""The queue of record. Celery is the fast path; this table loses nothing."""

from __future__ import annotations

from django.db import models

from .base import Owned, owned_link


class Outbox(Owned):
    """Mutable. One piece of work: read a conversation's pending messages, or go on with an
    import.

    Claimed by a conditional UPDATE of ``claimed_until``; ``attempts`` is counted
    before the work; set aside in ``failed_at`` after too many.
    """

    conversation = owned_link("memoryapp.Conversation", related_name="outbox", null=True)
    source_import = owned_link("memoryapp.Import", related_name="outbox", null=True)
    created_at = models.DateTimeField()
    not_before = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        verbose_name_plural = "outbox"


class IdempotencyKey(Owned):
    """Append-only. A request's answer, kept a day, given again to its repetition."""

    key_hash = models.BinaryField()
    request_hash = models.BinaryField()
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    created_at = models.DateTimeField()
