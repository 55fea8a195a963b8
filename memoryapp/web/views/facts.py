"""One fact: why it is remembered, and changing it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods
from uuid_utils.compat import uuid7

from memoryapp import audit, pipeline, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Fact
from memoryapp.web import cards, dates, undoing
from memoryapp.web.fact_form import FactForm
from memoryapp.web.views.common import (
    back_of,
    is_fragment,
    me,
    missing_fact,
    private,
    show,
    summary,
)
from memoryapp.web.why import held_beside, why


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


# -- Changing it ---------------------------------------------------------------------------------


@private
@require_http_methods(["GET", "POST"])
def fact_edit(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    """What is changed goes to the revision that the person had before them. When that isn't
    the present one any more, 409 shows what is, with their words kept and a choice."""
    user = me(request)
    with acting_for(user.pk):
        rows = Fact.objects.filter(user_id=user.pk, id=fact_id, operation="state")
        row = store.revised(rows).first()
    if row is None:
        return _forgotten(request, fact_id)
    if request.method == "GET":
        if row.status not in cards.OPEN:
            missing_fact(request, fact_id)
        return _form(request, FactForm(fact=row, revision=row.revision))
    form = FactForm(request.POST, fact=row)
    if row.status not in cards.OPEN or request.POST.get("seen", row.revision) != row.revision:
        return _conflict(request, form)
    if not form.is_valid():
        return _form(request, form, status=422)
    act = uuid7()
    try:
        new_id = _save(form, Actor.user(user), act)
    except store.TooEarly as error:
        words = _("You still said so %(when)s. Choose a later day, or say that it was never so.")
        form.add_error("since_year", words % {"when": dates.on(error.said_at)})
    except store.Occupied:
        form.add_error("scope", _("Something else holds there. Change that, or name another."))
    except (store.Conflict, store.NotFound):
        return _conflict(request, form)
    except store.Unwanted:
        form.add_error(
            "value",
            _("You asked me never to remember this. Take that back in Settings first."),
        )
    except ValueError:
        form.add_error("value", _("I can’t keep it in these words. Try others."))
    else:
        return _changed(request, new_id, act, form)
    return _form(request, form, status=422)


def _save(form: FactForm, by: Actor, act: UUID) -> UUID:
    """The fact that holds now. Raises as the pipeline does."""
    said, row = form.cleaned_data, form.fact
    seen = [said["seen"]] if said["seen"] else None
    if form.waits:
        value = said["value"] if said["value"] != row.value else ""
        return pipeline.approve(
            user_id=row.user_id, fact_id=row.id, by=by, seen=seen, value=value, act=act
        )
    return pipeline.edit_fact(
        user_id=row.user_id,
        fact_id=row.id,
        value=said["value"],
        supersession=said["supersession"],
        since=said["since"],
        scope=said["scope"] if "scope" in form.data else None,
        weights=form.weights(),
        by=by,
        seen=seen,
        act=act,
    )


def _form(request: HttpRequest, form: FactForm, *, status: int = 200, **more: Any) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        [card] = cards.cards(user_id, [form.fact.id])
        context: dict[str, Any] = {
            "card": card,
            "form": form,
            "back": back_of(card),
            "beside": held_beside(form.fact, card),
            **more,
        }
        if not is_fragment(request):
            context |= summary(user_id).context()
    if is_fragment(request):
        return show(
            request, "web/_item.html", {**context, "panel": "web/_edit.html"}, status=status
        )
    return show(request, "web/edit.html", context, status=status)


def _conflict(request: HttpRequest, form: FactForm) -> HttpResponse:
    """What was written stays in the form, which now is about what holds instead: another fact,
    maybe. When nothing does, there is nothing to change."""
    user_id = me(request).pk
    with acting_for(user_id):
        row = form.fact
        passed = {row.id}
        while row.superseded_by_id is not None and row.superseded_by_id not in passed:
            passed.add(row.superseded_by_id)
            row = Fact.objects.get(user_id=user_id, id=row.superseded_by_id)
        present = store.revised(Fact.objects.filter(user_id=user_id, id=row.id)).first()
    if present is None:
        return _forgotten(request, row.id)
    kept = form.moved_to(present, present.revision)
    kept.is_valid()
    return _form(request, kept, status=409, conflict=True, over=present.status not in cards.OPEN)


def _forgotten(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    """404; what was written for a fact that isn't there any more is shown once, to be copied.
    A fragment's form stays where it is."""
    words = request.POST.get("value", "").strip()
    if not words or is_fragment(request):
        missing_fact(request, fact_id)
    user = me(request)
    with acting_for(user.pk):
        audit.refused(user_id=user.pk, by=Actor.user(user), object=f"fact:{fact_id}")
        context = summary(user.pk).context()
    return show(request, "web/edit_gone.html", {**context, "words": words}, status=404)


def _changed(request: HttpRequest, fact_id: UUID, act: UUID, form: FactForm) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        done = store.last_act(user_id=user_id, fact_id=fact_id)
        [card] = cards.cards(user_id, [fact_id])
        figures = summary(user_id).context()
    words, undo = _said(form), act if done is not None and done.act == act else None
    if undo is None:
        words = _("Nothing was different, so nothing was changed.")
    if is_fragment(request):
        context = {**figures, "card": card, "noted": words, "act": undo}
        return show(request, "web/_changed.html", context)
    undoing.said(request, words, undo)
    return redirect(back_of(card))


def _said(form: FactForm) -> str:
    if form.waits:
        return _("Kept. You find it in the overview.")
    if form.cleaned_data["value"] == form.fact.value:
        return _("Noted.")
    if form.cleaned_data["supersession"] == "correction":
        return _("Put right. What I had is kept as something that was never so.")
    return _("Noted. What it said before is kept as the past.")
