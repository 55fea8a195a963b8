"""Taking back what was done by hand."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from memoryapp import pipeline, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Fact, HandAct
from memoryapp.web import cards, undoing
from memoryapp.web.views.common import back_of, is_fragment, me, private, show, summary


@private
@require_POST
def undo(request: HttpRequest, act: UUID) -> HttpResponse:
    """Take back an act of the user's hand. When that is no longer possible, 409 says why.

    A fragment is put in the place of the ``.fact`` that asked: the fact as it stands now. Of
    several, the page is loaded again.
    """
    user = me(request)
    with acting_for(user.pk):
        about = list(
            HandAct.objects.filter(user_id=user.pk, act=act)
            .order_by("id")
            .values_list("fact_id", flat=True)
        )
    try:
        undone = pipeline.undo_act(user_id=user.pk, act=act, by=Actor.user(user))
    except store.NotFound:
        return _refused(request, undoing.gone(), [])
    except store.NotUndoable as error:
        return _refused(request, undoing.why_not(error.code), about[-1:])
    words = undoing.taken_back(undone)
    with acting_for(user.pk):
        found = cards.cards(user.pk, undone.facts)
    if is_fragment(request) and len(found) == 1:
        return _shown(request, found[0], words)
    messages.success(request, words)
    if is_fragment(request):
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    if len(found) == 1:
        return redirect(back_of(found[0]))
    waits = found and all(one.status == Fact.Status.PENDING for one in found)
    return redirect("review" if waits else "memories")


def _shown(
    request: HttpRequest, card: cards.Card, words: str, *, status: int = 200
) -> HttpResponse:
    """The fact in its list, with a word about it."""
    with acting_for(me(request).pk):
        context = summary(me(request).pk).context()
    context |= {"card": card, "noted": words, "trouble": status != 200}
    waits = card.status == Fact.Status.PENDING
    if waits:
        context["lede"] = ""
    return show(
        request,
        "web/_asked_again.html" if waits else "web/_changed.html",
        context,
        status=status,
    )


def _refused(request: HttpRequest, words: str, about: Sequence[UUID]) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        found = [one for one in cards.cards(user_id, about) if one.status in cards.OPEN]
        context = summary(user_id).context()
    if is_fragment(request) and found:
        return _shown(request, found[0], words, status=409)
    if is_fragment(request):
        return show(request, "web/_settled.html", {**context, "said": words}, status=409)
    back = back_of(found[0]) if found else reverse("memories")
    return show(request, "web/undo.html", {**context, "said": words, "back": back}, status=409)
