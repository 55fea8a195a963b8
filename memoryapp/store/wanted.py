"""Whether the user lets something be remembered at all."""

from __future__ import annotations

from uuid import UUID

from memoryapp import rules
from memoryapp.models import Fact
from memoryapp.reconcile import value_key
from memoryapp.records import Candidate
from memoryapp.registry import Known, Registry


class Unwanted(ValueError):
    """It is about a topic that the user asked never to remember; ``topic`` is its id."""

    def __init__(self, topic: UUID) -> None:
        super().__init__("about a topic never to remember")
        self.topic = topic


def verdict_on(
    topics: rules.Topics, user_id: UUID, candidate: Candidate, known: Known
) -> rules.Verdict | None:
    """The topic that the candidate is about; None when it is about none, or when it ends
    something that is held all the same."""
    if not topics:
        return None
    if candidate.operation == "end" and _holds(user_id, candidate):
        return None
    return topics.judge(
        rules.Said.of(
            candidate,
            statement=known.statement(candidate),
            area=known.area(candidate.subject),
            sensitivity=known.sensitive or candidate.sensitivity,
        )
    )


def refuse_unwanted(user_id: UUID, candidate: Candidate, known: Known, registry: Registry) -> None:
    """Raises Unwanted when the user's hand would keep what they asked never to remember."""
    topics = rules.load(user_id=user_id, names=registry.names())
    verdict = verdict_on(topics, user_id, candidate, known)
    if verdict is not None and verdict.sure:
        raise Unwanted(verdict.topic)


def _holds(user_id: UUID, candidate: Candidate) -> bool:
    return Fact.objects.filter(
        user_id=user_id,
        subject=candidate.subject,
        attribute=candidate.attribute,
        scope=candidate.scope,
        value_key=value_key(candidate),
        status=Fact.Status.CURRENT,
    ).exists()
