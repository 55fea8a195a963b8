"""How well the words of messages, and of the messages around them, match a question's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Integers = NDArray[np.int64]

# BM25's saturation, and the weight of length for a message itself and for a neighbour.
K1, B, B_NEIGHBOUR = 0.5, 0.4, 0.75
# What the words of the messages before and after count.
NEIGHBOURS: Mapping[int, float] = {-1: 0.4, 1: 0.25, -2: 0.15, 2: 0.15}
# A message of fewer lexemes needs its neighbours to be understood; a longer one less and less.
SELF_CONTAINED = 15
# A pause that parts a conversation in two sittings, in seconds.
PAUSE = 6 * 3600


def sittings(conversation: Integers, sent_at: Floats) -> Integers:
    """The number of each message's sitting, rising; the rows stand in the order of
    conversation and time."""
    if not len(conversation):
        return np.zeros(0, dtype=np.int64)
    begins = (np.diff(conversation) != 0) | (np.diff(sent_at) > PAUSE)
    return np.concatenate([[0], np.cumsum(begins)]).astype(np.int64)


def rarity(has: Bools) -> Floats:
    """BM25's inverse document frequency of each lexeme, shape (L,): ln(1 + (n - d + 1/2) /
    (d + 1/2)), where d of the n messages hold it."""
    holding = has.sum(axis=0, dtype=np.float64)
    return np.asarray(np.log1p((len(has) - holding + 0.5) / (holding + 0.5)))


def word_scores(has: Bools, length: Integers, sitting: Integers) -> Floats:
    """For each message, from 0 to 1, BM25 over its lexemes and its neighbours', divided by
    the best message's; shape (n,). ``has`` is (n, L); all zero when nothing matches."""
    n = len(has)
    if not has.any():
        return np.zeros(n)
    mean = max(float(length.mean()), 1.0)
    own = has / (1 - B + B * length / mean)[:, None]
    near = has / (1 - B_NEIGHBOUR + B_NEIGHBOUR * length / mean)[:, None]
    needs = np.minimum(1, SELF_CONTAINED / np.maximum(length, 1))[:, None]
    weight = own
    for step, share in NEIGHBOURS.items():
        weight = weight + share * needs * _moved(near, sitting, step)
    scores = (weight * (K1 + 1) / (weight + K1)) @ rarity(has)
    return np.asarray(scores / scores.max())


def coverage(has: Bools) -> Floats:
    """The share of the question's words that each message holds itself, the rarer the
    heavier; shape (n,). All zero for a question without words."""
    heavy = rarity(has)
    return np.asarray(has @ heavy / heavy.sum()) if len(heavy) else np.zeros(len(has))


def best_of_sitting(scores: Floats, sitting: Integers) -> Floats:
    """For each message the best score of its sitting."""
    if not len(scores):
        return scores
    best = np.full(int(sitting.max()) + 1, -np.inf)
    np.maximum.at(best, sitting, scores)
    return best[sitting]


def _moved(values: Floats, sitting: Integers, step: int) -> Floats:
    """Row i is row i + step of ``values`` where both are of one sitting, else zero."""
    moved = np.zeros_like(values)
    if abs(step) >= len(values):
        return moved
    here, there = (
        (slice(-step, None), slice(None, step))
        if step < 0
        else (slice(None, -step), slice(step, None))
    )
    same = sitting[here] == sitting[there]
    moved[here] = values[there] * same[:, None]
    return moved
