"""How well a score tells questions with an answer from those without. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoryapp.evaluation.metrics import Measure

# The share of answerable questions that may be refused.
FALSE_ABSTENTIONS = 0.10


@dataclass(frozen=True, slots=True)
class Confidence:
    """A question's score, the higher the surer of an answer, and whether it has one."""

    score: float
    answerable: bool


@dataclass(frozen=True, slots=True)
class Point:
    """Refusing what scores below ``threshold``: the shares of both kinds refused."""

    threshold: float
    answerable: float
    unanswerable: float


def area(scores: Sequence[Confidence], name: str) -> Measure:
    """The area under the ROC curve: of all pairs of an answerable question and another, how
    often the answerable one scores higher; a tie is half."""
    right = [one.score for one in scores if one.answerable]
    wrong = [one.score for one in scores if not one.answerable]
    won = sum((high > low) + (high == low) / 2 for high in right for low in wrong)
    return Measure(name, won, len(right) * len(wrong))


def refused(scores: Sequence[Confidence], threshold: float) -> tuple[Measure, Measure]:
    """What is refused below the threshold, of the answerable and of the others."""
    right = [one.score < threshold for one in scores if one.answerable]
    wrong = [one.score < threshold for one in scores if not one.answerable]
    return (
        Measure(
            "answerable questions refused", sum(right), len(right), better="lower",
            target=FALSE_ABSTENTIONS,
        ),
        Measure("unanswerable questions refused", sum(wrong), len(wrong)),
    )  # fmt: skip


def curve(scores: Sequence[Confidence]) -> list[Point]:
    """The points in steps of one in a hundred of the score."""
    points = []
    for step in range(101):
        right, wrong = refused(scores, step / 100)
        points.append(Point(step / 100, right.value or 0.0, wrong.value or 0.0))
    return points
