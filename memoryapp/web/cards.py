"""What the page shows of a fact: read from the tables, worded for a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from memoryapp.models import Attribute, Decision, Evidence, Fact
from memoryapp.web import wording

PAST = (Fact.Status.SUPERSEDED, Fact.Status.RETRACTED)
LATELY = timedelta(days=14)
_UNSURE_BELOW = 0.6


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
    """A fact as it stands on the page. ``quote`` is empty when it was typed here."""

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
    past: Sequence[Earlier] = field(default_factory=tuple)
    asked: str = ""


def registry() -> dict[str, Attribute]:
    return {attribute.key: attribute for attribute in Attribute.objects.all()}


def current(user_id: UUID, known: wording.Registry) -> dict[str, list[UUID]]:
    """The ids of everything that holds now, by group, the latest change first. Rows are
    read as plain tuples, so that ten thousand facts stay quick."""
    groups: dict[str, list[UUID]] = defaultdict(list)
    rows = (
        Fact.objects.filter(user_id=user_id, status=Fact.Status.CURRENT, operation="state")
        .order_by("-recorded_at", "-id")
        .values_list("id", "subject", "attribute", "kind")
    )
    for fact_id, subject, attribute, kind in rows:
        groups[wording.group_of(subject, attribute, kind, known)].append(fact_id)
    return groups


def _pasts(
    user_id: UUID, facts: Sequence[Fact], known: dict[str, Attribute]
) -> dict[UUID, list[Earlier]]:
    """The replaced values of each fact's key, newest first. A key with several
    values keeps the past of each value apart."""
    rows = (
        Fact.objects.filter(
            user_id=user_id,
            status__in=PAST,
            operation="state",
            attribute__in={fact.attribute for fact in facts},
        )
        .exclude(id__in=[fact.id for fact in facts])
        .order_by("-valid_from", "-id")
    )
    by_key: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
    by_heir: dict[UUID, list[Fact]] = defaultdict(list)
    for row in rows:
        by_key[_key(row)].append(row)
        if row.superseded_by_id is not None:
            by_heir[row.superseded_by_id].append(row)
    return {
        fact.id: [earlier(row, known) for row in _past(fact, by_key, by_heir)] for fact in facts
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


def _past(
    fact: Fact, by_key: dict[tuple[str, ...], list[Fact]], by_heir: dict[UUID, list[Fact]]
) -> list[Fact]:
    found = {row.id: row for row in by_key.get(_key(fact), ())}
    waiting = [fact.id, *found]
    while waiting:
        for row in by_heir.get(waiting.pop(), ()):
            if row.id not in found:
                found[row.id] = row
                waiting.append(row.id)
    return sorted(found.values(), key=lambda row: (row.valid_from, row.id), reverse=True)


def _key(fact: Fact) -> tuple[str, ...]:
    key = (fact.subject, fact.attribute, fact.scope)
    return key if fact.single else (*key, fact.value_key)


def earlier(fact: Fact, known: dict[str, Attribute]) -> Earlier:
    return Earlier(
        id=fact.id,
        sentence=wording.sentence(fact, known),
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        precision=fact.precision,
        never=fact.retired_at is not None,
    )


def _latest_evidence(user_id: UUID, ids: Iterable[UUID]) -> dict[UUID, Evidence]:
    rows = (
        Evidence.objects.filter(user_id=user_id, fact_id__in=list(ids))
        .order_by("fact_id", "-sent_at", "-id")
        .distinct("fact_id")
    )
    return {row.fact_id: row for row in rows}


def cards(user_id: UUID, ids: Sequence[UUID]) -> list[Card]:
    """The facts with these ids as cards, in the order of the ids; an id that isn't
    this user's is left out. Three queries, however many ids, and two for those in review."""
    found = {fact.id: fact for fact in Fact.objects.filter(user_id=user_id, id__in=ids)}
    facts = [found[fact_id] for fact_id in ids if fact_id in found]
    if not facts:
        return []
    known = registry()
    evidence = _latest_evidence(user_id, found)
    pasts = _pasts(user_id, [f for f in facts if f.status == Fact.Status.CURRENT], known)
    asked = _contradictions(user_id, [f for f in facts if f.status == Fact.Status.PENDING], known)
    return [
        _card(fact, known, evidence.get(fact.id), pasts.get(fact.id, []), asked.get(fact.id, ""))
        for fact in facts
    ]


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


def _card(
    fact: Fact,
    known: dict[str, Attribute],
    proof: Evidence | None,
    past: Sequence[Earlier],
    asked: str,
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
        past=past,
        asked=asked,
    )


def changed_lately(card: Card, now: datetime | None = None) -> bool:
    """Whether a card replaced another value in the last two weeks."""
    return bool(card.past) and card.changed_at >= (now or timezone.now()) - LATELY
