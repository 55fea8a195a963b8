"""Vectors of statements and questions, in the active embedder's space."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.contrib.auth import get_user_model
from numpy.typing import NDArray

from memoryapp import (
    asking,
    providers,
    registry,
    rules,
)
from memoryapp import vectors as vector_rows
from memoryapp.context import acting_for
from memoryapp.models import EmbeddingCache
from memoryapp.ports import ProviderError
from memoryapp.regions import strip_memory_blocks
from memoryapp.store.timelines import Vector

logger = logging.getLogger(__name__)
# Seconds for which the attributes' vectors are taken as they are.
KEEP_ATTRIBUTES = 600.0


def embed(*, user_id: UUID, texts: Sequence[str]) -> Mapping[str, Vector]:
    """Vectors of the texts in the active model's space. Texts that the embedder can't take,
    or all when it fails, are left out: text search finds such facts until ``reembed`` has
    been by."""
    wanted = sorted(set(texts))
    if not wanted:
        return {}
    embedder = providers.embedder()
    try:
        rows = embedder.documents(wanted)
    except ProviderError as error:
        if error.code == "malformed" and len(wanted) > 1:
            # One text of them can't be embedded; the others can.
            return {
                k: v for text in wanted for k, v in embed(user_id=user_id, texts=[text]).items()
            }
        logger.warning("no vectors for %d texts of %s: %s", len(wanted), user_id, error.code)
        return {}
    return {
        text: Vector(model=embedder.model, values=row)
        for text, row in zip(wanted, rows, strict=True)
    }


def index_messages(*, user_id: UUID, batches: int = 8, size: int = 32) -> bool:
    """Look at messages that have been read and make those worth showing findable, with a
    vector where the embedder can; True when more are left. What it can't embed now is found
    by its words, and embedded another day. What is about a topic never to remember isn't
    shown."""
    with acting_for(user_id):
        topics = rules.load(user_id=user_id, names=registry.load().names())
    for _ in range(batches):
        with acting_for(user_id):
            rows = vector_rows.unseen_messages(user_id=user_id, limit=size)
        worth = [row for row in rows if vector_rows.worth_showing(*row[1:])]
        if topics.by_meaning:
            worth = [row for row in worth if not topics.about(strip_memory_blocks(row[2]))]
        with acting_for(user_id):
            chosen = {message_id for message_id, *_ in worth}
            vector_rows.sort_messages(
                user_id=user_id,
                worth=chosen,
                rest=[message_id for message_id, *_ in rows if message_id not in chosen],
            )
            if not rows:
                worth = list(
                    vector_rows.messages_without_vector(
                        user_id=user_id, model=providers.embedder().model, limit=size
                    )
                )
        if not rows and not worth:
            return False
        if worth and not _embed_messages(user_id, worth) and not rows:
            return False
    return True


def _embed_messages(user_id: UUID, rows: Sequence[tuple[UUID, str, str]]) -> bool:
    """Whether any vector was made."""
    texts = {message_id: strip_memory_blocks(content) for message_id, _, content in rows}
    found = embed(user_id=user_id, texts=list(texts.values()))
    with acting_for(user_id):
        vector_rows.put_message_vectors(
            user_id=user_id,
            model=providers.embedder().model,
            vectors={
                message_id: found[text].values
                for message_id, text in texts.items()
                if text in found
            },
        )
    return bool(found)


def reembed(*, user_id: UUID, size: int = 32) -> Iterator[int]:
    """Give every fact and every excerpt of the user a vector of the active model and drop
    the others'; yields how many were done, batch by batch. Can be stopped and started
    again. Raises ProviderError."""
    embedder = providers.embedder()
    while True:
        with acting_for(user_id):
            rows = vector_rows.without_vector(user_id=user_id, model=embedder.model, limit=size)
        if not rows:
            break
        vectors = embedder.documents([statement for _, statement in rows])
        with acting_for(user_id):
            vector_rows.put_vectors(
                user_id=user_id,
                model=embedder.model,
                vectors={fact_id: v for (fact_id, _), v in zip(rows, vectors, strict=True)},
            )
        yield len(rows)
    while True:
        with acting_for(user_id):
            messages = vector_rows.messages_without_vector(
                user_id=user_id, model=embedder.model, limit=size
            )
        if not messages:
            break
        vectors = embedder.documents([strip_memory_blocks(content) for *_, content in messages])
        with acting_for(user_id):
            vector_rows.put_message_vectors(
                user_id=user_id,
                model=embedder.model,
                vectors={row[0]: v for row, v in zip(messages, vectors, strict=True)},
            )
        yield len(messages)
    with acting_for(user_id):
        vector_rows.drop_other_vectors(user_id=user_id, model=embedder.model)


def query_vector(user_id: UUID, query: str, *, keep: bool) -> NDArray[np.float32] | None:
    """The query's vector, from the user's own cache where a model is dear and it may be kept;
    None when the embedder fails: text search alone answers then."""
    embedder = providers.embedder()
    if not keep or not vector_rows.worth_caching(embedder):
        return _embedded_query(query)
    key = get_user_model().objects.get(pk=user_id).keyed_hash("query", embedder.model, query)
    with acting_for(user_id):
        row = EmbeddingCache.objects.filter(user_id=user_id, key=key, model=embedder.model).first()
    if row is not None:
        return np.asarray(row.embedding.to_numpy(), dtype=np.float32)
    vector = _embedded_query(query)
    if vector is not None:
        with acting_for(user_id):
            vector_rows.cache_vector(
                user_id=user_id, key=key, model=embedder.model, vector=vector,
                now=providers.clock().now(),
            )  # fmt: skip
    return vector


_attributes: tuple[str, float, asking.Attributes] | None = None


def attributes_asked(
    query: str, vector: NDArray[Any] | None
) -> tuple[Mapping[str, float], Sequence[str]]:
    """How near a question comes to each known attribute, and those that it calls by their
    names; nothing without its vector, or when the attributes can't be embedded. Their
    vectors are made at the first need, and again when an admin's change has to be noticed."""
    global _attributes
    if vector is None:
        return {}, ()
    embedder, held = providers.embedder(), _attributes
    if held is None or held[0] != embedder.model or time.monotonic() > held[1]:
        until = time.monotonic() + KEEP_ATTRIBUTES
        try:
            held = (embedder.model, until, asking.Attributes(registry.load().hints(), embedder))
        except ProviderError as error:
            logger.warning("questions go without attributes: %s", error.code)
            return {}, ()
        _attributes = held
    return held[2].near(query, vector), held[2].named(query)


def _embedded_query(query: str) -> NDArray[np.float32] | None:
    try:
        return providers.embedder().query(query)
    except ProviderError as error:
        logger.warning("no vector for a query: %s", error.code)
        return None
