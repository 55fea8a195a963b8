"""Messages without their text, and what was learnt only from them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from memoryapp import audit, registry
from memoryapp.models import (
    Decision,
    ErasureReceipt,
    Evidence,
    Fact,
    FactEmbedding,
    FactUsage,
    Import,
    MemoryUse,
    Message,
    MessageEmbedding,
)
from memoryapp.store import NotFound, lock, remove
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


def erase_messages(
    *, user_id: UUID, message_ids: Collection[UUID], by: audit.Actor, now: datetime | None = None
) -> ErasureReceipt:
    """Erase single messages and what was learnt only from them. Ids that aren't there are
    passed over."""
    now = now or timezone.now()
    lock(user_id)
    messages = Message.objects.filter(user_id=user_id, id__in=message_ids)
    counts, gone = empty(
        User.objects.get(pk=user_id),
        messages,
        Evidence.objects.filter(user_id=user_id, message_id__in=message_ids),
        now,
    )
    return traces.sign(
        user_id=user_id,
        target="messages",
        counts=counts,
        gone=gone,
        event=audit.Event("messages.erase", ""),
        by=by,
        now=now,
    )


def erase_import(
    *, user_id: UUID, import_id: UUID, by: audit.Actor, now: datetime | None = None
) -> ErasureReceipt:
    """Undo an import: erase the messages and proofs that it brought and what was learnt only
    from them; what it had replaced holds again. Raises store.NotFound."""
    now = now or timezone.now()
    lock(user_id)
    if not Import.objects.select_for_update().filter(user_id=user_id, id=import_id).exists():
        raise NotFound("no such import")
    messages = Message.objects.filter(user_id=user_id, source_import_id=import_id)
    counts, gone = empty(
        User.objects.get(pk=user_id),
        messages,
        Evidence.objects.filter(
            Q(message_id__in=messages.values("id")) | Q(source_import_id=import_id),
            user_id=user_id,
        ),
        now,
    )
    return traces.sign(
        user_id=user_id,
        target="import",
        counts=counts,
        gone=gone,
        event=audit.Event("import.erase", f"import:{import_id}"),
        by=by,
        now=now,
    )
