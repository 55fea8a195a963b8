"""A conversation, and what was learnt only from it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from memoryapp import audit
from memoryapp.models import Conversation, ErasureReceipt, Evidence, Message
from memoryapp.store import NotFound, lock

from . import traces
from .messages import empty


def erase_conversation(
    *, user_id: UUID, conversation_id: UUID, by: audit.Actor, now: datetime | None = None
) -> ErasureReceipt:
    """Erase the conversation's text, the facts learnt only from it, and its share in others,
    whose timelines are rewritten from what is left.

    Of its messages there remain rows without text: their keyed hashes let the same
    conversation be known when it is sent again. Raises store.NotFound.
    """
    now = now or timezone.now()
    lock(user_id)
    if not Conversation.objects.filter(user_id=user_id, id=conversation_id).update(title=""):
        raise NotFound("no such conversation")
    messages = Message.objects.filter(user_id=user_id, conversation_id=conversation_id)
    proofs = Evidence.objects.filter(
        Q(conversation_id=conversation_id)
        | Q(message_id__in=list(messages.values_list("id", flat=True))),
        user_id=user_id,
    )
    counts, gone = empty(User.objects.get(pk=user_id), messages, proofs, now)
    return traces.sign(
        user_id=user_id,
        target="conversation",
        counts=counts,
        gone=gone,
        event=audit.Event("conversation.erase", f"conversation:{conversation_id}"),
        by=by,
        now=now,
    )
