"""Which facts of an export may come in, and which way each goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model

from memoryapp import audit, rules
from memoryapp.brought import BroughtFact, BroughtProof
from memoryapp.models import (
    Evidence,
    Fact,
    MemorySettings,
    Message,
)
from memoryapp.registry import Registry

from ..common import ASIDE, lock
from ..names import Names
from ..timelines import Vector
from ..tombstones import Graves
from ..wanted import verdict_on
from .common import Kept, Restored, candidate_of, identity, messages_of
from .history import as_it_was
from .merging import merge


def restore(
    *,
    user_id: UUID,
    facts: Sequence[BroughtFact],
    registry: Registry,
    by: audit.Actor,
    now: datetime,
    import_id: UUID,
    vectors: Mapping[str, Vector],
    consented: bool,
    topics: rules.Topics,
    instructs: Callable[[str], bool],
) -> Restored:
    """Bring the facts of one key back. With ``consented`` the user vouches that the export is
    their own: delicate facts that held there hold here. Else they wait, and so do values that
    speak to an assistant (``instructs``). Needs ``acting_for(user_id)``."""
    lock(user_id)
    user = get_user_model().objects.get(pk=user_id)
    counts = Restored()
    said = messages_of(user, facts)
    kept = _kept(user, facts, registry, said, import_id, now, counts, topics)
    if counts.unwanted:
        rules.note_left_out(
            user_id=user_id,
            topics=counts.unwanted,
            imports=[import_id] * len(counts.unwanted),
            by=by,
            now=now,
        )
    if not kept:
        return counts
    first = kept[0].candidate
    same = Fact.objects.filter(
        user_id=user_id, subject=first.subject, attribute=first.attribute, scope=first.scope
    )
    kept = _waiting(user_id, kept, registry, counts, consented, instructs)
    if same.exists():
        merge(user_id, kept, registry, by, now, vectors, counts)
    else:
        as_it_was(user, kept, registry, said, by, now, vectors, counts)
    return counts


def _kept(
    user: Any,
    facts: Sequence[BroughtFact],
    registry: Registry,
    said: Mapping[UUID, Message],
    import_id: UUID,
    now: datetime,
    counts: Restored,
    topics: rules.Topics,
) -> list[Kept]:
    """The facts that are new and may come in, each with its proofs that stand in what was
    ``said``."""
    graves, names = Graves(user), Names(user.pk)
    proofs = identity(user, Evidence, [proof.id for fact in facts for proof in fact.proofs])
    ids = identity(user, Fact, [fact.id for fact in facts])
    kept: list[Kept] = []
    for fact in facts:
        fresh = [proof for proof in fact.proofs if not proofs.known(proof.id)]
        if not fresh:
            counts.known += 1
            continue
        candidate = candidate_of(fact, registry, fresh[-1])
        allowed = [
            proof
            for proof in fresh
            if not any(
                graves.hold(one, undated=True)
                for one in names.under_all(candidate_of(fact, registry, proof))
            )
        ]
        if not allowed:
            counts.erased += 1
            continue
        known = registry.get(candidate.attribute, kind=candidate.kind)
        about = verdict_on(topics, user.pk, candidate, known)
        if about is not None and about.sure:
            counts.unwanted.append(about.topic)
            continue
        rows: dict[tuple[Any, ...], Evidence] = {}
        for proof in allowed:
            row = _evidence(user.pk, proof, proofs.ids[proof.id], said, import_id, now)
            if row is not None:
                place = (row.message_id, row.start, row.end) if row.message_id else (row.id,)
                rows.setdefault(place, row)
        if not rows:
            counts.unproven += 1
            continue
        kept.append(
            Kept(
                ids.ids[fact.id], fact, candidate, list(rows.values()), fact.status,
                doubtful=about is not None,
            )
        )  # fmt: skip
    return kept


def _evidence(
    user_id: UUID,
    proof: BroughtProof,
    new_id: UUID,
    said: Mapping[UUID, Message],
    import_id: UUID,
    now: datetime,
) -> Evidence | None:
    """The proof as a row, without its fact; None when its message says something else, or is
    the assistant's."""
    message = said.get(proof.message) if proof.message is not None else None
    if message is not None and (
        message.role == "assistant"
        or (message.content and message.content[proof.start : proof.end] != proof.quote)
    ):
        return None
    return Evidence(
        id=new_id,
        user_id=user_id,
        message_id=message.id if message else None,
        conversation_id=message.conversation_id if message else None,
        source_import_id=import_id,
        source=Evidence.Source.IMPORT,
        start=proof.start,
        end=proof.end,
        quote=proof.quote,
        sent_at=min(proof.sent_at, now),
        valid_from=proof.valid_from,
        valid_to=proof.valid_to,
        precision=proof.precision,
        correction=proof.correction,
        confidence=proof.confidence,
        importance=proof.importance,
        recorded_at=min(proof.recorded_at, now),
    )


def _waiting(
    user_id: UUID,
    kept: Sequence[Kept],
    registry: Registry,
    counts: Restored,
    consented: bool,
    instructs: Callable[[str], bool],
) -> list[Kept]:
    """The facts, with those that need the user's word first set to wait for it."""
    row = MemorySettings.objects.filter(user_id=user_id).first()
    consents = set(row.sensitive_opt_in) if row else set()
    left: list[Kept] = []
    for one in kept:
        known = registry.get(one.candidate.attribute, kind=one.candidate.kind)
        sensitive = known.sensitive or one.candidate.sensitivity
        delicate = bool(sensitive) and sensitive not in consents
        asked = one.doubtful or (not consented and (delicate or instructs(one.candidate.value)))
        if not asked or one.status in ASIDE:
            left.append(one)
        elif one.fact.operation == "state" and one.status == Fact.Status.CURRENT:
            left.append(replace(one, status=Fact.Status.PENDING))
        else:
            counts.withheld += 1
    return left
