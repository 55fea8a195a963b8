"""Every message's measures to a ranking of the best."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .answerable import Signals, probability
from .newest import IMPLIED, SAID, newest_first
from .question import ASSISTANT, USER, Question
from .words import (
    Bools,
    Floats,
    Integers,
    best_of_sitting,
    coverage,
    rarity,
    sittings,
    word_scores,
)

# The vector's part of the content, the words have the rest.
VECTOR = 0.6
# What is added for the sitting's best, for the right author, for the time named; and taken
# off what only asks.
SITTING, AUTHOR, TIME, ASKS = 0.15, 0.3, 0.3, 0.1
# An own message that speaks of "you" alone says little of its author.
OF_YOU = 0.5
# People tell what happened for some days after, in seconds.
AFTERWARDS = 7 * 86_400
# How many rows are looked at with their texts: the best, and the best regardless of author.
DEPTH, OTHERS = 60, 20
# A message that asks, and is nearer than this, asks the same.
SAME = 0.9

_YOU = re.compile(r"\b(?:you|your|yours|you['’](?:re|ve|d|ll))\b", re.IGNORECASE)
_ME = re.compile(r"\b(?:I|my|me|mine|we|our|us|im|I['’](?:m|ve|d|ll))\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!。！](?:\s|$)|[。！]")
_ASKS = re.compile(r"[?？؟]\s*$")


@dataclass(frozen=True, slots=True)
class Messages:
    """What is known of each of n messages, in any order. ``conversation`` holds equal numbers
    for one conversation, ``sent_at`` seconds since the epoch, ``length`` the number of
    distinct lexemes; ``has`` is (n, L), whether the message holds the question's lexeme;
    ``cosine`` is to the question's vector, NaN where there is none."""

    conversation: NDArray[np.int64]
    sent_at: NDArray[np.float64]
    author: Sequence[str]
    length: NDArray[np.int64]
    has: NDArray[np.bool_]
    cosine: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a score was added up from: ``VECTOR * vector + (1 - VECTOR) * words`` and the
    others as they are; ``words`` alone where there is no vector."""

    vector: float
    words: float
    sitting: float
    author: float
    time: float
    asks: float


@dataclass(frozen=True, slots=True)
class Ranked:
    row: int
    score: float
    parts: Parts


@dataclass(frozen=True, slots=True)
class First:
    """The rows whose texts decide, best first, and what is known of all of them."""

    candidates: tuple[int, ...]
    question: Question
    messages: Messages
    span: tuple[float, float]
    vector: Floats
    words: Floats
    content: Floats
    sitting: Floats
    author: Floats
    time: Floats


@dataclass(frozen=True, slots=True)
class Ranking:
    """``hits`` best first. ``answerable`` is from 0 to 1; below ``ANSWERABLE`` the
    messages hold no answer."""

    hits: tuple[Ranked, ...]
    answerable: float
    signals: Signals


def gather(
    question: Question, messages: Messages, *, span: tuple[float, float] = (0.0, 0.8)
) -> First:
    """The rows worth reading, from what is known of all. ``span`` is the embedder's: the
    cosines that count as 0 and as 1. Without messages, no candidates."""
    n = len(messages.sent_at)
    order = np.lexsort((np.arange(n), messages.sent_at, messages.conversation))
    places = sittings(messages.conversation[order], messages.sent_at[order])
    sitting: Integers = np.empty(n, dtype=np.int64)
    sitting[order] = places
    words = np.empty(n)
    words[order] = word_scores(messages.has[order], messages.length[order], places)

    low, high = span
    lacks = np.isnan(messages.cosine)
    vector = np.clip((np.where(lacks, low, messages.cosine) - low) / (high - low), 0, 1)
    content = np.where(lacks, words, VECTOR * vector + (1 - VECTOR) * words)
    together = SITTING * best_of_sitting(content, sitting)
    asked: Bools = np.array([who == question.author for who in messages.author], dtype=bool)
    author: Floats = np.where(asked, AUTHOR, 0.0)
    time: Floats = np.where(_within(question, messages.sent_at), TIME, 0.0)
    open_ = content + together + time
    total = open_ + author
    best = np.argsort(-total, kind="stable")
    others = np.argsort(-open_, kind="stable")[:OTHERS]
    # The same question, asked every day, mustn't crowd out what answers it.
    apart = best[~(messages.cosine[best] >= SAME)][:DEPTH]
    candidates = dict.fromkeys([*best[:DEPTH].tolist(), *apart.tolist(), *others.tolist()])
    return First(
        tuple(candidates),
        question,
        messages,
        span,
        vector,
        words,
        content,
        together,
        author,
        time,
    )


def settle(first: First, texts: Mapping[int, str]) -> Ranking:
    """The candidates in their final order, and whether they answer. ``texts`` are of the
    candidates; one that is missing, erased meanwhile, is left out, and so is the same
    question, asked before: it answers nothing, and says nothing of the messages around it."""
    rows = [row for row in first.candidates if row in texts]
    same = [row for row in rows if first.messages.cosine[row] >= SAME and only_asks(texts[row])]
    if same:
        first = _unasked(first, same)
        rows = [row for row in rows if row not in same]
    if not rows:
        return Ranking((), 0.0, Signals())
    of_you = {row: _of_you(texts[row]) for row in rows}
    asks = {row: ASKS if only_asks(texts[row]) else 0.0 for row in rows}
    author = {row: first.author[row] * (OF_YOU if of_you[row] else 1.0) for row in rows}
    scores: Floats = np.full(len(first.content), -np.inf)
    for row in rows:
        around = first.content[row] + first.sitting[row] + first.time[row]
        scores[row] = around + author[row] - asks[row]
    order = sorted(rows, key=lambda row: -float(scores[row]))
    signals = _signals(first, rows, texts)
    if slack := {"": 0.0, "implied": IMPLIED, "said": SAID}[first.question.present]:
        has = first.messages.has
        order = newest_first(order, scores, has, rarity(has), first.messages.sent_at, slack)
    hits = tuple(
        Ranked(
            row,
            float(scores[row]),
            Parts(
                vector=float(first.vector[row]),
                words=float(first.words[row]),
                sitting=float(first.sitting[row]),
                author=float(author[row]),
                time=float(first.time[row]),
                asks=-float(asks[row]),
            ),
        )
        for row in order
    )
    return Ranking(hits, probability(signals), signals)


def _unasked(first: First, rows: Sequence[int]) -> First:
    """The measures as if the rows held no word; the candidates stay."""
    has, cosine = first.messages.has.copy(), first.messages.cosine.copy()
    has[rows] = False
    cosine[rows] = first.span[0]
    silent = replace(first.messages, has=has, cosine=cosine)
    again = gather(first.question, silent, span=first.span)
    return replace(again, candidates=first.candidates)


def only_asks(text: str) -> bool:
    """Whether a text ends with a question and holds at most one other sentence."""
    return bool(_ASKS.search(text)) and len(_SENTENCE_END.findall(text)) <= 1


def _of_you(text: str) -> bool:
    return bool(_YOU.search(text)) and not _ME.search(text)


def _within(question: Question, sent_at: Floats) -> Bools:
    inside: Bools = np.zeros(len(sent_at), dtype=bool)
    for span in question.spans:
        since, until = span.since.timestamp(), span.until.timestamp()
        inside |= (sent_at >= since) & (sent_at <= until + AFTERWARDS)
    return inside


def _signals(first: First, rows: Sequence[int], texts: Mapping[int, str]) -> Signals:
    has = first.messages.has
    heavy = rarity(has)
    unheard = float(heavy[~has.any(axis=0)].sum() / heavy.sum()) if len(heavy) else 0.0
    cosine = first.messages.cosine
    nearest = 0.0 if np.isnan(cosine).all() else float(np.nanmax(cosine))
    covered = coverage(has)
    held = float(covered.max(initial=0))
    asked = first.author > 0
    if not asked.any() or asked.all():
        return Signals(unheard=unheard, cosine=nearest, held=held)
    open_ = first.content + first.sitting + first.time
    own = of_asked = asked[rows]
    of_others = ~own
    if first.question.author not in (USER, ASSISTANT):
        # Between people a message says "you" of the other, and all else of its author. An
        # assistant says "you" whatever it speaks of.
        you = np.array([bool(_YOU.search(texts[row])) for row in rows])
        me = np.array([bool(_ME.search(texts[row])) for row in rows])
        of_asked = (own & (me | ~you)) | (~own & you)
        of_others = (~own & (me | ~you)) | (own & you)
    return Signals(
        said=_best(covered[asked], 3) - _best(covered[~asked], 3),
        close=_best(open_[rows][of_asked], 1) - _best(open_[rows][of_others], 1),
        unheard=unheard,
        cosine=nearest,
        held=held,
        compared=True,
    )


def _best(values: Floats, count: int) -> float:
    """The mean of the largest ``count``; 0 without any."""
    return float(np.sort(values)[-count:].mean()) if len(values) else 0.0
