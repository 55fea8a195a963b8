"""What the page shows of a fact: read from the tables, worded for a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import connection
from django.db.models import OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Application
from memoryapp import sql
from memoryapp.models import Attribute, Decision, Evidence, Fact, FactUsage, MemoryUse
from memoryapp.web import dates, wording

PAST = (Fact.Status.SUPERSEDED, Fact.Status.RETRACTED)
OPEN = (Fact.Status.CURRENT, Fact.Status.PENDING)
LATELY = timedelta(days=14)
_UNSURE_BELOW = 0.6
_MATTERS = 0.6


@dataclass(frozen=True, slots=True)
class Earlier:
    """A value that was replaced. ``never`` is true when a correction said that it
    was never so."""

    id: UUID
    sentence: str
    valid_from: datetime
    valid_to: datetime | None
    precision: str
    never: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A fact as it stands on the page. ``quote`` is empty when it was typed here, ``used``
    when no answer has used it, ``weight`` when its user left its importance to me."""

    id: UUID
    sentence: str
    value: str
    covered: str
    group: str
    status: str
    unsure: bool
    quote: str
    source: str
    said_at: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    precision: str
    changed_at: datetime
    valid_from: datetime
    pinned: bool
    weight: str
    used: str
    past: Sequence[Earlier] = field(default_factory=tuple)
    asked: str = ""

    @property
    def open(self) -> bool:
        """Whether it may be changed: it holds, or waits for a yes."""
        return self.status in OPEN


def registry() -> dict[str, Attribute]:
    return {attribute.key: attribute for attribute in Attribute.objects.all()}


def _pasts(
    user_id: UUID, facts: Sequence[Fact], known: dict[str, Attribute]
) -> dict[UUID, list[Earlier]]:
    """The replaced values of each fact's key, newest first. A key with several
    values keeps the past of each value apart."""
    if not facts:
        return {}
    past: dict[UUID, set[UUID]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("pasts"),
            {"user_id": user_id, "ids": [fact.id for fact in facts], "past": list(PAST)},
        )
        for shown, fact_id in cursor.fetchall():
            past[shown].add(fact_id)
    if not past:
        return {}
    rows = {
        row.id: row
        for row in Fact.objects.filter(user_id=user_id, id__in=set[UUID]().union(*past.values()))
    }
    return {
        shown: [
            earlier(row, known)
            for row in sorted(
                (rows[one] for one in ids if one in rows),
                key=lambda row: (row.valid_from, row.id),
                reverse=True,
            )
        ]
        for shown, ids in past.items()
    }


def timeline_of(user_id: UUID, fact: Fact) -> list[Fact]:
    """The fact among the earlier and later values of its key, newest first."""
    rows = list(
        Fact.objects.filter(
            user_id=user_id,
            subject=fact.subject,
            attribute=fact.attribute,
            scope=fact.scope,
            operation="state",
            status__in=(*PAST, Fact.Status.CURRENT),
        )
    )
    if not fact.single:
        linked = {fact.id}
        size = 0
        while size != len(linked):
            size = len(linked)
            linked |= {row.id for row in rows if row.superseded_by_id in linked}
            linked |= {
                row.superseded_by_id
                for row in rows
                if row.id in linked and row.superseded_by_id is not None
            }
        rows = [row for row in rows if row.id in linked or row.value_key == fact.value_key]
    return sorted(rows, key=lambda row: (row.valid_from, row.id), reverse=True)


def earlier(fact: Fact, known: dict[str, Attribute]) -> Earlier:
    return Earlier(
        id=fact.id,
        sentence=wording.sentence(fact, known),
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        precision=fact.precision,
        never=fact.retired_at is not None,
    )


def _latest_evidence(
    user_id: UUID, ids: Iterable[UUID], told_by: datetime | None
) -> dict[UUID, Evidence]:
    rows = Evidence.objects.filter(user_id=user_id, fact_id__in=list(ids))
    if told_by is not None:
        rows = rows.filter(recorded_at__lte=told_by)
    rows = rows.order_by("fact_id", "-sent_at", "-id").distinct("fact_id")
    return {row.fact_id: row for row in rows}


