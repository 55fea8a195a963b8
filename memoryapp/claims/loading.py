"""The facts near an answer's claims, from the database."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from numpy.typing import NDArray
from pgvector import HalfVector

from memoryapp import sql
from memoryapp.claims.records import Claim, Held, Said

# How many facts by words, and how many by meaning, each claim brings in; and how many in all.
DEPTH = 20
MOST = 1_000


@dataclass(frozen=True, slots=True)
class Near:
    """The facts, and for each claim, by its place, the nearest facts first."""

    held: Sequence[Held]
    nearest: Mapping[int, Sequence[UUID]]


def texts(claims: Sequence[Claim]) -> list[str]:
    """What each claim is searched by."""
    return [" ".join(part for part in (c.about, c.text, c.context) if part) for c in claims]


def load(
    *,
    user_id: UUID,
    claims: Sequence[Claim],
    vectors: Mapping[str, NDArray[Any]],
    model: str,
) -> Near:
    """The facts that share words with the claims, those near in meaning, and what they
    replaced or were replaced by. ``vectors`` are in ``model``'s space, by text; a text without
    one is searched by its words. Needs ``acting_for(user_id)``."""
    asked = [text.replace("\0", " ") for text in texts(claims)]
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("claims"),
            {
                "user_id": str(user_id),
                "texts": asked,
                "vectors": [
                    HalfVector(vectors[text]).to_text() if text in vectors else None
                    for text in texts(claims)
                ],
                "model": model,
                "depth": DEPTH,
                "most": MOST,
            },
        )
        names = [column.name for column in cursor.description or ()]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    places: dict[int, list[tuple[int, UUID]]] = defaultdict(list)
    for row in rows:
        for claim, place in json.loads(row["near"]).items():
            places[int(claim) - 1].append((place, row["id"]))
    return Near(
        held=[_held(row) for row in rows],
        nearest={
            claim: [fact for _place, fact in sorted(found)] for claim, found in places.items()
        },
    )


def _held(row: Mapping[str, Any]) -> Held:
    return Held(
        id=row["id"],
        subject=row["subject"],
        attribute=row["attribute"],
        scope=row["scope"],
        value=row["value"],
        polarity=row["polarity"],
        statement=row["statement"],
        kind=row["kind"],
        single=row["single"],
        status=row["status"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        precision=row["precision"],
        retired=row["retired"],
        heir=row["heir"],
        expires_at=None if row["pinned"] else row["expires_at"],
        proof=tuple(
            Said(item["quote"], datetime.fromisoformat(item["sent_at"]))
            for item in json.loads(row["proof"])
        ),
    )
