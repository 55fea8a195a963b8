"""The user's hand: approve, reject, correct, pin and weigh.

``seen`` are the revisions of the fact that the caller would change; None for any. A fact in
another revision raises Stale, which is a Conflict.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from django.db.models import Max
from django.utils import timezone
from uuid_utils.compat import uuid7

from memoryapp import audit
from memoryapp.models import Evidence, Fact
from memoryapp.reconcile import Verdict, normalise_value, value_key
from memoryapp.records import Candidate, Supersession
from memoryapp.registry import Known, Registry

from .apply import Decided, log
from .common import Conflict, locked_fact
from .timelines import New, Taken, Vector, rewrite


def approve(
    *,
    user_id: UUID,
    fact_id: UUID,
    registry: Registry,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    now: datetime | None = None,
) -> UUID:
    """Take a pending fact into its timeline; returns the row that now carries it.
    Raises NotFound, or Conflict when it isn't pending any more."""
    now = now or timezone.now()
    fact = locked_fact(user_id, fact_id, seen)
    if fact.status != Fact.Status.PENDING:
        raise Conflict("the fact is no longer waiting for review")
    known = registry.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
    key = (fact.subject, fact.attribute, fact.scope, "" if known.single else fact.value_key)
    proof = Evidence.objects.filter(user_id=user_id, fact_id=fact.id).first()
    if proof is None:
        raise Conflict("the fact has no evidence left")
    Fact.objects.filter(user_id=user_id, id=fact.id).update(
        expires_at=known.expires_at(
            last_stated_at=fact.last_stated_at, valid_from=fact.valid_from, valid_to=fact.valid_to
        )
    )
    taken = rewrite(user_id=user_id, key=key, known=known, new=[], now=now, include=fact.id)
    carrier = taken.fact_of(proof.id)
    _log_hand(user_id, fact, carrier.id, Verdict("add", "approved by the user"), by, now)
    return carrier.id


def reject(
    *,
    user_id: UUID,
    fact_id: UUID,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    now: datetime | None = None,
) -> None:
    """Refuse a pending fact; the same will not be asked again. Raises NotFound, Conflict."""
    now = now or timezone.now()
    fact = locked_fact(user_id, fact_id, seen)
    if fact.status != Fact.Status.PENDING:
        raise Conflict("the fact is no longer waiting for review")
    fact.status, fact.retired_at = Fact.Status.REJECTED, now
    fact.save(update_fields=["status", "retired_at"])
    _log_hand(user_id, fact, fact.id, Verdict("ignore", "refused by the user"), by, now)
    audit.record(
        user_id=user_id, by=by, events=[audit.Event("fact.reject", f"fact:{fact.id}")], now=now
    )


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
) -> UUID:
    """Replace a current fact's value: as a ``change`` (from now on) or a ``correction``
    (it was never so). The old value stays as history. Returns the now current row, the
    same one when the value didn't change. Raises NotFound, Conflict, ValueError for an
    empty or over-long value."""
    now = now or timezone.now()
    value = normalise_value(value)
    fact = locked_fact(user_id, fact_id, seen)
    if fact.status != Fact.Status.CURRENT:
        raise Conflict("the fact is no longer current")
    known = registry.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
    corrects = supersession == "correction"
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
        correction=corrects,
    )
    if value == fact.value:
        return fact.id
    if known.single or value_key(candidate) == fact.value_key:
        key = (fact.subject, fact.attribute, fact.scope, "" if known.single else fact.value_key)
        new = _by_hand(user_id, candidate, known, vector, now)
        taken = rewrite(user_id=user_id, key=key, known=known, new=[new], now=now)
        current = taken.fact_of(new.evidence.id)
    else:
        current = _replace_one_of_several(user_id, fact, candidate, known, vector, now)
    verdict = Verdict("supersede", f"edited by the user: {supersession}")
    log(user_id=user_id, decided=[Decided(candidate, verdict, current.id)], by=by, now=now)
    return current.id


class Weights(TypedDict, total=False):
    """What the user may set of a fact beside its value. ``importance`` is from 0 to 1; None
    leaves it to the evidence again."""

    pinned: bool
    importance: float | None


def weigh(
    *,
    user_id: UUID,
    fact_id: UUID,
    weights: Weights,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    now: datetime | None = None,
) -> None:
    """Pin a current fact, or say how much it counts. Raises NotFound, Conflict."""
    fact = locked_fact(user_id, fact_id, seen)
    if fact.status != Fact.Status.CURRENT:
        raise Conflict("the fact is no longer current")
    fact.pinned = weights.get("pinned", fact.pinned)
    if "importance" in weights:
        chosen = fact.chosen_importance = weights["importance"]
        fact.importance = _proven_importance(fact) if chosen is None else chosen
    fact.save(update_fields=["pinned", "chosen_importance", "importance"])
    audit.record(
        user_id=user_id, by=by, events=[audit.Event("fact.weigh", f"fact:{fact_id}")], now=now
    )


def _proven_importance(fact: Fact) -> float:
    proofs = Evidence.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    most = proofs.aggregate(most=Max("importance"))["most"]
    return fact.importance if most is None else float(most)


def _replace_one_of_several(
    user_id: UUID,
    old: Fact,
    candidate: Candidate,
    known: Known,
    vector: Vector | None,
    now: datetime,
) -> Fact:
    """Under a many-valued key each value has its own timeline: end one, begin another."""
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
        correction=candidate.correction,
    )
    _rewrite_one(user_id, (*start, old.value_key), known, ending, None, now)
    key = (*start, value_key(candidate))
    taken, evidence = _rewrite_one(user_id, key, known, candidate, vector, now)
    current = taken.fact_of(evidence.id)
    Fact.objects.filter(user_id=user_id, id=old.id).update(
        superseded_by=current.id,
        status=Fact.Status.SUPERSEDED,
        supersession="correction" if candidate.correction else "change",
    )
    if candidate.correction:
        Fact.objects.filter(user_id=user_id, id=current.id).update(
            valid_from=old.valid_from, precision=old.precision
        )
        Evidence.objects.filter(user_id=user_id, id=evidence.id).update(
            valid_from=old.valid_from, precision=old.precision
        )
    return current


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


def _log_hand(
    user_id: UUID, fact: Fact, carrier: UUID, verdict: Verdict, by: audit.Actor, now: datetime
) -> None:
    candidate = Candidate(
        subject=fact.subject,
        attribute=fact.attribute,
        scope=fact.scope,
        value=fact.value,
        quote=None,
        sent_at=fact.last_stated_at,
        confidence=fact.confidence,
    )
    log(user_id=user_id, decided=[Decided(candidate, verdict, carrier)], by=by, now=now)
