"""The user's hand corrects: another value, since when, and where it holds.

``seen`` and ``act`` are as in ``by_hand``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone
from uuid_utils.compat import uuid7

from memoryapp import audit
from memoryapp.models import Evidence, Fact, HandAct
from memoryapp.reconcile import Verdict, normalise_value, value_key
from memoryapp.records import Candidate, Precision, Supersession
from memoryapp.registry import Known, Registry

from . import acts
from .apply import Decided, log
from .by_hand import as_candidate
from .common import Conflict, locked_fact
from .timelines import New, Taken, Vector, rewrite
from .wanted import refuse_unwanted


@dataclass(frozen=True, slots=True)
class Since:
    """When something began to hold, and how exactly that is known."""

    at: datetime
    precision: Precision


class Occupied(Conflict):
    """Something else holds where the fact would go."""


class TooEarly(Conflict):
    """``said_at`` is when the old value was last said to hold: it can't have changed before."""

    def __init__(self, said_at: datetime) -> None:
        super().__init__("the old value was said to hold later")
        self.said_at = said_at


def edit(
    *,
    user_id: UUID,
    fact_id: UUID,
    value: str,
    supersession: Supersession,
    registry: Registry,
    by: audit.Actor,
    vector: Vector | None = None,
    seen: Collection[str] | None = None,
    now: datetime | None = None,
    since: Since | None = None,
    scope: str | None = None,
    act: UUID | None = None,
) -> UUID:
    """Replace a current fact's value: as a ``change`` (from now on, or ``since``) or a
    ``correction`` (it was never so). The old value stays as history. A value that stays may
    get another start; with another ``scope`` the fact, and its proof, move there first, and
    what it had replaced where it was holds again.

    Returns the now current row, the same one when the value didn't change. Raises NotFound,
    Conflict, Occupied, TooEarly, Unwanted, ValueError for an empty or over-long value.
    """
    now = now or timezone.now()
    value = normalise_value(value)
    fact = locked_fact(user_id, fact_id, seen)
    if fact.status != Fact.Status.CURRENT:
        raise Conflict("the fact is no longer current")
    known = registry.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
    if scope is not None and scope != fact.scope:
        fact = _move(fact, scope, registry, known, by, now, act)
    if value == fact.value and since is None:
        return fact.id
    same = value == fact.value
    corrects = supersession == "correction" or same
    if since is not None and not corrects and _over(since) <= fact.last_stated_at:
        raise TooEarly(fact.last_stated_at)
    candidate = Candidate(
        subject=fact.subject,
        attribute=fact.attribute,
        scope=fact.scope,
        value=value,
        quote=None,
        sent_at=max(now, fact.last_stated_at),
        kind=known.kind,
        polarity=fact.polarity,  # type: ignore[arg-type]
        confidence=1.0,
        importance=fact.importance,
        sensitivity=fact.sensitivity,
        valid_from=since.at if since else None,
        precision=since.precision if since else "instant",
        correction=corrects,
    )
    if not same:
        refuse_unwanted(user_id, candidate, known, registry)
    before = {"fact": fact.id, "value": fact.value, "statement": fact.statement}
    if known.single or value_key(candidate) == fact.value_key:
        key = (fact.subject, fact.attribute, fact.scope, "" if known.single else fact.value_key)
        taken, evidence = _rewrite_one(user_id, key, known, candidate, vector, now)
        current, made = taken.fact_of(evidence.id), [evidence.id]
    else:
        current, made = _replace_one_of_several(user_id, fact, candidate, known, vector, now)
    if current.id != fact.id:
        # Another row's words are that row's.
        before = {"fact": fact.id}
    acts.note(
        user_id=user_id, act=act, fact_id=current.id, kind=HandAct.Kind.EDIT, by=by, now=now,
        before={**before, "evidence": made},
    )  # fmt: skip
    verdict = (
        Verdict("corroborate", "dated by the user")
        if same
        else Verdict("supersede", f"edited by the user: {supersession}")
    )
    log(user_id=user_id, decided=[Decided(candidate, verdict, current.id)], by=by, now=now)
    return current.id


def _over(since: Since) -> datetime:
    """The end of the day, month or year that is meant."""
    start = since.at
    if since.precision == "year":
        return start.replace(year=start.year + 1)
    if since.precision == "month":
        return start + timedelta(days=31)
    return start + timedelta(days=1)


