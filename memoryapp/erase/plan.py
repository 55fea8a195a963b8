"""What an erasure would take, for the page's preview."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memoryapp.models import Decision, Evidence, Fact

from .selection import rows_to_erase


@dataclass(frozen=True, slots=True)
class PlannedFact:
    id: UUID
    statement: str
    value: str
    status: str


@dataclass(frozen=True, slots=True)
class Plan:
    """How many facts go, pieces of evidence, quotes in messages, and decisions' texts.
    ``chain`` are the facts, oldest first; ``restorable`` those that could hold again
    instead (``restore_previous``)."""

    facts: int
    evidence: int
    quotes: int
    decisions: int
    chain: Sequence[PlannedFact]
    restorable: Sequence[PlannedFact]


def plan(*, user_id: UUID, fact_ids: Collection[UUID], restore_previous: bool = False) -> Plan:
    """What ``erase_facts`` with the same arguments would take; changes nothing. Needs
    ``acting_for(user_id)``. Raises store.NotFound."""
    rows = rows_to_erase(user_id, fact_ids, restore_previous=restore_previous)
    ids = [row.id for row in rows]
    evidence = Evidence.objects.filter(user_id=user_id, fact_id__in=ids)
    from_here = (
        rows if restore_previous else rows_to_erase(user_id, fact_ids, restore_previous=True)
    )
    before = Fact.objects.filter(
        user_id=user_id, superseded_by__in=[row.id for row in from_here], operation="state"
    ).exclude(id__in=[row.id for row in from_here])
    chain = [row for row in rows if row.operation == "state"]
    return Plan(
        facts=len(chain),
        evidence=evidence.count(),
        quotes=evidence.exclude(message=None).count(),
        decisions=Decision.objects.filter(user_id=user_id, fact_id__in=ids).count(),
        chain=oldest_first(chain),
        restorable=oldest_first(before),
    )


def chain(*, user_id: UUID, fact_ids: Collection[UUID]) -> list[PlannedFact]:
    """The facts of ``plan`` alone, for who needs nothing counted."""
    rows = rows_to_erase(user_id, fact_ids, restore_previous=False)
    return oldest_first(row for row in rows if row.operation == "state")


def oldest_first(rows: Iterable[Fact]) -> list[PlannedFact]:
    """The facts as a plan names them, in the order in which they began."""
    return [
        PlannedFact(id=row.id, statement=row.statement, value=row.value, status=row.status)
        for row in sorted(rows, key=lambda row: (row.valid_from, row.id))
    ]
