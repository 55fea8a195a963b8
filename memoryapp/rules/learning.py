"""Whether a conversation teaches anything."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memoryapp import audit
from memoryapp.models import Conversation, Message, MessageEmbedding


def set_learning(
    *, user_id: UUID, conversation_id: UUID, learning: str, by: audit.Actor, now: datetime
) -> bool:
    """Choose what a conversation leaves behind; False when it isn't there. Needs
    ``acting_for(user_id)``.

    Once it is off, what waits is not read any more, and nothing of it is shown as an excerpt.
    Switched on again, only what follows is learned from.
    """
    talk = Conversation.objects.select_for_update().filter(user_id=user_id, id=conversation_id)
    row = talk.first()
    if row is None:
        return False
    if row.learning == learning:
        return True
    said = Message.objects.filter(user_id=user_id, conversation_id=conversation_id)
    # Back on, what was shown no more stays so: some of it may have been forgotten.
    if learning != Conversation.Learning.ON:
        said.filter(state__in=[Message.State.PENDING, Message.State.FAILED]).update(
            state=Message.State.PROCESSED
        )
        said.update(excerpt=Message.Excerpt.NO)
        MessageEmbedding.objects.filter(user_id=user_id, message__in=said).delete()
    row.learning = learning
    row.save(update_fields=["learning"])
    event = audit.Event(
        "conversation.learning", f"conversation:{conversation_id}", {"learning": learning}
    )
    audit.record(user_id=user_id, by=by, events=[event], now=now)
    return True
