"""Having things forgotten: first exactly what goes, then, confirmed, the forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp import erase, pipeline, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.conversations import told
from memoryapp.models import ErasureReceipt, Fact
from memoryapp.web import cards
from memoryapp.web.forgetting import fact_choice, ids, preview, said
from memoryapp.web.still_you import NOT_NEEDED, Proof
from memoryapp.web.views.common import (
    back_of,
    is_fragment,
    me,
    missing,
    missing_fact,
    private,
    show,
    summary,
)
from memoryapp.web.ways import sources

_OPEN = (Fact.Status.CURRENT, Fact.Status.PENDING)


@private
@require_http_methods(["GET", "POST"])
def forgetting(request: HttpRequest) -> HttpResponse:
    """Every way to have something forgotten. Facts that are sent to it are shown first, and
    forgotten when that is confirmed."""
    if request.method == "POST":
        return _several(request)
    user = me(request)
    with acting_for(user.pk):
        context = {**summary(user.pk).context(), "sources": sources(user.pk)}
    return show(request, "web/forgetting.html", context)


def ask(
    request: HttpRequest,
    choice: erase.Choice,
    going: erase.Going,
    context: dict[str, Any],
    *,
    proof: Proof = NOT_NEEDED,
    status: int = 200,
) -> HttpResponse:
    """The page that says what goes. ``context`` has ``question``, ``back`` and ``keep``, and
    may have ``fields`` (hidden ones), ``restore`` (the question whether earlier values hold
    again) and ``button``."""
    user = me(request)
    with acting_for(user.pk):
        context = {
            **summary(user.pk).context(),
            **preview(user, going),
            "action": request.path,
            "forever": choice.what != "account",
            "chosen": choice,
            "proof": proof,
            "changed": status == 409,
            "mistyped": status == 403 and proof.ok,
            **context,
        }
    return show(request, "web/forget.html", context, status=status)


def carry_out(
    request: HttpRequest, choice: erase.Choice, shown: erase.Choice, proof: Proof = NOT_NEEDED
) -> ErasureReceipt | int:
    """The receipt, or the status of the answer that shows again what would go: 403 when it
    wasn't shown to be the person, 409 when other things would go than were shown. Raises
    store.NotFound and store.Conflict."""
    if not proof.given(request):
        return 403
    user = me(request)
    try:
        return pipeline.forget(
            user=user,
            choice=choice,
            shown=shown,
            word=request.POST.get("word", ""),
            by=Actor.user(user),
        )
    except pipeline.Changed:
        return 409


def chosen(request: HttpRequest, **options: Any) -> dict[str, Any]:
    """What a form's boxes say."""
    return {
        "forever": "forever" in request.POST,
        "restore_previous": "restore_previous" in request.POST,
        **options,
    }


def was_confirmed(request: HttpRequest) -> bool:
    return request.method == "POST" and "word" in request.POST


# -- One fact, and several ------------------------------------------------------------------------


@private
@require_http_methods(["GET", "POST"])
def fact_forget(request: HttpRequest, fact_id: UUID) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        found = cards.cards(user.pk, [fact_id])
    if not found or found[0].status not in _OPEN:
        missing_fact(request, fact_id)
    card, shown, status = found[0], fact_choice([fact_id]), 200
    if request.method == "POST":
        try:
            done = carry_out(
                request, erase.Choice("facts", facts=[fact_id], **chosen(request)), shown
            )
        except store.NotFound:
            missing_fact(request, fact_id)
        if isinstance(done, ErasureReceipt):
            return _forgotten(request, card, done)
        status = done
    with acting_for(user.pk):
        context = {
            "card": card,
            **preview(user, erase.look(user_id=user.pk, choice=shown)),
            "back": back_of(card),
            "changed": status == 409,
            "focus": is_fragment(request),
        }
        # The latest of them holds again when the user wants it.
        context["previous"] = context["again"][-1].sentence if context["again"] else ""
        if not is_fragment(request):
            context |= summary(user.pk).context()
    if is_fragment(request):
        panel = {**context, "panel": "web/_forget.html"}
        return show(request, "web/_item.html", panel, status=status)
    return show(request, "web/forget_one.html", context, status=status)


