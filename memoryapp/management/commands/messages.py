"""The words of the page in every language: kept in step with the code."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = (
        "Brings the catalogues in memoryapp/locale up to the code and compiles them; "
        "--check only says what is missing from them."
    )
    requires_system_checks = ()  # it needs no database

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="fail when one isn't complete")
        parser.add_argument(
            "--language",
            action="append",
            help="one language, such as de; when left out, --check looks at those that settings "
            "offer, and all that there are catalogues for are brought up",
        )

        parser.add_argument(
            "--prune",
            action="store_true",
            help="drop translations of what the code no longer says",
        )

    def handle(
        self, *args: Any, check: bool, prune: bool, language: list[str] | None, **options: Any
    ) -> None:
        # Babel is there for development alone, and this module is read on servers, too.
        from memoryapp.management import catalogues

        known = catalogues.PLURALS
        if unknown := sorted(set(language or []) - set(known)):
            raise CommandError(
                f"No plural rule is known for {', '.join(unknown)}. "
                "Add it to PLURALS in memoryapp/management/catalogues.py."
            )
        if check:
            self._check(language or catalogues.offered())
            return
        for code in language or known:
            made = catalogues.update(code, prune=prune)
            catalogues.save(code, made)
            missing = sum(not catalogues.translated(message) for message in made if message.id)
            self.stdout.write(f"{code}: {len(made)} messages, {missing} to translate")

    def _check(self, languages: list[str]) -> None:
        from memoryapp.management import catalogues

        wrong = 0
        for code in languages:
            for line in catalogues.complaints(code):
                self.stderr.write(f"{code}: {line}")
                wrong += 1
        if wrong:
            raise CommandError(
                "The catalogues aren't complete. Run `make messages`, translate what is empty "
                "(docs/translating.md says how), run it again, and commit both files."
            )
