"""What a choice would erase, and the erasing itself: the page and the API both come here."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet, Sum

from memoryapp import audit
from memoryapp.models import (
    ErasureReceipt,
    Evidence,
    Fact,
    FactEmbedding,
    FactUsage,
    MemoryUse,
    Message,
    MessageEmbedding,
)
from memoryapp.store import NotFound, lock
from memoryapp.store.many import among

from .account import erase_account, holdings
from .choice import Choice, Going, Staying
from .facts import erase_facts
from .plan import oldest_first, plan
from .selection import earlier, exactly
from .sources import Source, of_application, of_conversation, of_import, of_messages, of_range
from .through import alone_proven, erase_everything, erase_source, erase_topic


def look(*, user_id: UUID, choice: Choice) -> Going:
    """What ``carry_out`` would erase; changes nothing. Needs ``acting_for(user_id)``. Raises
    store.NotFound when the choice names what isn't there."""
    if choice.what == "account":
        return Going("account", [user_id], counts=holdings(user_id=user_id))
    if choice.what == "facts":
        return _facts(user_id, choice)
    if choice.what == "topic":
        return _topic(user_id, choice)
    if choice.what == "everything":
        return _everything(user_id)
    return _through(user_id, choice)


def carry_out(
    *, user_id: UUID, choice: Choice, by: audit.Actor, now: datetime | None = None
) -> ErasureReceipt:
    """Erase what ``look`` shows. Needs ``acting_for(user_id)``, and is all of one transaction.
    Raises store.NotFound, and store.Conflict for an account that others' memories hang on."""
    lock(user_id)  # before any row is: the order of all who write
    if choice.what == "account":
        return erase_account(user_id=user_id, by=by, now=now)
    if choice.what == "everything":
        return erase_everything(user_id=user_id, by=by, forever=choice.forever, now=now)
    if choice.what == "facts":
        return erase_facts(
            user_id=user_id,
            fact_ids=choice.facts,
            by=by,
            restore_previous=choice.restore_previous,
            forever=choice.forever,
            until=choice.until,
            now=now,
        )
    if choice.what == "topic":
        return erase_topic(
            user_id=user_id,
            fact_ids=choice.facts,
            message_ids=choice.messages,
            by=by,
            forever=choice.forever,
            now=now,
        )
    return erase_source(
        user_id=user_id,
        source=_source(user_id, choice),
        choice=choice,
        event=_event(choice),
        by=by,
        now=now,
    )


def _event(choice: Choice) -> audit.Event:
    named = {
        "conversation": ("conversation.erase", f"conversation:{choice.conversation}"),
        "import": ("import.erase", f"import:{choice.source_import}"),
        "application": ("application.erase", f"application:{choice.application}"),
        "messages": ("messages.erase", ""),
    }
    return audit.Event(*named.get(choice.what, ("range.erase", "")))


def _source(user_id: UUID, choice: Choice) -> Source:
    if choice.what == "messages":
        return of_messages(user_id, choice.messages)
    if choice.what == "conversation" and choice.conversation is not None:
        return of_conversation(user_id, choice.conversation)
    if choice.what == "import" and choice.source_import is not None:
        return of_import(user_id, choice.source_import)
    if choice.what == "application" and choice.application is not None:
        return of_application(user_id, choice.application)
    if choice.since is None or choice.until is None:
        raise ValueError(f"a choice of {choice.what} needs what it is about")
    return of_range(user_id, choice.since, choice.until)


def _facts(user_id: UUID, choice: Choice) -> Going:
    if not choice.facts:
        return Going("facts", [])
    found = plan(user_id=user_id, fact_ids=choice.facts, restore_previous=choice.restore_previous)
    return Going(
        "facts",
        choice.facts,
        found.chain,
        found.restorable,
        counts={
            "facts": found.facts,
            "evidence": found.evidence,
            "quotes": found.quotes,
            "decisions": found.decisions,
            **_derived(user_id, [fact.id for fact in found.chain]),
        },
    )


