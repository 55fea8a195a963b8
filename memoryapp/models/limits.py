"""How many requests came lately, by whom."""

from __future__ import annotations

from django.db import models


class RateBucket(models.Model):
    """Mutable, shared by all users: counts that name nobody. A token bucket: ``tokens`` were
    left at ``at``. Lost in a crash, which fills it."""

    id = models.UUIDField(primary_key=True)
    tokens = models.FloatField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.pk)[-8:]
