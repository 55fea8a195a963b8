"""The overview, search by meaning, progress, and the example."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryapp import pipeline
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.records import RecallOptions
from memoryapp.web import cards
from memoryapp.web.forms import SearchForm
from memoryapp.web.views.common import is_fragment, me, page_of, private, show, summary
from memoryapp.web.wording import GROUPS

PER_GROUP = 8
PER_PAGE = 50
LATELY_AT_MOST = 5
SEARCH_AT_MOST = 20


def overview(request: HttpRequest, user_id: UUID) -> dict[str, Any]:
    """The groups with their first facts, or one whole group a page at a time. Needs
    ``acting_for(user_id)``."""
    by_group = cards.current(user_id, cards.registry())

    chosen = request.GET.get("group", "")
    page = None
    if chosen in by_group:
        page = page_of(request, by_group[chosen], PER_PAGE)
        shown = {chosen: list(page.object_list)}
    else:
        chosen = ""
        shown = {key: by_group[key][:PER_GROUP] for key in GROUPS if key in by_group}

    found = {
        card.id: card
        for card in cards.cards(user_id, [one for ids in shown.values() for one in ids])
    }
    sections = [
        {
            "key": key,
            "name": GROUPS[key],
            "cards": [found[one] for one in ids if one in found],
            "total": len(by_group[key]),
            "more": page is None and len(by_group[key]) > PER_GROUP,
        }
        for key, ids in shown.items()
    ]
    lately = sorted(
        (card for card in found.values() if not card.covered and cards.changed_lately(card)),
        key=lambda card: card.changed_at,
        reverse=True,
    )
    return {
        **summary(user_id).context(),
        "sections": sections,
        "lately": [] if chosen else lately[:LATELY_AT_MOST],
        "group": chosen,
        "page": page,
        "choosing": "choose" in request.GET,
    }


@private
@require_GET
def memories(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        context = overview(request, user_id)
    return show(request, "web/memories.html", context)


@private
@require_http_methods(["GET", "POST"])
def search(request: HttpRequest) -> HttpResponse:
    """The query comes in the body, so that it is in no address, history or log."""
    form = SearchForm(request.POST)
    query = form.cleaned_data["query"] if form.is_valid() else ""
    template = "web/_list.html" if is_fragment(request) else "web/memories.html"
    user = me(request)
    if not query:
        if not is_fragment(request):
            return redirect("memories")
        with acting_for(user.pk):
            return show(request, template, overview(request, user.pk))
    found = pipeline.recall(
        user_id=user.pk,
        query=query,
        options=RecallOptions(k=SEARCH_AT_MOST),
        by=Actor.user(user),
        via=None,
    )
    with acting_for(user.pk):
        context = summary(user.pk).context()
        context["results"] = cards.cards(user.pk, [_id_of(hit.fact) for hit in found.hits])
    return show(request, template, {**context, "query": query})


def _id_of(fact: Any) -> UUID:
    return UUID(str(fact["id"]))


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
