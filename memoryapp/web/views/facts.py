"""One fact: why it is remembered, and changing it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from memoryapp import pipeline, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Fact
from memoryapp.web import cards
from memoryapp.web.forms import EditForm
from memoryapp.web.views.common import (
    back_of,
    is_fragment,
    me,
    missing_fact,
    private,
    show,
    summary,
)
from memoryapp.web.why import why

# What the page offers to change or to have forgotten.
_OPEN = (Fact.Status.CURRENT, Fact.Status.PENDING)


@private
@require_GET
def fact(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    """The page "Why I remember this"; in the drawer when htmx asks; with ``?card=`` the
    fact as it stands in its list, the focus on the control that is named."""
    user_id = me(request).pk
    with acting_for(user_id):
        context = why(user_id, fact_id)
        figures = summary(user_id).context()
    if context is None:
        missing_fact(request, fact_id)
    if is_fragment(request):
        if focus := request.GET.get("card"):
            return show(request, _item_of(context["card"]), {**context, "focus": focus})
        return show(request, "web/_drawer.html", context)
    return show(request, "web/fact.html", {**figures, **context})


def _item_of(card: cards.Card) -> str:
    pending = card.status == Fact.Status.PENDING
    return "web/_question.html" if pending else "web/_card.html"


def _open_card(request: HttpRequest, fact_id: UUID) -> cards.Card:
    """The card of a fact that may be changed; 404 for any other."""
    user_id = me(request).pk
    with acting_for(user_id):
        found = cards.cards(user_id, [fact_id])
    if not found or found[0].status not in _OPEN:
        missing_fact(request, fact_id)
    return found[0]


@private
@require_http_methods(["GET", "POST"])
def fact_edit(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    card = _open_card(request, fact_id)
    if request.method == "GET":
        return _edit_form(request, card, EditForm(fact_id=fact_id, initial={"value": card.value}))
    form = EditForm(request.POST, fact_id=fact_id)
    if not form.is_valid():
        return _edit_form(request, card, form, status=422)
    user = me(request)
    by = Actor.user(user)
    try:
        if card.status == Fact.Status.PENDING:
            fact_id = pipeline.approve(user_id=user.pk, fact_id=fact_id, by=by)
        new_id = pipeline.edit_fact(
            user_id=user.pk,
            fact_id=fact_id,
            value=form.cleaned_data["value"],
            supersession=form.cleaned_data["supersession"],
            by=by,
        )
    except (store.Conflict, store.NotFound):
        form.add_error(
            None,
            _("This changed while you were writing. Nothing was saved. Load the page again."),
        )
        return _edit_form(request, card, form, status=409)
    except ValueError:
        form.add_error("value", _("I can’t keep it in these words. Try others."))
        return _edit_form(request, card, form, status=422)
    return _changed(request, new_id)


def _edit_form(
    request: HttpRequest, card: cards.Card, form: EditForm, *, status: int = 200
) -> HttpResponse:
    user_id = me(request).pk
    context: dict[str, Any] = {"card": card, "form": form, "back": back_of(card)}
    if is_fragment(request):
        return show(
            request, "web/_item.html", {**context, "panel": "web/_edit.html"}, status=status
        )
    with acting_for(user_id):
        context |= summary(user_id).context()
    return show(request, "web/edit.html", context, status=status)


def _changed(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    user_id = me(request).pk
    messages.success(request, _("Noted. What it said before is kept as the past."))
    with acting_for(user_id):
        card = cards.cards(user_id, [fact_id])[0]
        figures = summary(user_id).context()
    if is_fragment(request):
        return show(request, "web/_changed.html", {**figures, "card": card, "focus": "edit"})
    return redirect(back_of(card))
