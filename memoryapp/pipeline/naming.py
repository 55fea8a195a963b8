"""Who is who, by the user's hand: a new name, two who are one, and two who were one."""

from __future__ import annotations

from uuid import UUID

from memoryapp import audit, providers, store
from memoryapp import registry as registries
from memoryapp.context import acting_for
from memoryapp.models import SubjectAlias
from memoryapp.pipeline.vectors import embed


def rename(*, user_id: UUID, subject: str, name: str, by: audit.Actor) -> store.Renamed:
    """Have a person or pet go by another name, be it that of somebody else who is the same.
    Raises as ``store.rename``."""
    with acting_for(user_id):
        registry = registries.load()
        texts = store.statements(user_id=user_id, subject=subject, name=name, registry=registry)
    vectors = embed(user_id=user_id, texts=sorted(set(texts.values())))
    with acting_for(user_id):
        return store.rename(
            user_id=user_id,
            subject=subject,
            name=name,
            registry=registry,
            by=by,
            now=providers.clock().now(),
            vectors=vectors,
        )


def part(*, user_id: UUID, alias_id: UUID, by: audit.Actor) -> store.Renamed:
    """Take back that two names mean one. Raises ``store.NotFound``."""
    with acting_for(user_id):
        registry = registries.load()
        known = SubjectAlias.objects.filter(user_id=user_id, id=alias_id).first()
        if known is None:
            raise store.NotFound("no such name")
        held = store.Names(user_id).meant(known.alias)
        texts = store.statements(user_id=user_id, subject=held, name=known.alias, registry=registry)
    vectors = embed(user_id=user_id, texts=sorted(set(texts.values())))
    with acting_for(user_id):
        return store.part(
            user_id=user_id,
            alias_id=alias_id,
            registry=registry,
            by=by,
            now=providers.clock().now(),
            vectors=vectors,
        )
