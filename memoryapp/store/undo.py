"""Taking back what was just learned: one extraction's changes, or one decision's.

What was added is set aside with its proof, as refused: the same words don't teach it again,
new ones may. What it had replaced or ended holds again. Possible while nothing later rests
on it; else nothing is changed, and the reason is told.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import QuerySet
from uuid_utils.compat import uuid7

from memoryapp import audit
from memoryapp.models import Decision, Evidence, Extraction, Fact, FactLink
from memoryapp.reconcile import Verdict
from memoryapp.registry import Registry

from .common import Conflict, NotFound, lock
from .timelines import Key, rewrite, rows_of

Why = Literal["nothing", "by_hand", "erased", "undone", "kept", "weighed", "said_again",
              "changed", "built_on"]  # fmt: skip
CHANGING = ("add", "supersede", "retract", "conflict")
UNDONE = "undone by the user"


class NotUndoable(Conflict):
    """``code`` is why: ``nothing`` was learned; it was made ``by_hand``; it is ``erased`` or
    ``undone`` already; the user ``kept`` it in review or has ``weighed`` it; it was
    ``said_again``; its key has ``changed`` since; something was ``built_on`` it."""

    def __init__(self, code: Why) -> None:
        super().__init__(code)
        self.code: Why = code


@dataclass(frozen=True, slots=True)
class Undone:
    """The facts that were taken back, and those that hold again."""

    undone: Sequence[UUID]
    restored: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is set aside: facts, and marks of "no longer" (``operation`` end). ``links`` are
    facts under other keys that say they were replaced by one of them."""

    rows: Sequence[Fact]
    links: Sequence[Fact]


def undoable(*, user_id: UUID, registry: Registry, extraction_id: UUID) -> Why | None:
    """Why the extraction can't be undone; None when it can. Raises NotFound."""
    try:
        _plan(user_id, registry, _of_extraction(user_id, extraction_id))
    except NotUndoable as error:
        return error.code
    return None


def undo(
    *,
    user_id: UUID,
    registry: Registry,
    by: audit.Actor,
    now: datetime,
    extraction_id: UUID | None = None,
    decision_id: UUID | None = None,
) -> Undone:
    """Take back what one extraction, or one decision, has learned. Raises NotFound, and
    NotUndoable, when nothing is changed."""
    lock(user_id)
    if extraction_id is not None:
        decisions = _of_extraction(user_id, extraction_id)
    else:
        decisions = Decision.objects.filter(user_id=user_id)
        decisions = decisions.filter(id=decision_id) if decision_id else decisions.none()
        if not decisions.exists():
            raise NotFound("no such decision")
        if decisions.filter(extraction=None).exists():
            raise NotUndoable("by_hand")
    plan = _plan(user_id, registry, decisions)
    keys = {
        _key(row, registry): row
        for row in (*plan.rows, *plan.links)
        if row.status != Fact.Status.PENDING
    }
    before = _holding(user_id, keys)
    # Before the rows go aside: a link that leads out of its key would be kept.
    mine = Fact.objects.filter(user_id=user_id)
    mine.filter(id__in=[row.id for row in plan.links]).update(superseded_by=None)
    mine.filter(id__in=[row.id for row in plan.rows]).update(
        status=Fact.Status.REJECTED, retired_at=now, superseded_by=None, supersession=""
    )
    for key, row in keys.items():
        known = registry.get(key[1], kind=row.kind)  # type: ignore[arg-type]
        rewrite(user_id=user_id, key=key, known=known, new=[], now=now)
    restored = sorted(_holding(user_id, keys) - before)
    facts = [row for row in plan.rows if row.operation == "state"]
    _log(user_id, plan.rows, restored, by, now)
    return Undone([row.id for row in facts], restored)


def _of_extraction(user_id: UUID, extraction_id: UUID) -> QuerySet[Decision]:
    if not Extraction.objects.filter(user_id=user_id, id=extraction_id).exists():
        raise NotFound("no such extraction")
    return Decision.objects.filter(user_id=user_id, extraction_id=extraction_id)


