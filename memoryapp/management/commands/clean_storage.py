"""`manage.py clean_storage`: what was erased leaves the database's files, too."""

from __future__ import annotations

from typing import Any

import psycopg
from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryapp import storage


class Command(BaseCommand):
    help = "Rewrite the tables that something was erased from, and complete the receipts."

    def handle(self, **options: Any) -> None:
        cure = _(
            "Only the owner of the tables may rewrite them: set DATABASE_OWNER_URL, as for "
            "migrations."
        )
        if not settings.DATABASE_OWNER_URL:
            raise CommandError(cure)
        try:
            with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as owner:
                done = storage.clean(owner)
        except storage.NotOwner:
            raise CommandError(cure) from None
        except psycopg.OperationalError as error:
            raise CommandError(
                _("The database at DATABASE_OWNER_URL doesn't answer ({reason}).").format(
                    reason=(str(error).strip().splitlines() or ["no reason given"])[0]
                )
            ) from None
        if done.waiting:
            raise CommandError(
                ngettext(
                    "{count} table is still used by an older transaction, so no receipt was "
                    "completed ({names}). Run this again later.",
                    "{count} tables are still used by older transactions, so no receipt was "
                    "completed ({names}). Run this again later.",
                    len(done.waiting),
                ).format(count=len(done.waiting), names=", ".join(done.waiting))
            )
        self.stdout.write(
            ngettext(
                "{count} receipt completed, {tables} tables rewritten.",
                "{count} receipts completed, {tables} tables rewritten.",
                done.receipts,
            ).format(count=done.receipts, tables=done.rewritten)
        )
