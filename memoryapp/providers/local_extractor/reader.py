"""The reader: a small network that marks the words of each value in a passage.

It is the upper part of the encoder, trained further (``memoryapp.training``): it takes the
hidden states after the lower layers of the embedder's own model, and gives for every word
piece which attribute's value it belongs to, whether a value begins there, whether it is so,
and whom it is about. Its weights are the file ``reader.onnx``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryapp.providers.local_minilm import lower_layers, quiet_session
from memoryapp.providers.per_process import PerProcess

Matrix = NDArray[np.float32]

WEIGHTS = Path(__file__).parent / "reader.onnx"
MOST_PIECES = 192  # what a passage may have: the network saw no longer one
SIGNS = 3  # it is so, it is not so, it is over
WHOM = 2  # the user, somebody else

FLOOR = 0.4  # that a word is of some value: below it ends one
BEGINS = 0.8  # that a value begins, right behind another: "I speak english german french"


@dataclass(frozen=True, slots=True)
class Mark:
    """``text[start:end]`` is a value of the attribute with probability ``score`` (the mean
    over its words); ``sign`` 0 it is so, 1 it is not so, 2 it is over; ``other``: said of
    somebody else than the user."""

    start: int
    end: int
    attribute: str
    score: float
    sign: int
    other: bool


def letter_cases(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """For each word piece how its word is written: 1 with a capital, 2 with a capital at a
    sentence's beginning, 3 a number, 0 otherwise. The encoder itself sees lower case."""
    out: list[int] = []
    for start, end in offsets:
        if start == end:
            out.append(0)
            continue
        while start > 0 and text[start - 1].isalnum():
            start -= 1
        first, before = text[start], text[:start].rstrip(" \"'(")[-1:]
        if first.isupper():
            out.append(2 if before in ("", ".", "!", "?", "\n", ":") else 1)
        else:
            out.append(3 if first.isdigit() else 0)
    return out


def softmax(rows: Matrix) -> Matrix:
    raised: Matrix = np.exp(rows - rows.max(axis=-1, keepdims=True))
    shares: Matrix = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def _load() -> tuple[Any, tuple[str, ...]]:
    """The session and its attributes, of which the first is "", no value."""
    session = quiet_session(WEIGHTS.read_bytes())
    stored = session.get_modelmeta().custom_metadata_map["attributes"]
    return session, tuple(json.loads(stored))


_network = PerProcess(_load)


def read(text: str) -> list[Mark]:
    """The values in a passage of at most MOST_PIECES word pieces (the rest isn't read), in
    the order of the text, none overlapping another."""
    encoding, hidden = lower_layers(text, MOST_PIECES)
    session, attributes = _network()
    cases = np.array([letter_cases(text, encoding.offsets)], dtype=np.int64)
    (scores,) = session.run(None, {"hidden": hidden, "case": cases})
    return _read(scores[0], encoding, attributes)


def _pieces(encoding: Any) -> list[list[int]]:
    """The word pieces of each word, without the special ones at both ends."""
    out: list[list[int]] = []
    for index, special in enumerate(encoding.special_tokens_mask):
        if special:
            continue
        if out and encoding.tokens[index].startswith("##"):
            out[-1].append(index)
        else:
            out.append([index])
    return out


def _read(scores: Matrix, encoding: Any, attributes: tuple[str, ...]) -> list[Mark]:
    count = len(attributes)
    tags = softmax(scores[:, :count])
    begins = softmax(scores[:, count : count + 2])[:, 1]
    signs = softmax(scores[:, count + 2 : count + 2 + SIGNS])
    whom = softmax(scores[:, count + 2 + SIGNS :])
    offsets = encoding.offsets
    runs: list[tuple[int, list[int], list[float]]] = []
    open_ = False
    for pieces in _pieces(encoding):
        shares = tags[pieces].mean(axis=0)
        best = int(shares[1:].argmax()) + 1
        if 1 - shares[0] < FLOOR:
            open_ = False
        elif open_ and runs[-1][0] == best and begins[pieces[0]] < BEGINS:
            runs[-1][1].extend(pieces)
            runs[-1][2].append(float(shares[best]))
        else:
            runs.append((best, list(pieces), [float(shares[best])]))
            open_ = True
    return [
        Mark(
            int(offsets[pieces[0]][0]),
            int(offsets[pieces[-1]][1]),
            attributes[best],
            sum(each) / len(each),
            int(signs[pieces].mean(axis=0).argmax()),
            bool(whom[pieces].mean(axis=0).argmax()),
        )
        for best, pieces, each in runs
    ]