def _forgotten(request: HttpRequest, card: cards.Card, receipt: ErasureReceipt) -> HttpResponse:
    user_id = me(request).pk
    if not is_fragment(request):
        messages.success(request, said(receipt))
        return redirect(back_of(card).partition("#")[0])
    with acting_for(user_id):
        earlier = cards.cards(user_id, [past.id for past in card.past])
        context = summary(user_id).context()
    context["restored"] = next((one for one in earlier if one.status == "current"), None)
    return show(request, "web/_forgotten.html", {**context, "said": said(receipt)})


def _several(request: HttpRequest) -> HttpResponse:
    user = me(request)
    named = ids(request.POST.getlist("fact"))
    with acting_for(user.pk):
        found = [one for one in cards.cards(user.pk, named) if one.status in _OPEN]
    if len(found) < len(named):
        known = {one.id for one in found}
        missing_fact(request, next(one for one in named if one not in known))
    if not found:
        messages.warning(request, _("Nothing was chosen, so nothing was forgotten."))
        return redirect("memories")
    facts = [one.id for one in found]
    shown, status = fact_choice(facts), 200
    if was_confirmed(request):
        choice = erase.Choice("facts", facts=facts, **chosen(request))
        try:
            done = carry_out(request, choice, shown)
        except store.NotFound:
            missing_fact(request, facts[0])
        if isinstance(done, ErasureReceipt):
            messages.success(request, said(done))
            return redirect("memories")
        status = done
    with acting_for(user.pk):
        going = erase.look(user_id=user.pk, choice=shown)
    context = {
        "question": _("Forget these?"),
        "keep": _("Keep them"),
        "fields": _hidden("fact", facts),
        "restore": _("Go back to what you said before, where there is something"),
        "back": back_of(found[0]).partition("#")[0],
    }
    return ask(request, shown, going, context, status=status)


def _hidden(name: str, values: Sequence[object]) -> list[tuple[str, object]]:
    return [(name, value) for value in values]


# -- A conversation -------------------------------------------------------------------------------


@private
@require_http_methods(["GET", "POST"])
def conversation_forget(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        found = told(user.pk).filter(id=conversation_id).exists()
    if not found:
        missing(request, f"conversation:{conversation_id}")
    shown = erase.Choice("conversation", conversation=conversation_id, restore_previous=True)
    context = {
        "question": _("Forget this conversation?"),
        "keep": _("Keep it"),
        "back": reverse("conversation", args=[conversation_id]),
    }
    return through(request, shown, context, done="conversations")


def through(
    request: HttpRequest,
    shown: erase.Choice,
    context: dict[str, Any],
    *,
    going: erase.Going | None = None,
    proof: Proof = NOT_NEEDED,
    done: str = "",
) -> HttpResponse:
    """What came one way, to be forgotten: shown, or, confirmed, carried out. ``going`` is the
    look at what is ``shown``, where there was one; ``done`` the page that follows, the
    receipt's own unless given."""
    user = me(request)
    context = {
        "restore": _("Let what you had said before hold again"),
        "restore_else": _("Otherwise it goes, too."),
        "restored": True,
        **context,
    }
    status = 200
    if was_confirmed(request):
        choice = replace(shown, **chosen(request))
        receipt = carry_out(request, choice, shown, proof)
        if isinstance(receipt, ErasureReceipt):
            messages.success(request, said(receipt))
            return redirect(done) if done else redirect("receipt", receipt.id)
        status = receipt
    if going is None or status == 409:
        with acting_for(user.pk):
            going = erase.look(user_id=user.pk, choice=shown)
    return ask(request, shown, going, context, proof=proof, status=status)
