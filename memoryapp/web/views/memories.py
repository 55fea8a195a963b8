"""The overview, search by meaning and words, progress, and the example."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryapp import pipeline
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.recall import FIRST, MOST
from memoryapp.records import RecallOptions
from memoryapp.web import cards, dates, looking
from memoryapp.web import overview as overviews
from memoryapp.web.forms import SearchForm
from memoryapp.web.looking import NOW, SORTS, Look
from memoryapp.web.overview import Found, Shown
from memoryapp.web.views.common import is_fragment, me, number_of, private, show, summary
from memoryapp.web.wording import GROUPS

LATELY_AT_MOST = 5


def overview(request: HttpRequest, user_id: UUID) -> dict[str, Any]:
    """What the address's look shows, and the figures at the top. Needs
    ``acting_for(user_id)``."""
    look = overviews.own(user_id, looking.parse(request.GET))
    found = overviews.shown(user_id, look, page=number_of(request.GET.get("page")))
    return {
        # As it opens, the overview shows everything that holds now, and so has counted it.
        **summary(user_id, total=found.total if look.plain else None).context(),
        **_listed(user_id, look, found),
        "choosing": "choose" in request.GET and look.status == NOW and look.day is None,
    }


def _listed(user_id: UUID, look: Look, found: Shown, *, query: str = "") -> dict[str, Any]:
    told_by = look.as_of if look.told else None
    by_id = {card.id: card for card in cards.cards(user_id, found.ids, told_by=told_by)}
    sections = [
        {
            "key": part.key or "all",
            "name": GROUPS[part.key] if part.key else _name(look, query),
            "cards": [by_id[one] for one in part.ids if one in by_id],
            "total": part.total,
            "more": replace(look, group=part.key).query() if part.total > len(part.ids) else "",
        }
        for part in found.parts
    ]
    lately = sorted(
        (card for card in by_id.values() if not card.covered and cards.changed_lately(card)),
        key=lambda card: card.changed_at,
        reverse=True,
    )
    return {
        "sections": sections,
        "lately": lately[:LATELY_AT_MOST] if look.plain and not query else [],
        "look": look,
        "query": query,
        "chips": overviews.chips(user_id, look),
        "counted": overviews.counted(found.total, look, searched=bool(query)),
        "list_pages": found.pages if found.pages and found.pages.last > 1 else None,
        "day": dates.on(look.as_of - timedelta(seconds=1), "day") if look.as_of else "",
        "today": timezone.localdate(),
    }


def _name(look: Look, query: str) -> str:
    """What a list that isn't parted is called."""
    if query:
        return _("Found")
    return str(GROUPS[look.group] if look.group else SORTS[look.sort])


def _template(request: HttpRequest) -> str:
    """The page with its filters; the list alone when htmx asks."""
    return "web/_list_swap.html" if is_fragment(request) else "web/memories.html"


@private
@require_GET
def memories(request: HttpRequest) -> HttpResponse:
    look = looking.parse(request.GET)
    if "" in request.GET.dict().values() and not look.wrong_day:
        # A form without scripts sends each of its fields: the address says what was chosen.
        return redirect(reverse("memories") + look.query())
    user_id = me(request).pk
    with acting_for(user_id):
        context = overview(request, user_id)
        context["choices"] = overviews.choices(user_id, context["look"])
    return show(request, "web/memories.html", context)


@private
@require_http_methods(["GET", "POST"])
def search(request: HttpRequest) -> HttpResponse:
    """What a look and a query show. Both come in the body: no word of the user's is in an
    address, a history or a log. The browser's address becomes that of the look alone."""
    form = SearchForm(request.POST)
    query = form.cleaned_data["query"] if form.is_valid() else ""
    look = looking.parse(request.POST)
    user = me(request)
    if not query and not is_fragment(request):
        return redirect(reverse("memories") + look.query())
    page = number_of(request.POST.get("page"))
    with acting_for(user.pk):
        look = overviews.own(user.pk, look)
    found = _found(request, look, query) if query else None
    with acting_for(user.pk):
        shown = overviews.shown(user.pk, look, page=page, found=found)
        context = {
            **summary(user.pk).context(),
            **_listed(user.pk, look, shown, query=query),
            "paged": "page" in request.POST,
        }
        if not is_fragment(request):
            context["choices"] = overviews.choices(user.pk, look)
    response = show(request, _template(request), context)
    if is_fragment(request):
        response["HX-Replace-Url"] = reverse("memories") + look.query()
    return response


def _found(request: HttpRequest, look: Look, query: str) -> Found:
    user = me(request)
    with acting_for(user.pk):
        options = RecallOptions(
            k=MOST, excerpts=0, depth=0, **overviews.recall_filters(user.pk, look)
        )
    if look.status != NOW:
        # Whatever held at any time; the list's own filter then leaves what is past.
        options = replace(options, since=FIRST, until=timezone.now())
    hits = pipeline.recall(
        user_id=user.pk, query=query, options=options, by=Actor.user(user), via=None
    ).hits
    return Found(ids=[UUID(str(hit.fact["id"])) for hit in hits], words=overviews.words_of(query))


@private
@require_GET
def memories_status(request: HttpRequest) -> HttpResponse:
    """How far the reading is; with the list itself when its number of facts changed."""
    user_id = me(request).pk
    with acting_for(user_id):
        figures = summary(user_id)
        fresh = request.GET.get("seen") != str(figures.total)
        context = overview(request, user_id) if fresh else figures.context()
    return show(request, "web/_status_swap.html", {**context, "fresh": fresh})


@private
@require_POST
def example(request: HttpRequest) -> HttpResponse:
    user = me(request)
    pipeline.load_example(user_id=user.pk, by=Actor.user(user))
    messages.success(request, _("I’m reading the example. What I find appears below."))
    return redirect("memories")
