"""The rows that hold vectors: of facts, of past messages, and of questions asked before."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef
from uuid_utils.compat import uuid7

from memoryapp import sql
from memoryapp.models import (
    EmbeddingCache,
    Fact,
    FactEmbedding,
    Message,
    MessageEmbedding,
)
from memoryapp.ports import Embedder
from memoryapp.records import Candidate
from memoryapp.regions import strip_memory_blocks
from memoryapp.registry import Registry

# Fewer letters than this answer nothing by themselves ("Thanks a lot!"), unless the script
# says more with each.
LETTERS, DENSE_LETTERS = 12, 4
_DENSE = re.compile(r"[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3040-\u9FFF\uAC00-\uD7AF]")


def worth_caching(embedder: Embedder) -> bool:
    """Whether a look-up in the database is cheaper than asking the embedder again: the
    small local one answers in less time than that."""
    return embedder.model != "minilm-int8"


def cache_vector(*, user_id: UUID, key: bytes, model: str, vector: Any, now: datetime) -> None:
    EmbeddingCache.objects.bulk_create(
        [EmbeddingCache(user_id=user_id, key=key, model=model, embedding=vector, used_at=now)],
        ignore_conflicts=True,
    )


def without_vector(*, user_id: UUID, model: str, limit: int) -> Sequence[tuple[UUID, str]]:
    """Facts that lack a vector of the model, with their statements."""
    have = FactEmbedding.objects.filter(user_id=user_id, model=model).values("fact_id")
    return list(
        Fact.objects.filter(user_id=user_id, operation="state")
        .exclude(id__in=have)
        .order_by("id")
        .values_list("id", "statement")[:limit]
    )


def put_vectors(*, user_id: UUID, model: str, vectors: Mapping[UUID, Any]) -> None:
    """Write vectors of facts; those erased or embedded meanwhile are left alone."""
    here = set(
        Fact.objects.filter(user_id=user_id, id__in=list(vectors)).values_list("id", flat=True)
    )
    FactEmbedding.objects.bulk_create(
        [
            FactEmbedding(
                id=uuid7(),
                user_id=user_id,
                fact_id=fact_id,
                model=model,
                dimension=len(vector),
                embedding=vector,
            )
            for fact_id, vector in vectors.items()
            if fact_id in here
        ],
        ignore_conflicts=True,
    )


def worth_showing(role: str, content: str) -> bool:
    """Whether the message may answer a question about the past: the user's or the
    assistant's, with some words that we didn't put there ourselves."""
    if role not in ("user", "assistant"):
        return False
    own = strip_memory_blocks(content)
    letters = sum(letter.isalnum() for letter in own)
    return letters >= LETTERS or len(_DENSE.findall(own)) >= DENSE_LETTERS


def unseen_messages(*, user_id: UUID, limit: int) -> Sequence[tuple[UUID, str, str]]:
    """Messages that have been read and not yet been looked at as excerpts, the newest
    first: id, role, content."""
    return list(
        Message.objects.filter(
            user_id=user_id, excerpt=Message.Excerpt.NEW, state=Message.State.PROCESSED
        )
        .order_by("-sent_at")
        .values_list("id", "role", "content")[:limit]
    )


def messages_without_vector(
    *, user_id: UUID, model: str, limit: int
) -> Sequence[tuple[UUID, str, str]]:
    """Excerpts that lack a vector of the model: id, role, content."""
    mine = MessageEmbedding.objects.filter(user_id=user_id, message_id=OuterRef("id"), model=model)
    return list(
        Message.objects.filter(~Exists(mine), user_id=user_id, excerpt=Message.Excerpt.YES)
        .order_by("-sent_at")
        .values_list("id", "role", "content")[:limit]
    )


def sort_messages(*, user_id: UUID, worth: Collection[UUID], rest: Collection[UUID]) -> None:
    """Note which messages may be shown; those that changed meanwhile stay as they are."""
    unseen = Message.objects.filter(user_id=user_id, excerpt=Message.Excerpt.NEW)
    unseen.filter(id__in=worth).update(excerpt=Message.Excerpt.YES)
    unseen.filter(id__in=rest).update(excerpt=Message.Excerpt.NO)


def put_message_vectors(*, user_id: UUID, model: str, vectors: Mapping[UUID, Any]) -> None:
    """Write vectors of messages. Those masked, emptied or withheld meanwhile get none: the
    lock makes such a change come before or after, and its trigger take the vector away."""
    here = set(
        Message.objects.select_for_update()
        .filter(user_id=user_id, id__in=list(vectors), excerpt=Message.Excerpt.YES)
        .values_list("id", flat=True)
    )
    MessageEmbedding.objects.bulk_create(
        [
            MessageEmbedding(
                user_id=user_id,
                message_id=message_id,
                model=model,
                dimension=len(vector),
                embedding=vector,
            )
            for message_id, vector in vectors.items()
            if message_id in here
        ],
        ignore_conflicts=True,
    )


def withhold_messages(*, user_id: UUID, values: Iterable[str], proofs: Collection[UUID]) -> int:
    """Show no more as excerpts what repeats erased ``values``, and what the assistant said
    in the conversations of the messages ``proofs``, from those on. Returns how many vectors
    went. The messages' text is the caller's affair."""
    patterns = [pattern for value in values if (pattern := _as_words(value))]
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("withhold"),
            {
                "user_id": str(user_id),
                "patterns": patterns,
                "proofs": [str(message_id) for message_id in proofs],
            },
        )
        (count,) = cursor.fetchone()
    return int(count)


def _as_words(value: str) -> str:
    """A Postgres pattern for the value as words of its own, in any spacing."""
    words = value.split()
    if not words:
        return ""
    before = r"\m" if words[0][0].isascii() and words[0][0].isalnum() else ""
    after = r"\M" if words[-1][-1].isascii() and words[-1][-1].isalnum() else ""
    return before + r"\s+".join(re.sub(r"(\W)", r"\\\1", word) for word in words) + after


def drop_other_vectors(*, user_id: UUID, model: str) -> int:
    """Drop the vectors of all models but this one; returns how many."""
    return sum(
        kind.objects.filter(user_id=user_id).exclude(model=model).delete()[0]
        for kind in (FactEmbedding, MessageEmbedding)
    )


def edited_statement(registry: Registry, fact: Fact, value: str) -> str:
    """What the fact will say once its value is replaced."""
    candidate = Candidate(
        subject=fact.subject,
        attribute=fact.attribute,
        scope=fact.scope,
        value=" ".join(value.split()),
        quote=None,
        sent_at=fact.last_stated_at,
        polarity=fact.polarity,  # type: ignore[arg-type]
    )
    return registry.get(fact.attribute, kind=fact.kind).statement(candidate)  # type: ignore[arg-type]
