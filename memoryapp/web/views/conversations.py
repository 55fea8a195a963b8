"""Where it was learned: conversations, their messages, and what each taught."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from memoryapp.context import acting_for
from memoryapp.conversations import told
from memoryapp.models import Evidence, Fact, Message
from memoryapp.web import cards, dates
from memoryapp.web.views.common import me, missing, page_of, private, show, summary

PER_PAGE = 50
TURNS_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    mark: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """A message, with the words that proved something marked."""

    id: UUID
    role: str
    who: str
    sent_at: datetime
    state: str
    content: str
    pieces: Sequence[Piece]
    learned: Sequence[dict[str, Any]]


@private
@require_GET
def conversations(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        rows = told(user_id)
        page = page_of(request, rows.order_by("-last_message_at", "-id"), PER_PAGE)
        count = page.paginator.count
        context = {**summary(user_id).context(), "conversations": list(page), "page": page}
    context["lede"] = (
        ngettext("I have read one conversation.", "I have read %(n)s conversations.", count)
        % {"n": count}
        if count
        else _("I learn only from conversations that an application sends me.")
    )
    return show(request, "web/conversations.html", context)


def _none(request: HttpRequest, conversation_id: UUID) -> NoReturn:
    missing(request, f"conversation:{conversation_id}")


def _title(found: Any) -> str:
    return found.title or _("A conversation that began %(date)s") % {
        "date": dates.when(found.began)
    }


@private
@require_GET
def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        found = told(user_id).filter(id=conversation_id).first()
        if found is not None:
            page = page_of(
                request,
                Message.objects.filter(user_id=user_id, conversation_id=conversation_id).order_by(
                    "sent_at", "id"
                ),
                TURNS_PER_PAGE,
            )
            context = {
                **summary(user_id).context(),
                "conversation": found,
                "title": _title(found),
                "turns": _turns(user_id, list(page)),
                "page": page,
            }
    if found is None:
        _none(request, conversation_id)
    context["lede"] = (
        ngettext(
            "It taught me one thing. The words are marked.",
            "It taught me %(n)s things. The words are marked.",
            found.learned,
        )
        % {"n": found.learned}
        if found.learned
        else _("It taught me nothing about you.")
    )
    return show(request, "web/conversation.html", context)


def _turns(user_id: UUID, rows: Sequence[Message]) -> list[Turn]:
    proofs: dict[UUID, list[Evidence]] = defaultdict(list)
    for proof in Evidence.objects.filter(
        user_id=user_id, message_id__in=[row.id for row in rows]
    ).order_by("start"):
        if proof.message_id is not None:
            proofs[proof.message_id].append(proof)
    ids = {proof.fact_id for one in proofs.values() for proof in one}
    found = {card.id: card for card in cards.cards(user_id, list(ids))}
    names = {"user": _("You"), "assistant": _("The assistant")}
    return [
        Turn(
            id=row.id,
            role=row.role,
            who=names.get(row.role, _("The application")),
            sent_at=row.sent_at,
            state=row.state,
            content=row.content,
            pieces=_pieces(row.content, proofs[row.id]),
            learned=_learned(proofs[row.id], found),
        )
        for row in rows
    ]


def _learned(proofs: Sequence[Evidence], found: dict[UUID, cards.Card]) -> list[dict[str, Any]]:
    once = {proof.fact_id: found[proof.fact_id] for proof in proofs if proof.fact_id in found}
    return [
        {
            "id": card.id,
            "covered": card.covered,
            "sentence": card.sentence,
            "past_tense": card.status in (Fact.Status.SUPERSEDED, Fact.Status.RETRACTED),
        }
        for card in once.values()
    ]


def _pieces(text: str, proofs: Sequence[Evidence]) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    for proof in proofs:
        start = max(at, proof.start)
        if proof.end <= start or text[proof.start : proof.end] != proof.quote:
            continue
        pieces += [Piece(text[at:start], False), Piece(text[start : proof.end], True)]
        at = proof.end
    return [*pieces, Piece(text[at:], False)]
