"""What happened in a memory, for those who wait to hear of it; who waits, and what they got."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from .base import Owned, owned_link


class MemoryEvent(Owned):
    """Append-only; the nightly work removes old ones. Something that happened in a user's
    memory, as ids: never content.

    ``seq`` grows, for one user, in the order of the commits: who has seen one number has
    seen all below it.
    """

    class Type(models.TextChoices):
        CREATED = "memory.created"
        UPDATED = "memory.updated"
        ERASED = "memory.erased"
        WAITING = "review.waiting"
        IMPORTED = "import.finished"
        READ = "conversation.read"

    seq = models.BigIntegerField()
    type = models.CharField(max_length=40, choices=Type.choices)
    data = models.JSONField()
    at = models.DateTimeField()


class WebhookEndpoint(models.Model):
    """Mutable. An address of an application's that hears of its users' memories. ``events``
    are the types it wants; none means all.

    The secret is made from ``salt`` and the server's own key, so that a copy of the database
    can't sign; ``check_hash`` knows it again. After a rotation the one before it signs too,
    until ``previous_until``.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    application = models.ForeignKey(
        "accounts.Application",
        on_delete=models.CASCADE,
        related_name="webhooks",
        verbose_name=_("application"),
    )
    url = models.CharField(_("address"), max_length=2000)
    description = models.CharField(_("description"), max_length=200, blank=True, default="")
    events = ArrayField(
        models.CharField(max_length=40), default=list, blank=True, verbose_name=_("events")
    )
    salt = models.BinaryField()
    check_hash = models.BinaryField()
    previous_salt = models.BinaryField(null=True)
    previous_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(_("created"))
    disabled_at = models.DateTimeField(_("disabled"), null=True, blank=True)
    disabled_reason = models.CharField(_("why"), max_length=20, blank=True, default="")
    failing_since = models.DateTimeField(_("failing since"), null=True, blank=True)
    last_success_at = models.DateTimeField(_("last success"), null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")

    def __str__(self) -> str:
        """No address: it may hold a token."""
        return f"webhook {self.pk.hex[-8:]}"


class WebhookDelivery(Owned):
    """Mutable. One event on its way to one endpoint, which is known by its id alone: it may
    be deleted meanwhile.

    Claimed by a conditional UPDATE of ``claimed_until``; ``attempts`` is counted before the
    work. ``log`` has a line for each attempt: when, status, error, how long; never a word of
    what was answered.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        FAILED = "failed"

    event = owned_link("memoryapp.MemoryEvent", related_name="deliveries")
    endpoint = models.UUIDField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    created_at = models.DateTimeField()
    not_before = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    ended_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    error = models.CharField(max_length=40, blank=True, default="")
    log = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name_plural = "webhook deliveries"
