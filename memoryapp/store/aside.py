"""What is held for the user's eye before it takes part in anything."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memoryapp.models import Evidence, Fact
from memoryapp.reconcile import Verdict, value_key
from memoryapp.records import Candidate, Outcome
from memoryapp.registry import Known

from .timelines import New


def set_aside(
    user_id: UUID,
    candidate: Candidate,
    known: Known,
    new: New,
    now: datetime,
    *,
    outcome: Outcome,
    reason: str,
) -> tuple[Verdict, UUID] | None:
    """Hold the candidate for review; its verdict, and the row that holds it. One that the
    user refused before is ignored, the same again is one more proof of what waits.

    None when it need not wait: the user once approved this very value, or it only ends
    what is held, which reveals nothing new.
    """
    same = Fact.objects.filter(
        user_id=user_id,
        subject=candidate.subject,
        attribute=candidate.attribute,
        scope=candidate.scope,
        value_key=value_key(candidate),
        operation="state",
    )
    held = same.filter(status__in=[Fact.Status.PENDING, Fact.Status.REJECTED]).first()
    if candidate.operation == "end" or (held is None and same.exists()):
        return None
    if held is not None and held.status == Fact.Status.REJECTED:
        return Verdict("ignore", "refused by the user before"), held.id
    if held is None:
        held = _pending(user_id, candidate, known, new, now)
        verdict = Verdict(outcome, reason)
    elif _known_words(user_id, held.id, new.evidence):
        return Verdict("ignore", "these words were read before"), held.id
    else:
        verdict = Verdict("corroborate", "said again: still waits for the user's eye")
    new.evidence.fact_id = held.id
    new.evidence.save(force_insert=True)
    return verdict, held.id


def _pending(user_id: UUID, candidate: Candidate, known: Known, new: New, now: datetime) -> Fact:
    return Fact.objects.create(
        user_id=user_id,
        subject=candidate.subject,
        attribute=candidate.attribute,
        scope=candidate.scope,
        value=candidate.value,
        value_key=value_key(candidate),
        polarity=candidate.polarity,
        operation="state",
        statement=new.statement,
        kind=known.kind,
        single=known.single,
        confidence=candidate.confidence,
        importance=candidate.importance,
        sensitivity=known.sensitive or candidate.sensitivity,
        status=Fact.Status.PENDING,
        valid_from=candidate.valid_from or candidate.sent_at,
        precision=candidate.precision,
        recorded_at=now,
        last_stated_at=candidate.sent_at,
        supersession="",
    )


def _known_words(user_id: UUID, fact_id: UUID, evidence: Evidence) -> bool:
    message_id = evidence.message_id
    return (
        message_id is not None
        and Evidence.objects.filter(
            user_id=user_id,
            fact_id=fact_id,
            message_id=message_id,
            start=evidence.start,
            end=evidence.end,
        ).exists()
    )
