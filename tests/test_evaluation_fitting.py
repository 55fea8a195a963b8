"""Signals weighed on some groups and judged on others."""

from __future__ import annotations

import numpy as np
import pytest

from memoryapp.evaluation.fitting import Sample, unseen, weigh


def samples(seed: int, count: int = 60, *, groups: int = 3, tells: float = 4.0) -> list[Sample]:
    """One signal that tells and one that doesn't, and three answerable to one other."""
    chance = np.random.default_rng(seed)
    answerable = [place % 4 != 0 for place in range(count)]
    return [
        Sample((tells * right + chance.normal(), chance.normal()), right, place % groups)
        for place, right in enumerate(answerable)
    ]


def test_the_signal_that_tells_gets_the_weight() -> None:
    constant, weights = weigh(samples(1, 600))
    assert weights[0] > 5 * abs(weights[1])
    # In the middle between the two kinds, however many there are of each.
    assert -constant / weights[0] == pytest.approx(2, abs=0.5)


def test_unseen_groups_are_told_apart_as_well_as_the_signal_can() -> None:
    area, right, wrong = (measure.value for measure in unseen(samples(2, 150)))
    assert area is not None
    assert area > 0.95
    assert right is not None
    assert right < 0.25
    assert wrong is not None
    assert wrong > 0.8


def test_signals_that_tell_nothing_are_worth_nothing() -> None:
    area = unseen(samples(3, 600, tells=0))[0].value
    assert area == pytest.approx(0.5, abs=0.12)


def test_one_group_or_one_kind_says_nothing() -> None:
    assert [measure.value for measure in unseen(samples(4, groups=1))] == [None] * 3
    same = [Sample((1.0, place), True, place % 2) for place in range(6)]
    assert [measure.value for measure in unseen(same)] == [None] * 3
