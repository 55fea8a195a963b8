"""Words over a window of messages, and near copies."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.ranking import diverse
from memoryapp.ranking.words import (
    PAUSE,
    Bools,
    Floats,
    best_of_sitting,
    coverage,
    rarity,
    sittings,
    word_scores,
)


def held(*rows: str) -> Bools:
    return np.array([[digit == "1" for digit in row] for row in rows], dtype=bool)


def scores(has: Bools, length: int | list[int] = 5, sitting: list[int] | None = None) -> Floats:
    n = len(has)
    lengths = np.full(n, length) if isinstance(length, int) else np.array(length)
    return word_scores(has, lengths, np.array(sitting or [0] * n))


def test_a_sitting_ends_with_the_conversation_and_with_a_long_pause() -> None:
    times = np.array([0, 60, 60 + PAUSE + 1, 0, 60], dtype=float)
    assert sittings(np.array([3, 3, 3, 8, 8]), times).tolist() == [0, 0, 1, 2, 2]
    assert sittings(np.array([], dtype=int), np.array([])).tolist() == []


def test_a_rare_word_is_worth_more_than_a_common_one() -> None:
    has = held("10", "10", "10", "01", "00", "00")
    rare, common = rarity(has)[1], rarity(has)[0]
    assert rare == pytest.approx(np.log(1 + 5.5 / 1.5))
    assert rare > common
    assert int(np.argmax(scores(has, sitting=list(range(6))))) == 3


def test_a_reply_is_found_by_the_words_of_what_it_answers() -> None:
    """The answer holds one word of two; the one before it the other; a third, elsewhere, the
    same one word."""
    has = held("10", "01", "00", "00", "00", "01")
    found = scores(has, sitting=[0, 0, 0, 1, 2, 3])
    assert found[1] > found[5]
    assert found[2] > found[3] == 0


def test_a_long_message_needs_its_neighbours_less() -> None:
    has = held("10", "01")
    brief, long = scores(has, [10, 10]), scores(has, [100, 100])
    alone = scores(has, [100, 100], [0, 1])
    assert brief[1] == pytest.approx(1)
    assert long[1] / long[0] == pytest.approx(1, abs=0.2)
    assert np.ptp(alone) == 0


def test_neighbours_two_away_are_not_reached_across_a_sitting() -> None:
    has = held("1", "0", "0", "0")
    together, apart = scores(has), scores(has, sitting=[0, 0, 1, 1])
    assert (together > 0).tolist() == [True, True, True, False]
    assert (apart > 0).tolist() == [True, True, False, False]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (2, 4)])
def test_nothing_that_matches_scores_nothing(shape: tuple[int, int]) -> None:
    has = np.zeros(shape, dtype=bool)
    assert scores(has).tolist() == [0] * shape[0]
    assert coverage(has).tolist() == [0] * shape[0]


def test_coverage_is_the_share_of_the_question_by_rarity() -> None:
    has = held("11", "10", "00")
    heavy = rarity(has)
    assert coverage(has).tolist() == pytest.approx([1, heavy[0] / heavy.sum(), 0])


@given(
    st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_scores_are_shares_of_the_best(rows: list[list[bool]], chance: Random) -> None:
    has = np.array(rows, dtype=bool)
    lengths = [chance.randint(1, 300) for _ in rows]
    found = scores(has, lengths, sorted(chance.randint(0, 3) for _ in rows))
    assert (found >= 0).all()
    assert found.max() == (1 if has.any() else 0)


def test_the_best_of_a_sitting_is_everybodys() -> None:
    best = best_of_sitting(np.array([0.1, 0.5, -1, -2]), np.array([0, 0, 1, 1]))
    assert best.tolist() == [0.5, 0.5, -1, -1]


def unit(*angles: float) -> Floats:
    radians = np.radians(angles)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1)


def test_six_copies_fill_one_place() -> None:
    vectors = unit(0, 1, 2, 3, 4, 5, 60, 90)
    order = diverse(vectors, np.array([1, 0.99, 0.98, 0.97, 0.96, 0.95, 0.3, 0.2]), 8)
    assert order[:3] == [0, 6, 7]
    assert sorted(order) == list(range(8))


def test_what_resembles_nothing_keeps_its_place() -> None:
    vectors = unit(0, 40, 80, 120)
    assert diverse(vectors, np.array([0.9, 0.7, 0.8, 0.1]), 3) == [0, 2, 1]


def test_a_row_without_a_vector_is_no_copy() -> None:
    vectors = np.array([[1.0, 0], [1, 0], [np.nan, np.nan]])
    assert diverse(vectors, np.array([0.9, 0.8, 0.1]), 3) == [0, 2, 1]
    assert diverse(np.zeros((0, 2)), np.zeros(0), 3) == []