def _plan(user_id: UUID, registry: Registry, decisions: QuerySet[Decision]) -> _Plan:
    made = list(decisions.filter(outcome__in=CHANGING))
    if not made:
        raise NotUndoable("nothing")
    at = made[0].at
    held = {
        row.id: row
        for row in Fact.objects.filter(
            user_id=user_id, id__in=[d.fact_id for d in made if d.fact_id is not None]
        )
    }
    if not held:
        raise NotUndoable("erased")
    rows = [row for row in held.values() if row.status != Fact.Status.REJECTED]
    if not rows:
        raise NotUndoable("undone")
    links = list(
        Fact.objects.filter(user_id=user_id, superseded_by__in=rows).exclude(
            id__in=[row.id for row in rows]
        )
    )
    under = {_key(row, registry) for row in rows}
    links = [row for row in links if _key(row, registry) not in under]
    messages = {d.message_id for d in made if d.message_id is not None}
    for link in links:
        rows += _marks(user_id, link, registry, messages, at)
    for row in rows:
        _check_row(user_id, row, at, rows)
    for row in [*rows, *links]:
        if row.status != Fact.Status.PENDING:
            _check_key(user_id, _key(row, registry), at)
    return _Plan(rows, links)


def _marks(
    user_id: UUID, link: Fact, registry: Registry, messages: Collection[UUID], at: datetime
) -> list[Fact]:
    """The marks by which the same words ended a fact under another key."""
    ends = [row.id for row in rows_of(user_id, _key(link, registry)) if row.operation == "end"]
    proven = Evidence.objects.filter(
        user_id=user_id, fact_id__in=ends, message_id__in=messages, recorded_at=at
    )
    ids = set(proven.values_list("fact_id", flat=True))
    return list(Fact.objects.filter(user_id=user_id, id__in=ids))


def _check_row(user_id: UUID, row: Fact, at: datetime, rows: Collection[Fact]) -> None:
    """Raises NotUndoable for a row that more than these words stand behind."""
    if Decision.objects.filter(
        user_id=user_id, fact_id=row.id, at__gt=at, outcome__in=CHANGING
    ).exists():
        raise NotUndoable("kept")
    if row.pinned or row.chosen_importance is not None:
        raise NotUndoable("weighed")
    if Evidence.objects.filter(user_id=user_id, fact_id=row.id).exclude(recorded_at=at).exists():
        raise NotUndoable("said_again")
    built = FactLink.objects.filter(
        user_id=user_id, target=row.id, kind=FactLink.Kind.DERIVED_FROM
    ).exclude(source_id__in=[each.id for each in rows])
    if built.exists():
        raise NotUndoable("built_on")


def _check_key(user_id: UUID, key: Key, at: datetime) -> None:
    """Raises NotUndoable when something under the key was stated later: the timeline that it
    went into isn't the one that would be left."""
    ids = [row.id for row in rows_of(user_id, key)]
    if Evidence.objects.filter(user_id=user_id, fact_id__in=ids, recorded_at__gt=at).exists():
        raise NotUndoable("changed")


def _key(row: Fact, registry: Registry) -> Key:
    single = registry.get(row.attribute, kind=row.kind).single  # type: ignore[arg-type]
    return (row.subject, row.attribute, row.scope, "" if single else row.value_key)


def _holding(user_id: UUID, keys: Collection[Key]) -> set[UUID]:
    return {
        row.id for key in keys for row in rows_of(user_id, key) if row.status == Fact.Status.CURRENT
    }


def _log(
    user_id: UUID, rows: Sequence[Fact], restored: Sequence[UUID], by: audit.Actor, now: datetime
) -> None:
    verdict = Verdict("retract", UNDONE)
    Decision.objects.bulk_create(
        Decision(
            id=uuid7(),
            user_id=user_id,
            fact_id=row.id,
            outcome=verdict.outcome,
            reason=verdict.reason,
            subject=row.subject,
            attribute=row.attribute,
            scope=row.scope,
            value=row.value,
            at=now,
        )
        for row in rows
    )
    audit.record(
        user_id=user_id,
        by=by,
        events=[
            *(
                audit.Event("fact.undo", f"fact:{row.id}")
                for row in rows
                if row.operation == "state"
            ),
            *(audit.Event("fact.restore", f"fact:{id}") for id in restored),
        ],
        now=now,
    )
