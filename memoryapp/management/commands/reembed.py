"""`manage.py reembed`: move all facts to the embedder that the settings name."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from memoryapp import pipeline, providers
from memoryapp.ports import ProviderError


class Command(BaseCommand):
    help = (
        "Make vectors of the embedder that EMBEDDER names for every fact, then drop those of "
        "others. Recall works meanwhile. Can be stopped and started again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = 0
        users = list(get_user_model().objects.order_by("id").values_list("id", flat=True))
        with tqdm(users, unit="user", disable=None) as bar:
            for user_id in bar:
                try:
                    for count in pipeline.reembed(user_id=user_id):
                        done += count
                        bar.set_postfix(facts=done)
                except ProviderError as error:
                    raise CommandError(
                        f"The embedder failed ({error.code}) after {done} facts. "
                        "Nothing is lost: run the command again."
                    ) from None
        self.stdout.write(f"{done} facts now have vectors of {providers.embedder().model}.")
