from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.services import account_for_command, page_link_url


class Command(BaseCommand):
    help = "Print a link that signs in once, without a password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", help="who signs in; default: the first account")
        parser.add_argument(
            "--base-url",
            default=settings.SITE_URL,
            help="where the site is; default: %(default)s",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        parts = urlsplit(options["base_url"])
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise CommandError(_("--base-url looks like https://memory.example.org"))
        user = account_for_command(options["email"])
        self.stdout.write(page_link_url(user=user, base_url=options["base_url"]))
        minutes = max(1, settings.PAGE_LINK_SECONDS // 60)
        self.stderr.write(
            ngettext(
                "It works once, within %(minutes)d minute.",
                "It works once, within %(minutes)d minutes.",
                minutes,
            )
            % {"minutes": minutes}
        )
