"""The learned heads: one tags words with attributes, one judges each span it tagged.
Small networks in numpy, trained by ``memoryapp.training``; their weights are data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from .words import DIMENSION, FLAGS, FORMS, FUNCTION, NEAR, Matrix, Words

WEIGHTS = Path(__file__).parent / "weights.npz"
SIGNS = 3  # it is so, it is not so, it is over
WHOM = 2  # the user, somebody else

_KINDS = len(FUNCTION) + 2  # 0: any other word; the last: beyond the clause
_BESIDE = -1
_ROWS, _DEEP = 4, 384


def _place(words: Words, index: int) -> int:
    return words.places[index] if 0 <= index < len(words.places) else _BESIDE


def _one_hot(places: Sequence[int]) -> Matrix:
    row = np.zeros(len(places) * _KINDS, dtype=np.float32)
    row[[number * _KINDS + place % _KINDS for number, place in enumerate(places)]] = 1
    return row


def tag_inputs(words: Words) -> Matrix:
    """A row for each word: its vector, its neighbours', the clause's mean, and features."""
    count = len(words.spans)
    edge = np.zeros((1, DIMENSION), dtype=np.float32)
    padded = np.concatenate([edge, words.vectors, edge])
    flags = np.concatenate([words.flags[:1] * 0, words.flags, words.flags[:1] * 0])
    near = np.stack(
        [
            _one_hot([_place(words, index + step) for step in range(-NEAR, NEAR + 1)])
            for index in range(count)
        ]
    )
    mean = words.vectors.mean(axis=0)
    return np.concatenate(
        [
            words.vectors,
            padded[:-2],
            padded[2:],
            np.broadcast_to(mean, (count, DIMENSION)),
            near,
            words.flags,
            flags[:-2],
            flags[2:],
            np.broadcast_to(words.form, (count, FORMS)),
        ],
        axis=1,
        dtype=np.float32,
    )


TAG_WIDTH = 4 * DIMENSION + (2 * NEAR + 1) * _KINDS + 3 * FLAGS + FORMS


def span_inputs(words: Words, tags: Matrix, first: int, last: int) -> Matrix:
    """One row for the words ``first`` to ``last`` (both in it) that were tagged alike."""
    inside = slice(first, last + 1)
    edge = np.zeros(DIMENSION, dtype=np.float32)
    count = len(words.spans)
    return np.concatenate(
        [
            words.vectors[inside].mean(axis=0),
            words.vectors.mean(axis=0),
            words.vectors[first - 1] if first else edge,
            words.vectors[last + 1] if last + 1 < count else edge,
            tags[inside].mean(axis=0),
            tags.max(axis=0),
            _one_hot([_place(words, first + step) for step in (-3, -2, -1)]),
            _one_hot([_place(words, last + step) for step in (1, 2)]),
            _one_hot([_place(words, index) for index in range(4)]),
            words.flags[inside].max(axis=0),
            words.form,
            np.array([(last - first) / 5, first == 0, last == count - 1], dtype=np.float32),
        ],
        dtype=np.float32,
    )


def softmax(rows: Matrix) -> Matrix:
    raised: Matrix = np.exp(rows - rows.max(axis=-1, keepdims=True))
    shares: Matrix = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def _product(rows: Matrix, weights: Matrix) -> Matrix:
    # In pieces that BLAS multiplies in the calling thread: with its own threads so small a
    # product takes 20 ms on a busy machine instead of half a millisecond.
    out = np.zeros((len(rows), weights.shape[1]), dtype=np.float32)
    if len(rows) > _ROWS * 40:
        out += rows @ weights
        return out
    for top in range(0, len(rows), _ROWS):
        for left in range(0, weights.shape[0], _DEEP):
            part = rows[top : top + _ROWS, left : left + _DEEP]
            out[top : top + _ROWS] += part @ weights[left : left + _DEEP]
    return out


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer of rectified units."""

    w1: Matrix
    b1: Matrix
    w2: Matrix
    b2: Matrix

    def __call__(self, rows: Matrix) -> Matrix:
        hidden = np.maximum(_product(rows, self.w1) + self.b1, 0)
        scores: Matrix = _product(hidden, self.w2) + self.b2
        return scores


