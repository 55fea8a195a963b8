"""Where nothing is known under a key: its rows as they stood, held to their proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memoryapp import audit
from memoryapp.models import (
    Decision,
    Evidence,
    Fact,
    FactEmbedding,
    FactUsage,
    Message,
)
from memoryapp.reconcile import value_key
from memoryapp.registry import Known, Registry

from ..common import ASIDE
from ..timelines import Key, Vector, rewrite
from .common import Kept, Restored, identity, statement_of


def as_it_was(
    user: Any,
    kept: Sequence[Kept],
    registry: Registry,
    said: Mapping[UUID, Message],
    by: audit.Actor,
    now: datetime,
    vectors: Mapping[str, Vector],
    counts: Restored,
) -> None:
    rows = [_row(user.pk, one, registry, now) for one in kept]
    _one_current(rows)
    heirs = {one.fact.id: row for one, row in zip(kept, rows, strict=True)}
    for one, row in zip(kept, rows, strict=True):
        heir = heirs.get(one.fact.superseded_by) if one.fact.superseded_by else None
        if heir is not None and heir is not row and row.status not in ASIDE:
            row.superseded_by_id = heir.id
    Fact.objects.bulk_create(rows)
    for one in kept:
        for proof in one.proofs:
            proof.fact_id = one.id
    Evidence.objects.bulk_create([proof for one in kept for proof in one.proofs])
    _decisions(user, kept, said)
    FactUsage.objects.bulk_create(
        FactUsage(
            user_id=user.pk,
            fact_id=one.id,
            recall_count=one.fact.recalls,
            last_recalled_at=one.fact.last_recalled_at,
        )
        for one in kept
        if one.fact.recalls
    )
    _embed(user.pk, rows, vectors)
    for key, kind in {_key(row): row.kind for row in rows if row.status not in ASIDE}.items():
        known = registry.get(key[1], kind=kind)  # type: ignore[arg-type]
        rewrite(user_id=user.pk, key=key, known=known, new=[], now=now)
    told = Fact.objects.filter(
        user_id=user.pk,
        id__in=[row.id for row in rows],
        operation="state",
        status__in=(Fact.Status.CURRENT, Fact.Status.PENDING),
    ).values_list("id", "status")
    counts.added += len(rows)
    counts.waiting += sum(status == Fact.Status.PENDING for _, status in told)
    audit.record(
        user_id=user.pk,
        by=by,
        events=[audit.Event("fact.add", f"fact:{id}") for id, _ in told],
        now=now,
    )


def _row(user_id: UUID, one: Kept, registry: Registry, now: datetime) -> Fact:
    fact, candidate = one.fact, one.candidate
    known: Known = registry.get(candidate.attribute, kind=candidate.kind)
    aside = one.status in ASIDE
    retired = min(fact.retired_at, now) if fact.retired_at else None
    status = one.status
    if status == Fact.Status.CURRENT and (retired or fact.operation == "end"):
        status = Fact.Status.RETRACTED
    return Fact(
        id=one.id,
        user_id=user_id,
        subject=candidate.subject,
        attribute=candidate.attribute,
        scope=candidate.scope,
        value=candidate.value,
        value_key=value_key(candidate),
        polarity=fact.polarity,
        operation=fact.operation,
        statement=statement_of(fact, registry),
        kind=known.kind,
        single=known.single,
        confidence=fact.confidence,
        importance=fact.importance,
        chosen_importance=fact.chosen_importance,
        pinned=fact.pinned,
        sensitivity=known.sensitive or fact.sensitivity,
        status=status,
        valid_from=fact.valid_from,
        valid_to=None if aside else fact.valid_to,
        precision=fact.precision,
        recorded_at=min(fact.recorded_at, now),
        closed_at=min(fact.closed_at, now) if fact.closed_at else None,
        retired_at=None if status == Fact.Status.PENDING else retired,
        supersession="" if aside else fact.supersession,
        last_stated_at=min(fact.last_stated_at, now),
        expires_at=fact.expires_at,
        expiry_chosen=fact.expiry_chosen,
    )


def _one_current(rows: Sequence[Fact]) -> None:
    """A forged file may call several values of a key current; the last stated stays."""
    latest: dict[Key, Fact] = {}
    for row in rows:
        if row.status != Fact.Status.CURRENT:
            continue
        held = latest.get(_key(row))
        older = row if held and held.last_stated_at > row.last_stated_at else held
        if older is not None:
            older.status = Fact.Status.SUPERSEDED
        if older is not row:
            latest[_key(row)] = row


def _key(row: Fact) -> Key:
    return (row.subject, row.attribute, row.scope, "" if row.single else row.value_key)


def _decisions(user: Any, kept: Sequence[Kept], said: Mapping[UUID, Message]) -> None:
    made = {d.id for one in kept for d in one.fact.decisions}
    ids = identity(user, Decision, made)
    facts = identity(
        user,
        Fact,
        [UUID(d.scores["against"]) for k in kept for d in k.fact.decisions if _against(d.scores)],
    )
    rows: dict[UUID, Decision] = {}
    for one in kept:
        for decision in one.fact.decisions:
            if ids.known(decision.id):
                continue
            message = said.get(decision.message) if decision.message else None
            scores = dict(decision.scores)
            if _against(scores):
                scores["against"] = str(facts.ids[UUID(scores["against"])])
            else:
                scores.pop("against", None)
            rows[decision.id] = Decision(
                id=ids.ids[decision.id],
                user_id=user.pk,
                fact_id=one.id,
                message_id=message.id if message else None,
                outcome=decision.outcome,
                judge=decision.judge,
                reason=decision.reason,
                scores=scores,
                subject=one.candidate.subject,
                attribute=one.candidate.attribute,
                scope=one.candidate.scope,
                value=one.candidate.value,
                at=decision.at,
            )
    Decision.objects.bulk_create(rows.values())


def _against(scores: Mapping[str, Any]) -> bool:
    try:
        UUID(scores["against"])
    except (KeyError, ValueError):
        return False
    return True


def _embed(user_id: UUID, rows: Sequence[Fact], vectors: Mapping[str, Vector]) -> None:
    FactEmbedding.objects.bulk_create(
        FactEmbedding(
            user_id=user_id,
            fact_id=row.id,
            model=vectors[row.statement].model,
            dimension=len(vectors[row.statement].values),
            embedding=vectors[row.statement].values,
        )
        for row in rows
        if row.operation == "state" and row.statement in vectors
    )
