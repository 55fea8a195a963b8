"""Rows as the API shows them, and the note in the user's log that they were shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.utils.translation import gettext as _

from memoryapp import audit, store
from memoryapp.api.auth import Party
from memoryapp.api.headers import etag
from memoryapp.api.problems import Problem
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Evidence, Fact
from memoryapp.recall import FACT_FIELDS

if TYPE_CHECKING:
    from memoryapp.store.common import RevisedFact

HELD_FIELDS = (
    *FACT_FIELDS,
    "pinned",
    "chosen_importance",
    "sensitivity",
    "supersession",
    "last_stated_at",
    "expiry_chosen",
)


def fact(row: RevisedFact) -> dict[str, Any]:
    shown = {
        name: getattr(row, "superseded_by_id" if name == "superseded_by" else name)
        for name in HELD_FIELDS
    }
    return {**shown, "etag": etag(row.revision)}


def one_fact(who: Party, fact_id: UUID) -> dict[str, Any]:
    """The fact; raises Problem when it isn't the user's."""
    with acting_for(who.user_id):
        row = store.revised(
            Fact.objects.filter(user_id=who.user_id, id=fact_id, operation="state")
        ).first()
        if row is not None:
            note_reading(who, "facts.read", f"fact:{fact_id}")
    if row is None:
        raise who.not_found(f"fact:{fact_id}")
    return fact(row)


def proofs(user_id: UUID, fact_ids: Collection[UUID]) -> Mapping[UUID, list[dict[str, Any]]]:
    """The evidence of each fact, newest first. Needs ``acting_for(user_id)``."""
    found: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    rows = list(
        Evidence.objects.filter(user_id=user_id, fact_id__in=fact_ids).order_by("-sent_at", "-id")
    )
    names = conversation_names(user_id, (row.conversation_id for row in rows))
    for row in rows:
        found[row.fact_id].append(
            {
                "quote": row.quote,
                "source": row.source,
                "sent_at": row.sent_at,
                "conversation": names.get(row.conversation_id),
                "message": row.message_id,
                "start": row.start,
                "end": row.end,
            }
        )
    return found


def conversation_names(user_id: UUID, ids: Iterable[UUID | None]) -> dict[UUID | None, str]:
    """The frontend's own ids. Needs ``acting_for(user_id)``."""
    wanted = {one for one in ids if one is not None}
    return dict(
        Conversation.objects.filter(user_id=user_id, id__in=wanted).values_list("id", "external_id")
    )


def note_reading(
    who: Party, action: str, object: str, details: Mapping[str, Any] | None = None
) -> None:
    """Others' reading is in the user's log; their own isn't. Needs ``acting_for``, and comes
    last in its transaction."""
    if who.by.kind != "user":
        event = audit.Event(action, object, details or {})
        audit.record(user_id=who.user_id, by=who.by, events=[event])


def no_longer_so() -> Problem:
    return Problem("conflict", _("The fact is no longer current. Read it again, then decide."))
