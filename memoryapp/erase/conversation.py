"""A conversation, and what was learnt only from it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from memoryapp import audit, registry
from memoryapp.models import (
    Conversation,
    Decision,
    ErasureReceipt,
    Evidence,
    FactEmbedding,
    FactUsage,
    Message,
)
from memoryapp.store import NotFound, lock, remove

from . import traces


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
    user = User.objects.get(pk=user_id)
    mine = Conversation.objects.filter(user_id=user_id, id=conversation_id)
    if not mine.update(title=""):
        raise NotFound("no such conversation")
    messages = Message.objects.filter(user_id=user_id, conversation_id=conversation_id)
    ids = set(messages.values_list("id", flat=True))
    proofs = Evidence.objects.filter(
        Q(conversation_id=conversation_id) | Q(message_id__in=ids), user_id=user_id
    )
    evidence = list(proofs.values_list("id", "fact_id", "fact__attribute", "quote"))
    facts = {fact_id for _, fact_id, _, _ in evidence}
    kept = set(
        Evidence.objects.filter(user_id=user_id, fact_id__in=facts)
        .exclude(id__in=[id for id, *_ in evidence])
        .values_list("fact_id", flat=True)
    )
    counts = {
        "messages": messages.exclude(content="").count(),
        "evidence": len(evidence),
        "embeddings": FactEmbedding.objects.filter(
            user_id=user_id, fact_id__in=facts - kept
        ).count(),
        "usage": FactUsage.objects.filter(user_id=user_id, fact_id__in=facts - kept).count(),
        "cache": traces.empty_cache(user_id),
        "requests": traces.settle(user_id, traces.requests_about(user_id, [], ids), now),
    }
    messages.update(content="", purged_at=now, state=Message.State.PROCESSED)
    decisions = Decision.objects.filter(
        Q(message_id__in=ids) | Q(fact_id__in=facts - kept), user_id=user_id
    )
    counts["decisions"] = decisions.update(value="", fact=None)
    gone = remove(
        user_id=user_id,
        registry=registry.load(),
        now=now,
        evidence_ids=[id for id, *_ in evidence],
    )
    counts["facts"] = sum(row.operation == "state" for row in gone)
    # The same value may have been logged by a decision that names no message.
    counts["decisions"] += traces.empty_decisions(user_id, gone, whole_keys=False)
    words = [(attribute, quote) for _, _, attribute, quote in evidence]
    counts["tombstones"] = traces.bury(user, gone, words, now=now)
    return traces.sign(
        user_id=user_id,
        target="conversation",
        counts=counts,
        gone=gone,
        event=audit.Event("conversation.erase", f"conversation:{conversation_id}"),
        by=by,
        now=now,
    )
