"""Everything behind one fact: the words in their message, its past, what was decided."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from memoryapp.models import Decision, Evidence, Fact, Message
from memoryapp.web import cards, dates, logbook, wording

_AROUND = 280


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
    return {
        "card": found,
        "standing": _standing(fact),
        "proofs": _proofs(user_id, fact_id),
        "timeline": [
            {"now": row.status == Fact.Status.CURRENT, **_earlier(row, known)} for row in rows
        ],
        "decisions": [
            {"at": row.at, "words": logbook.decision(row.outcome, row.reason)}
            for row in Decision.objects.filter(user_id=user_id, fact_id=fact_id).order_by(
                "at", "id"
            )
        ],
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


def _standing(fact: Fact) -> str:
    """How the fact stands today, in a sentence."""
    status = Fact.Status
    if fact.status == status.CURRENT and fact.expires_at is not None:
        return _("I remember this until %(date)s, longer if you say it again.") % {
            "date": dates.when(fact.expires_at, "day")
        }
    words = {
        status.CURRENT: _("This holds now. I keep it until you change it or have me forget it."),
        status.PENDING: _("I don’t use this until you have said yes."),
        status.REJECTED: _("You said no to this. I don’t use it."),
        status.EXPIRED: _("This ran out. I don’t use it any more."),
        status.ARCHIVED: _("This lay unused for so long that I put it away."),
    }
    return words.get(status(fact.status), _("This is the past. It no longer holds."))


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
