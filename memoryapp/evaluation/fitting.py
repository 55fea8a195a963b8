"""Signals weighed anew: what they are worth on questions that the weights haven't seen. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoryapp.evaluation.abstention import FALSE_ABSTENTIONS, Confidence, area
from memoryapp.evaluation.metrics import Measure

Floats = NDArray[np.float64]

# Of the squared weights of standardised signals.
PENALTY = 3.0
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Sample:
    """A question's signals. ``group`` is what must not be divided: a conversation."""

    signals: tuple[float, ...]
    answerable: bool
    group: int


def weigh(samples: Sequence[Sample]) -> tuple[float, Floats]:
    """The constant and the weights of a logistic regression by Newton's method, both kinds
    of question weighing the same. Needs some of either kind."""
    values = np.array([sample.signals for sample in samples])
    right = np.array([sample.answerable for sample in samples], dtype=np.float64)
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    rows = np.column_stack([np.ones(len(values)), (values - mean) / spread])
    worth = np.where(right == 1, 0.5 / right.mean(), 0.5 / (1 - right.mean()))
    penalty = PENALTY * np.eye(rows.shape[1])
    penalty[0, 0] = 0
    weights = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):
        guess = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (worth * (right - guess)) - penalty @ weights
        bend = (rows * (worth * guess * (1 - guess))[:, None]).T @ rows + penalty
        weights = weights + np.linalg.solve(bend, slope)
    scaled = weights[1:] / spread
    return float(weights[0] - scaled @ mean), scaled


def unseen(samples: Sequence[Sample]) -> list[Measure]:
    """Each group judged by weights and a threshold found on all the others: the area under
    the curve (of pairs within a group), and what is refused. Groups without both kinds, or
    whose others lack one, are left out."""
    won = pairs = 0.0
    below: list[Confidence] = []
    judged: list[Confidence] = []
    for group in sorted({sample.group for sample in samples}):
        others = [sample for sample in samples if sample.group != group]
        held = [sample for sample in samples if sample.group == group]
        if any(len({sample.answerable for sample in part}) < 2 for part in (others, held)):
            continue
        constant, weights = weigh(others)
        known = [constant + weights @ s.signals for s in others if s.answerable]
        threshold = float(np.quantile(known, FALSE_ABSTENTIONS))
        scores = [Confidence(float(constant + weights @ s.signals), s.answerable) for s in held]
        part = area(scores, "")
        won, pairs = won + part.hits, pairs + part.total
        judged += scores
        below += [one for one in scores if one.score < threshold]
    refused, asked = (Counter(one.answerable for one in part) for part in (below, judged))
    name = "weighed anew, unseen groups"
    return [
        Measure(f"{name}: area under the curve", won, pairs),
        Measure(f"{name}: answerable refused", refused[True], asked[True], better="lower"),
        Measure(f"{name}: unanswerable refused", refused[False], asked[False]),
    ]
