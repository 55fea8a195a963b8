"""A conversation, messages, an import, and what was learnt only from them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from memoryapp import audit
from memoryapp.models import ErasureReceipt

from .choice import Choice
from .looking import carry_out


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
    choice = Choice(
        "conversation",
        conversation=conversation_id,
        restore_previous=restore_previous,
        forever=forever,
    )
    return carry_out(user_id=user_id, choice=choice, by=by, now=now)


def erase_messages(
    *, user_id: UUID, message_ids: Collection[UUID], by: audit.Actor, now: datetime | None = None
) -> ErasureReceipt:
    """Erase single messages and what was learnt only from them. Ids that aren't there are
    passed over."""
    choice = Choice("messages", messages=message_ids, restore_previous=True)
    return carry_out(user_id=user_id, choice=choice, by=by, now=now)


def erase_import(
    *, user_id: UUID, import_id: UUID, by: audit.Actor, now: datetime | None = None
) -> ErasureReceipt:
    """Undo an import: erase the messages and proofs that it brought and what was learnt only
    from them; what it had replaced holds again. Raises store.NotFound."""
    choice = Choice("import", source_import=import_id, restore_previous=True)
    return carry_out(user_id=user_id, choice=choice, by=by, now=now)
