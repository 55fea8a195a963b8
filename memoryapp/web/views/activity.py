"""The user's own log: in words, sifted, checked, and to take away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from accounts.models import Application, EndUser
from memoryapp import audit
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent
from memoryapp.web import dates, log_files, log_words, logbook
from memoryapp.web.spoken import download, spoken
from memoryapp.web.views.common import is_fragment, me, private, show, summary

PER_PAGE = 50
NOTED = 16  # letters of a noted fingerprint that are enough to know it by


@dataclass(frozen=True, slots=True)
class Sift:
    """What is asked for: fixed words, ids and days only, so that it may stand in the address."""

    who: str = ""
    what: str = ""
    since: date | None = None
    until: date | None = None

    @classmethod
    def of(cls, request: HttpRequest) -> Sift:
        """What can't be read counts as not asked for."""
        who = request.GET.get("who", "")
        what = request.GET.get("what", "")
        fine = who in ("me", "admin", "system", "others") or _uuid(who) is not None
        return cls(
            who=who if fine else "",
            what=what if what in log_words.KINDS else "",
            since=_day_of(request.GET.get("since")),
            until=_day_of(request.GET.get("until")),
        )

    def __bool__(self) -> bool:
        return bool(self.who or self.what or self.since or self.until)

    @property
    def query(self) -> str:
        asked = {"who": self.who, "what": self.what, "since": self.since, "until": self.until}
        return urlencode({name: value for name, value in asked.items() if value})

    def entries(self, user_id: UUID) -> QuerySet[AuditEvent]:
        rows = AuditEvent.objects.filter(user_id=user_id)
        mine = Q(actor=f"user:{user_id}")
        if self.who == "me":
            rows = rows.filter(mine)
        elif self.who == "others":
            rows = rows.filter(Q(actor__startswith="user:") & ~mine)
        elif self.who in ("admin", "system"):
            rows = rows.filter(actor__startswith=f"{self.who}:")
        elif self.who:
            rows = rows.filter(actor=f"app:{self.who}")
        if self.what:
            rows = rows.filter(log_words.of_kind(self.what))
        if self.since:
            rows = rows.filter(at__gte=_midnight(self.since))
        if self.until:
            rows = rows.filter(at__lt=_midnight(self.until + timedelta(days=1)))
        return rows


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _day_of(text: str | None) -> date | None:
    try:
        day = date.fromisoformat(text or "")
    except ValueError:
        return None
    return day if 2000 <= day.year < 2100 else None


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


