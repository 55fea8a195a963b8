"""The timeline of one key, and the words for what became of a statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.reconcile import (
    combined_confidence,
    fact_key,
    named,
    normalise_value,
    timeline,
    value_key,
    verdict,
)
from memoryapp.records import Assertion, Candidate, Run

START = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def said(value: str, on: int, **fields: object) -> Assertion:
    """A statement made on the given day."""
    made = Assertion(
        id=uuid4(), fact_id=None, value=value, value_key=value.casefold(), sent_at=day(on)
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def no_longer(value: str, on: int, **fields: object) -> Assertion:
    return said(value, on, operation="end", polarity="negated", **fields)


def spans(runs: Sequence[Run]) -> list[tuple[str, datetime, datetime | None, str]]:
    """What the statements of ``runs`` say, without the marks of "no longer"."""
    return [
        (run.value, run.valid_from, run.valid_to, run.supersession)
        for run in runs
        if run.operation == "state"
    ]


def test_nothing_said_is_no_timeline() -> None:
    assert timeline([], single=True) == []


def test_dark_light_dark_is_three_intervals_and_one_open() -> None:
    statements = [said("dark", 1), said("light", 5), said("dark", 9)]
    expected = [
        ("dark", day(1), day(5), "change"),
        ("light", day(5), day(9), "change"),
        ("dark", day(9), None, ""),
    ]
    for order in permutations(statements):
        runs = timeline(order, single=True)
        assert spans(runs) == expected
        assert [run.open for run in runs] == [False, False, True]
        assert [run.successor for run in runs] == [1, 2, None]


def test_a_repetition_joins_the_run_it_repeats() -> None:
    (run,) = timeline([said("dark", 1), said("dark", 4), said("dark", 2)], single=True)
    assert (run.valid_from, run.valid_to, len(run.assertions)) == (day(1), None, 3)


def test_a_correction_retires_the_value_and_takes_its_place_in_time() -> None:
    samantha, sam = timeline([said("Samantha", 1), said("Sam", 6, correction=True)], single=True)
    assert (samantha.retired, samantha.supersession, samantha.successor) == (
        True,
        "correction",
        1,
    )
    assert (sam.valid_from, sam.valid_to, sam.open) == (day(1), None, True)


def test_words_about_the_start_count_but_not_before_something_else_held() -> None:
    # "Since 2019" is believed; it can't reach back over a day on which Paris was stated.
    runs = timeline([said("Paris", 10), said("Lyon", 20, valid_from=day(5))], single=True)
    assert spans(runs) == [
        ("Paris", day(10), day(10), "change"),
        ("Lyon", day(10), None, ""),
    ]
    (alone,) = timeline([said("Lyon", 20, valid_from=day(5), precision="day")], single=True)
    assert (alone.valid_from, alone.precision) == (day(5), "day")


def test_no_longer_closes_the_named_value_only() -> None:
    runs = timeline([said("Vim", 1), no_longer("Emacs", 3)], single=True)
    assert spans(runs) == [("Vim", day(1), None, "")]
    runs = timeline([said("Vim", 1), no_longer("Vim", 3)], single=True)
    assert spans(runs) == [("Vim", day(1), day(3), "end")]
    assert not any(run.open for run in runs)


def test_an_end_and_a_beginning_in_one_breath() -> None:
    runs = timeline(
        [said("Vim", 1), said("VS Code", 3, start=4), no_longer("Vim", 3, start=20)],
        single=True,
    )
    assert spans(runs) == [("Vim", day(1), day(3), "change"), ("VS Code", day(3), None, "")]


def test_a_negation_of_a_single_value_ends_it_but_of_one_of_several_is_a_statement() -> None:
    statements = [said("Paris", 1), said("Paris", 4, polarity="negated")]
    assert not any(run.open for run in timeline(statements, single=True))
    runs = timeline(statements, single=False)
    assert [(run.polarity, run.open) for run in runs] == [("affirmed", False), ("negated", True)]


def test_a_told_past_stands_beside_the_present() -> None:
    runs = timeline([said("Paris", 1), said("Rome", 4, valid_to=day(-900))], single=True)
    assert spans(runs) == [
        ("Paris", day(1), None, ""),
        ("Rome", day(-900), day(-900), "end"),
    ]


# -- Properties ----------------------------------------------------------------------------------

maybe_day = st.one_of(st.none(), st.integers(-20, 20).map(day))
statement = st.builds(
    said,
    st.sampled_from(["dark", "light", "Dark"]),
    st.integers(0, 6),
    start=st.integers(0, 2),
    polarity=st.sampled_from(["affirmed", "negated"]),
    operation=st.sampled_from(["state", "state", "state", "end"]),
    correction=st.sampled_from([False, False, True]),
    valid_from=maybe_day,
    valid_to=maybe_day,
)
statements = st.lists(statement, min_size=1, max_size=8)


def meaning(runs: Sequence[Run]) -> list[tuple[object, ...]]:
    """A timeline without ids and without how often a thing was said. Of two spellings
    that count as the same either may be shown."""
    return [
        (
            run.value_key,
            run.polarity,
            run.operation,
            run.valid_from,
            run.valid_to,
            run.precision,
            run.supersession,
            run.retired,
            run.successor,
        )
        for run in runs
    ]


@given(given_statements=statements, single=st.booleans(), data=st.data())
@settings(max_examples=200, deadline=None)
def test_any_order_and_any_repetition_of_deliveries_give_the_same_runs(
    given_statements: list[Assertion], single: bool, data: st.DataObject
) -> None:
    again = data.draw(st.lists(st.sampled_from(given_statements), max_size=4))
    delivered = data.draw(
        st.permutations(given_statements + [replace(a, id=uuid4()) for a in again])
    )
    assert meaning(timeline(delivered, single=single)) == meaning(
        timeline(given_statements, single=single)
    )


@given(given_statements=statements, single=st.booleans(), data=st.data())
@settings(max_examples=200, deadline=None)
def test_taking_statements_in_one_by_one_gives_what_all_at_once_gives(
    given_statements: list[Assertion], single: bool, data: st.DataObject
) -> None:
    held: list[Assertion] = []
    for assertion in data.draw(st.permutations(given_statements)):
        runs = timeline([*held, assertion], single=single)
        # A row keeps one value, polarity and operation for all its evidence.
        held = [
            replace(
                a,
                value=run.value,
                value_key=run.value_key,
                polarity=run.polarity,
                operation=run.operation,
            )
            for run in runs
            for a in run.assertions
        ]
    assert meaning(timeline(held, single=single)) == meaning(
        timeline(given_statements, single=single)
    )


@given(given_statements=statements, single=st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_statement_is_kept_once_and_at_most_one_run_is_open(
    given_statements: list[Assertion], single: bool
) -> None:
    runs = timeline(given_statements, single=single)
    kept: list[UUID] = [a.id for run in runs for a in run.assertions]
    assert sorted(kept) == sorted(a.id for a in given_statements)
    assert sum(run.open for run in runs) <= 1
    assert all(run.valid_to is None or run.valid_to >= run.valid_from for run in runs)


# -- Verdicts ------------------------------------------------------------------------------------


def outcome_of_last(*statements: Assertion, single: bool = True) -> str:
    *held, new = statements
    known = [replace(a, fact_id=uuid4()) for a in held]
    return verdict(timeline([*known, new], single=single), new.id).outcome


def test_verdicts() -> None:
    assert outcome_of_last(said("dark", 1)) == "add"
    assert outcome_of_last(said("dark", 1), said("Dark", 3)) == "corroborate"
    assert outcome_of_last(said("dark", 1), said("light", 3)) == "supersede"
    assert outcome_of_last(said("dark", 3), said("light", 1)) == "add"
    assert outcome_of_last(said("dark", 1), no_longer("dark", 3)) == "retract"


@pytest.mark.parametrize(
    "held",
    [
        (),
        (said("Vim", 1), no_longer("Vim", 3)),
        (said("Vim", 1, valid_to=day(-9)),),
        (said("Emacs", 1),),
    ],
)
def test_ending_what_is_not_held_is_ignored(held: tuple[Assertion, ...]) -> None:
    assert outcome_of_last(*held, no_longer("Vim", 9)) == "ignore"


def test_an_end_that_names_no_value_ends_whatever_is_held() -> None:
    assert outcome_of_last(said("Vim", 1), no_longer("", 2)) == "retract"


def test_a_statement_that_is_not_in_the_timeline_has_no_verdict() -> None:
    with pytest.raises(LookupError):
        verdict(timeline([said("dark", 1)], single=True), uuid4())


# -- Small parts ---------------------------------------------------------------------------------


def test_repetition_raises_confidence_but_never_to_certainty() -> None:
    assert combined_confidence([0.8]) == pytest.approx(0.8)
    assert combined_confidence([0.8, 0.8]) == pytest.approx(0.88)
    assert combined_confidence([0.9] * 50) == 0.99


def test_values_are_compared_without_case_article_and_punctuation() -> None:
    candidate = Candidate("user", "pet", "The  Dog.", quote=None, sent_at=START)
    assert value_key(candidate) == "dog"
    assert fact_key(candidate, single=False) == ("user", "pet", "", "dog")
    assert fact_key(candidate, single=True) == ("user", "pet", "", "")


def test_a_typed_value_is_tidied_or_refused() -> None:
    assert normalise_value("  two\n words ") == "two words"
    for wrong in ("", "  ", "x" * 501):
        with pytest.raises(ValueError, match="value"):
            normalise_value(wrong)


@dataclass(frozen=True)
class Held:
    attribute: str
    value: str


@pytest.mark.parametrize(
    ("wish", "named_values"),
    [
        ("I like green tea", {"green tea"}),
        ("green tea, black tea", {"green tea", "black tea"}),
        ("green, black and white", set()),
        ("my favourite band is Kneecap", {"Kneecap"}),
        ("I like C++ and C#", {"C++"}),
    ],
)
def test_what_a_wish_to_forget_names(wish: str, named_values: set[str]) -> None:
    held = [
        Held("drinks", "green tea"),
        Held("drinks", "black tea"),
        Held("favourite_band", "Kneecap"),
        Held("likes", "Kneecap"),
        Held("language", "C++"),
    ]
    found = named(wish, held)
    assert {one.value for one in found} == named_values
    assert len(found) == len(named_values)