def _topic(user_id: UUID, choice: Choice) -> Going:
    rows = exactly(user_id, choice.facts) if choice.facts else []
    messages = Message.objects.filter(user_id=user_id, id__in=choice.messages).exclude(content="")
    ids = [row.id for row in rows]
    stated = [row for row in rows if row.operation == "state"]
    proofs = Evidence.objects.filter(user_id=user_id, fact_id__in=ids)
    return Going(
        "topic",
        [*choice.facts, *messages.order_by("id").values_list("id", flat=True)],
        oldest_first(stated),
        oldest_first(row for row in earlier(user_id, rows) if row.id not in ids),
        counts={
            "facts": len(stated),
            "evidence": proofs.count(),
            "quotes": proofs.exclude(message=None).count(),
            "messages": messages.count(),
            **_derived(user_id, ids, messages),
        },
    )


def _through(user_id: UUID, choice: Choice) -> Going:
    source = _source(user_id, choice)
    if choice.what == "messages" and source.messages.count() != len(set(choice.messages)):
        raise NotFound("no such message")
    gone = alone_proven(user_id, source)
    before = earlier(user_id, gone)
    stated = [row for row in gone if row.operation == "state"]
    rows = stated if choice.restore_previous else [*stated, *before]
    readable = source.messages.exclude(content="")
    return Going(
        choice.what,
        [id for id in (choice.conversation, choice.application) if id] or choice.messages,
        oldest_first(rows),
        oldest_first(before),
        _staying(user_id, source, {row.id for row in gone}),
        {
            "messages": readable.count(),
            "facts": len(rows),
            "evidence": source.proofs.count(),
            **_derived(user_id, [row.id for row in rows], source.messages),
        },
    )


def _everything(user_id: UUID) -> Going:
    facts = oldest_first(Fact.objects.filter(user_id=user_id, operation="state"))
    messages = Message.objects.filter(user_id=user_id)
    return Going(
        "everything",
        [user_id],
        facts,
        counts={
            "facts": len(facts),
            "evidence": Evidence.objects.filter(user_id=user_id).count(),
            "messages": messages.exclude(content="").count(),
            **_derived(user_id, [fact.id for fact in facts], messages),
        },
    )


def _derived(
    user_id: UUID, facts: Iterable[UUID], messages: QuerySet[Message] | None = None
) -> dict[str, int]:
    """What was made of the facts and the messages: vectors, and notes of their use."""
    these = among(facts)
    vectors = FactEmbedding.objects.filter(user_id=user_id, fact_id__in=these).count()
    used = Q(fact_id__in=these)
    if messages is not None:
        within = messages.values("id")
        vectors += MessageEmbedding.objects.filter(user_id=user_id, message_id__in=within).count()
        used |= Q(message_id__in=within)
    recalled = FactUsage.objects.filter(user_id=user_id, fact_id__in=these)
    return {
        "embeddings": vectors,
        "usage": recalled.aggregate(n=Sum("recall_count"))["n"] or 0,
        "uses": MemoryUse.objects.filter(used, user_id=user_id).count(),
    }


def _staying(user_id: UUID, source: Source, gone: Collection[UUID]) -> list[Staying]:
    """The facts that the source proves and others prove too."""
    proofs = Evidence.objects.filter(
        user_id=user_id,
        fact_id__in=source.proofs.exclude(fact_id__in=among(gone)).values("fact_id"),
        fact__operation="state",
    ).exclude(id__in=source.proofs.values("id"))
    return [
        Staying(row["fact_id"], row["n"], row["latest"], by_hand=row["n"] == row["hand"])
        for row in proofs.values("fact_id")
        .annotate(
            n=Count("id"),
            hand=Count("id", filter=Q(source=Evidence.Source.EDIT)),
            latest=Max("sent_at"),
        )
        .order_by("fact_id")
    ]
