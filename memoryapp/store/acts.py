"""What the user's hand has done to facts, noted so that it can be undone.

For the page: every function of the hand (``pipeline.edit_fact``, ``weigh_fact``, ``approve``,
``reject``) takes ``act``, a fresh UUID under which all that is done in one go is noted, be it
to one fact or to a hundred. ``pipeline.undo_act(user_id=…, act=…, by=…)`` takes it back for as
long as nothing later was done to the fact or said under its key; ``web/_undo.html`` is the
button for it. What was erased can't be undone: the notes go with the facts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime
from uuid_utils.compat import uuid7

from memoryapp import audit
from memoryapp.models import Decision, Evidence, Fact, HandAct, Tombstone
from memoryapp.registry import Registry

from .common import NotFound, lock
from .removal import remove
from .timelines import Key, rewrite, rows_of
from .undo import NotUndoable

TAKEN_BACK = "a change by hand, taken back by the user"
WEIGHTS = ("pinned", "chosen_importance", "importance", "expires_at", "expiry_chosen")
# How a fact that waited stood before it was approved.
PENDING = (
    *("id", "subject", "attribute", "scope", "value", "value_key", "polarity", "statement", "kind"),
    *("single", "confidence", "importance", "sensitivity", "valid_from", "precision"),
    *("recorded_at", "last_stated_at", "expires_at"),
)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """``facts`` are as they were before; ``left`` counts those that could not be, for they
    have changed since. ``restated`` maps facts to their statements, where these changed."""

    facts: Sequence[UUID]
    left: int
    restated: Mapping[UUID, str]


def note(
    *,
    user_id: UUID,
    act: UUID | None,
    fact_id: UUID,
    kind: str,
    by: audit.Actor,
    now: datetime,
    before: Mapping[str, Any],
) -> None:
    """Note what was done to a fact, and what undoing needs. Ids, numbers, times and the words
    of the fact's own row."""
    HandAct.objects.create(
        id=uuid7(),
        user_id=user_id,
        act=act or uuid7(),
        fact_id=fact_id,
        kind=kind,
        actor=str(by),
        at=now,
        before=_plain(before),
    )


