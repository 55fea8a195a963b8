"""What bringing facts back needs of each fact: its ids here, and what it says."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memoryapp.brought import BroughtFact, BroughtProof
from memoryapp.models import (
    Evidence,
    Message,
)
from memoryapp.models.base import Owned
from memoryapp.records import Candidate, Quote
from memoryapp.registry import Registry


@dataclass(slots=True)
class Restored:
    """What became of the facts of one key, counted: ``added`` came in (``waiting`` of them
    for the user's word), ``known`` were here, ``erased`` were forgotten here before,
    ``unproven`` have no proof that stands, ``withheld`` are past ones that only the user's
    word would let in. ``unwanted`` are the topics never to remember that the others are about.
    """

    added: int = 0
    waiting: int = 0
    known: int = 0
    erased: int = 0
    unproven: int = 0
    withheld: int = 0
    unwanted: list[UUID] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Kept:
    """A fact to be taken in: the row's id here, and the proofs that are new."""

    id: UUID
    fact: BroughtFact
    candidate: Candidate
    proofs: Sequence[Evidence]
    status: str
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Identity:
    """The ids of an export's rows as they are here: their own when this account made them,
    else ones derived from them and the user's own key, the same every time."""

    ids: Mapping[UUID, UUID]
    here: Collection[UUID] = field(default_factory=frozenset)

    def known(self, old: UUID) -> bool:
        return self.ids[old] in self.here


def identity(user: Any, model: type[Owned], old: Collection[UUID]) -> Identity:
    """Needs ``acting_for(user)``."""
    derived = {one: _derived(user, model, one) for one in old}
    here = set(
        model._base_manager.filter(
            user_id=user.pk, id__in=[*derived, *derived.values()]
        ).values_list("id", flat=True)
    )
    return Identity({one: one if one in here else new for one, new in derived.items()}, here)


def _derived(user: Any, model: type[Owned], old: UUID) -> UUID:
    """An id of version 7 that sorts as the old one does: with its time (6 bytes) and its count
    within the millisecond (42 bits of the 6 that follow), since what was said at one time is
    told in the order of its ids. The 32 random bits are this account's own."""
    digest = user.keyed_hash("brought", str(model._meta.model_name), old.hex)
    mixed = bytearray(old.bytes[:12] + digest[:4])
    mixed[6] = (mixed[6] & 0x0F) | 0x70
    mixed[8] = (mixed[8] & 0x3F) | 0x80
    return UUID(bytes=bytes(mixed))


def candidate_of(fact: BroughtFact, registry: Registry, proof: BroughtProof | None) -> Candidate:
    """The fact as one of its proofs would have proposed it."""
    quote = None
    if proof is not None and proof.quote:
        quote = Quote(proof.message or proof.id, proof.start, proof.end, proof.quote)
    return Candidate(
        subject=fact.subject,
        attribute=registry.canonical(fact.attribute),
        value=" ".join(fact.value.split()),
        quote=quote,
        sent_at=proof.sent_at if proof else fact.last_stated_at,
        kind=fact.kind,
        scope=fact.scope,
        polarity=fact.polarity,
        operation=fact.operation,
        statement=fact.statement,
        confidence=proof.confidence if proof else fact.confidence,
        importance=proof.importance if proof else fact.importance,
        sensitivity=fact.sensitivity,
        valid_from=proof.valid_from if proof else None,
        valid_to=proof.valid_to if proof else None,
        precision=proof.precision if proof else fact.precision,
        correction=proof.correction if proof else False,
    )


def statement_of(fact: BroughtFact, registry: Registry) -> str:
    """The fact's sentence: the registry's words where it has some, else the export's."""
    candidate = candidate_of(fact, registry, None)
    return registry.statement(candidate) if candidate.attribute in registry else fact.statement


def messages_of(user: Any, facts: Sequence[BroughtFact]) -> dict[UUID, Message]:
    """The proofs' messages that are here, by their ids in the export."""
    named = {p.message for f in facts for p in f.proofs if p.message is not None}
    named |= {d.message for f in facts for d in f.decisions if d.message is not None}
    found = identity(user, Message, named)
    rows = Message.objects.filter(user_id=user.pk, id__in=found.ids.values()).only(
        "id", "conversation_id", "content", "role"
    )
    by_id = {row.id: row for row in rows}
    return {old: by_id[new] for old, new in found.ids.items() if new in by_id}
