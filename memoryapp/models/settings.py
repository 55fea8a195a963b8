"""What a user chose about their memory: settings, and topics never to remember."""

from __future__ import annotations

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models

from .base import Owned


class MemorySettings(Owned):
    """Mutable. No row means the defaults: not paused, 90 days, no sensitive category.

    ``retention_days`` None keeps messages for the server's default. A pause ends at
    ``paused_until``, or, None, when the user says so. ``expiry`` maps kinds of facts to the
    days that they keep, null for always; a kind that isn't there has the default's.
    ``review_keys`` says whether single keys answer in the review.
    """

    paused = models.BooleanField(default=False)
    retention_days = models.PositiveIntegerField(null=True, blank=True)
    sensitive_opt_in = ArrayField(models.CharField(max_length=20), default=list, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True)
    expiry = models.JSONField(default=dict, blank=True)
    review_keys = models.BooleanField(default=True)

    def paused_at(self, now: datetime) -> bool:
        """Whether the memory is paused at that moment."""
        return self.paused and (self.paused_until is None or now < self.paused_until)


class NeverTopic(Owned):
    """Mutable. A topic that is never to be remembered: one of the user's own ``words``, an
    ``attribute``, an ``area`` of their life, or a kind of ``sensitivity``. ``left_out``
    counts what was left out for it."""

    words = models.CharField(max_length=200, blank=True, default="")
    attribute = models.CharField(max_length=80, blank=True, default="")
    area = models.CharField(max_length=20, blank=True, default="")
    sensitivity = models.CharField(max_length=20, blank=True, default="")
    created_at = models.DateTimeField()
    left_out = models.PositiveIntegerField(default=0)
    last_left_out_at = models.DateTimeField(null=True, blank=True)
