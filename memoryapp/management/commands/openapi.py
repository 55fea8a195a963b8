"""The API's description, made from its code."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from memoryapp.api import api


class Command(BaseCommand):
    help = "Prints the API's OpenAPI description; --check compares it with openapi.json."
    requires_system_checks = ()  # it needs no database

    def add_arguments(self, parser: ArgumentParser) -> None:
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--check", action="store_true", help="fail when openapi.json is old")
        how.add_argument("--write", action="store_true", help="write openapi.json")

    def handle(self, *args: Any, check: bool, write: bool, **options: Any) -> None:
        path = Path(settings.BASE_DIR) / "openapi.json"
        text = description()
        if write:
            path.write_text(text, encoding="utf-8")
        elif not check:
            self.stdout.write(text, ending="")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise CommandError(
                _(
                    "openapi.json isn't what the code says. Run "
                    "`python manage.py openapi --write`, look at the difference, and commit it."
                )
            )


def description() -> str:
    return json.dumps(api.get_openapi_schema(), indent=2, ensure_ascii=False) + "\n"
