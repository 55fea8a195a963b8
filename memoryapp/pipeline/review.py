"""The user's answers in the review: one thing, two that contradict each other, or many."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memoryapp import audit, providers, store
from memoryapp import registry as registries
from memoryapp import vectors as vector_rows
from memoryapp.context import acting_for
from memoryapp.models import Fact
from memoryapp.pipeline.hand import approve
from memoryapp.pipeline.vectors import embed


def never(*, user_id: UUID, fact_id: UUID, by: audit.Actor, act: UUID) -> None:
    """Refuse a pending fact for ever. Raises as ``store.never``."""
    with acting_for(user_id):
        store.never(user_id=user_id, fact_id=fact_id, by=by, now=providers.clock().now(), act=act)


def prefer(*, user_id: UUID, fact_id: UUID, by: audit.Actor, act: UUID) -> None:
    """Of two that contradict each other, the pending one holds, and takes the other's place.
    Raises as ``store.approve``."""
    with acting_for(user_id):
        other = store.contradicted(user_id=user_id, fact_ids=[fact_id]).get(fact_id)
        registry = registries.load()

    def instead(carrier: UUID) -> None:
        if other is not None and other != carrier:
            store.replace(
                user_id=user_id,
                fact_id=other,
                instead=carrier,
                registry=registry,
                by=by,
                now=providers.clock().now(),
                act=act,
            )

    approve(user_id=user_id, fact_id=fact_id, by=by, act=act, inside=instead)


def approve_all(*, user_id: UUID, fact_ids: Sequence[UUID], by: audit.Actor, act: UUID) -> int:
    """Take several pending facts in, in one go; returns how many. Those that no longer wait
    are left as they are."""
    with acting_for(user_id):
        registry = registries.load()
        statements = dict(
            Fact.objects.filter(
                user_id=user_id, id__in=fact_ids, status=Fact.Status.PENDING
            ).values_list("id", "statement")
        )
    vectors = embed(user_id=user_id, texts=list(statements.values()))
    done = 0
    with acting_for(user_id):
        now = providers.clock().now()
        for fact_id in fact_ids:
            try:
                carrier = store.approve(
                    user_id=user_id, fact_id=fact_id, registry=registry, by=by, now=now, act=act
                )
            except (store.NotFound, store.Conflict):
                continue
            done += 1
            vector = vectors.get(statements.get(fact_id, ""))
            if vector is not None:
                vector_rows.put_vectors(
                    user_id=user_id, model=vector.model, vectors={carrier: vector.values}
                )
    return done
