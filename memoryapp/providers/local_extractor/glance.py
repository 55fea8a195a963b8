"""A glance at a sentence's words, before the encoder: is it worth reading? A logistic
regression on hashed words and pairs of words; microseconds where the encoder takes
milliseconds."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from .reader import Matrix

WEIGHTS = Path(__file__).parent / "glance.npz"
BUCKETS = 65536

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[^\w\s]")


def features(text: str) -> list[int]:
    """The sentence's buckets, without repetition."""
    return sorted({zlib.crc32(part.encode("utf-8")) % BUCKETS for part in _parts(text)})


def _parts(text: str) -> Iterator[str]:
    words = ["^", *_WORD.findall(text)[:60], "$"]
    for index, word in enumerate(words[:-1]):
        yield word
        yield f"{word} {words[index + 1]}"
        if index + 2 < len(words):
            yield f"{word} _ {words[index + 2]}"


@cache
def shipped() -> Matrix:
    """The weights that we ship."""
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        weights: Matrix = stored["glance"].astype(np.float32)
    return weights


def promise(text: str, weights: Matrix) -> float:
    """The log-odds that the sentence states something; the bias is the last weight."""
    return float(weights[features(text)].sum() + weights[-1])


def trained(texts: list[str], stated: list[bool], *, seed: int, epochs: int = 8) -> Matrix:
    """Weights by stochastic gradient descent; ``stated[i]``: whether the text holds a fact."""
    rng = np.random.default_rng(seed)
    weights = np.zeros(BUCKETS + 1, dtype=np.float32)
    rows = [features(text) for text in texts]
    for epoch in range(epochs):
        rate = 0.15 / (1 + epoch)
        for index in rng.permutation(len(rows)):
            row = rows[index]
            odds = 1 / (1 + np.exp(-(weights[row].sum() + weights[-1])))
            step = rate * (float(stated[index]) - odds)
            weights[row] += step - rate * 0.002 * weights[row]
            weights[-1] += step
    return weights