@private
@require_GET
def activity(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    sift = Sift.of(request)
    with acting_for(user_id):
        rows, newer, older = _page(request, sift.entries(user_id))
        things = log_words.Things(user_id, rows)
        context: dict[str, Any] = {} if is_fragment(request) else summary(user_id).context()
        actors = [one.actor for one in rows] or _asked(user_id, sift)
        names = _applications(user_id, actors)
        days = groupby(rows, key=lambda event: timezone.localtime(event.at).date())
        context["days"] = [_day(list(some), str(user_id), names, things) for _date, some in days]
    context |= {
        "sift": sift,
        "kinds": log_words.KINDS,
        "applications": sorted(names.items(), key=lambda one: one[1].casefold()),
        "newer": newer,
        "older": older,
        "paged": "before" in request.GET or "after" in request.GET,
    }
    return show(
        request, "web/_activity.html" if is_fragment(request) else "web/activity.html", context
    )


def _page(
    request: HttpRequest, rows: QuerySet[AuditEvent]
) -> tuple[list[AuditEvent], int | None, int | None]:
    """The newest entries, or those before or after a number; and the numbers that the pages
    beside this one begin at. Never counted: it takes the same time at any length."""
    before, after = _number(request, "before"), _number(request, "after")
    if after is not None:
        found = list(rows.filter(seq__gt=after).order_by("seq")[: PER_PAGE + 1])
        more, found = len(found) > PER_PAGE, found[:PER_PAGE][::-1]
        return found, found[0].seq if more else None, found[-1].seq if found else None
    if before is not None:
        rows = rows.filter(seq__lt=before)
    found = list(rows.order_by("-seq")[: PER_PAGE + 1])
    more, found = len(found) > PER_PAGE, found[:PER_PAGE]
    newer = found[0].seq if found and before is not None else None
    return found, newer, found[-1].seq if more else None


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _day(
    rows: list[AuditEvent], user_id: str, names: dict[str, str], things: log_words.Things
) -> dict[str, Any]:
    """A day's entries, newest first; the same thing done again and again is one line."""
    entries = []
    for (action, actor, _minute), run in groupby(
        rows, key=lambda e: (e.action, e.actor, e.at.replace(second=0, microsecond=0))
    ):
        same = list(run)
        entries.append(
            {
                "at": same[0].at,
                "seq": same[0].seq,
                "words": logbook.action(action),
                "who": logbook.actor(actor, user_id, names),
                "times": len(same),
                "each": [
                    {
                        "seq": event.seq,
                        "at": event.at,
                        "touched": things.touched(event),
                        "details": log_words.details(event),
                        "hash": _grouped(bytes(event.hash).hex()[:NOTED]),
                    }
                    for event in same
                ],
            }
        )
    return {"name": capfirst(dates.when(rows[0].at, "day")), "events": entries}


def _grouped(fingerprint: str) -> str:
    """In groups of four, to be read aloud and written down."""
    return " ".join(fingerprint[at : at + 4] for at in range(0, len(fingerprint), 4))


def _applications(user_id: UUID, actors: Iterable[str]) -> dict[str, str]:
    """The names of the applications among the actors and of the one that is connected, by id.
    The whole log isn't looked through for them: it may be long."""
    ids = {id for actor in actors if actor[:4] == "app:" and (id := _uuid(actor[4:]))}
    connected = EndUser.objects.filter(user_id=user_id).values("application_id")
    found = Application.objects.filter(Q(id__in=ids) | Q(id__in=connected))
    return {str(one.id): one.name for one in found}


def _asked(user_id: UUID, sift: Sift) -> list[str]:
    """The application that is asked for, if it is in this log at all: another's name isn't
    told to whoever knows its id."""
    if _uuid(sift.who) is None:
        return []
    asked = AuditEvent.objects.filter(user_id=user_id, actor=f"app:{sift.who}")
    return list(asked.order_by().values_list("actor", flat=True)[:1])


@private
@require_http_methods(["GET", "POST"])
def activity_check(request: HttpRequest) -> HttpResponse:
    """Whether the log is as it was written; with a fingerprint noted before, whether that
    entry is still in it."""
    user_id = me(request).pk
    noted = "".join(request.POST.get("noted", "").split()).casefold()
    with acting_for(user_id):
        report = audit.verify_chain(user_id=user_id)
        context = summary(user_id).context()
        found = _noted(user_id, noted) if noted else None
    context |= {
        "report": report,
        "fingerprint": _grouped(report.head.hex()),
        "noted": request.POST.get("noted", "")[:100],
        "asked": bool(noted),
        "found": found,
        "error": _("A fingerprint has letters from a to f and digits, %(n)s of them at least.")
        % {"n": NOTED}
        if noted and not _is_fingerprint(noted)
        else "",
    }
    return show(request, "web/activity_check.html", context)


def _is_fingerprint(text: str) -> bool:
    return NOTED <= len(text) <= 64 and not set(text) - set("0123456789abcdef")


def _noted(user_id: UUID, noted: str) -> AuditEvent | None:
    """The entry with that fingerprint, or one that begins so."""
    if not _is_fingerprint(noted):
        return None
    low, high = bytes.fromhex(noted.ljust(64, "0")), bytes.fromhex(noted.ljust(64, "f"))
    return AuditEvent.objects.filter(user_id=user_id, hash__gte=low, hash__lte=high).first()


@private
@require_GET
def activity_download(request: HttpRequest, form: str) -> Any:
    """The whole log as a file. That it was taken is its last entry."""
    if form not in ("jsonl", "csv"):
        raise Http404
    user = me(request)
    with acting_for(user.pk):
        audit.record(
            user_id=user.pk,
            by=audit.Actor.user(user),
            events=[audit.Event("audit.read", "audit")],
        )
        acted = AuditEvent.objects.filter(user_id=user.pk, actor__startswith="app:")
        actors = acted.order_by().values_list("actor", flat=True).distinct()
        names = _applications(user.pk, actors)
    pieces = (
        spoken(log_files.table(user.pk, names)) if form == "csv" else log_files.json_lines(user.pk)
    )
    kind = "text/csv; charset=utf-8" if form == "csv" else "application/x-ndjson"
    today = timezone.localdate()
    return download(pieces, kind, f"memory-log-{today:%Y-%m-%d}.{form}")
