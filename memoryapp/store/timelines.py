"""One key's rows made to say what its timeline says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray
from uuid_utils.compat import uuid7

from memoryapp.models import Decision, Evidence, Fact, FactEmbedding, FactUsage, MemoryUse
from memoryapp.reconcile import combined_confidence, timeline, value_key
from memoryapp.records import Assertion, Candidate, Run
from memoryapp.registry import Known

from .common import ASIDE, with_expiry
from .links import move_links

Key = tuple[str, str, str, str]  # subject, attribute, scope, value key ("" for single-valued)


@dataclass(frozen=True, slots=True)
class Vector:
    """A statement's embedding and the model whose space it lives in."""

    model: str
    values: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class New:
    """A statement to be taken into its timeline, and what proves it."""

    evidence: Evidence  # unsaved; its fact is set here
    candidate: Candidate
    statement: str
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class Taken:
    """The timeline as it now stands, and which row carries each run."""

    runs: Sequence[Run]
    facts: Sequence[Fact]

    def fact_of(self, evidence_id: UUID) -> Fact:
        """The row that carries this piece of evidence."""
        for run, fact in zip(self.runs, self.facts, strict=True):
            if any(a.id == evidence_id for a in run.assertions):
                return fact
        raise LookupError("no row carries this evidence")


def rows_of(user_id: UUID, key: Key, *, include: UUID | None = None) -> list[Fact]:
    """The rows of a key's timeline, oldest first; ``include`` adds a row set aside."""
    subject, attribute, scope, value = key
    rows = Fact.objects.filter(
        user_id=user_id, subject=subject, attribute=attribute, scope=scope
    ).filter(~Q(status__in=ASIDE) | Q(id=include))
    if value:
        rows = rows.filter(value_key=value)
    return list(rows.order_by("valid_from", "id"))


def rewrite(
    *,
    user_id: UUID,
    key: Key,
    known: Known,
    new: Sequence[New],
    now: datetime,
    include: UUID | None = None,
) -> Taken:
    """Take ``new`` statements into the key's timeline and write what changed.

    The caller holds the user's lock. Closing comes before opening, so that the partial
    unique index never sees two current rows.
    """
    known = with_expiry(user_id, known)
    rows = {fact.id: fact for fact in rows_of(user_id, key, include=include)}
    held = _held(user_id, rows)
    fresh = {n.evidence.id: n for n in new}
    runs = timeline(
        [_assertion(e, rows[e.fact_id]) for e in held.values()] + [_new_assertion(n) for n in new],
        single=known.single,
    )

    facts: list[Fact] = []
    made: set[UUID] = set()
    taken: set[UUID] = set()
    for run in runs:
        row = next(
            (
                rows[a.fact_id]
                for a in run.assertions
                if a.fact_id is not None and a.fact_id not in taken
            ),
            None,
        )
        if row is None:
            row = Fact(id=uuid7(), user_id=user_id, recorded_at=now, pinned=False)
            made.add(row.id)
        taken.add(row.id)
        facts.append(row)

    evidence_of = {**held, **{n.evidence.id: n.evidence for n in new}}
    changed: dict[UUID, set[str]] = {}
    for run, fact in zip(runs, facts, strict=True):
        proofs = [evidence_of[a.id] for a in run.assertions]
        newest = next((fresh[a.id] for a in reversed(run.assertions) if a.id in fresh), None)
        if fact.id in made and newest is None:
            # A statement in between split a row: its later part says the same words.
            _copy_words(rows[proofs[0].fact_id], fact)
        wanted = _wanted(run, fact, proofs, newest, key, known, now, is_new=fact.id in made)
        if _replaced_elsewhere(run, fact, rows):
            wanted |= {"status": Fact.Status.SUPERSEDED, "supersession": fact.supersession}
        changed[fact.id] = {name for name, value in wanted.items() if getattr(fact, name) != value}
        for name in changed[fact.id]:
            setattr(fact, name, wanted[name])

    existing = [f for f in facts if f.id not in made and changed[f.id]]
    closing = [f for f in existing if f.status != Fact.Status.CURRENT]
    opening = [f for f in existing if f.status == Fact.Status.CURRENT]
    for fact in closing:
        fact.save(update_fields=sorted(changed[fact.id]))
    left_over = [fact for fact_id, fact in rows.items() if fact_id not in taken]
    _absorb(user_id, left_over, held, runs, facts)
    for fact in opening:
        fact.save(update_fields=sorted(changed[fact.id]))
    Fact.objects.bulk_create([f for f in facts if f.id in made])
    _link(runs, facts, rows)
    _place_evidence(runs, facts, held, fresh)
    for run, fact in zip(runs, facts, strict=True):
        if fact.id in made:
            proof = next((fresh[a.id] for a in run.assertions if a.id in fresh), None)
            _embed(user_id, fact, proof, run, facts)
    return Taken(runs=runs, facts=facts)


