"""Messages without their text, and what was learnt only from them."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet

from accounts.models import User
from memoryapp import registry
from memoryapp.models import (
    Decision,
    Evidence,
    Fact,
    FactEmbedding,
    FactUsage,
    MemoryUse,
    Message,
    MessageEmbedding,
)
from memoryapp.store import remove
from memoryapp.store.many import among, plan_once

from . import traces


def empty(
    user: User,
    messages: QuerySet[Message],
    proofs: QuerySet[Evidence],
    now: datetime,
    *,
    forever: bool = False,
) -> tuple[dict[str, int], list[Fact]]:
    """Take the text out of the messages, and everything that ``proofs`` alone had taught.
    Returns the counts, and the rows that are gone. The rows of the messages stay: their
    keyed hashes let the same text be known when it is sent again. A conversation that says
    nothing any more loses its title."""
    user_id = user.pk
    plan_once()
    ids = set(messages.values_list("id", flat=True))
    talks = set(messages.values_list("conversation_id", flat=True))
    evidence = list(proofs.values_list("id", "fact_id", "fact__attribute", "quote"))
    facts = {fact_id for _, fact_id, _, _ in evidence}
    kept = set(
        Evidence.objects.filter(user_id=user_id, fact_id__in=among(facts))
        .exclude(id__in=among(id for id, *_ in evidence))
        .values_list("fact_id", flat=True)
    )
    said, alone = among(ids), among(facts - kept)
    of_these = Q(message_id__in=said) | Q(fact_id__in=alone)
    uses = MemoryUse.objects.filter(of_these, user_id=user_id)
    counts = {
        "messages": messages.exclude(content="").count(),
        "evidence": len(evidence),
        "embeddings": FactEmbedding.objects.filter(user_id=user_id, fact_id__in=alone).count()
        + MessageEmbedding.objects.filter(user_id=user_id, message_id__in=said).delete()[0],
        "usage": FactUsage.objects.filter(user_id=user_id, fact_id__in=alone).count(),
        "uses": uses.count(),
        "cache": traces.empty_cache(user_id),
        "requests": traces.settle(user_id, traces.requests_about(user_id, [], ids), now),
    }
    uses.delete()
    decisions = Decision.objects.filter(of_these, user_id=user_id)
    counts["decisions"] = decisions.update(value="", fact=None)
    messages.filter(id__in=said).update(content="", purged_at=now, state=Message.State.PROCESSED)
    traces.forget_acts(user_id, list(Fact.objects.filter(user_id=user_id, id__in=among(facts))))
    gone = remove(
        user_id=user_id,
        registry=registry.load(),
        now=now,
        evidence_ids=[id for id, *_ in evidence],
    )
    counts["facts"] = sum(row.operation == "state" for row in gone)
    # The same value may have been logged by a decision that names no message.
    counts["decisions"] += traces.empty_decisions(user_id, gone)
    words = [(attribute, quote) for _, _, attribute, quote in evidence]
    counts["tombstones"] = traces.bury(user, gone, words, now=now, forever=forever)
    traces.untitle(user_id, talks)
    return counts, gone