def snapshot(row: Fact, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def last_act(*, user_id: UUID, fact_id: UUID) -> HandAct | None:
    """The latest thing done to the fact by hand that can be undone now; None when there is
    none. Needs ``acting_for(user_id)``."""
    row = (
        HandAct.objects.filter(user_id=user_id, fact_id=fact_id, undone_at=None)
        .order_by("-id")
        .first()
    )
    if row is None:
        return None
    try:
        _check(user_id, row)
    except NotUndoable:
        return None
    return row


def undo_act(
    *, user_id: UUID, act: UUID, registry: Registry, by: audit.Actor, now: datetime
) -> TakenBack:
    """Take back all that was done under ``act``: each fact by itself, the latest change first.
    Raises NotFound when nothing was, or it went with its facts, and NotUndoable when none of
    it can be undone any more; nothing is changed then."""
    lock(user_id)
    rows = list(HandAct.objects.filter(user_id=user_id, act=act).order_by("id"))
    if not rows:
        raise NotFound("no such act")
    refusals: list[NotUndoable] = []
    done: list[UUID] = []
    restated: dict[UUID, str] = {}
    for chain in reversed(_chains(rows)):
        try:
            for row in chain:
                _check(user_id, row)
        except NotUndoable as error:
            refusals.append(error)
            continue
        fact_id = chain[0].fact_id
        for row in reversed(chain):
            fact_id = _UNDO[HandAct.Kind(row.kind)](user_id, row, registry, now)
            if (statement := row.before.get("statement")) is not None:
                restated[fact_id] = statement
        ids = [row.id for row in chain]
        HandAct.objects.filter(user_id=user_id, id__in=ids).update(undone_at=now)
        done.append(fact_id)
    if not done:
        raise refusals[0]
    _log(user_id, done, by, now)
    return TakenBack(done, len(refusals), restated)


def _chains(rows: Sequence[HandAct]) -> list[list[HandAct]]:
    """The acts of each fact, oldest first: an edit may lead from one row to another."""
    roots: dict[UUID, UUID] = {}
    chains: dict[UUID, list[HandAct]] = defaultdict(list)
    for row in rows:
        source = UUID(row.before["fact"]) if "fact" in row.before else row.fact_id
        root = roots.get(source, source)
        roots[row.fact_id] = root
        chains[root].append(row)
    return list(chains.values())


# -- Whether -------------------------------------------------------------------------------------


def _check(user_id: UUID, row: HandAct) -> None:
    """Raises NotUndoable unless nothing was done or said since that rests on the act."""
    if row.undone_at is not None:
        raise NotUndoable("undone")
    fact = Fact.objects.get(user_id=user_id, id=row.fact_id)
    later = HandAct.objects.filter(user_id=user_id, undone_at=None, id__gt=row.id).exclude(
        act=row.act
    )
    if later.filter(fact_id=row.fact_id).exists():
        raise NotUndoable("changed")
    kind = HandAct.Kind
    if row.kind == kind.REJECT and fact.status != Fact.Status.REJECTED:
        raise NotUndoable("changed")
    if row.kind == kind.WEIGH and fact.status not in (Fact.Status.CURRENT, Fact.Status.EXPIRED):
        raise NotUndoable("changed")
    if row.kind in (kind.EDIT, kind.APPROVE):
        held = [fact]
        if "fact" in row.before:
            held += Fact.objects.filter(user_id=user_id, id=row.before["fact"])
        for one in held:
            rows = [each.id for each in rows_of(user_id, _key(one))]
            said = Evidence.objects.filter(
                user_id=user_id, fact_id__in=rows, recorded_at__gt=row.at
            )
            if said.exists() or later.filter(fact_id__in=rows).exclude(kind=kind.WEIGH).exists():
                raise NotUndoable("changed")


# -- How -----------------------------------------------------------------------------------------


def _unweigh(user_id: UUID, row: HandAct, registry: Registry, now: datetime) -> UUID:
    fact = Fact.objects.get(user_id=user_id, id=row.fact_id)
    for name in WEIGHTS:
        setattr(fact, name, row.before[name])
    fact.expires_at = _time(row.before["expires_at"])
    if fact.status == Fact.Status.EXPIRED and not (fact.expires_at and fact.expires_at <= now):
        fact.status = Fact.Status.CURRENT
    fact.save(update_fields=[*WEIGHTS, "status"])
    return fact.id


def _unreject(user_id: UUID, row: HandAct, registry: Registry, now: datetime) -> UUID:
    Fact.objects.filter(user_id=user_id, id=row.fact_id).update(
        status=Fact.Status.PENDING, retired_at=None
    )
    # A "never" had buried it.
    buried = [bytes.fromhex(one) for one in row.before.get("buried", ())]
    Tombstone.objects.filter(user_id=user_id, hash__in=buried).delete()
    return row.fact_id


def _unedit(user_id: UUID, row: HandAct, registry: Registry, now: datetime) -> UUID:
    """Without the words that the hand has added, the timelines say what they said before."""
    mine = Fact.objects.filter(user_id=user_id)
    before = row.before
    if "scope" in before:
        _move_back(user_id, row, registry, now)
        return row.fact_id
    source = UUID(before["fact"])
    if source == row.fact_id:
        mine.filter(id=source).update(value=before["value"], statement=before["statement"])
    else:
        mine.filter(id=source, superseded_by=row.fact_id).update(superseded_by=None)
        others = Evidence.objects.filter(user_id=user_id, fact_id=row.fact_id).exclude(
            id__in=before["evidence"]
        )
        if not others.exists():
            # The row goes; what was decided and done in its name stays with what holds again.
            for model in (Decision, HandAct):
                model._base_manager.filter(user_id=user_id, fact_id=row.fact_id).update(
                    fact_id=source
                )
    remove(
        user_id=user_id,
        registry=registry,
        now=now,
        evidence_ids=[UUID(id) for id in before["evidence"]],
    )
    return source


def _move_back(user_id: UUID, row: HandAct, registry: Registry, now: datetime) -> None:
    fact = Fact.objects.get(user_id=user_id, id=row.fact_id)
    there = _key(fact)
    fact.scope, fact.statement = row.before["scope"], row.before["statement"]
    move(user_id, fact, there, registry, now)
    for replaced, closed_at in row.before["closed"]:
        Fact.objects.filter(user_id=user_id, id=replaced, superseded_by=fact.id).update(
            closed_at=_time(closed_at)
        )


def move(user_id: UUID, fact: Fact, source: Key, registry: Registry, now: datetime) -> Fact:
    """Save the fact under its new scope, with its proof, and rewrite both timelines; the row
    that carries it."""
    proof = Evidence.objects.filter(user_id=user_id, fact_id=fact.id).latest("sent_at", "id")
    known = registry.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
    mine = Fact.objects.filter(user_id=user_id)
    # Aside until what it had replaced stands by itself, and what holds there is known.
    mine.filter(id=fact.id).update(
        scope=fact.scope, statement=fact.statement, status=Fact.Status.SUPERSEDED
    )
    if fact.single:
        mine.filter(superseded_by=fact.id).update(superseded_by=None)
    rewrite(user_id=user_id, key=source, known=known, new=[], now=now)
    taken = rewrite(user_id=user_id, key=_key(fact), known=known, new=[], now=now)
    return taken.fact_of(proof.id)


def _unapprove(user_id: UUID, row: HandAct, registry: Registry, now: datetime) -> UUID:
    """Its proof leaves the timeline again, with a row of its own that waits."""
    mine = Fact.objects.filter(user_id=user_id)
    fact = mine.get(id=row.fact_id)
    known = registry.get(fact.attribute, kind=fact.kind)  # type: ignore[arg-type]
    moved = [UUID(id) for id in row.before["evidence"]]
    held = {name: row.before["pending"][name] for name in PENDING}
    held |= {
        name: _time(held[name])
        for name in ("valid_from", "recorded_at", "last_stated_at", "expires_at")
    }
    others = Evidence.objects.filter(user_id=user_id, fact_id=fact.id).exclude(id__in=moved)
    if others.exists():
        here = mine.filter(id=held["id"]).exists()
        waits = mine.create(
            **held | {"id": uuid7() if here else UUID(held["id"])},
            user_id=user_id,
            status=Fact.Status.PENDING,
        )
        Evidence.objects.filter(user_id=user_id, id__in=moved).update(fact_id=waits.id)
        HandAct.objects.filter(user_id=user_id, id=row.id).update(fact_id=waits.id)
    else:
        waits = fact
        mine.filter(superseded_by=fact.id).update(superseded_by=None)
        mine.filter(id=fact.id).update(
            **{name: value for name, value in held.items() if name != "id"},
            status=Fact.Status.PENDING,
            valid_to=None,
            closed_at=None,
            retired_at=None,
            superseded_by=None,
            supersession="",
        )
    rewrite(user_id=user_id, key=_key(fact), known=known, new=[], now=now)
    return waits.id


_UNDO = {
    HandAct.Kind.EDIT: _unedit,
    HandAct.Kind.WEIGH: _unweigh,
    HandAct.Kind.APPROVE: _unapprove,
    HandAct.Kind.REJECT: _unreject,
}


def _key(row: Fact) -> Key:
    return (row.subject, row.attribute, row.scope, "" if row.single else row.value_key)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _time(text: str | None) -> datetime | None:
    return parse_datetime(text) if text else None


def _log(user_id: UUID, facts: Sequence[UUID], by: audit.Actor, now: datetime) -> None:
    rows = list(Fact.objects.filter(user_id=user_id, id__in=facts))
    Decision.objects.bulk_create(
        Decision(
            id=uuid7(),
            user_id=user_id,
            fact_id=row.id,
            outcome="ignore",
            reason=TAKEN_BACK,
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
        events=[audit.Event("hand.undo", f"fact:{row.id}") for row in rows],
        now=now,
    )