def _held(user_id: UUID, rows: Mapping[UUID, Fact]) -> dict[UUID, Evidence]:
    """The evidence of the rows. Words that prove one value in two of them (their names
    became the same) are kept once, for one row may not have them twice."""
    held: dict[UUID, Evidence] = {}
    seen: set[tuple[object, ...]] = set()
    for evidence in Evidence.objects.filter(user_id=user_id, fact_id__in=list(rows)).order_by("id"):
        row = rows[evidence.fact_id]
        place = (evidence.message_id, evidence.start, evidence.end)
        mark = (*place, row.value_key, row.polarity, row.operation)
        if evidence.message_id is not None and mark in seen:
            evidence.delete()
            continue
        seen.add(mark)
        held[evidence.id] = evidence
    return held


def _copy_words(source: Fact, target: Fact) -> None:
    for name in (
        *("statement", "kind", "sensitivity", "expires_at", "expiry_chosen", "pinned"),
        "chosen_importance",
    ):
        setattr(target, name, getattr(source, name))


def _embed(user_id: UUID, fact: Fact, proof: New | None, run: Run, facts: Sequence[Fact]) -> None:
    """Give a new row its vectors: its statement's own, or those of the row it split from.
    Without any, text search finds it until `manage.py reembed` has been by."""
    if proof is not None:
        if proof.vector is not None:
            FactEmbedding.objects.create(
                user_id=user_id,
                fact_id=fact.id,
                model=proof.vector.model,
                dimension=len(proof.vector.values),
                embedding=proof.vector.values,
            )
        return
    twins = [f.id for f in facts if f.value_key == run.value_key and f.id != fact.id]
    for source in FactEmbedding.objects.filter(user_id=user_id, fact_id__in=twins[:1]):
        FactEmbedding.objects.create(
            user_id=user_id,
            fact_id=fact.id,
            model=source.model,
            dimension=source.dimension,
            embedding=source.embedding,
        )


def _assertion(evidence: Evidence, fact: Fact) -> Assertion:
    return Assertion(
        id=evidence.id,
        fact_id=fact.id,
        value=fact.value,
        value_key=fact.value_key,
        polarity=fact.polarity,  # type: ignore[arg-type]  # the column's CHECK is the type
        operation=fact.operation,  # type: ignore[arg-type]
        sent_at=evidence.sent_at,
        start=evidence.start,
        valid_from=evidence.valid_from,
        valid_to=evidence.valid_to,
        precision=evidence.precision,  # type: ignore[arg-type]
        correction=evidence.correction,
    )


def _new_assertion(new: New) -> Assertion:
    candidate = new.candidate
    return Assertion(
        id=new.evidence.id,
        fact_id=None,
        value=candidate.value,
        value_key=value_key(candidate),
        polarity=candidate.polarity,
        operation=candidate.operation,
        sent_at=new.evidence.sent_at,
        start=new.evidence.start,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
        precision=candidate.precision,
        correction=candidate.correction,
    )


def _wanted(
    run: Run,
    fact: Fact,
    proofs: Sequence[Evidence],
    newest: New | None,
    key: Key,
    known: Known,
    now: datetime,
    *,
    is_new: bool,
) -> dict[str, object]:
    """What the row must say for the run."""
    subject, attribute, scope, _ = key
    last_stated_at = max(p.sent_at for p in proofs)
    expires_at = known.expires_at(
        last_stated_at=last_stated_at, valid_from=run.valid_from, valid_to=run.valid_to
    )
    wanted: dict[str, object] = {
        "subject": subject,
        "attribute": attribute,
        "scope": scope,
        "value": run.value,
        "value_key": run.value_key,
        "polarity": run.polarity,
        "operation": run.operation,
        "single": known.single,
        "confidence": combined_confidence(p.confidence for p in proofs),
        "importance": (
            max(p.importance for p in proofs)
            if fact.chosen_importance is None
            else fact.chosen_importance
        ),
        "valid_from": run.valid_from,
        "valid_to": run.valid_to,
        "precision": run.precision,
        "retired_at": (fact.retired_at or now) if run.retired else None,
        "closed_at": None if run.valid_to is None else (fact.closed_at or now),
        "supersession": run.supersession,
        "last_stated_at": last_stated_at,
    }
    if newest is not None and (is_new or run.value != fact.value):
        wanted["statement"] = newest.statement
    if not fact.expiry_chosen and (newest or last_stated_at != fact.last_stated_at):
        wanted["expires_at"] = expires_at
    if newest is not None:
        wanted["kind"] = known.kind
        wanted["sensitivity"] = known.sensitive or newest.candidate.sensitivity
    stale = wanted.get("expires_at", fact.expires_at)
    if run.operation == "end":
        status = Fact.Status.RETRACTED
    elif not run.open:
        ended = run.supersession == "end"
        status = Fact.Status.RETRACTED if ended else Fact.Status.SUPERSEDED
    elif _passed(stale, now) or _passed(run.valid_to, now):
        status = Fact.Status.EXPIRED
    elif newest is None and fact.status == Fact.Status.ARCHIVED:
        status = Fact.Status.ARCHIVED
    else:
        status = Fact.Status.CURRENT
    wanted["status"] = status
    return wanted


