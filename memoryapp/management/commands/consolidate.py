"""The nightly work, now."""

from __future__ import annotations

from dataclasses import astuple, fields
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import User
from memoryapp import anchors, pipeline, providers
from memoryapp.consolidate import Report


class Command(BaseCommand):
    help = (
        "Expires, merges, archives and purges, for everyone or for one account, and notes outside "
        "of the database what must outlive it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", help="an e-mail address or an id; everyone when left out")

    def handle(self, *args: Any, user: str | None = None, **options: Any) -> None:
        names = [field.name for field in fields(Report)]
        self.stdout.write(f"{'':36}" + "".join(f"{name:>10}" for name in names))
        # One transaction a user: stopped in the middle, it goes on with the next one.
        for user_id in self._users(user):
            report = pipeline.upkeep(
                user_id=user_id,
                archive_after=timedelta(days=settings.ARCHIVE_AFTER_DAYS),
                retention=timedelta(days=settings.MESSAGE_RETENTION_DAYS),
            )
            pipeline.journal(user_id=user_id)
            counts = "".join(f"{count:>10}" for count in astuple(report))
            self.stdout.write(f"{user_id}{counts}")
        if user is None:
            anchors.note(now=providers.clock().now())

    def _users(self, user: str | None) -> list[UUID]:
        if user is None:
            return list(User.objects.order_by("id").values_list("id", flat=True))
        found = list(User.objects.filter(_named(user)).values_list("id", flat=True))
        if not found:
            raise CommandError(_("There is no account with this e-mail address or id."))
        return found


def _named(user: str) -> Q:
    try:
        return Q(id=UUID(user))
    except (ValueError, ValidationError):
        return Q(email__iexact=user)
