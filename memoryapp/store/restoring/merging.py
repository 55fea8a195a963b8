"""Where something is known under a key: each proof as a statement of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memoryapp import audit
from memoryapp.models import (
    Evidence,
    Fact,
)
from memoryapp.reconcile import Verdict, fact_key
from memoryapp.reconcile import verdict as judge
from memoryapp.records import Candidate, Quote
from memoryapp.registry import Known, Registry

from ..apply import DOUBTFUL, UNCONSENTED, UNREAD, Decided, _unread, log
from ..aside import set_aside
from ..common import ASIDE
from ..timelines import Key, New, Vector, rewrite
from .common import Kept, Restored, statement_of


def merge(
    user_id: UUID,
    kept: Sequence[Kept],
    registry: Registry,
    by: audit.Actor,
    now: datetime,
    vectors: Mapping[str, Vector],
    counts: Restored,
) -> None:
    """Each proof as a statement of its own, into what is held."""
    decided: list[Decided] = []
    by_key: dict[Key, list[tuple[int, New, Known]]] = {}
    for one in kept:
        known = registry.get(one.candidate.attribute, kind=one.candidate.kind)
        words = statement_of(one.fact, registry)
        proofs = {proof.id: proof for proof in one.proofs}
        took = False
        for evidence in proofs.values():
            candidate = _stated(one, evidence)
            evidence.recorded_at = now
            new = New(evidence, candidate, words, vectors.get(words))
            if one.status in ASIDE:
                held = None
                if one.status == Fact.Status.PENDING:
                    delicate = known.sensitive or candidate.sensitivity
                    reason = DOUBTFUL if one.doubtful else UNCONSENTED if delicate else UNREAD
                    held = set_aside(
                        user_id, candidate, known, new, now, outcome="add", reason=reason
                    )
                if held is not None:
                    decided.append(Decided(candidate, *held))
                    took = took or held[0].outcome == "add"
                    counts.waiting += held[0].outcome == "add"
                continue
            key = fact_key(candidate, single=known.single)
            by_key.setdefault(key, []).append((len(by_key), new, known))
            took = True
        counts.added += took
        counts.known += not took
    for key, members in by_key.items():
        fresh = [new for _, new in _unread(user_id, key, members)]
        if not fresh:
            continue
        taken = rewrite(user_id=user_id, key=key, known=members[0][2], new=fresh, now=now)
        for new in fresh:
            verdict: Verdict = judge(taken.runs, new.evidence.id)
            decided.append(Decided(new.candidate, verdict, taken.fact_of(new.evidence.id).id))
    log(user_id=user_id, decided=decided, by=by, now=now)


def _stated(one: Kept, evidence: Evidence) -> Candidate:
    quote = None
    if evidence.message_id is not None:
        quote = Quote(evidence.message_id, evidence.start, evidence.end, evidence.quote)
    return replace(
        one.candidate,
        quote=quote,
        sent_at=evidence.sent_at,
        confidence=evidence.confidence,
        importance=evidence.importance,
        valid_from=evidence.valid_from,
        valid_to=evidence.valid_to,
        precision=evidence.precision,  # type: ignore[arg-type]  # it was read as one
        correction=evidence.correction,
    )