def _says(run: Run, row: Fact) -> bool:
    return (run.value_key, run.polarity, run.operation) == (
        row.value_key,
        row.polarity,
        row.operation,
    )


def _passed(moment: object, now: datetime) -> bool:
    return isinstance(moment, datetime) and moment <= now


def _replaced_elsewhere(run: Run, fact: Fact, rows: Mapping[UUID, Fact]) -> bool:
    """Whether the user replaced one of several values by another: the link leads out of
    the value's own timeline, which knows only that it ended."""
    return (
        not run.open
        and run.successor is None
        and fact.superseded_by_id is not None
        and fact.superseded_by_id not in rows
    )


def _link(runs: Sequence[Run], facts: Sequence[Fact], rows: Mapping[UUID, Fact]) -> None:
    for run, fact in zip(runs, facts, strict=True):
        successor = facts[run.successor].id if run.successor is not None else None
        if _replaced_elsewhere(run, fact, rows):
            continue
        if fact.superseded_by_id != successor:
            fact.superseded_by_id = successor
            fact.save(update_fields=["superseded_by"])


def _place_evidence(
    runs: Sequence[Run],
    facts: Sequence[Fact],
    held: Mapping[UUID, Evidence],
    fresh: Mapping[UUID, New],
) -> None:
    unsaved: list[Evidence] = []
    for run, fact in zip(runs, facts, strict=True):
        for assertion in run.assertions:
            if assertion.id in fresh:
                evidence = fresh[assertion.id].evidence
                evidence.fact_id = fact.id
                unsaved.append(evidence)
            elif held[assertion.id].fact_id != fact.id:
                held[assertion.id].fact_id = fact.id
                held[assertion.id].save(update_fields=["fact"])
    Evidence.objects.bulk_create(unsaved)


def _absorb(
    user_id: UUID,
    left_over: Sequence[Fact],
    held: Mapping[UUID, Evidence],
    runs: Sequence[Run],
    facts: Sequence[Fact],
) -> None:
    """Rows whose run has become part of another's: evidence, decisions and usage move
    over, then the row goes."""
    for row in left_over:
        proof = next((e.id for e in held.values() if e.fact_id == row.id), None)
        heir = next(
            (
                fact
                for run, fact in zip(runs, facts, strict=True)
                if any(a.id == proof for a in run.assertions) or (proof is None and _says(run, row))
            ),
            None,
        )
        if heir is None:
            continue  # no evidence left: erasure's affair, not the timeline's
        for evidence in held.values():
            if evidence.fact_id == row.id:
                evidence.fact_id = heir.id
                evidence.save(update_fields=["fact"])
        Decision.objects.filter(user_id=user_id, fact_id=row.id).update(fact_id=heir.id)
        _add_usage(user_id, row.id, heir.id)
        MemoryUse.objects.filter(user_id=user_id, fact_id=row.id).update(fact_id=heir.id)
        move_links(user_id=user_id, old_id=row.id, new_id=heir.id)
        Fact.objects.filter(user_id=user_id, id=row.id).delete()


def _add_usage(user_id: UUID, source: UUID, target: UUID) -> None:
    used = FactUsage.objects.filter(user_id=user_id, fact_id=source).first()
    if used is None:
        return
    kept, made = FactUsage.objects.get_or_create(
        user_id=user_id,
        fact_id=target,
        defaults={
            "recall_count": used.recall_count,
            "last_recalled_at": used.last_recalled_at,
        },
    )
    if not made:
        kept.recall_count += used.recall_count
        times = [t for t in (kept.last_recalled_at, used.last_recalled_at) if t]
        kept.last_recalled_at = max(times, default=None)
        kept.save(update_fields=["recall_count", "last_recalled_at"])
