"""What waits for the user's yes or no."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from memoryapp import erase, pipeline, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import ErasureRequest, Fact
from memoryapp.web import cards
from memoryapp.web.views.common import (
    is_fragment,
    me,
    missing,
    missing_fact,
    page_of,
    private,
    show,
    summary,
)

PER_PAGE = 30


@private
@require_GET
def review(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        waiting = Fact.objects.filter(user_id=user_id, status=Fact.Status.PENDING)
        page = page_of(
            request, waiting.order_by("-recorded_at", "-id").values_list("id", flat=True), PER_PAGE
        )
        figures = summary(user_id)
        context = {
            **figures.context(),
            "cards": cards.cards(user_id, list(page.object_list)),
            "wishes": list(
                ErasureRequest.objects.filter(
                    user_id=user_id, state=ErasureRequest.State.OPEN
                ).order_by("-asked_at")
            ),
            "page": page,
        }
    context["lede"] = ngettext(
        "One thing waits for your yes or no. I don’t use it before.",
        "%(n)s things wait for your yes or no. I don’t use them before.",
        figures.to_review,
    ) % {"n": figures.to_review}
    if not figures.to_review:
        context["lede"] = _("I ask before I keep what is delicate or unclear.")
    return show(request, "web/review.html", context)


def _settle(
    request: HttpRequest, fact_id: UUID, carry_out: Callable[..., Any], words: str
) -> HttpResponse:
    user = me(request)
    try:
        carry_out(user_id=user.pk, fact_id=fact_id, by=Actor.user(user))
    except store.NotFound:
        missing_fact(request, fact_id)
    except store.Conflict:
        words = _("That was settled already. Nothing was changed.")
    if not is_fragment(request):
        messages.success(request, words)
        return redirect("review")
    with acting_for(user.pk):
        context = summary(user.pk).context()
    return show(request, "web/_settled.html", {**context, "said": words, "lede": ""})


@private
@require_POST
def fact_approve(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    return _settle(request, fact_id, pipeline.approve, _("Kept. You find it in the overview."))


@private
@require_POST
def fact_reject(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    return _settle(request, fact_id, pipeline.reject, _("Left out. I won’t ask again."))


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
