"""Whether the log is whole."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from memoryapp import audit
from memoryapp.context import acting_for


class Command(BaseCommand):
    help = "Recomputes the chain of every account's log. Exit code 1 when one is broken."

    def handle(self, *args: Any, **options: Any) -> None:
        events = broken = 0
        for user_id in User.objects.order_by("id").values_list("id", flat=True):
            with acting_for(user_id):
                report = audit.verify_chain(user_id=user_id)
            events += report.events
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
