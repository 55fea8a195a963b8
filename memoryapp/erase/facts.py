"""One fact, or several, with all that was made from them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from accounts.models import User
from memoryapp import audit, registry, vectors
from memoryapp.models import (
    ErasureReceipt,
    Evidence,
    Fact,
    FactEmbedding,
    FactUsage,
    MemoryUse,
)
from memoryapp.store import lock, remove
from memoryapp.store.many import among, plan_once

from . import traces
from .choice import Choice
from .selection import rows_to_erase, whole_keys


@dataclass(frozen=True, slots=True)
class Taken:
    """What went: how much of each kind, which facts, and in which messages words were
    masked."""

    counts: dict[str, int]
    gone: Sequence[Fact]
    masked: Collection[UUID]


def erase_facts(
    *,
    user_id: UUID,
    fact_ids: Collection[UUID],
    by: audit.Actor,
    restore_previous: bool = False,
    forever: bool = False,
    until: datetime | None = None,
    now: datetime | None = None,
) -> ErasureReceipt:
    """Erase facts with their chains, proofs, vectors and words.

    With ``restore_previous`` what a fact had replaced stays and holds again. A statement
    made after the erasure may be learnt, unless ``forever``. Raises store.NotFound.
    """
    now = now or timezone.now()
    lock(user_id)
    rows = rows_to_erase(user_id, fact_ids, restore_previous=restore_previous)
    taken = take(User.objects.get(pk=user_id), rows, now=now, until=until, forever=forever)
    return traces.sign(
        user_id=user_id,
        choice=Choice(
            "facts",
            facts=fact_ids,
            until=until,
            restore_previous=restore_previous,
            forever=forever,
        ),
        counts=taken.counts,
        gone=taken.gone,
        masked=taken.masked,
        by=by,
        now=now,
    )


def take(
    user: User,
    rows: Sequence[Fact],
    *,
    now: datetime,
    until: datetime | None = None,
    forever: bool = False,
) -> Taken:
    """Erase the rows, which are all that goes, and leave tombstones: no receipt, nothing in
    the log. The caller holds the user's lock."""
    user_id = user.pk
    plan_once()
    ids = [row.id for row in rows]
    these = among(ids)
    evidence = list(Evidence.objects.filter(user_id=user_id, fact_id__in=these))
    attributes = {row.id: row.attribute for row in rows}
    words = [(attributes[e.fact_id], e.quote) for e in evidence]
    messages = {e.message_id for e in evidence if e.message_id is not None}
    requests = traces.requests_about(user_id, rows, messages)
    # "Forget that I have a dog": a message that proves nothing, and says it once more.
    mentions = {r.message_id for r in requests if r.message_id is not None}
    # Before the words go: what repeats them is found by them.
    withheld = vectors.withhold_messages(
        user_id=user_id, values={row.value for row in rows}, proofs=messages | mentions
    )
    masked = traces.mask_words(user_id, rows, evidence, mentions)
    counts = {
        "facts": sum(row.operation == "state" for row in rows),
        "evidence": len(evidence),
        "embeddings": withheld
        + FactEmbedding.objects.filter(user_id=user_id, fact_id__in=these).count(),
        "messages": len(masked),
        "usage": FactUsage.objects.filter(user_id=user_id, fact_id__in=these).count(),
        "uses": MemoryUse.objects.filter(user_id=user_id, fact_id__in=these).count(),
        "cache": traces.empty_cache(user_id),
        "decisions": traces.empty_decisions(user_id, rows, whole_keys=whole_keys(user_id, rows)),
        "requests": traces.settle(user_id, requests, now),
    }
    traces.forget_acts(user_id, rows)
    gone = remove(user_id=user_id, registry=registry.load(), now=now, fact_ids=ids)
    counts["tombstones"] = traces.bury(user, gone, words, now=until or now, forever=forever)
    return Taken(counts, gone, masked)
