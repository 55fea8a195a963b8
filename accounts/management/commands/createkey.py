from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import SCOPES, ApiKey
from accounts.services import account_for_command, ensure_application


class Command(BaseCommand):
    help = "Make an API key and print it once. Nothing else goes to standard output."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", help="whose key; default: the first account")
        parser.add_argument("--name", default="", help="what the key is for")
        parser.add_argument(
            "--application",
            metavar="NAME",
            default="",
            help="a chat frontend with end users of its own; made when missing. "
            "Without it the key is personal and acts for its owner.",
        )
        parser.add_argument(
            "--scopes",
            default=",".join(SCOPES),
            help="comma-separated; default: all (%(default)s)",
        )
        parser.add_argument("--expires", metavar="DAYS", type=int, help="default: never")

    def handle(self, *args: Any, **options: Any) -> None:
        scopes = [scope for scope in options["scopes"].replace(" ", "").split(",") if scope]
        unknown = sorted(set(scopes) - set(SCOPES))
        if unknown or not scopes:
            raise CommandError(
                _("--scopes takes some of: %(known)s") % {"known": ", ".join(SCOPES)}
            )
        days = options["expires"]
        if days is not None and not 1 <= days <= 36500:
            raise CommandError(_("--expires takes a number of days from 1 to 36500."))
        name, application_name = options["name"].strip(), options["application"].strip()
        if len(name) > 100 or len(application_name) > 100:
            raise CommandError(_("A name has at most 100 characters."))
        owner = account_for_command(options["email"])
        application = (
            ensure_application(owner=owner, name=application_name) if application_name else None
        )
        key, secret = ApiKey.objects.issue(
            owner=owner,
            application=application,
            name=name or application_name or _("Made on the command line"),
            scopes=scopes,
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
        )
        self.stdout.write(secret)
        if application is None:
            kind = _("A personal key: it acts for its owner.")
        else:
            kind = _("A key of the application “%(name)s”: name the end user in each call.") % {
                "name": application.name
            }
        self.stderr.write(kind)
        self.stderr.write(
            _("Keep it now: it can't be shown again. It is listed as %(prefix)s.")
            % {"prefix": key.prefix}
        )
