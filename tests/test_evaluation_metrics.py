"""Figures with their numerators, and what counts as worse."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memoryapp.evaluation.metrics import (
    Failure,
    Measure,
    NotARun,
    Run,
    Suite,
    Tally,
    compare,
    run_from_json,
)


def run(*measures: Measure, failures: tuple[str, ...] = (), skipped: str = "") -> Run:
    faults = [Failure(key, key) for key in failures]
    suite = Suite("cases", tuple(measures), tuple(faults), skipped=skipped)
    return Run("2026-01-01T00:00:00+00:00", "local 1", "minilm", (suite,))


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (Measure("m", 31, 34), "0.912 (31/34)"),
        (Measure("m", 0, 0), "— (0/0)"),
        (Measure("m", 3, 10_000, "count"), "3 of 10,000"),
        (Measure("m", 2000, 8, "rate"), "250/s (2,000 in 8.0 s)"),
    ],
)
def test_a_figure_shows_what_it_stands_on(measure: Measure, text: str) -> None:
    assert str(measure) == text


@pytest.mark.parametrize(
    ("measure", "met"),
    [
        (Measure("m", 97, 100, target=0.97), True),
        (Measure("m", 96, 100, target=0.97), False),
        (Measure("m", 5, 10_000, "count", "lower", target=5), True),
        (Measure("m", 6, 10_000, "count", "lower", target=5), False),
        (Measure("m", 0, 0, target=0.97), None),
        (Measure("m", 1, 2), None),
    ],
)
def test_targets(measure: Measure, met: bool | None) -> None:
    assert measure.met is met


def test_tallies_add_up_to_precision_and_recall() -> None:
    precision, recall = (Tally(3, 4, 2, 5) + Tally(1, 1, 0, 0)).measures("all:")
    assert (str(precision), str(recall)) == ("0.800 (4/5)", "0.400 (2/5)")
    assert precision.name == "all: precision"


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        (Measure("m", 9, 10), Measure("m", 8, 10), True),
        (Measure("m", 8, 10), Measure("m", 9, 10), False),
        (Measure("m", 8, 10), Measure("m", 16, 20), False),
        (Measure("m", 1, 9, "count", "lower"), Measure("m", 2, 9, "count", "lower"), True),
        (Measure("m", 2, 9, "count", "lower"), Measure("m", 1, 9, "count", "lower"), False),
        (Measure("m", 9, 9, better=""), Measure("m", 1, 9, better=""), False),
        # Speed within a fifth is chance.
        (Measure("m", 100, 1, "rate"), Measure("m", 85, 1, "rate"), False),
        (Measure("m", 100, 1, "rate"), Measure("m", 75, 1, "rate"), True),
    ],
)
def test_worse_is_the_wrong_direction(before: Measure, after: Measure, worse: bool) -> None:
    assert compare(run(before), run(after)).got_worse is worse


def test_a_new_failure_is_worse_even_when_the_share_is_the_same() -> None:
    share = Measure("m", 9, 10)
    compared = compare(run(share, failures=("a",)), run(share, failures=("b",)))
    assert [failure.key for _, failure in compared.new_failures] == ["b"]
    assert compared.got_worse
    assert not compare(run(share, failures=("a", "b")), run(share, failures=("a",))).got_worse


def test_what_only_the_older_run_has_is_named_and_not_judged() -> None:
    compared = compare(run(Measure("old", 1, 1)), run(Measure("new", 0, 1)))
    assert compared.missing == ["cases: old"]
    assert not compared.got_worse


def test_a_suite_that_was_skipped_before_has_no_new_failures() -> None:
    before, after = run(skipped="no data"), run(failures=("a",))
    assert not compare(before, after).got_worse


def test_a_run_survives_json() -> None:
    there = run(Measure("m", 9, 10, target=0.5), failures=("a",))
    assert run_from_json(json.loads(json.dumps(there.as_json()))) == there


@pytest.mark.parametrize("data", [[], {}, {"format": 1}, {"format": 99}, None])
def test_anything_else_is_no_run(data: object) -> None:
    with pytest.raises(NotARun):
        run_from_json(data)


def test_a_run_of_another_format_is_refused() -> None:
    with pytest.raises(NotARun, match="format 7"):
        run_from_json(replace(run(), format=7).as_json())
