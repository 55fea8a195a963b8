"""Whether the log is whole."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from memoryapp import anchors, audit, outside
from memoryapp.context import acting_for


class Command(BaseCommand):
    help = (
        "Recomputes the chain of every account's log, and looks for the heads that were noted "
        "outside of the database. Exit code 1 when one is broken or lacks its end."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            noted = anchors.noted()
        except outside.Unreadable as error:
            raise CommandError(
                _("{name} isn't a file of noted heads. Move it away.").format(name=error)
            ) from None
        events = broken = 0
        # The log outlives the account.
        for user_id in sorted({*User.objects.values_list("id", flat=True), *noted}):
            with acting_for(user_id):
                report = audit.verify_chain(user_id=user_id)
                lacks = audit.lacking(user_id=user_id, heads=noted.get(user_id, ()))
            events += report.events
            if lacks is not None:
                broken += 1
                self.stderr.write(
                    _("The log of %(user)s lacks event %(seq)d as it was noted outside.")
                    % {"user": user_id, "seq": lacks}
                )
            if report.first_bad is not None:
                broken += 1
                self.stderr.write(
                    _("The log of %(user)s is broken at event %(seq)d.")
                    % {"user": user_id, "seq": report.first_bad}
                )
        if broken:
            sys.exit(1)
        self.stdout.write(
            ngettext(
                "%(count)d event, every chain whole.",
                "%(count)d events, every chain whole.",
                events,
            )
            % {"count": events}
        )
