"""Texts as the database and the embedder see them, without being stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memoryapp import sql
from memoryapp.ports import Embedder

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Match:
    """A question against n texts: ``has`` (n, L) says which of its lexemes each holds,
    ``rank`` is Postgres' ``ts_rank`` for any of them, ``cosine`` the vectors'."""

    has: NDArray[np.bool_]
    rank: Floats
    cosine: Floats

    def of(self, rows: NDArray[np.int64]) -> Match:
        """The same against those texts alone."""
        return Match(self.has[rows], self.rank[rows], self.cosine[rows])


@dataclass(frozen=True, slots=True)
class Library:
    """Every question's match; ``length`` is the number of each text's distinct lexemes."""

    length: NDArray[np.int64]
    matches: Sequence[Match]


def library(texts: Sequence[str], questions: Sequence[str], embedder: Embedder) -> Library:
    """The texts searched for each question. Needs the database's text search, and the time
    to embed all of it."""
    with connection.cursor() as cursor:
        cursor.execute(sql.load("lexemes"), {"texts": [*map(_clean, texts)]})
        lexemes = [row[0] for row in cursor.fetchall()]
        cursor.execute(
            sql.load("text_ranks"),
            {"texts": [*map(_clean, texts)], "questions": [*map(_clean, questions)]},
        )
        asked = cursor.fetchall()
    holders: dict[str, list[int]] = {}
    for place, words in enumerate(lexemes):
        for word in words:
            holders.setdefault(word, []).append(place)
    vectors = _embedded(texts, embedder)
    matches = []
    for question, (words, ranks) in zip(questions, asked, strict=True):
        has = np.zeros((len(texts), len(words)), dtype=bool)
        for column, word in enumerate(words):
            has[holders.get(word, []), column] = True
        cosine = np.asarray(vectors @ embedder.query(question), dtype=np.float64)
        matches.append(Match(has, np.array(ranks, dtype=np.float64), cosine))
    return Library(np.array([len(words) for words in lexemes], dtype=np.int64), matches)


def _embedded(texts: Sequence[str], embedder: Embedder) -> NDArray[Any]:
    size = 64
    batches = [embedder.documents(texts[at : at + size]) for at in range(0, len(texts), size)]
    return np.concatenate(batches) if batches else np.zeros((0, embedder.dimension))


def _clean(text: str) -> str:
    return text.replace("\0", " ")
