"""Whether the messages hold an answer at all. The nearest cosine can't tell (FINDINGS)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

# A logistic regression on LoCoMo's category 5 and LongMemEval's _abs questions against the
# answerable ones of both (docs/retrieval.md has the curve).
INTERCEPT = -0.81
# Of ``said``, ``close``, ``unheard`` and ``cosine``.
WEIGHTS = (5.55, 3.74, -1.36, 1.77)
# Below this the messages hold no answer: at most one answerable question in ten is lost.
ANSWERABLE = 0.3


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for an answer. The first two are 0 when nobody in particular is asked, or
    when all messages are of one author.

    ``said``: how much of the question, by rarity of its words, the three messages of the
    asked author hold that hold most of it, less the three of others. ``close``: the best
    content of a message that speaks of the asked, less the best of the others.
    ``unheard``: the part of the question, by rarity, that no message holds. ``cosine``: the
    nearest.
    """

    said: float = 0.0
    close: float = 0.0
    unheard: float = 0.0
    cosine: float = 0.0


def probability(signals: Signals, weights: Sequence[float] = WEIGHTS) -> float:
    """From 0 to 1: how sure it is that the messages hold an answer."""
    sum_ = INTERCEPT + sum(w * s for w, s in zip(weights, astuple(signals), strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, sum_))))
