"""Checks on the reader's values: what they once lost, and what they refuse."""

from __future__ import annotations

import pytest

from tests.test_local_extractor_certain import found


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I'm not pregnant and I don't plan to be.", "NOT user.pregnancy=pregnant"),
        ("I'm doing a master's in hydrology in Delft.", "user.education=master's"),
        (
            "i cant eat gluten (coeliac, diagnosed 2015), need a birthday cake",
            "NOT user.eats=gluten",
        ),
        ("I'm a fact checker, I can't guess.", "user.job_title=fact checker"),
        (
            "About me: Karolina, 28, Kraków, UX designer at a fintech, two cats, no kids.",
            "user.name=Karolina",
        ),
        (
            "I've read everything by Bessie Head, she's hands down my favourite",
            "user.favourite_author=Bessie Head",
        ),
        ("I like history stuff, not true crime though", "NOT user.likes=true crime"),
        # Its kind stands in another sentence than its name.
        (
            "Our tortoise is older than me. He's called Winston, he's sixty-two.",
            "user.pet=Winston (tortoise)",
        ),
        ("My bike is a green Mercian.", "user.vehicle=green Mercian"),
        ("My mother in law has diabetes.", "person:mother-in-law.health_condition=diabetes"),
    ],
)
def test_what_is_plainly_said_is_found(text: str, fact: str) -> None:
    assert fact in found(text)


@pytest.mark.parametrize(
    "text",
    [
        # Wished for this once.
        "I'm on a train with bad wifi, keep answers short for now.",
        # Not sure oneself, or of a time that is over.
        "I think I prefer tabs.",
        "When I lived in Kyoto, I walked a lot.",
        "I left the seminary at 23 and never told my mother.",
        "we share custody 50/50",
        # At table, not at work.
        "I use a fork.",
    ],
)
def test_what_only_looks_like_it_is_not(text: str) -> None:
    assert not [
        fact
        for fact in found(text)
        if fact.startswith(("user.answer", "user.ind", "user.home", "user.age", "user.uses"))
    ]


def test_not_too_long_asks_for_nothing_long() -> None:
    assert "user.answer_length=long" not in found("Please answer politely but not too long.")
