"""What was just learned: a page that takes it back, and the quiet word that says so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from memoryapp import pipeline, registry, store, streams
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Decision, Extraction
from memoryapp.store.undo import CHANGING
from memoryapp.web import cards, dates
from memoryapp.web.views.common import is_fragment, me, missing, page_of, private, show, summary
from memoryapp.web.views.memories import overview

LATELY = timedelta(days=14)
PER_PAGE = 10
MOST_NEWS = 20

WHY: dict[str, Promise] = {
    "erased": gettext_lazy("You have had it forgotten."),
    "undone": gettext_lazy("You have taken it back."),
    "kept": gettext_lazy("You have decided on it since. Edit or forget it instead."),
    "weighed": gettext_lazy("You have pinned it or weighed it since. Edit or forget it instead."),
    "said_again": gettext_lazy("You have said it again since. Edit or forget it instead."),
    "changed": gettext_lazy("It has changed again since. Edit or forget it instead."),
    "built_on": gettext_lazy("Other memories rest on it by now. Edit or forget it instead."),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a conversation and what it taught; ``why_not`` says why that can't be
    taken back, and is empty when it can."""

    id: UUID
    at: datetime
    cards: Sequence[cards.Card]
    why_not: str

    @property
    def day(self) -> str:
        return str(capfirst(dates.when(self.at, "day")))


@require_GET
def live(request: HttpRequest) -> HttpResponseBase:
    """The user's events while a page is open. 204 tells a browser not to ask again."""
    if not isinstance(request.user, User):
        return HttpResponse(status=204)
    user_id, session = request.user.pk, request.session

    def allowed() -> bool:
        here = session.session_key is not None and session.exists(session.session_key)
        return here and User.objects.filter(pk=user_id, is_active=True).exists()

    # A window that was hidden opens a new stream, which sends no Last-Event-ID.
    after_id = request.GET.get("after", "")
    return streams.respond(request, streams.Reader(user_id, allowed=allowed), after_id=after_id)


@private
@require_GET
def learned(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        rows = _taught(user_id).filter(started_at__gte=timezone.now() - LATELY)
        page = page_of(request, rows.order_by("-started_at", "-id"), PER_PAGE)
        context = {
            **summary(user_id).context(),
            "page": page,
            "readings": _readings(user_id, list(page.object_list)),
        }
    return show(request, "web/learned.html", context)


@private
@require_GET
def news(request: HttpRequest) -> HttpResponse:
    """The quiet word about the readings that the address names: how much is new, and how to
    take it back when it was one."""
    user_id = me(request).pk
    ids = [one for text in request.GET.getlist("reading")[:MOST_NEWS] if (one := _uuid(text))]
    with acting_for(user_id):
        found = _readings(user_id, list(_taught(user_id).filter(id__in=ids)))
    fresh = [one for one in found if one.why_not != str(WHY["undone"])]
    count = sum(len(one.cards) for one in fresh)
    words = ngettext("%(n)s new memory", "%(n)s new memories", count) % {"n": count}
    only = fresh[0] if len(fresh) == 1 and not fresh[0].why_not else None
    return show(request, "web/_news.html", {"said": words if count else "", "reading": only})


@private
@require_POST
def learned_undo(request: HttpRequest, extraction_id: UUID) -> HttpResponse:
    user = me(request)
    try:
        done = pipeline.undo(user_id=user.pk, extraction_id=extraction_id, by=Actor.user(user))
    except store.NotFound:
        missing(request, f"extraction:{extraction_id}")
    except store.NotUndoable as error:
        words = str(WHY.get(error.code) or _("There was nothing to take back."))
    else:
        words = _("Taken back.")
        if done.restored:
            words += " " + ngettext(
                "What it had replaced holds again.",
                "What they had replaced holds again.",
                len(done.restored),
            )
    if not is_fragment(request):
        messages.success(request, words)
        return redirect("learned")
    with acting_for(user.pk):
        context = (
            overview(request, user.pk) if _on_overview(request) else summary(user.pk).context()
        )
    context |= {"said": words, "done": True, "fresh": "sections" in context}
    return show(request, "web/_news.html", context)


def _on_overview(request: HttpRequest) -> bool:
    """Whether the page that asks is the plain overview, whose list is then made anew."""
    path: str | None = request.htmx.current_url_abs_path  # type: ignore[attr-defined]
    return path == reverse("memories")


def _taught(user_id: UUID) -> QuerySet[Extraction]:
    taught = Decision.objects.filter(
        user_id=user_id, outcome__in=CHANGING, fact__isnull=False, extraction__isnull=False
    )
    return Extraction.objects.filter(user_id=user_id, id__in=taught.values("extraction_id"))


def _readings(user_id: UUID, rows: Sequence[Extraction]) -> list[Reading]:
    """Needs ``acting_for(user_id)``."""
    facts: dict[UUID, dict[UUID, None]] = defaultdict(dict)
    for extraction_id, fact_id in (
        Decision.objects.filter(
            user_id=user_id, extraction__in=rows, outcome__in=CHANGING, fact__isnull=False
        )
        .order_by("id")
        .values_list("extraction_id", "fact_id")
    ):
        if extraction_id is not None and fact_id is not None:
            facts[extraction_id][fact_id] = None
    held = registry.load()
    found = []
    for row in rows:
        code = store.undoable(user_id=user_id, registry=held, extraction_id=row.id)
        why_not = str(WHY.get(code, "")) if code else ""
        shown = cards.cards(user_id, list(facts[row.id]))
        found.append(Reading(row.id, row.started_at, shown, why_not))
    return found


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
