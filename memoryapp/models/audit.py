"""The log: append-only, one hash chain per user, hashed in the database."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from .base import Owned


class AuditEvent(Owned):
    """Append-only: UPDATE and DELETE are refused by trigger and by privilege.
    ``seq``, ``previous_hash`` and ``hash`` are set by the database."""

    seq = models.BigIntegerField(default=0)
    at = models.DateTimeField()
    actor = models.CharField(max_length=120)
    action = models.CharField(max_length=40)
    object = models.CharField(max_length=120, blank=True, default="")
    details = models.JSONField(default=dict, blank=True)
    previous_hash = models.BinaryField(default=b"")
    hash = models.BinaryField(default=b"")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "seq"], name="memoryapp_auditevent_seq")
        ]
