"""Questions in, facts out: the read path."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from memoryapp import (
    audit,
    broker,
    ground,
    providers,
)
from memoryapp import (
    recall as recalling,
)
from memoryapp.context import acting_for
from memoryapp.pipeline.vectors import query_vector
from memoryapp.records import (
    Grounding,
    RecallOptions,
    RecallResult,
)


def recall(*, user_id: UUID, query: str, options: RecallOptions, by: audit.Actor) -> RecallResult:
    """The facts that matter for the query, best first, or an abstention."""
    started = time.perf_counter()
    vector = query_vector(user_id, query)
    embedding = (time.perf_counter() - started) * 1000
    now = providers.clock().now()
    with acting_for(user_id):
        result = recalling.recall(
            user_id=user_id,
            query_text=query,
            query_vector=vector,
            embedder=providers.embedder(),
            options=options,
            now=now,
        )
        ids = [str(hit.fact["id"]) for hit in result.hits]
        if ids:
            # After the answer: counts never slow the read path.
            broker.on_commit("memoryapp.tasks.count_recall", str(user_id), ids)
        if by.kind != "user":
            audit.record(
                user_id=user_id, by=by, events=[audit.Event("recall", "", {"facts": ids})], now=now
            )
    return replace(result, milliseconds={"embed": embedding, **result.milliseconds})


def context(*, user_id: UUID, query: str, options: RecallOptions, by: audit.Actor) -> Grounding:
    """The same as a block for a prompt, with its citations."""
    result = recall(user_id=user_id, query=query, options=options, by=by)
    return ground.ground(result, token_budget=options.token_budget)


def count_recall(*, user_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Note that the facts were recalled."""
    with acting_for(user_id):
        recalling.usage(user_id=user_id, fact_ids=fact_ids, now=providers.clock().now())
