"""A conversation, and what was learnt only from it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memoryapp import audit
from memoryapp.models import ErasureReceipt
from memoryapp.store import lock

from .sources import of_conversation
from .through import erase_source


def erase_conversation(
    *,
    user_id: UUID,
    conversation_id: UUID,
    by: audit.Actor,
    restore_previous: bool = True,
    forever: bool = False,
    now: datetime | None = None,
) -> ErasureReceipt:
    """Erase the conversation's text, the facts learnt only from it, and its share in others,
    as ``erase_source`` does. Raises store.NotFound."""
    lock(user_id)
    return erase_source(
        user_id=user_id,
        source=of_conversation(user_id, conversation_id),
        target="conversation",
        event=audit.Event("conversation.erase", f"conversation:{conversation_id}"),
        by=by,
        restore_previous=restore_previous,
        forever=forever,
        now=now,
    )
