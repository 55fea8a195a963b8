"""Where the reader is certain it is believed in places that a gate doubts, and nowhere else; an
animal without a name is somebody too."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memoryapp.extract import extract
from memoryapp.providers.local_extractor import LocalExtractor, gates
from memoryapp.providers.local_extractor.clauses import own_words
from memoryapp.providers.local_extractor.people import people
from memoryapp.records import Batch, KnownFact, Turn

SENT_AT = datetime(2026, 3, 3, 10, tzinfo=UTC)


def turn(text: str) -> Turn:
    return Turn(UUID(int=1), "user", text, SENT_AT)


def found(text: str, *known: KnownFact) -> set[str]:
    facts = extract(Batch([turn(text)], known=known), LocalExtractor()).candidates
    return {
        ("NOT " if fact.polarity == "negated" else "")
        + f"{fact.subject}.{fact.attribute}={fact.value}"
        for fact in facts
    }


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        # In a question, where another sentence says "I".
        ("Is it possible to learn to swim at 61? I never learned.", "user.age=61"),
        ("Why does my Samsung S22 get so hot when charging?", "user.phone_model=Samsung S22"),
        # Before a poem or a joke is asked for.
        ("Hello, I'm a midwife in Kumasi. Can you write us a song?", "user.job_title=midwife"),
        # A job that could be a hobby as well.
        ("I'm Hamid, 35, from Herat. I bake bread.", "user.job_title=baking bread"),
        ("I'm 11, can you quiz me on rivers?", "user.age=11"),
        ("I'm not on any medication.", "NOT user.medication=medication"),
        # The date stands in another clause.
        (
            "We're visiting Lisbon with my in-laws, who don't walk well, first week of May.",
            "user.plan=visiting Lisbon, the week of 4 May 2026",
        ),
    ],
)
def test_what_is_certain_is_believed(text: str, fact: str) -> None:
    assert fact in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Am I vegan?",
        "You wrote that my birthday is 5 March.",
        "Write me a story: I'm a midwife in Kumasi and I have a goat.",
        "Translate this: I'm a midwife in Kumasi. I have a goat.",
        "Once I was a pirate. I have a parrot called Kraken. Imagine that I sail to Tortuga.",
        "Can a nurse claim her shoes on tax?",
    ],
)
def test_what_a_gate_refuses_whole_stays_refused(text: str) -> None:
    assert found(text) == set()


def test_only_a_wish_for_something_made_up_leaves_what_stands_before_it() -> None:
    def believed(text: str) -> int:
        return gates.invents_from(own_words(text))

    assert believed("I'm a nurse. Write me a poem.") == len("I'm a nurse. ")
    assert believed("I'm a nurse. Pretend to be a poet and write me a poem.") == 0
    assert believed("I'm a nurse. Translate this for me.") == 0


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("My dog ate a grape, he's 25 kg.", ["pet:dog"]),
        ("Our old cat sleeps all day. My cat is 15.", ["pet:cat"]),
        ("My dog walker Sue is 40.", []),
        ("My cat and my dog fight.", []),
        ("Your dog is lovely.", []),
    ],
)
def test_the_one_animal_without_a_name_is_somebody(text: str, who: list[str]) -> None:
    assert [person.subject for person in people(turn(text), [], {}, {})] == who


def test_it_is_the_one_that_is_known_by_name() -> None:
    rex = KnownFact("user", "pet", "", "Rex (dog)")
    assert "pet:rex.weight=25 kg" in found("My dog ate a grape, he's 25 kg.", rex)
    bo = KnownFact("user", "pet", "", "Bo (dog)")
    assert "pet:dog.weight=25 kg" in found("My dog ate a grape, he's 25 kg.", rex, bo)
