"""The user's answers in the review beyond yes and no: never, and which of two holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.auth import get_user_model
from uuid_utils.compat import uuid7

from memoryapp import audit
from memoryapp.models import Decision, Evidence, Fact, HandAct
from memoryapp.reconcile import Verdict
from memoryapp.records import Candidate
from memoryapp.registry import Registry

from . import acts
from .apply import Decided, log
from .by_hand import reject
from .common import Conflict, locked_fact
from .timelines import New, rewrite
from .tombstones import bury, fact_hash, quote_hash

CHOSEN = "chosen by the user of two"


def never(*, user_id: UUID, fact_id: UUID, by: audit.Actor, now: datetime, act: UUID) -> None:
    """Refuse a pending fact for ever: neither its value nor the words that proved it come back,
    whichever way. Raises NotFound, Conflict."""
    reject(user_id=user_id, fact_id=fact_id, by=by, now=now, act=act)
    fact = Fact.objects.get(user_id=user_id, id=fact_id)
    user = get_user_model().objects.get(pk=user_id)
    quotes = Evidence.objects.filter(user_id=user_id, fact_id=fact_id).exclude(quote="")
    hashes = [
        fact_hash(
            user,
            subject=fact.subject,
            attribute=fact.attribute,
            scope=fact.scope,
            value_key=fact.value_key,
        ),
        *(
            quote_hash(user, attribute=fact.attribute, quote=quote)
            for quote in quotes.values_list("quote", flat=True)
        ),
    ]
    bury(user, hashes, now=now, forever=True)
    # What undoing needs: keyed hashes, no words.
    HandAct.objects.filter(user_id=user_id, act=act, fact_id=fact_id).update(
        before={"buried": [one.hex() for one in hashes]}
    )


def contradicted(*, user_id: UUID, fact_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """What pending facts were found to contradict, where that still holds."""
    against = {
        fact_id: UUID(scores["against"])
        for fact_id, scores in Decision.objects.filter(
            user_id=user_id, fact_id__in=fact_ids, outcome="conflict"
        )
        .order_by("at", "id")
        .values_list("fact_id", "scores")
        if fact_id is not None and "against" in scores
    }
    held = set(
        Fact.objects.filter(
            user_id=user_id, id__in=list(against.values()), status=Fact.Status.CURRENT
        ).values_list("id", flat=True)
    )
    return {fact_id: other for fact_id, other in against.items() if other in held}


def replace(
    *,
    user_id: UUID,
    fact_id: UUID,
    instead: UUID,
    registry: Registry,
    by: audit.Actor,
    now: datetime,
    act: UUID,
) -> None:
    """End a current fact, for the user says that another one, ``instead``, holds in its place.
    It stays as the past. Raises NotFound, Conflict."""
    old = locked_fact(user_id, fact_id)
    if old.status != Fact.Status.CURRENT:
        raise Conflict("the fact is no longer current")
    known = registry.get(old.attribute, kind=old.kind)  # type: ignore[arg-type]
    ending = Candidate(
        subject=old.subject,
        attribute=old.attribute,
        scope=old.scope,
        value=old.value,
        quote=None,
        sent_at=max(now, old.last_stated_at),
        kind=known.kind,
        polarity="negated",
        operation="end",
        confidence=1.0,
        importance=old.importance,
    )
    evidence = Evidence(
        id=uuid7(),
        user_id=user_id,
        source=Evidence.Source.EDIT,
        quote="",
        sent_at=ending.sent_at,
        confidence=ending.confidence,
        importance=ending.importance,
        recorded_at=now,
    )
    key = (old.subject, old.attribute, old.scope, "" if known.single else old.value_key)
    new = New(evidence, ending, known.statement(ending), None)
    rewrite(user_id=user_id, key=key, known=known, new=[new], now=now)
    Fact.objects.filter(user_id=user_id, id=old.id).update(
        superseded_by=instead, status=Fact.Status.SUPERSEDED, supersession="change"
    )
    acts.note(
        user_id=user_id, act=act, fact_id=old.id, kind=HandAct.Kind.EDIT, by=by, now=now,
        before={
            "fact": old.id, "value": old.value, "statement": old.statement,
            "evidence": [evidence.id],
        },
    )  # fmt: skip
    log(
        user_id=user_id,
        decided=[Decided(ending, Verdict("supersede", CHOSEN), old.id)],
        by=by,
        now=now,
    )
