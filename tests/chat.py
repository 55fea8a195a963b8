"""Talking to the memory in tests: messages through the real pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from memoryapp import audit, ingest, pipeline
from memoryapp.context import acting_for
from memoryapp.models import Fact, Outbox


def at(text: str) -> datetime:
    """``2026-03-01`` or ``2026-03-01T10:00`` as a UTC time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def said(when: str, content: str, role: str = "user", id: str | None = None) -> ingest.Incoming:
    return ingest.Incoming(role=role, content=content, sent_at=at(when), id=id)  # type: ignore[arg-type]


def deliver(
    user: Any, messages: Sequence[ingest.Incoming], conversation: str = "c1"
) -> ingest.Accepted:
    """Accept the messages; nothing reads them yet."""
    return pipeline.accept(
        user_id=user.pk,
        conversation=conversation,
        messages=messages,
        by=audit.Actor.user(user),
    )


def read_all(user: Any) -> int:
    """What the workers would do: read until no work is open."""
    with acting_for(user.pk):
        work = list(
            Outbox.objects.filter(
                user_id=user.pk, done_at__isnull=True, failed_at__isnull=True
            ).values_list("id", flat=True)
        )
    return sum(pipeline.read(user_id=user.pk, outbox_id=outbox_id) for outbox_id in work)


def tell(user: Any, *messages: ingest.Incoming, conversation: str = "c1") -> int:
    deliver(user, messages, conversation)
    return read_all(user)


def facts(user: Any, attribute: str | None = None, **filters: Any) -> list[Fact]:
    """The user's facts but for marks of "no longer", oldest first."""
    with acting_for(user.pk):
        rows = Fact.objects.filter(user_id=user.pk, operation="state", **filters)
        if attribute:
            rows = rows.filter(attribute=attribute)
        return list(rows.order_by("valid_from", "recorded_at", "id"))


def values(user: Any, attribute: str, **filters: Any) -> list[str]:
    return [fact.value for fact in facts(user, attribute, **filters)]


def current(user: Any, attribute: str) -> list[str]:
    return values(user, attribute, status="current")


def state(user: Any) -> list[tuple[Any, ...]]:
    """All that must not depend on how messages were delivered."""
    return sorted(
        (
            f.subject,
            f.attribute,
            f.scope,
            f.value,
            f.polarity,
            f.status,
            f.valid_from,
            f.valid_to,
            round(f.confidence, 6),
            f.supersession,
            f.retired_at is not None,
        )
        for f in facts(user)
    )


def ids(rows: Sequence[Fact]) -> list[UUID]:
    return [fact.id for fact in rows]
