"""The user's own log, in words."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_GET

from accounts.models import Application
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent
from memoryapp.web import dates, logbook
from memoryapp.web.views.common import me, page_of, private, show, summary

PER_PAGE = 100


@private
@require_GET
def activity(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        page = page_of(
            request, AuditEvent.objects.filter(user_id=user_id).order_by("-seq"), PER_PAGE
        )
        events = list(page)
        context: dict[str, Any] = {**summary(user_id).context(), "page": page}
    names = _applications(events)
    days = groupby(events, key=lambda event: timezone.localtime(event.at).date())
    context["days"] = [_day(list(rows), str(user_id), names) for _date, rows in days]
    return show(request, "web/activity.html", context)


def _day(rows: list[AuditEvent], user_id: str, names: dict[str, str]) -> dict[str, Any]:
    """A day's events, newest first; the same thing done again and again counts as one line."""
    events = []
    for (action, actor, _minute), run in groupby(
        rows, key=lambda e: (e.action, e.actor, e.at.replace(second=0, microsecond=0))
    ):
        same = list(run)
        events.append(
            {
                "at": same[0].at,
                "words": logbook.action(action),
                "who": logbook.actor(actor, user_id, names),
                "times": len(same),
            }
        )
    return {"name": capfirst(dates.when(rows[0].at, "day")), "events": events}


def _applications(events: list[AuditEvent]) -> dict[str, str]:
    ids: set[UUID] = set()
    for event in events:
        kind, _colon, found = event.actor.partition(":")
        if kind == "app":
            ids.add(UUID(found))
    return {str(one.id): one.name for one in Application.objects.filter(id__in=ids)}
