"""A conversation, messages, an import, and what was learnt only from them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from memoryapp import audit
from memoryapp.models import ErasureReceipt
from memoryapp.store import lock

from .choice import Choice
from .sources import of_conversation, of_import, of_messages
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
        choice=Choice(
            "conversation",
            conversation=conversation_id,
            restore_previous=restore_previous,
            forever=forever,
        ),
        event=audit.Event("conversation.erase", f"conversation:{conversation_id}"),
        by=by,
        now=now,
    )


def erase_messages(
    *, user_id: UUID, message_ids: Collection[UUID], by: audit.Actor, now: datetime | None = None
) -> ErasureReceipt:
    """Erase single messages and what was learnt only from them. Ids that aren't there are
    passed over."""
    return erase_source(
        user_id=user_id,
        source=of_messages(user_id, message_ids),
        choice=Choice("messages", messages=message_ids, restore_previous=True),
        event=audit.Event("messages.erase", ""),
        by=by,
        now=now,
    )


def erase_import(
    *, user_id: UUID, import_id: UUID, by: audit.Actor, now: datetime | None = None
) -> ErasureReceipt:
    """Undo an import: erase the messages and proofs that it brought and what was learnt only
    from them; what it had replaced holds again. Raises store.NotFound."""
    lock(user_id)
    return erase_source(
        user_id=user_id,
        source=of_import(user_id, import_id),
        choice=Choice("import", source_import=import_id, restore_previous=True),
        event=audit.Event("import.erase", f"import:{import_id}"),
        by=by,
        now=now,
    )
