"""The app, and the registry's rows that it keeps in step with the code."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


def _seed(sender: AppConfig, using: str, **kwargs: Any) -> None:
    from memoryapp import registry

    registry.seed(using=using)


class MemoryappConfig(AppConfig):
    name = "memoryapp"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Tasks are sent through our Celery app from the start, and the database's role is
        # checked at the first connection.
        from memoryapp import celery, checks, signing_in  # noqa: F401

        signing_in.listen()
        post_migrate.connect(_seed, sender=self)