@dataclass(frozen=True, slots=True)
class Found:
    """The words ``first`` to ``last`` are a value with probability ``stated``, and one of
    this attribute with ``score``; ``sign`` 0 it is so, 1 it is not so, 2 it is over."""

    first: int
    last: int
    attribute: str
    stated: float
    score: float
    sign: int
    other: bool


@dataclass(frozen=True, slots=True)
class Heads:
    """``attributes[0]`` is "", no fact."""

    attributes: tuple[str, ...]
    tagger: Network
    judge: Network
    glance: Matrix

    def tags(self, words: Words) -> Matrix:
        return softmax(self.tagger(tag_inputs(words)))

    def find(self, words: Words) -> list[Found]:
        """What the heads take for values, however unsure, none overlapping another; the
        surest first."""
        tags = self.tags(words)
        each = [
            self.judged(span_inputs(words, tags, *span), *span) for span in proposed(words, tags)
        ]
        kept: list[Found] = []
        for found in sorted(each, key=lambda one: (-one.stated, one.first, one.last)):
            if found.attribute and all(
                found.last < one.first or found.first > one.last for one in kept
            ):
                kept.append(found)
        return kept

    def judged(self, row: Matrix, first: int, last: int) -> Found:
        raw = self.judge(row[None])[0]
        count = len(self.attributes)
        kinds = softmax(raw[:count])
        best = int(kinds[1:].argmax()) + 1
        sign = int(raw[count : count + SIGNS].argmax())
        other = bool(raw[count + SIGNS + 1] > raw[count + SIGNS])
        key = self.attributes[best]
        return Found(first, last, key, float(1 - kinds[0]), float(kinds[best]), sign, other)


def tagged(tags: Matrix, floor: float = 0.25) -> list[tuple[int, int]]:
    """Runs of words that may be of one value: the first and last word of each. A run ends
    where the most likely attribute changes."""
    best = tags[:, 1:].argmax(axis=1)
    spans: list[tuple[int, int]] = []
    for index in (int(each) for each in np.flatnonzero(1 - tags[:, 0] >= floor)):
        if spans and spans[-1][1] == index - 1 and best[index] == best[index - 1]:
            spans[-1] = (spans[-1][0], index)
        else:
            spans.append((index, index))
    return spans


def proposed(words: Words, tags: Matrix) -> list[tuple[int, int]]:
    """Spans for the judge: each tagged run without function words at its ends, and the
    same grown to the whole words of content around it ("Highland" to "Highland ponies")."""
    spans: set[tuple[int, int]] = set()
    for first, last in tagged(tags):
        while first < last and words.places[first]:
            first += 1
        while last > first and words.places[last]:
            last -= 1
        spans.add((first, last))
        if words.places[first] or words.places[last]:
            continue
        while first > 0 and not words.places[first - 1]:
            first -= 1
        while last + 1 < len(words.places) and not words.places[last + 1]:
            last += 1
        spans.add((first, last))
    return sorted(spans)


def heads_from(stored: Mapping[str, object]) -> Heads:
    """The heads of stored weights, in single precision."""
    arrays = {key: np.asarray(value) for key, value in stored.items()}
    networks = [
        Network(*(arrays[f"{name}_{part}"].astype(np.float32) for part in ("w1", "b1", "w2", "b2")))
        for name in ("tagger", "judge")
    ]
    return Heads(
        tuple(str(key) for key in arrays["attributes"]),
        networks[0],
        networks[1],
        arrays["glance"].astype(np.float32),
    )


@cache
def heads() -> Heads:
    """The shipped heads. Raises FileNotFoundError when the weights are missing."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        return heads_from(dict(stored))
