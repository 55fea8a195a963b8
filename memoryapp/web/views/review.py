"""What waits for the user's yes or no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from uuid_utils.compat import uuid7

from memoryapp import erase, pipeline, preferences, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import ErasureRequest
from memoryapp.pipeline import review as answers
from memoryapp.web import asking, cards
from memoryapp.web.undoing import said as say
from memoryapp.web.views.common import (
    Summary,
    is_fragment,
    me,
    missing,
    missing_fact,
    private,
    show,
    summary,
)


def _lede(figures: Summary) -> str:
    if not figures.to_review:
        return _("I ask before I keep what is delicate or unclear.")
    return ngettext(
        "One thing waits for your yes or no. I don’t use it before.",
        "%(n)s things wait for your yes or no. I don’t use them before.",
        figures.to_review,
    ) % {"n": intcomma(figures.to_review)}


def _filter(request: HttpRequest) -> str:
    name = request.GET.get("sort", "")
    return name if name in asking.FILTERS else ""


@private
@require_GET
def review(request: HttpRequest) -> HttpResponse:
    """The inbox: all, or one sort; from a place on, where the address says so."""
    user = me(request)
    name = _filter(request)
    with acting_for(user.pk):
        inbox = asking.inbox(user.pk, name, request.GET.get("after", ""))
        figures = summary(user.pk)
        batch = asking.plain(user.pk, name).count() if name in ("imported", "unclear") else 0
        context = {
            **figures.context(),
            "inbox": inbox,
            "filters": [
                {"key": key, "name": words, "count": inbox.counts[key]}
                for key, words in asking.FILTERS.items()
                if inbox.counts[key] or key in ("", name)
            ],
            "sort": name,
            "batch": batch,
            "keys": preferences.load(user=user).review_keys,
            "wishes": list(
                ErasureRequest.objects.filter(
                    user_id=user.pk, state=ErasureRequest.State.OPEN
                ).order_by("-asked_at")
            )
            if not name
            else [],
        }
    context["lede"] = _lede(figures)
    return show(request, "web/review.html", context)


def _settle(
    request: HttpRequest,
    fact_id: UUID,
    carry_out: Callable[..., Any],
    words: str,
    *,
    never: bool = False,
) -> HttpResponse:
    user = me(request)
    act: UUID | None = uuid7()
    try:
        carry_out(user_id=user.pk, fact_id=fact_id, by=Actor.user(user), act=act)
    except store.NotFound:
        missing_fact(request, fact_id)
    except store.Conflict:
        words, act = _("That was settled already. Nothing was changed."), None
    if not is_fragment(request):
        say(request, words, act)
        return redirect("review")
    with acting_for(user.pk):
        figures = summary(user.pk)
    context = {
        **figures.context(),
        "lede": _lede(figures),
        "said": words,
        "act": act,
        "never": never and act is not None,
        "fact_id": fact_id,
        # The review moves the focus on by itself, to the next question.
        "focus": "" if "Review-Goes-On" in request.headers else "card",
    }
    return show(request, "web/_answered.html", context)


@private
@require_POST
def fact_approve(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    """Yes; of two that contradict each other, ``holds`` says which: this one, or both."""
    holds = request.POST.get("holds")
    if holds == "this":
        words = _("Kept. The other one is now the past.")
        return _settle(request, fact_id, answers.prefer, words)
    words = _("Kept both.") if holds == "both" else _("Kept. You find it in the overview.")
    return _settle(request, fact_id, pipeline.approve, words)


@private
@require_POST
def fact_reject(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    words = _("Left out. I won’t ask again.")
    if request.POST.get("holds") == "that":
        words = _("Left out. The other one holds.")
    return _settle(request, fact_id, pipeline.reject, words)


@private
@require_POST
def fact_never(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    """No, and never again: neither the same thing nor the words that said it."""
    words = _("Left out for good. I’ll never remember this.")
    return _settle(request, fact_id, answers.never, words, never=True)


@private
@require_http_methods(["GET", "POST"])
def review_all(request: HttpRequest) -> HttpResponse:
    """Yes to all of a sort: first what is meant, then, confirmed, the keeping of these."""
    user = me(request)
    name = _filter(request)
    with acting_for(user.pk):
        rows = asking.plain(user.pk, name)
        ids = list(rows.values_list("id", flat=True)[: asking.MOST_AT_ONCE])
        total = rows.count()
        found = cards.cards(user.pk, ids)
        figures = summary(user.pk)
    back = reverse("review") + (f"?sort={name}" if name else "")
    if request.method == "POST":
        meant = set(request.POST.getlist("fact"))
        act = uuid7()
        kept = answers.approve_all(
            user_id=user.pk,
            fact_ids=[id for id in ids if str(id) in meant],
            by=Actor.user(user),
            act=act,
        )
        if kept:
            words = ngettext("Kept one thing.", "Kept %(n)s things.", kept) % {"n": kept}
            say(request, words, act)
        else:
            messages.warning(request, _("Nothing was chosen, so nothing was kept."))
        return redirect(back)
    if not found:
        return redirect(back)
    context = {
        **figures.context(),
        "cards": found,
        "count": len(found),
        "left": total - len(found),
        "sort": name,
        "back": back,
    }
    return show(request, "web/review_all.html", context)


@private
@require_POST
def wish_dismiss(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """The user takes back a wish to forget; its words go."""
    user = me(request)
    try:
        with acting_for(user.pk):
            erase.dismiss(user_id=user.pk, request_id=request_id, by=Actor.user(user))
    except store.NotFound:
        missing(request, f"request:{request_id}")
    messages.success(request, _("I keep it then."))
    return redirect("review")
