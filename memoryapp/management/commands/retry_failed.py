"""`manage.py retry_failed`: read again what was set aside."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

from memoryapp import pipeline


class Command(BaseCommand):
    help = "Queue again the messages whose reading was given up after too many attempts."

    def handle(self, *args: Any, **options: Any) -> None:
        users = get_user_model().objects.order_by("id").values_list("id", flat=True)
        count = sum(pipeline.retry_failed(user_id=user_id) for user_id in users.iterator())
        self.stdout.write(f"{count} messages are waiting to be read again.")
