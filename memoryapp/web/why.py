"""Everything behind one fact: the words in their message, its past, what was decided, which
answers used it, how sure I am, and what would go with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Application
from memoryapp import erase, store, uses
from memoryapp.models import Decision, Evidence, Fact, HandAct, MemoryUse, Message
from memoryapp.web import cards, dates, logbook, use_wording, wording
from memoryapp.web.forgetting import fact_choice, lines

_AROUND = 280
_USES = 8
# From which confidence on I say how sure I am.
_SURE, _FAIRLY, _THINK = 0.9, 0.75, 0.6


@dataclass(frozen=True, slots=True)
class Said:
    """A quote with what stood around it. ``purged`` when only the quote was kept."""

    before: str
    quote: str
    after: str
    source: str
    sent_at: datetime
    conversation_id: UUID | None
    message_id: UUID | None
    purged: bool


def why(user_id: UUID, fact_id: UUID) -> dict[str, Any] | None:
    """None when the fact isn't this user's. Needs ``acting_for(user_id)``."""
    fact = Fact.objects.filter(user_id=user_id, id=fact_id, operation="state").first()
    if fact is None:
        return None
    known = cards.registry()
    found = cards.cards(user_id, [fact_id])[0]
    rows = cards.timeline_of(user_id, fact)
    proofs = _proofs(user_id, fact_id)
    return {
        "card": found,
        "standing": _standing(fact),
        "beside": held_beside(fact, found),
        "sure": _sure(fact, proofs),
        "proofs": proofs,
        "timeline": [
            {"now": row.status == Fact.Status.CURRENT, **_earlier(row, known)} for row in rows
        ],
        "decisions": [
            {"at": row.at, "words": logbook.decision(row.outcome, row.reason)}
            for row in Decision.objects.filter(user_id=user_id, fact_id=fact_id).order_by(
                "at", "id"
            )
        ],
        **_uses(user_id, fact_id),
        "goes": lines("facts", erase.look(user_id=user_id, choice=fact_choice([fact_id])).counts),
        **_last_act(user_id, fact_id),
    }


def _earlier(row: Fact, known: Any) -> dict[str, Any]:
    past = cards.earlier(row, known)
    return {
        "sentence": past.sentence if not row.sensitivity else wording.covered(row.sensitivity),
        "valid_from": past.valid_from,
        "valid_to": past.valid_to,
        "precision": past.precision,
        "never": past.never,
    }


# -- How it stands -------------------------------------------------------------------------------


def _standing(fact: Fact) -> str:
    """How the fact stands today, in a sentence."""
    status = Fact.Status
    if fact.status == status.CURRENT and fact.pinned:
        return _("This holds now. It is pinned, so I keep it until you change it.")
    if fact.status == status.CURRENT and fact.expires_at is not None:
        date = {"date": dates.when(fact.expires_at, "day")}
        if fact.expiry_chosen:
            return _("I remember this until %(date)s, as you chose.") % date
        return _("I remember this until %(date)s, longer if you say it again.") % date
    words = {
        status.CURRENT: _("This holds now. I keep it until you change it or have me forget it."),
        status.PENDING: _("I don’t use this until you have said yes."),
        status.REJECTED: _("You said no to this. I don’t use it."),
        status.EXPIRED: _("This ran out. I don’t use it any more."),
        status.ARCHIVED: _("This lay unused for so long that I put it away."),
    }
    return words.get(status(fact.status), _("This is the past. It no longer holds."))


def held_beside(fact: Fact, card: cards.Card) -> list[str]:
    """What holds of the fact beside its value, a sentence each: where and since when it
    holds, and what the user made of it."""
    said = []
    if fact.scope:
        where = {"where": wording.where(fact.scope)}
        said.append(_("Where it holds: %(where)s.") % where)
    else:
        said.append(_("It holds everywhere."))
    if fact.status == Fact.Status.CURRENT:
        since = {"date": dates.when(fact.valid_from, fact.precision)}
        said.append(_("As far as I know it has been so since %(date)s.") % since)
    if card.weight:
        said.append(card.weight)
    return said


def _sure(fact: Fact, proofs: Sequence[Said]) -> list[str]:
    """How sure I am, and what makes me so."""
    if fact.confidence >= _SURE:
        said = [_("I am sure of it.")]
    elif fact.confidence >= _FAIRLY:
        said = [_("I am fairly sure of it.")]
    elif fact.confidence >= _THINK:
        said = [_("I think so.")]
    else:
        said = [_("I am not quite sure of it.")]
    by_hand = any(one.source == Evidence.Source.EDIT for one in proofs)
    brought = any(one.source == Evidence.Source.IMPORT for one in proofs)
    times = sum(one.source == Evidence.Source.MESSAGE for one in proofs)
    if by_hand:
        said.append(_("You wrote it here yourself."))
    if times:
        said.append(
            ngettext("You said it once in a chat.", "You said it %(n)s times in your chats.", times)
            % {"n": times}
        )
    if brought:
        said.append(_("It was noted elsewhere, and brought in."))
    return said


# -- Where it comes from -------------------------------------------------------------------------


def _proofs(user_id: UUID, fact_id: UUID) -> list[Said]:
    rows = list(
        Evidence.objects.filter(user_id=user_id, fact_id=fact_id).order_by("-sent_at", "-id")
    )
    texts = dict(
        Message.objects.filter(
            user_id=user_id, id__in=[row.message_id for row in rows if row.message_id]
        ).values_list("id", "content")
    )
    return [_said(row, texts.get(row.message_id, "") if row.message_id else "") for row in rows]


def _said(row: Evidence, text: str) -> Said:
    whole = bool(row.quote) and text[row.start : row.end] == row.quote
    before = text[max(0, row.start - _AROUND) : row.start] if whole else ""
    after = text[row.end : row.end + _AROUND] if whole else ""
    if whole and row.start > _AROUND:
        before = "…" + before
    if whole and row.end + _AROUND < len(text):
        after += "…"
    return Said(
        before=before,
        quote=row.quote,
        after=after,
        source=row.source,
        sent_at=row.sent_at,
        conversation_id=row.conversation_id,
        message_id=row.message_id if whole else None,
        purged=row.source != Evidence.Source.EDIT and not whole,
    )


# -- Where it went -------------------------------------------------------------------------------


def _uses(user_id: UUID, fact_id: UUID) -> dict[str, Any]:
    latest = uses.uses_of(user_id, fact_id, _USES)
    more = MemoryUse.objects.filter(user_id=user_id, fact_id=fact_id).count() - len(latest)
    return {
        "uses": [{"use": one, "words": use_wording.use(one)} for one in latest],
        "more_uses": more,
    }


def _last_act(user_id: UUID, fact_id: UUID) -> dict[str, Any]:
    """What the user's hand did last, and can be taken back."""
    row = store.last_act(user_id=user_id, fact_id=fact_id)
    if row is None:
        return {"last_act": None, "last_act_words": ""}
    return {"last_act": row.act, "last_act_words": _act_words(row)}


def _act_words(row: HandAct) -> str:
    on = {"on": dates.on(row.at)}
    kind, _colon, found = row.actor.partition(":")
    if kind == "app":
        name = Application.objects.filter(id=found).values_list("name", flat=True).first()
        if name:
            return _("%(app)s changed this for you %(on)s.") % {"app": name, **on}
        return _("An app changed this for you %(on)s.") % on
    words = {
        HandAct.Kind.EDIT: _("You changed this %(on)s."),
        HandAct.Kind.WEIGH: _("You chose how it counts or how long it stays %(on)s."),
        HandAct.Kind.APPROVE: _("You said yes to this %(on)s."),
        HandAct.Kind.REJECT: _("You said no to this %(on)s."),
    }
    return words[HandAct.Kind(row.kind)] % on
