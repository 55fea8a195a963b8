"""All that came one way: through an application, in a time, about a topic; and everything."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from memoryapp import audit, uploads
from memoryapp.models import (
    Conversation,
    Decision,
    ErasureReceipt,
    ErasureRequest,
    Evidence,
    Fact,
    FactEmbedding,
    FactUsage,
    Import,
    MemoryUse,
    Message,
    MessageEmbedding,
    Outbox,
    SubjectAlias,
)
from memoryapp.store import lock
from memoryapp.store.many import plan_once

from . import traces
from .choice import Choice
from .facts import Taken, take
from .messages import empty
from .selection import earlier, exactly
from .sources import Source


def erase_source(
    *,
    user_id: UUID,
    source: Source,
    choice: Choice,
    event: audit.Event,
    by: audit.Actor,
    now: datetime | None = None,
) -> ErasureReceipt:
    """Erase what ``choice`` means by ``source``: the messages' text, the facts learnt only
    from the source, and its share in others, whose timelines are rewritten from what is left.

    What the facts that go had replaced holds again, or, unless it shall be restored, goes
    along. Of the messages there remain rows without text: their keyed hashes let the same
    conversation be known when it is sent again.
    """
    now = now or timezone.now()
    lock(user_id)
    user = User.objects.get(pk=user_id)
    before = Taken({}, [], ())
    forever = choice.forever
    if not choice.restore_previous and (rows := earlier(user_id, alone_proven(user_id, source))):
        before = take(user, exactly(user_id, [row.id for row in rows]), now=now, forever=forever)
    messages = set(source.messages.values_list("id", flat=True))
    counts, gone = empty(user, source.messages, source.proofs, now, forever=forever)
    traces.untitle(user_id, source.talks)
    return traces.sign(
        user_id=user_id,
        choice=choice,
        counts=_together(before, counts, messages),
        gone=[*before.gone, *gone],
        masked=before.masked,
        event=event,
        by=by,
        now=now,
    )


def alone_proven(user_id: UUID, source: Source) -> list[Fact]:
    """The rows that nothing but the source proves."""
    taught = source.proofs.values("fact_id")
    others = Evidence.objects.filter(user_id=user_id, fact_id__in=taught).exclude(
        id__in=source.proofs.values("id")
    )
    return list(
        Fact.objects.filter(user_id=user_id, id__in=taught).exclude(id__in=others.values("fact_id"))
    )


def erase_topic(
    *,
    user_id: UUID,
    fact_ids: Collection[UUID],
    message_ids: Collection[UUID],
    by: audit.Actor,
    forever: bool = False,
    now: datetime | None = None,
) -> ErasureReceipt:
    """Erase exactly these facts and the text of exactly these messages. What else the
    messages have taught stays, with the quotes that prove it. Raises store.NotFound for a
    fact that isn't there; a message that isn't is passed over."""
    now = now or timezone.now()
    lock(user_id)
    user = User.objects.get(pk=user_id)
    taken = Taken({}, [], ())
    if fact_ids:
        taken = take(user, exactly(user_id, fact_ids), now=now, forever=forever)
    counts = blank(user_id, message_ids, now) if message_ids else {}
    return traces.sign(
        user_id=user_id,
        choice=Choice("topic", facts=fact_ids, messages=message_ids, forever=forever),
        counts=_together(taken, counts, message_ids),
        gone=taken.gone,
        masked=taken.masked,
        event=audit.Event("topic.erase", ""),
        by=by,
        now=now,
    )


def blank(user_id: UUID, message_ids: Collection[UUID], now: datetime) -> dict[str, int]:
    """Take the text out of the messages, and nothing of what they have taught; the counts."""
    messages = Message.objects.filter(user_id=user_id, id__in=message_ids).exclude(content="")
    ids = set(messages.values_list("id", flat=True))
    talks = set(messages.values_list("conversation_id", flat=True))
    uses = MemoryUse.objects.filter(user_id=user_id, message_id__in=ids)
    counts = {
        "messages": len(ids),
        "embeddings": MessageEmbedding.objects.filter(user_id=user_id, message_id__in=ids).count(),
        "uses": uses.count(),
        "cache": traces.empty_cache(user_id),
        "requests": traces.settle(user_id, traces.requests_about(user_id, [], ids), now),
        # What was found in them and not kept.
        "decisions": Decision.objects.filter(user_id=user_id, message_id__in=ids, fact=None)
        .exclude(value="")
        .update(value=""),
    }
    uses.delete()
    Message.objects.filter(user_id=user_id, id__in=ids).update(
        content="", purged_at=now, state=Message.State.PROCESSED
    )
    traces.untitle(user_id, talks)
    return counts


def _together(taken: Taken, counts: Mapping[str, int], emptied: Collection[UUID]) -> dict[str, int]:
    """The counts of both; a message that was masked and then emptied counts once."""
    both = {
        name: taken.counts.get(name, 0) + counts.get(name, 0)
        for name in [*taken.counts, *(name for name in counts if name not in taken.counts)]
    }
    if "messages" in both:
        both["messages"] -= len(set(taken.masked) & set(emptied))
    return both


def erase_everything(
    *,
    user_id: UUID,
    by: audit.Actor,
    forever: bool = False,
    now: datetime | None = None,
) -> ErasureReceipt:
    """Erase every fact, every message's text and all that was made of them; the account, its
    settings, keys and applications stay, and so does what keeps the same from coming back by
    a message or an import that is sent again."""
    now = now or timezone.now()
    lock(user_id)
    user = User.objects.get(pk=user_id)
    plan_once()
    facts = Fact.objects.filter(user_id=user_id)
    rows: Sequence[Fact] = list(facts)
    messages = Message.objects.filter(user_id=user_id).exclude(content="")
    wishes = list(ErasureRequest.objects.filter(user_id=user_id).exclude(what=""))
    proofs = Evidence.objects.filter(user_id=user_id)
    words = list(proofs.values_list("fact__attribute", "quote"))
    counts = {
        "facts": sum(row.operation == "state" for row in rows),
        "evidence": len(words),
        "embeddings": FactEmbedding.objects.filter(user_id=user_id).delete()[0]
        + MessageEmbedding.objects.filter(user_id=user_id).delete()[0],
        "messages": messages.update(content="", purged_at=now, state=Message.State.PROCESSED),
        "usage": FactUsage.objects.filter(user_id=user_id).delete()[0],
        "uses": MemoryUse.objects.filter(user_id=user_id).delete()[0],
        "cache": traces.empty_cache(user_id),
        "requests": traces.settle(user_id, wishes, now),
        "decisions": Decision.objects.filter(user_id=user_id)
        .exclude(value="", fact=None)
        .update(value="", fact=None),
        "imports": _drop_imports(user_id, now),
    }
    facts.delete()
    SubjectAlias.objects.filter(user_id=user_id).delete()
    counts["tombstones"] = traces.bury(user, rows, words, now=now, forever=forever)
    Conversation.objects.filter(user_id=user_id).exclude(title="").update(title="")
    return traces.sign(
        user_id=user_id,
        choice=Choice("everything", forever=forever),
        counts=counts,
        gone=rows,
        event=audit.Event("everything.erase", ""),
        by=by,
        now=now,
    )


def _drop_imports(user_id: UUID, now: datetime) -> int:
    """Stop what is on its way in, with its file; returns how many."""
    under_way = (
        Import.objects.select_for_update()
        .filter(user_id=user_id)
        .exclude(
            Q(file="") & Q(state__in=(Import.State.DONE, Import.State.FAILED))
            | Q(state=Import.State.UNDONE)
        )
    )
    for file in under_way.values_list("file", flat=True):
        uploads.drop_on_commit(file)
    ids = list(under_way.values_list("id", flat=True))
    Outbox.objects.filter(user_id=user_id, source_import_id__in=ids, done_at=None).update(
        done_at=now, claimed_until=None
    )
    return Import.objects.filter(user_id=user_id, id__in=ids).update(
        state=Import.State.UNDONE, file="", ended_at=now
    )
