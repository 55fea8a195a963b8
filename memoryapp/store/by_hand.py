"""The user's hand: approve, reject, pin and weigh; ``editing`` corrects.

``seen`` are the revisions of the fact that the caller would change; None for any. A fact in
another revision raises Stale, which is a Conflict. ``act`` is the number under which it can be
undone together with what else was done in one go (``acts``); None for one of its own.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from django.db.models import Max
from django.utils import timezone

from memoryapp import audit
from memoryapp import registry as registries
from memoryapp.models import Evidence, Fact, HandAct
from memoryapp.reconcile import Verdict
from memoryapp.records import Candidate
from memoryapp.registry import Registry

from . import acts
from .apply import Decided, log
from .common import Conflict, locked_fact, with_expiry
from .timelines import rewrite


def approve(
    *,
    user_id: UUID,
    fact_id: UUID,
    registry: Registry,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    now: datetime | None = None,
    act: UUID | None = None,
) -> UUID:
    """Take a pending fact into its timeline; returns the row that now carries it.
    Raises NotFound, or Conflict when it isn't pending any more."""
    now = now or timezone.now()
    fact = locked_fact(user_id, fact_id, seen)
    if fact.status != Fact.Status.PENDING:
        raise Conflict("the fact is no longer waiting for review")
    known = registry.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
    key = (fact.subject, fact.attribute, fact.scope, "" if known.single else fact.value_key)
    proofs = list(
        Evidence.objects.filter(user_id=user_id, fact_id=fact.id).values_list("id", flat=True)
    )
    if not proofs:
        raise Conflict("the fact has no evidence left")
    before = {"pending": acts.snapshot(fact, acts.PENDING), "evidence": proofs}
    Fact.objects.filter(user_id=user_id, id=fact.id).update(
        expires_at=with_expiry(user_id, known).expires_at(
            last_stated_at=fact.last_stated_at, valid_from=fact.valid_from, valid_to=fact.valid_to
        )
    )
    taken = rewrite(user_id=user_id, key=key, known=known, new=[], now=now, include=fact.id)
    carrier = taken.fact_of(proofs[0])
    acts.note(
        user_id=user_id, act=act, fact_id=carrier.id, kind=HandAct.Kind.APPROVE, by=by, now=now,
        before=before,
    )  # fmt: skip
    _log_hand(user_id, fact, carrier.id, Verdict("add", "approved by the user"), by, now)
    return carrier.id


def reject(
    *,
    user_id: UUID,
    fact_id: UUID,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    now: datetime | None = None,
    act: UUID | None = None,
) -> None:
    """Refuse a pending fact; the same will not be asked again. Raises NotFound, Conflict."""
    now = now or timezone.now()
    fact = locked_fact(user_id, fact_id, seen)
    if fact.status != Fact.Status.PENDING:
        raise Conflict("the fact is no longer waiting for review")
    fact.status, fact.retired_at = Fact.Status.REJECTED, now
    fact.save(update_fields=["status", "retired_at"])
    acts.note(
        user_id=user_id, act=act, fact_id=fact.id, kind=HandAct.Kind.REJECT, by=by, now=now,
        before={},
    )  # fmt: skip
    _log_hand(user_id, fact, fact.id, Verdict("ignore", "refused by the user"), by, now)
    audit.record(
        user_id=user_id, by=by, events=[audit.Event("fact.reject", f"fact:{fact.id}")], now=now
    )


class Weights(TypedDict, total=False):
    """What the user may set of a fact beside its value. ``importance`` is from 0 to 1; None
    leaves it to the evidence again. ``expires_at`` None leaves it to the fact's kind again."""

    pinned: bool
    importance: float | None
    expires_at: datetime | None


def weigh(
    *,
    user_id: UUID,
    fact_id: UUID,
    weights: Weights,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    now: datetime | None = None,
    act: UUID | None = None,
) -> None:
    """Pin a current fact, say how much it counts, or when it runs out; nothing is noted when
    all is as it was. Raises NotFound, Conflict."""
    now = now or timezone.now()
    fact = locked_fact(user_id, fact_id, seen)
    if fact.status != Fact.Status.CURRENT:
        raise Conflict("the fact is no longer current")
    before = acts.snapshot(fact, acts.WEIGHTS)
    fact.pinned = weights.get("pinned", fact.pinned)
    if "importance" in weights:
        chosen = fact.chosen_importance = weights["importance"]
        fact.importance = _proven_importance(fact) if chosen is None else chosen
    if "expires_at" in weights:
        fact.expiry_chosen = weights["expires_at"] is not None
        fact.expires_at = weights["expires_at"] or _kinds_expiry(fact)
    if acts.snapshot(fact, acts.WEIGHTS) == before:
        return
    fact.save(update_fields=acts.WEIGHTS)
    acts.note(
        user_id=user_id, act=act, fact_id=fact.id, kind=HandAct.Kind.WEIGH, by=by, now=now,
        before=before,
    )  # fmt: skip
    audit.record(
        user_id=user_id, by=by, events=[audit.Event("fact.weigh", f"fact:{fact_id}")], now=now
    )


def _kinds_expiry(fact: Fact) -> datetime | None:
    known = registries.load().get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
    return with_expiry(fact.user_id, known).expires_at(
        last_stated_at=fact.last_stated_at, valid_from=fact.valid_from, valid_to=fact.valid_to
    )


def _proven_importance(fact: Fact) -> float:
    proofs = Evidence.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    most = proofs.aggregate(most=Max("importance"))["most"]
    return fact.importance if most is None else float(most)


def as_candidate(fact: Fact) -> Candidate:
    return Candidate(
        subject=fact.subject,
        attribute=fact.attribute,
        scope=fact.scope,
        value=fact.value,
        quote=None,
        sent_at=fact.last_stated_at,
        polarity=fact.polarity,  # type: ignore[arg-type]  # the column's CHECK is the type
        confidence=fact.confidence,
    )


def _log_hand(
    user_id: UUID, fact: Fact, carrier: UUID, verdict: Verdict, by: audit.Actor, now: datetime
) -> None:
    decided = [Decided(as_candidate(fact), verdict, carrier)]
    log(user_id=user_id, decided=decided, by=by, now=now)
