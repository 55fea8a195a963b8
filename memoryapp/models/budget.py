"""How many of a model's tokens were used, a day at a time. Days are UTC's."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from .base import Owned


class TokenUse(Owned):
    """Mutable. One user's tokens of one day: those used, and those set aside for calls that
    are under way."""

    day = models.DateField()
    tokens = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "day"], name="memoryapp_tokenuse_day")
        ]


class TokenDay(models.Model):
    """Mutable, shared by all users: a sum that names nobody. Everybody's tokens of one day,
    counted like ``TokenUse``."""

    day = models.DateField(primary_key=True)
    tokens = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["-day"]

    def __str__(self) -> str:
        return self.day.isoformat()
