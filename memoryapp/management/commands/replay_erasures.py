"""`manage.py replay_erasures`: after a backup was restored, what was erased since is erased."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.utils.translation import gettext as _

from memoryapp import erase, outside, store


class Command(BaseCommand):
    help = "Erase again what the journal has and a restored database hasn't. Can be repeated."

    def handle(self, **options: Any) -> None:
        found: Counter[str] = Counter()
        failed: list[str] = []
        try:
            for name, entry in erase.journal.entries():
                try:
                    found[erase.replay(entry)] += 1
                except store.Conflict as error:
                    failed.append(f"{name}: {error}")
        except outside.Unreadable as error:
            raise CommandError(
                _(
                    "{name} isn't an entry of this version's journal. Move it away, or use the "
                    "version that wrote it; the entries before it are done."
                ).format(name=error)
            ) from None
        self.stdout.write(
            _(
                "{again} erased again, {known} known already, {nobody} of accounts that this "
                "database doesn't have."
            ).format(again=found["again"], known=found["known"], nobody=found["nobody"])
        )
        if failed:
            raise CommandError("\n".join([_("Not erased:"), *failed]))
