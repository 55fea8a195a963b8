"""The order of messages for a question, and whether they answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memoryapp.ranking import (
    ANSWERABLE,
    Messages,
    Question,
    Ranking,
    Signals,
    Span,
    gather,
    settle,
)
from memoryapp.ranking.answerable import probability
from memoryapp.ranking.messages import AUTHOR, OF_YOU, only_asks

NOW = datetime(2026, 5, 26, 10, tzinfo=UTC)
LAST = 86_400.0 * 7


def said(
    *rows: tuple[str, float, str, float],
    apart: bool = True,
    days: Sequence[float] = (),
) -> Messages:
    """Messages of (author, cosine, lexemes as digits, length), a minute apart, each in a
    conversation of its own unless ``apart`` is false; ``days`` are how long ago."""
    n = len(rows)
    ago = np.array(days) if days else np.zeros(n)
    return Messages(
        conversation=np.arange(n) if apart else np.zeros(n, dtype=int),
        sent_at=NOW.timestamp() - ago * 86_400 + np.arange(n) * 60.0,
        author=[row[0] for row in rows],
        length=np.array([int(row[3]) for row in rows]),
        has=np.array([[digit == "1" for digit in row[2]] for row in rows], dtype=bool),
        cosine=np.array([row[1] for row in rows]),
    )


def ranked(question: Question, messages: Messages, *texts: str) -> Ranking:
    first = gather(question, messages)
    every = dict(enumerate(texts)) if texts else {row: "I did." for row in range(99)}
    return settle(first, {row: every[row] for row in first.candidates})


def order(ranking: Ranking) -> list[int]:
    return [hit.row for hit in ranking.hits]


def test_vector_and_words_together_beat_either() -> None:
    messages = said(("user", 0.5, "00", 9), ("user", 0.4, "11", 9), ("user", 0.1, "11", 9))
    assert order(ranked(Question("q"), messages)) == [1, 2, 0]


def test_a_message_without_a_vector_is_found_by_its_words() -> None:
    messages = said(("user", 0.4, "00", 9), ("user", np.nan, "11", 9), ("user", 0.1, "10", 9))
    ranking = ranked(Question("q"), messages)
    assert order(ranking)[0] == 1
    assert ranking.hits[0].parts.vector == 0


def test_without_any_vector_the_words_decide() -> None:
    messages = said(("user", np.nan, "10", 9), ("user", np.nan, "11", 9))
    ranking = ranked(Question("q"), messages)
    assert order(ranking) == [1, 0]
    assert ranking.signals.cosine == 0


def test_the_order_in_which_rows_come_is_of_no_account() -> None:
    rows = [("user", 0.1, "10", 4), ("user", 0.2, "01", 4), ("user", 0.3, "00", 4)]
    forward = said(*rows, apart=False)
    turned = replace(
        forward,
        sent_at=forward.sent_at[::-1],
        author=forward.author[::-1],
        length=forward.length[::-1],
        has=forward.has[::-1],
        cosine=forward.cosine[::-1],
    )
    there, back = ranked(Question("q"), forward), ranked(Question("q"), turned)
    assert [2 - row for row in order(back)] == order(there)
    assert [hit.score for hit in back.hits] == pytest.approx([hit.score for hit in there.hits])


def test_who_is_asked_counts_and_speaking_of_you_alone_counts_half() -> None:
    messages = said(("user", 0.4, "1", 9), ("assistant", 0.4, "1", 9), ("assistant", 0.4, "1", 9))
    ranking = ranked(
        Question("q", author="assistant"), messages, "I ski.", "The red wine.", "You should ski."
    )
    assert order(ranking) == [1, 2, 0]
    assert [hit.parts.author for hit in ranking.hits] == pytest.approx([AUTHOR, AUTHOR * OF_YOU, 0])


def test_a_message_of_the_time_named_comes_first_and_so_does_one_soon_after() -> None:
    span = Span(NOW - timedelta(days=40), NOW - timedelta(days=33))
    messages = said(*[("user", 0.4, "1", 9)] * 4, days=[0, 36, 28, 60])
    ranking = ranked(Question("q", spans=[span]), messages)
    assert set(order(ranking)[:2]) == {1, 2}
    assert [hit.parts.time > 0 for hit in ranking.hits] == [True, True, False, False]


def test_what_only_asks_gives_way_to_what_tells() -> None:
    messages = said(("user", 0.42, "1", 9), ("user", 0.4, "1", 9))
    ranking = ranked(Question("q"), messages, "Where is it?", "It is here. Fine? Yes.")
    assert order(ranking) == [1, 0]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where?", True),
        ("Nice. Where is it?", True),
        ("どこですか？", True),
        ("I moved. I like it. And you?", False),
        ("Here.", False),
        ("", False),
    ],
)
def test_what_only_asks(text: str, asks: bool) -> None:
    assert only_asks(text) is asks


def test_the_sitting_of_a_good_message_lifts_its_others() -> None:
    messages = Messages(
        conversation=np.array([0, 0, 1]),
        sent_at=np.array([0.0, 60, 120]),
        author=["user"] * 3,
        length=np.array([99, 99, 99]),
        has=np.zeros((3, 1), dtype=bool),
        cosine=np.array([0.7, 0.30, 0.32]),
    )
    assert order(ranked(Question("q"), messages)) == [0, 1, 2]


STATES = (("user", 0.60, "11", 9), ("user", 0.50, "11", 9), ("user", 0.52, "00", 9))


@pytest.mark.parametrize(("present", "first"), [("", 0), ("implied", 1), ("said", 1)])
def test_for_the_present_the_newest_of_one_thing_goes_first(present: str, first: int) -> None:
    messages = said(*STATES, days=[30, 2, 1])
    ranking = ranked(Question("q", present=present), messages)  # type: ignore[arg-type]
    assert order(ranking)[0] == first
    assert sorted(order(ranking)) == [0, 1, 2]


def test_what_is_far_worse_does_not_pass_for_being_newer() -> None:
    messages = said(("user", 0.8, "11", 9), ("user", 0.1, "10", 9), days=[30, 1])
    assert order(ranked(Question("q", present="said"), messages)) == [0, 1]


def test_a_candidate_that_was_erased_meanwhile_is_left_out() -> None:
    first = gather(Question("q"), said(("user", 0.6, "1", 9), ("user", 0.5, "1", 9)))
    assert [hit.row for hit in settle(first, {1: "I did."}).hits] == [1]
    assert settle(first, {}) == Ranking((), 0.0, Signals())


def test_the_same_question_asked_before_is_no_answer() -> None:
    """Nor is what the assistant said to it found by its words."""
    rows = [("user", 0.97, "11", 2), ("assistant", 0.3, "00", 4), ("user", 0.5, "10", 4)]
    texts = ("Where do I keep my skis?", "I don't have that.", "I keep them in the attic.")
    messages = replace(said(*rows, apart=False), conversation=np.array([0, 0, 1]))
    ranking = ranked(Question("q", author="user"), messages, *texts)
    assert order(ranking) == [2, 1]
    assert ranking.hits[1].parts.words == 0
    assert ranking.signals.cosine == pytest.approx(0.5)
    assert ranking.signals.unheard > 0


def test_a_statement_in_the_questions_own_words_is_found() -> None:
    rows = [("user", 0.99, "11", 2), ("user", 0.5, "10", 4)]
    assert order(ranked(Question("q"), said(*rows), "I like tea.", "I like it.")) == [0, 1]


def test_a_question_asked_every_day_does_not_crowd_out_its_answer() -> None:
    rows = [*[("user", 0.97, "11", 2)] * 100, ("user", 0.3, "10", 4)]
    texts = [*["Where do I keep my skis?"] * 100, "I keep them in the attic."]
    assert order(ranked(Question("q", author="user"), said(*rows), *texts)) == [100]


def test_no_messages_answer_nothing() -> None:
    empty = Messages(
        np.zeros(0, dtype=int), np.zeros(0), [], np.zeros(0, dtype=int),
        np.zeros((0, 2), dtype=bool), np.zeros(0),
    )  # fmt: skip
    first = gather(Question("q"), empty)
    assert first.candidates == ()
    assert settle(first, {}).answerable == 0


def test_what_another_said_does_not_answer_for_the_one_asked() -> None:
    rows = [("Ann", 0.5, "111", 9), ("Bo", 0.2, "000", 9), ("Bo", 0.2, "000", 9)]
    texts = ("I ran a race.", "I like tea.", "I see.")
    right = ranked(Question("q", author="Ann"), said(*rows), *texts)
    wrong = ranked(Question("q", author="Bo"), said(*rows), *texts)
    assert right.answerable > ANSWERABLE > wrong.answerable
    assert right.signals.said > 0 > wrong.signals.said


def test_between_people_you_speaks_of_the_other() -> None:
    rows = [("Ann", 0.5, "11", 9), ("Bo", 0.2, "00", 9)]
    question = Question("q", author="Bo")
    told = ranked(question, said(*rows), "You ran a race!", "I see.")
    own = ranked(question, said(*rows), "I ran a race!", "I see.")
    assert told.signals.close > own.signals.close


def test_words_that_nobody_said_speak_against_an_answer() -> None:
    known = ranked(Question("q"), said(("user", 0.4, "11", 9), ("user", 0.1, "00", 9)))
    unknown = ranked(Question("q"), said(("user", 0.4, "10", 9), ("user", 0.1, "00", 9)))
    assert known.signals.unheard == 0
    assert unknown.answerable < known.answerable


def test_the_probability_holds_at_the_ends() -> None:
    assert probability(Signals(said=1e6, compared=True)) == pytest.approx(1)
    assert probability(Signals(said=-1e6, compared=True)) == pytest.approx(0)


def test_where_one_author_is_all_there_is_words_and_nearness_decide() -> None:
    held = [("user", 0.4, "11", 5), ("user", 0.1, "00", 5)]
    near = [("user", 0.4, "00", 5), ("user", 0.1, "00", 5)]
    question = Question("q", author="user")
    right, wrong = ranked(question, said(*held)), ranked(question, said(*near))
    assert right.answerable > ANSWERABLE > wrong.answerable
    assert not right.signals.compared
    assert (right.signals.held, wrong.signals.held) == (1, 0)
