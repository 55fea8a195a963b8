"""What follows from what in a message: the words between two statements, and the links."""

from __future__ import annotations

import pytest

from accounts.models import User
from memoryapp import pipeline
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Fact, FactLink
from memoryapp.reasons import reasons
from memoryapp.records import RecallOptions
from tests.chat import said, tell


def found(text: str, *quotes: str) -> list[tuple[str, str, float]]:
    """Effect, cause and weight of each reason."""
    spans = [(start := text.index(quote), start + len(quote)) for quote in quotes]
    return [(quotes[r.effect], quotes[r.cause], r.weight) for r in reasons(text, spans)]


@pytest.mark.parametrize(
    ("text", "effect", "cause"),
    [
        ("I moved to Lyon because I work there", "I moved to Lyon", "I work there"),
        ("I quit coffee, mainly because of my migraines", "I quit coffee", "my migraines"),
        ("I'm allergic to nuts, so I skip satay", "I skip satay", "I'm allergic to nuts"),
        ("I sold the car. That's why I cycle now.", "I cycle now", "I sold the car"),
        ("Ida was born, which is why we moved.", "we moved", "Ida was born"),
        ("Because I work nights, I want short answers", "I want short answers", "I work nights"),
        ("Wohne in Thun, weil ich in Bern arbeite", "Wohne in Thun", "ich in Bern arbeite"),
        ("Weil ich in Bern arbeite, wohne ich in Thun", "wohne ich in Thun", "ich in Bern arbeite"),
        ("Vivo en Vigo porque trabajo allí", "Vivo en Vigo", "trabajo allí"),
        ("J'habite à Brest parce que j'y travaille", "J'habite à Brest", "j'y travaille"),
        ("मैं दिल्ली में रहता हूँ क्योंकि काम वहीं है", "मैं दिल्ली में रहता हूँ", "काम वहीं है"),
        ("因为我住在北京，所以我坐地铁", "我坐地铁", "我住在北京"),
    ],
)
def test_a_reason(text: str, effect: str, cause: str) -> None:
    for quotes in ((effect, cause), (cause, effect)):
        assert found(text, *quotes) == [(effect, cause, 1.0)]


def test_words_that_may_be_of_time_weigh_less() -> None:
    text = "Since I work nights, I sleep late"
    assert found(text, "I work nights", "I sleep late") == [("I sleep late", "I work nights", 0.6)]


@pytest.mark.parametrize(
    "text",
    [
        "I play the oud and I live in Haifa",
        "I play the oud. I live in Haifa",
        "I play the oud, also I live in Haifa",
        "I play the oud so far, and I live in Haifa",
        "I play the oud because nobody else in the whole wide town would do it. I live in Haifa",
    ],
)
def test_no_reason(text: str) -> None:
    assert found(text, "I play the oud", "I live in Haifa") == []


def test_statements_in_between_break_it() -> None:
    text = "I live in Oslo, I ski, because I like snow"
    assert found(text, "I live in Oslo", "I ski", "I like snow") == [("I ski", "I like snow", 1.0)]


@pytest.mark.django_db
def test_the_users_reason_is_kept_and_walked(owner: User) -> None:
    tell(owner, said("2026-03-01", "I'm vegetarian because my wife Lena is vegan."))
    with acting_for(owner.pk):
        [link] = FactLink.objects.filter(user_id=owner.pk)
        ends = Fact.objects.in_bulk([link.source_id, link.target_id])
        assert link.kind == FactLink.Kind.FOLLOWS_FROM
        assert (ends[link.source_id].subject, ends[link.source_id].value) == ("user", "vegetarian")
        assert (ends[link.target_id].subject, ends[link.target_id].value) == (
            "person:lena",
            "vegan",
        )
    result = pipeline.recall(
        user_id=owner.pk,
        query="Am I vegetarian?",
        options=RecallOptions(),
        by=Actor.user(owner),
    )
    [because] = result.hits[0].related
    assert because.kind == "follows_from"
    assert "vegan" in because.statement