def cards(user_id: UUID, ids: Sequence[UUID], *, told_by: datetime | None = None) -> list[Card]:
    """The facts with these ids as cards, in the order of the ids; an id that isn't
    this user's is left out. With ``told_by``, with words that were said by then. The number
    of queries doesn't depend on how many facts they are."""
    found = {fact.id: fact for fact in Fact.objects.filter(user_id=user_id, id__in=ids)}
    facts = [found[fact_id] for fact_id in ids if fact_id in found]
    if not facts:
        return []
    known = registry()
    evidence = _latest_evidence(user_id, found, told_by)
    pasts = _pasts(user_id, [f for f in facts if f.status == Fact.Status.CURRENT], known)
    asked = _contradictions(user_id, [f for f in facts if f.status == Fact.Status.PENDING], known)
    used = _used(user_id, found)
    return [
        _card(
            fact,
            known,
            evidence.get(fact.id),
            past=pasts.get(fact.id, []),
            asked=asked.get(fact.id, ""),
            used=used.get(fact.id, ""),
        )
        for fact in facts
    ]


def names_of(applications: Collection[UUID]) -> dict[UUID, str]:
    """The applications' names; one that is gone is left out."""
    if not applications:
        return {}
    return dict(Application.objects.filter(id__in=applications).values_list("id", "name"))


def _used(user_id: UUID, ids: Iterable[UUID]) -> dict[UUID, str]:
    """How often each fact was used and when and by whom last, in words; those that never were
    are left out."""
    last = MemoryUse.objects.filter(user_id=user_id, fact_id=OuterRef("fact_id"))
    last = last.exclude(via=MemoryUse.Via.CHECK).order_by("-at")
    rows = list(
        FactUsage.objects.filter(user_id=user_id, fact_id__in=list(ids), recall_count__gt=0)
        .annotate(by=Subquery(last.values("application_id")[:1]))
        .values_list("fact_id", "recall_count", "last_recalled_at", "by")
    )
    names = names_of({by for *_row, by in rows if by})
    return {
        fact_id: _used_words(count, at, names.get(by, ""))
        for fact_id, count, at, by in rows
        if at is not None
    }


def _used_words(count: int, at: datetime, by: str) -> str:
    words = {"n": intcomma(count), "on": dates.on(at), "app": by}
    if by:
        return (
            ngettext(
                "Used once, %(on)s by %(app)s.",
                "Used %(n)s times, most recently %(on)s by %(app)s.",
                count,
            )
            % words
        )
    return ngettext("Used once, %(on)s.", "Used %(n)s times, most recently %(on)s.", count) % words


def _contradictions(
    user_id: UUID, pending: Sequence[Fact], known: dict[str, Attribute]
) -> dict[UUID, str]:
    """What pending facts were found to contradict, as a sentence to ask about."""
    if not pending:
        return {}
    against = {
        UUID(scores["against"]): fact_id
        for fact_id, scores in Decision.objects.filter(
            user_id=user_id, fact_id__in=[f.id for f in pending], outcome="conflict"
        ).values_list("fact_id", "scores")
        if fact_id is not None and "against" in scores
    }
    return {
        against[other.id]: _("You also said: %(sentence)s")
        % {"sentence": wording.sentence(other, known)}
        for other in Fact.objects.filter(
            user_id=user_id, id__in=list(against), status=Fact.Status.CURRENT, sensitivity=""
        )
    }


def _weight(chosen: float | None) -> str:
    """What the user said of a fact's importance; empty when that was left to me."""
    if chosen is None:
        return ""
    if chosen == 0:
        return _("Kept, but never used in answers.")
    if chosen > _MATTERS:
        return _("You said that this matters.")
    if chosen < 1 - _MATTERS:
        return _("You said that this matters little.")
    return ""


def _card(
    fact: Fact,
    known: dict[str, Attribute],
    proof: Evidence | None,
    *,
    past: Sequence[Earlier],
    asked: str,
    used: str,
) -> Card:
    return Card(
        id=fact.id,
        sentence=wording.sentence(fact, known),
        value=fact.value,
        covered=wording.covered(fact.sensitivity),
        group=wording.group_of(fact.subject, fact.attribute, fact.kind, known),
        status=fact.status,
        unsure=fact.confidence < _UNSURE_BELOW,
        quote=proof.quote if proof and proof.source != Evidence.Source.EDIT else "",
        source=proof.source if proof else "",
        said_at=proof.sent_at if proof else None,
        valid_to=fact.valid_to,
        expires_at=fact.expires_at,
        precision=fact.precision,
        changed_at=fact.recorded_at,
        valid_from=fact.valid_from,
        pinned=fact.pinned,
        weight=_weight(fact.chosen_importance),
        used=used,
        past=past,
        asked=asked,
    )


def changed_lately(card: Card, now: datetime | None = None) -> bool:
    """Whether a card replaced another value in the last two weeks."""
    return bool(card.past) and card.changed_at >= (now or timezone.now()) - LATELY
