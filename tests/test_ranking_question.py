"""What a question asks, read from its words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryapp.ranking import Event, Span, read
from memoryapp.ranking.question import Question

NOW = datetime(2026, 5, 26, 10, tzinfo=UTC)
CHAT = ("user", "assistant")


def of(query: str, authors: tuple[str, ...] = CHAT) -> Question:
    return read(query, authors=authors, now=NOW, time_zone="UTC")


def day(month: int, number: int) -> datetime:
    return datetime(2026, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "author"),
    [
        ("Where do I keep my skis?", "user"),
        ("¿Dónde vivo?", "user"),
        ("What was the wine you recommended?", "assistant"),
        ("Which beach did you suggest for May?", "assistant"),
        ("What stood in our last chat about Ghent?", "assistant"),
        ("Can you recommend a film?", "user"),
    ],
)
def test_whose_words_should_answer(query: str, author: str) -> None:
    assert of(query).author == author


def test_without_the_assistants_messages_nobody_else_is_asked() -> None:
    assert of("What wine did you recommend?", ("user",)).author == ""


def test_a_name_is_the_author_and_no_word_of_the_question() -> None:
    question = of("What did Ann's sister paint?", ("Ann", "Bo"))
    assert (question.author, question.text) == ("Ann", "What did sister paint?")
    assert of("Where is A.J. now?", ("A.J.", "Bo")).author == "A.J."


def test_two_names_ask_nobody_in_particular_and_a_part_of_a_name_is_none() -> None:
    assert of("Where did Ann meet Bo?", ("Ann", "Bo")).author == ""
    assert of("Who is Anna?", ("Ann", "Bo")).author == ""


def test_a_question_of_names_alone_keeps_its_text() -> None:
    assert of("Ann", ("Ann", "Bo")).text == "Ann"


@pytest.mark.parametrize(
    ("query", "span"),
    [
        ("What did I cook yesterday?", Span(day(5, 25), day(5, 26))),
        ("What did I cook in March?", Span(day(3, 1), day(4, 1))),
        ("What have I cooked since May?", Span(day(5, 1), NOW)),
    ],
)
def test_time_words_become_a_range(query: str, span: Span) -> None:
    assert list(of(query).spans) == [span]


@pytest.mark.parametrize(
    "query",
    [
        "What was the 7th job on the list?",
        "What do I do next week?",
        "Should I buy it now?",
        "How long have I lived here since 2019?",
        "What do I do every Sunday?",
    ],
)
def test_what_says_nothing_of_a_past_time_makes_no_range(query: str) -> None:
    assert not of(query).spans


@pytest.mark.parametrize(
    ("query", "present"),
    [
        ("Where do I live?", "implied"),
        ("Where does Ann currently live?", "said"),
        ("Where did I live?", ""),
        ("Where do I live when I'm in Spain?", ""),
        ("Where does Ann live?", ""),
        ("What was my first job?", ""),
    ],
)
def test_whether_the_present_is_asked_for(query: str, present: str) -> None:
    assert of(query).present == present


@pytest.mark.parametrize(
    ("query", "event"),
    [
        ("Where did I work before I moved to Ghent?", Event("before", "I moved to Ghent")),
        ("When I was in Rome, what did I eat?", Event("when", "I was in Rome")),
        ("When do I leave?", None),
        ("What came before May?", None),
    ],
)
def test_a_time_told_by_what_happened(query: str, event: Event | None) -> None:
    assert of(query).event == event
