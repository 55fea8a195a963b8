"""A user's conversations as they are listed: on their page and in the API."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memoryapp.models import Conversation, Evidence, Message


def told(user_id: UUID) -> QuerySet[Any]:
    """The conversations that still say or prove something, each with ``messages_count``,
    ``readable`` (messages that still have their text), ``learned`` (facts) and ``began``, when
    its first message was sent: an older talk may have come here long after. Needs
    ``acting_for(user_id)``."""

    def count(rows: Any, field: str) -> Any:
        rows = (
            rows.filter(user_id=user_id, conversation_id=OuterRef("pk"))
            .order_by()
            .values("conversation_id")
            .annotate(n=Count(field, distinct=True))
            .values("n")
        )
        return Coalesce(Subquery(rows, output_field=IntegerField()), 0)

    first = Message.objects.filter(user_id=user_id, conversation_id=OuterRef("pk")).order_by(
        "sent_at"
    )
    kept = Conversation.objects.filter(user_id=user_id).annotate(
        messages_count=count(Message.objects, "id"),
        readable=count(Message.objects.exclude(content=""), "id"),
        learned=count(Evidence.objects, "fact_id"),
        began=Coalesce(Subquery(first.values("sent_at")[:1]), "created_at"),
    )
    # What was forgotten leaves rows without words, so that it is known when it is sent again.
    return kept.filter(Q(readable__gt=0) | Q(learned__gt=0))