def _move(
    fact: Fact,
    scope: str,
    registry: Registry,
    known: Known,
    by: audit.Actor,
    now: datetime,
    act: UUID | None,
) -> Fact:
    """The fact where it holds now. Raises Occupied."""
    there = Fact.objects.filter(
        user_id=fact.user_id,
        subject=fact.subject,
        attribute=fact.attribute,
        scope=scope,
        status=Fact.Status.CURRENT,
    )
    if (there if known.single else there.filter(value_key=fact.value_key)).exists():
        raise Occupied("something else holds in that scope")
    replaced = Fact.objects.filter(user_id=fact.user_id, superseded_by=fact.id)
    before = {
        "scope": fact.scope,
        "statement": fact.statement,
        "closed": [list(each) for each in replaced.values_list("id", "closed_at")],
    }
    source = (fact.subject, fact.attribute, fact.scope, "" if known.single else fact.value_key)
    fact.scope = scope
    candidate = as_candidate(fact)
    fact.statement = known.statement(candidate)
    moved = acts.move(fact.user_id, fact, source, registry, now)
    if moved.id != fact.id or moved.status != Fact.Status.CURRENT:
        raise Occupied("something said later holds in that scope")
    acts.note(
        user_id=fact.user_id, act=act, fact_id=moved.id, kind=HandAct.Kind.EDIT, by=by, now=now,
        before=before,
    )  # fmt: skip
    verdict = Verdict("corroborate", "scoped by the user")
    log(user_id=fact.user_id, decided=[Decided(candidate, verdict, moved.id)], by=by, now=now)
    return moved


def _replace_one_of_several(
    user_id: UUID,
    old: Fact,
    candidate: Candidate,
    known: Known,
    vector: Vector | None,
    now: datetime,
) -> tuple[Fact, list[UUID]]:
    """Under a many-valued key each value has its own timeline: end one, begin another. The
    row that holds now, and the evidence that was made."""
    start = (old.subject, old.attribute, old.scope)
    ending = Candidate(
        subject=old.subject,
        attribute=old.attribute,
        scope=old.scope,
        value=old.value,
        quote=None,
        sent_at=candidate.sent_at,
        kind=known.kind,
        polarity="negated",
        operation="end",
        confidence=1.0,
        importance=old.importance,
        valid_from=None if candidate.correction else candidate.valid_from,
        precision=candidate.precision,
        correction=candidate.correction,
    )
    _, end = _rewrite_one(user_id, (*start, old.value_key), known, ending, None, now)
    key = (*start, value_key(candidate))
    taken, evidence = _rewrite_one(user_id, key, known, candidate, vector, now)
    current = taken.fact_of(evidence.id)
    Fact.objects.filter(user_id=user_id, id=old.id).update(
        superseded_by=current.id,
        status=Fact.Status.SUPERSEDED,
        supersession="correction" if candidate.correction else "change",
    )
    if candidate.correction and candidate.valid_from is None:
        Fact.objects.filter(user_id=user_id, id=current.id).update(
            valid_from=old.valid_from, precision=old.precision
        )
        Evidence.objects.filter(user_id=user_id, id=evidence.id).update(
            valid_from=old.valid_from, precision=old.precision
        )
    return current, [end.id, evidence.id]


def _rewrite_one(
    user_id: UUID,
    key: tuple[str, str, str, str],
    known: Known,
    candidate: Candidate,
    vector: Vector | None,
    now: datetime,
) -> tuple[Taken, Evidence]:
    new = _by_hand(user_id, candidate, known, vector, now)
    taken = rewrite(user_id=user_id, key=key, known=known, new=[new], now=now)
    return taken, new.evidence


def _by_hand(
    user_id: UUID, candidate: Candidate, known: Known, vector: Vector | None, now: datetime
) -> New:
    evidence = Evidence(
        id=uuid7(),
        user_id=user_id,
        source=Evidence.Source.EDIT,
        quote="",
        sent_at=candidate.sent_at,
        valid_from=candidate.valid_from,
        precision=candidate.precision,
        correction=candidate.correction,
        confidence=candidate.confidence,
        importance=candidate.importance,
        recorded_at=now,
    )
    return New(
        evidence=evidence,
        candidate=candidate,
        statement=known.statement(candidate),
        vector=vector,
    )
