"""The rows that hold vectors: of facts, and of questions asked before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from memoryapp.models import (
    EmbeddingCache,
    Fact,
    FactEmbedding,
)
from memoryapp.ports import Embedder
from memoryapp.records import Candidate
from memoryapp.registry import Registry


def worth_caching(embedder: Embedder) -> bool:
    """Whether a look-up in the database is cheaper than asking the embedder again: the
    small local one answers in less time than that."""
    return embedder.model != "minilm-int8"


def cache_vector(*, user_id: UUID, key: bytes, model: str, vector: Any, now: datetime) -> None:
    EmbeddingCache.objects.bulk_create(
        [EmbeddingCache(user_id=user_id, key=key, model=model, embedding=vector, used_at=now)],
        ignore_conflicts=True,
    )


def without_vector(*, user_id: UUID, model: str, limit: int) -> Sequence[tuple[UUID, str]]:
    """Facts that lack a vector of the model, with their statements."""
    have = FactEmbedding.objects.filter(user_id=user_id, model=model).values("fact_id")
    return list(
        Fact.objects.filter(user_id=user_id, operation="state")
        .exclude(id__in=have)
        .order_by("id")
        .values_list("id", "statement")[:limit]
    )


def put_vectors(*, user_id: UUID, model: str, vectors: Mapping[UUID, Any]) -> None:
    """Write vectors of facts; those erased or embedded meanwhile are left alone."""
    here = set(
        Fact.objects.filter(user_id=user_id, id__in=list(vectors)).values_list("id", flat=True)
    )
    FactEmbedding.objects.bulk_create(
        [
            FactEmbedding(
                id=uuid7(),
                user_id=user_id,
                fact_id=fact_id,
                model=model,
                dimension=len(vector),
                embedding=vector,
            )
            for fact_id, vector in vectors.items()
            if fact_id in here
        ],
        ignore_conflicts=True,
    )


def drop_other_vectors(*, user_id: UUID, model: str) -> int:
    return FactEmbedding.objects.filter(user_id=user_id).exclude(model=model).delete()[0]


def edited_statement(registry: Registry, fact: Fact, value: str) -> str:
    """What the fact will say once its value is replaced."""
    candidate = Candidate(
        subject=fact.subject,
        attribute=fact.attribute,
        scope=fact.scope,
        value=" ".join(value.split()),
        quote=None,
        sent_at=fact.last_stated_at,
        polarity=fact.polarity,  # type: ignore[arg-type]
    )
    return registry.get(fact.attribute, kind=fact.kind).statement(candidate)  # type: ignore[arg-type]
