"""The user's hand: correct, approve, reject, erase; and taking it back.

``act`` is a fresh number for all that is done in one go, by which ``undo_act`` takes it back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from uuid import UUID

from uuid_utils.compat import uuid7

from memoryapp import (
    audit,
    erase,
    providers,
    store,
)
from memoryapp import (
    registry as registries,
)
from memoryapp import vectors as vector_rows
from memoryapp.context import acting_for
from memoryapp.models import ErasureReceipt, Fact, FactEmbedding
from memoryapp.pipeline.vectors import embed
from memoryapp.records import (
    Supersession,
)
from memoryapp.store.timelines import Vector


def edit_fact(
    *,
    user_id: UUID,
    fact_id: UUID,
    value: str | None = None,
    supersession: Supersession = "change",
    by: audit.Actor,
    seen: Collection[str] | None = None,
    weights: store.Weights | None = None,
    since: store.Since | None = None,
    scope: str | None = None,
    act: UUID | None = None,
    inside: Callable[[UUID], None] | None = None,
) -> UUID:
    """Replace a current fact's value, in one of the revisions ``seen`` (None: in any), say
    since when and where it holds, and weigh the fact that is current now, which is returned
    and handed to ``inside`` in the same transaction. ``value`` None leaves the value. Raises
    as ``store.edit``."""
    with acting_for(user_id):
        registry = registries.load()
        fact = Fact.objects.filter(user_id=user_id, id=fact_id, operation="state").first()
    if fact is None:
        raise store.NotFound("no such fact")
    value = fact.value if value is None else value
    moves = scope is not None and scope != fact.scope
    if scope is not None:
        fact.scope = scope
    statement = vector_rows.edited_statement(registry, fact, value)
    vectors = embed(user_id=user_id, texts=[statement])
    act = act or uuid7()
    with acting_for(user_id):
        now = providers.clock().now()
        current = store.edit(
            user_id=user_id,
            fact_id=fact_id,
            value=value,
            supersession=supersession,
            registry=registry,
            by=by,
            vector=vectors.get(statement),
            seen=seen,
            now=now,
            since=since,
            scope=scope,
            act=act,
        )
        if moves and current == fact_id:
            _restate(user_id, {current: vectors.get(statement)})
        if weights:
            store.weigh(user_id=user_id, fact_id=current, weights=weights, by=by, now=now, act=act)
        if inside is not None:
            inside(current)
    return current


def weigh_fact(
    *,
    user_id: UUID,
    fact_id: UUID,
    weights: store.Weights,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    act: UUID | None = None,
) -> None:
    """Pin a current fact, or say how much it counts or when it runs out. Raises as
    ``store.weigh``."""
    with acting_for(user_id):
        store.weigh(
            user_id=user_id,
            fact_id=fact_id,
            weights=weights,
            by=by,
            seen=seen,
            now=providers.clock().now(),
            act=act,
        )


def approve(
    *,
    user_id: UUID,
    fact_id: UUID,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    value: str = "",
    supersession: Supersession = "correction",
    act: UUID | None = None,
    inside: Callable[[UUID], None] | None = None,
) -> UUID:
    """Take a pending fact in, with another ``value`` if one is given; returns the fact that
    carries it, handed to ``inside`` in the same transaction. Raises as ``store.approve`` and
    ``store.edit``."""
    with acting_for(user_id):
        registry = registries.load()
        fact = Fact.objects.filter(user_id=user_id, id=fact_id).first()
    statement = fact.statement if fact else ""
    edited = vector_rows.edited_statement(registry, fact, value) if fact and value else ""
    vectors = embed(user_id=user_id, texts=[text for text in (statement, edited) if text])
    act = act or uuid7()
    with acting_for(user_id):
        now = providers.clock().now()
        carrier = store.approve(
            user_id=user_id,
            fact_id=fact_id,
            registry=registry,
            by=by,
            seen=seen,
            now=now,
            act=act,
        )
        if (vector := vectors.get(statement)) is not None:
            vector_rows.put_vectors(
                user_id=user_id, model=vector.model, vectors={carrier: vector.values}
            )
        if value:
            carrier = store.edit(
                user_id=user_id,
                fact_id=carrier,
                value=value,
                supersession=supersession,
                registry=registry,
                by=by,
                vector=vectors.get(edited),
                now=now,
                act=act,
            )
        if inside is not None:
            inside(carrier)
    return carrier


def reject(
    *,
    user_id: UUID,
    fact_id: UUID,
    by: audit.Actor,
    seen: Collection[str] | None = None,
    act: UUID | None = None,
) -> None:
    """Refuse a pending fact. Raises as ``store.reject``."""
    with acting_for(user_id):
        store.reject(
            user_id=user_id,
            fact_id=fact_id,
            by=by,
            seen=seen,
            now=providers.clock().now(),
            act=act,
        )


def undo_act(
    *,
    user_id: UUID,
    act: UUID,
    by: audit.Actor,
    inside: Callable[[store.TakenBack], None] | None = None,
) -> store.TakenBack:
    """Take back what was done by hand under ``act``; ``inside`` gets what came of it in the
    same transaction. Raises as ``store.undo_act``."""
    with acting_for(user_id):
        undone = store.undo_act(
            user_id=user_id,
            act=act,
            registry=registries.load(),
            by=by,
            now=providers.clock().now(),
        )
        if inside is not None:
            inside(undone)
    vectors = embed(user_id=user_id, texts=list(set(undone.restated.values())))
    if undone.restated:
        with acting_for(user_id):
            _restate(user_id, {id: vectors.get(text) for id, text in undone.restated.items()})
    return undone


def _restate(user_id: UUID, vectors: Mapping[UUID, Vector | None]) -> None:
    """Facts whose statements changed, with their new vectors; without one, text search finds
    them until `manage.py reembed` has been by."""
    FactEmbedding.objects.filter(user_id=user_id, fact_id__in=list(vectors)).delete()
    for fact_id, vector in vectors.items():
        if vector is not None:
            vector_rows.put_vectors(
                user_id=user_id, model=vector.model, vectors={fact_id: vector.values}
            )


def erase_facts(
    *,
    user_id: UUID,
    fact_ids: Sequence[UUID],
    by: audit.Actor,
    restore_previous: bool = False,
    forever: bool = False,
) -> ErasureReceipt:
    """Erase facts across every tier; raises ``store.NotFound``, and erases nothing then."""
    with acting_for(user_id):
        return erase.erase_facts(
            user_id=user_id,
            fact_ids=fact_ids,
            by=by,
            restore_previous=restore_previous,
            forever=forever,
            now=providers.clock().now(),
        )


def erase_conversation(*, user_id: UUID, conversation_id: UUID, by: audit.Actor) -> ErasureReceipt:
    """Erase a conversation and all that it alone taught; raises ``store.NotFound``."""
    with acting_for(user_id):
        return erase.erase_conversation(
            user_id=user_id, conversation_id=conversation_id, by=by, now=providers.clock().now()
        )
