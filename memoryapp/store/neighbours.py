"""Current facts under other keys that a candidate may repeat, replace or contradict."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import connection
from pgvector import HalfVector
from uuid_utils.compat import uuid7

from memoryapp.models import Evidence, Fact
from memoryapp.reconcile import value_key
from memoryapp.records import Candidate, Neighbour, Ruling
from memoryapp.registry import Registry
from memoryapp.sql import load

from .timelines import New, Vector, rewrite

AT_MOST = 3


def neighbours(
    *, user_id: UUID, candidate: Candidate, vector: Vector | None, near: float
) -> list[Neighbour]:
    """At most three, those with the very value first, then the nearest by meaning, none
    below the cosine ``near``. Needs ``acting_for(user_id)``."""
    with connection.cursor() as cursor:
        cursor.execute(
            load("neighbours"),
            {
                "user_id": user_id,
                "subject": candidate.subject,
                "attribute": candidate.attribute,
                "value_key": value_key(candidate),
                "model": vector.model if vector else "",
                "vector": HalfVector(vector.values).to_text() if vector else None,
                "near": near,
                "limit": AT_MOST,
            },
        )
        return [Neighbour(*row) for row in cursor.fetchall()]


def end_neighbour(
    user_id: UUID, ruling: Ruling, new: New, carrier: UUID, registry: Registry, now: datetime
) -> None:
    """The new statement ends the neighbour, with its own words as proof. Nothing happens
    when the neighbour was stated later, or has ended meanwhile."""
    other = Fact.objects.filter(
        user_id=user_id, id=ruling.neighbour.fact_id, status=Fact.Status.CURRENT
    ).first()
    if other is None or other.last_stated_at > new.candidate.sent_at:
        return
    known = registry.get(other.attribute, kind=other.kind)  # type: ignore[arg-type]
    ending = replace(
        new.candidate,
        attribute=other.attribute,
        scope=other.scope,
        value=other.value,
        polarity="negated",
        operation="end",
        correction=False,
    )
    proof = new.evidence
    evidence = Evidence(
        id=uuid7(),
        user_id=user_id,
        message_id=proof.message_id,
        conversation_id=proof.conversation_id,
        source=proof.source,
        start=proof.start,
        end=proof.end,
        quote=proof.quote,
        sent_at=proof.sent_at,
        confidence=proof.confidence,
        importance=proof.importance,
        recorded_at=now,
    )
    rewrite(
        user_id=user_id,
        key=(other.subject, other.attribute, other.scope, "" if known.single else other.value_key),
        known=known,
        new=[New(evidence, ending, known.statement(ending), None)],
        now=now,
    )
    Fact.objects.filter(user_id=user_id, id=other.id).update(superseded_by=carrier)
