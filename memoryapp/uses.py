"""The record of uses: which answers and look-ups used which facts. It is kept as long as
messages are; ``FactUsage`` counts for longer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import connection
from uuid_utils.compat import uuid7

from accounts.models import Application
from memoryapp import sql
from memoryapp.models import MemoryUse

Via = Literal["recall", "context", "chat", "mcp", "try", "check"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What has used facts. ``application_id`` is None for the user themself; conversation and
    message are where the answer is kept, None when it isn't."""

    via: Via
    at: datetime
    application_id: UUID | None = None
    conversation_id: UUID | None = None
    message_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a fact. ``application`` is its name, None for the user's own look-up;
    empty when the application is gone."""

    id: UUID
    at: datetime
    via: Via
    application_id: UUID | None
    application: str | None
    conversation_id: UUID | None
    message_id: UUID | None


def note(*, user_id: UUID, fact_ids: Collection[UUID], answer: Answer) -> int:
    """Note that the answer used the facts; returns how many. Facts that are gone meanwhile are
    left out, and all of them when the answer's message or conversation was erased. Needs
    ``acting_for(user_id)``."""
    ids = sorted({str(fact_id) for fact_id in fact_ids})
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("note_uses"),
            {
                "user_id": str(user_id),
                "ids": [str(uuid7()) for _ in ids],
                "fact_ids": ids,
                "at": answer.at,
                "via": answer.via,
                "application_id": _text(answer.application_id),
                "conversation_id": _text(answer.conversation_id),
                "message_id": _text(answer.message_id),
            },
        )
        return int(cursor.rowcount)


def _text(id: UUID | None) -> str | None:
    return None if id is None else str(id)


def uses_of(user_id: UUID, fact_id: UUID, limit: int) -> list[Use]:
    """The fact's latest uses, newest first. Needs ``acting_for(user_id)``."""
    rows = list(
        MemoryUse.objects.filter(user_id=user_id, fact_id=fact_id).order_by("-at", "-id")[:limit]
    )
    return named(rows)


def named(rows: Sequence[MemoryUse]) -> list[Use]:
    """The rows with their applications' names."""
    names = _names({row.application_id for row in rows if row.application_id is not None})
    return [
        Use(
            id=row.id,
            at=row.at,
            via=row.via,  # type: ignore[arg-type]  # the column's CHECK is the type
            application_id=row.application_id,
            application=None if row.application_id is None else names.get(row.application_id, ""),
            conversation_id=row.conversation_id,
            message_id=row.message_id,
        )
        for row in rows
    ]


def _names(ids: Collection[UUID]) -> dict[UUID, str]:
    if not ids:
        return {}
    return dict(Application.objects.filter(id__in=ids).values_list("id", "name"))
