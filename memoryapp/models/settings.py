"""What a user chose about their memory."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from .base import Owned


class MemorySettings(Owned):
    """Mutable. No row means the defaults: not paused, 90 days, no sensitive category.

    ``retention_days`` None keeps messages for the server's default.
    """

    paused = models.BooleanField(default=False)
    retention_days = models.PositiveIntegerField(null=True, blank=True)
    sensitive_opt_in = ArrayField(models.CharField(max_length=20), default=list, blank=True)
