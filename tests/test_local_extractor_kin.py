"""What is said in passing of a wife, a husband or children is kept; of those who are gone, denied,
somebody else's or made up, nothing is."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memoryapp.extract import extract
from memoryapp.providers.local_extractor import LocalExtractor
from memoryapp.records import Batch, KnownFact, Turn

KIN = ("marital_status", "children")


def found(text: str, *known: KnownFact) -> set[str]:
    turn = Turn(UUID(int=1), "user", text, datetime(2026, 3, 3, 10, tzinfo=UTC))
    facts = extract(Batch([turn], known=known), LocalExtractor()).candidates
    return {f"{fact.attribute}={fact.value}" for fact in facts if fact.attribute in KIN}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("How do I get my daughter to sleep?", {"children=a daughter"}),
        ("How do I get my 3 year old daughter to sleep?", {"children=a 3 year old daughter"}),
        ("my wife snores like a tractor", {"marital_status=married"}),
        (
            "My boyfriend and our two kids want a tent, which one?",
            {"marital_status=in a relationship", "children=two kids"},
        ),
        ("Could you write a polite email to my husband's boss?", {"marital_status=married"}),
        ("My fiancée is vegan, what do I cook?", {"marital_status=engaged"}),
        ("is it normal for my twins to speak late", {"children=twins"}),
        (
            "We were up all night and my wife thinks it's the milk. Is it?",
            {"marital_status=married"},
        ),
        ("husband snores like a tractor and I'm awake", {"marital_status=married"}),
        ("What do I text my bf's mom?", {"marital_status=in a relationship"}),
        ("A gift for my Japanese husband's parents?", {"marital_status=married"}),
        # One's own words, up to where hers begin.
        ("my wife says I should just ask. Should I?", {"marital_status=married"}),
    ],
)
def test_who_is_taken_for_granted(text: str, told: set[str]) -> None:
    assert found(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "My ex wife wants the car.",
        "My husband was a teacher.",
        "husband and wife teams, I hear, who taxes them",
        "boyfriend material, I hear it often, what is it?",
        "My sister says my wife is late.",
        "My late husband loved roses.",
        "My wife died last year.",
        "She isn't my girlfriend!",
        "If I had a son I'd call him Otto.",
        "My daughter-in-law is Korean.",
        "Translate into French: my wife is ill.",
        "My boss said my wife was right.",
        'He wrote "my kids love it", should I believe that?',
        "Pretend you are my wife.",
        "My kids in class 4 can't sit still, what do teachers do?",
        "How do people get their daughter to sleep?",
        # His own name says it nearer.
        "My son Leo is five.",
    ],
)
def test_who_is_not(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    "known",
    [
        KnownFact("user", "marital_status", "", "widowed"),
        KnownFact("person:ana", "relation", "", "wife"),
    ],
)
def test_what_is_known_better_stays(known: KnownFact) -> None:
    assert found("My wife snores like a tractor.", known) == set()
