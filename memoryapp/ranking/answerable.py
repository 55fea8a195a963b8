"""Whether the messages hold an answer at all. The nearest cosine can't tell (FINDINGS)."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Logistic regressions; docs/retrieval.md says on what, and has the curve. Of ``said``,
# ``close``, ``unheard`` and ``cosine``, on LoCoMo's category 5 and LongMemEval's _abs questions
# against the answerable ones of both:
CONSTANT = -0.81
WEIGHTS = (5.55, 3.74, -1.36, 1.77)
# Of ``cosine`` and ``held``, on LongMemEval's user messages:
CONSTANT_ALONE = -4.17
WEIGHTS_ALONE = (3.81, 6.39)
# Below this the messages hold no answer: about one answerable question in ten is lost.
ANSWERABLE = 0.3


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for an answer.

    ``said``: how much of the question, by rarity of its words, the three messages of the
    asked author hold that hold most of it, less the three of others. ``close``: the best
    content of a message that speaks of the asked, less the best of the others.
    ``unheard``: the part of the question, by rarity, that no message holds, and ``held`` the
    largest part that one holds. ``cosine``: the nearest. ``compared`` is false when nobody in
    particular is asked, or when all messages are of one author; the first two are 0 then.
    """

    said: float = 0.0
    close: float = 0.0
    unheard: float = 0.0
    cosine: float = 0.0
    held: float = 0.0
    compared: bool = False

    @property
    def weighed(self) -> tuple[float, float, float, float]:
        """Those that ``WEIGHTS`` are of."""
        return self.said, self.close, self.unheard, self.cosine


def probability(signals: Signals) -> float:
    """From 0 to 1: how sure it is that the messages hold an answer."""
    if signals.compared:
        constant, weights, values = CONSTANT, WEIGHTS, signals.weighed
        total = constant + sum(w * value for w, value in zip(weights, values, strict=True))
    else:
        cosine, held = WEIGHTS_ALONE
        total = CONSTANT_ALONE + cosine * signals.cosine + held * signals.held
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
