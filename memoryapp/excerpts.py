"""A question to what was said about it in the past: recall's second list. Calls no model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memoryapp import ranking, recall, sql
from memoryapp.ports import Embedder
from memoryapp.ranking.words import coverage
from memoryapp.records import Excerpt, RecallOptions
from memoryapp.regions import strip_memory_blocks

MOST = 20
# Of more messages than this the older ones have no part.
MESSAGES = 20_000
# A passage that scores less than this part of the best says something else.
BESIDE = 0.6
# An excerpt is a passage of so many characters at most, unless one sentence is longer.
PASSAGE = 600

# Without vectors a message must hold this part of the question, the rarer words the heavier.
HALF = 0.5
# A message is told when a quote is this part of it.
TOLD = 0.6

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?]+(?=\s|$)|[.!?]+|[。！？]+|\n+|$)\s*")
_WORD = re.compile(r"\w+")
_HEAD = 20  # of a one-dimensional array in Postgres's binary form


@dataclass(frozen=True, slots=True)
class Found:
    """``answerable`` is how sure it is, from 0 to 1, that the messages hold an answer."""

    excerpts: Sequence[Excerpt]
    answerable: float


def find(
    *,
    user_id: UUID,
    question: ranking.Question,
    query_vector: NDArray[Any] | None,
    embedder: Embedder,
    options: RecallOptions,
    retention_days: int,
    now: datetime,
    quotes: Sequence[str] = (),
) -> Found:
    """The passages of the user's past messages that answer the question, best first, the
    user's turns and the assistant's; none when they hold no answer.

    Needs ``acting_for(user_id)``. Only what lies within the user's retention (else
    ``retention_days``), nothing masked, withheld or waiting for the user's word, and nothing
    that ``quotes``, the proofs of the facts beside it, already say.
    """
    values = {
        "user_id": str(user_id),
        "text": recall.searchable(question.text)[-recall.TEXT_CHARACTERS :],
        "vector": None if query_vector is None else recall.literal(query_vector),
        "model": embedder.model,
        "dimension": embedder.dimension if query_vector is None else len(query_vector),
        "as_of": options.as_of,
        "known_at": options.known_at,
        "since": options.since,
        "until": options.until,
        "retention_days": retention_days,
        "most": MESSAGES,
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.load("recall_messages"), values)
        count, *columns = cursor.fetchone()
        if not count:
            return Found((), 0.0)
        ids, messages = _messages(count, columns)
        if not messages.has.size:
            return Found((), 0.0)  # a question without a word
        first = ranking.gather(question, messages, span=embedder.span)
        cursor.execute(
            sql.load("recall_texts"),
            {**values, "ids": [str(ids[row]) for row in first.candidates]},
        )
        names = [column.name for column in cursor.description or ()]
        texts = {row[0]: dict(zip(names, row, strict=True)) for row in cursor.fetchall()}
    by_row = {row: texts[ids[row]] for row in first.candidates if ids[row] in texts}
    own = {row: strip_memory_blocks(text["content"]) for row, text in by_row.items()}
    ranked = ranking.settle(first, own)
    answerable, floor = ranked.answerable, ranking.ANSWERABLE
    if np.isnan(messages.cosine).all():
        # By words alone, as with facts: half of them are enough, a third isn't.
        answerable, floor = float(coverage(messages.has).max()), HALF
    if answerable < (floor if options.floor is None else options.floor) or not ranked.hits:
        return Found((), answerable)
    best = max(hit.score for hit in ranked.hits)
    hits = [
        hit for hit in ranked.hits if hit.score >= BESIDE * best and not _told(own[hit.row], quotes)
    ][: 4 * options.excerpts]
    if not hits:
        return Found((), answerable)
    # The newest may lead a better one: the order counts, as falling scores.
    chosen = ranking.diverse(
        np.array([recall.unpacked(by_row[hit.row]["vector"], embedder.dimension) for hit in hits]),
        np.array([1.0 - n / (2 * len(hits)) for n in range(len(hits))]),
        options.excerpts,
    )
    words = {word.casefold() for word in _WORD.findall(question.text)}
    return Found(
        [
            _excerpt(ids[hits[n].row], by_row[hits[n].row], own[hits[n].row], hits[n], words)
            for n in chosen
        ],
        answerable,
    )


def passage(text: str, words: set[str], most: int = PASSAGE) -> str:
    """The sentences in a row that hold most of the words, ``most`` characters long at most;
    all of a text that is no longer. One sentence that is longer is cut."""
    text = text.strip()
    if len(text) <= most:
        return text
    sentences = [found for found in _SENTENCE.findall(text) if found.strip()]
    stems = {word[:5] for word in words if len(word) > 2}
    marks = [
        {stem for word in _WORD.findall(sentence.casefold()) if (stem := word[:5]) in stems}
        for sentence in sentences
    ]
    best: tuple[int, int, int, int] | None = None
    for start in range(len(sentences)):
        length, held, end = 0, set[str](), start
        while end < len(sentences) and (end == start or length + len(sentences[end]) <= most):
            length += len(sentences[end])
            held |= marks[end]
            end += 1
        # The most words, then the passage that begins with one of them, then the earliest.
        rank = (len(held), int(bool(marks[start])), -start, end)
        if best is None or rank > best:
            best = rank
    if best is None:
        return text[:most].rstrip() + "…"
    start, end = -best[2], best[3]
    chosen = "".join(sentences[start:end]).strip()
    chosen = chosen if len(chosen) <= most else chosen[:most].rstrip() + "…"
    return ("… " if start else "") + chosen + (" …" if end < len(sentences) else "")


def _told(text: str, quotes: Sequence[str]) -> bool:
    """Whether there is little in the text beside one of the quotes."""
    text = text.strip()
    return not text or any(
        quote in text and len(quote) >= TOLD * len(text) for quote in quotes if quote
    )


def _messages(count: int, columns: Sequence[Any]) -> tuple[list[UUID], ranking.Messages]:
    ids, talks, roles, sent_at, lengths, has, cosines = columns
    conversations = _array(talks, "V16")
    changes = conversations[1:] != conversations[:-1]
    marks = np.frombuffer(has.encode(), dtype=np.uint8).reshape(count, -1) == ord("1")
    return (
        [UUID(bytes=one.tobytes()) for one in _array(ids, "V16")],
        ranking.Messages(
            conversation=np.concatenate([[0], np.cumsum(changes)]).astype(np.int64),
            sent_at=_array(sent_at, ">f8").astype(np.float64),
            author=["user" if letter == "u" else "assistant" for letter in roles],
            length=_array(lengths, ">i4").astype(np.int64),
            has=marks,
            cosine=_array(cosines, ">f4").astype(np.float64),
        ),
    )


def _array(sent: Any, kind: str) -> NDArray[Any]:
    """A one-dimensional array without NULLs, as ``array_send`` gives it: a head, then each
    element behind its length."""
    rows = np.frombuffer(sent, dtype=[("length", ">i4"), ("value", kind)], offset=_HEAD)
    return rows["value"]


def _excerpt(
    message_id: UUID,
    row: Mapping[str, Any],
    own: str,
    hit: ranking.Ranked,
    words: set[str],
) -> Excerpt:
    return Excerpt(
        quote=passage(own, words),
        role=row["role"],
        sent_at=row["sent_at"],
        conversation=row["conversation"],
        message=message_id,
        score=hit.score,
        outdated=row["outdated"],
    )
