"""Recall: what is found, ranked and left out, at which time, for whom. Real vectors."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from memoryapp import providers, recall
from memoryapp.context import acting_for
from memoryapp.models import Fact, FactEmbedding, FactUsage
from memoryapp.records import RecallOptions
from tests.remember import NOW, ask, day, found, remember

LIFE = (
    ("name", "Samir Okafor"),
    ("home", "Lisbon"),
    ("employer", "Northwind Freight"),
    ("pet", "a tabby cat called Miso"),
    ("allergy", "peanuts"),
    ("coffee_order", "flat white with oat milk"),
    ("favourite_colour", "teal"),
    ("editor", "VS Code"),
    ("instrument", "cello"),
    ("plan", "a trip to Kyoto in October"),
    ("budget", "1500 euros a month for rent"),
    ("likes", "long train journeys"),
)


@pytest.fixture
def samir(owner: User) -> User:
    for attribute, value in LIFE:
        remember(owner, attribute, value)
    return owner


# -- What is found -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is my cat called?", "a tabby cat called Miso"),
        ("Who do I work for?", "Northwind Freight"),
        ("What am I allergic to?", "peanuts"),
        ("How do I take my coffee?", "flat white with oat milk"),
        ("What's my favourite color?", "teal"),
        ("Which code editor do I use?", "VS Code"),
        ("When is my holiday in Japan?", "a trip to Kyoto in October"),
        ("How much rent can I afford?", "1500 euros a month for rent"),
    ],
)
def test_a_question_finds_its_fact_first(samir: User, question: str, value: str) -> None:
    result = ask(samir, question)
    assert found(result)[:1] == [value]
    assert not result.abstained


@pytest.mark.parametrize(
    "question",
    [
        "What is my blood type?",
        "When is my dentist appointment?",
        "Explain quantum entanglement",
        "Which church do I attend?",
        "How many shares of Apple do I own?",
        "hello",
        "???",
        "the of and",
    ],
)
def test_a_question_about_something_else_finds_nothing(samir: User, question: str) -> None:
    result = ask(samir, question)
    assert found(result) == []
    assert result.abstained


def test_an_empty_memory_abstains(owner: User) -> None:
    assert ask(owner, "What am I allergic to?").abstained


def test_each_hit_explains_its_score(samir: User) -> None:
    fact_id = remember(samir, "likes", "rock climbing", day("2025-12-03"), confidence=0.6)
    with acting_for(samir.pk):
        recall.usage(user_id=samir.pk, fact_ids=[fact_id], now=NOW)
    [hit] = ask(samir, "Do I like rock climbing?", k=1, time_weight=0.4).hits
    p = hit.parts
    assert p.stickiness == pytest.approx(1 + math.log(2))
    assert p.age_days == pytest.approx(180.5)
    assert p.recency == pytest.approx(0.5 ** (180.5 / (1 + math.log(2)) / 180))
    assert p.relevance == pytest.approx(0.3 * (0.5 * p.vector + 0.5 * p.text) + 0.7 * p.support)
    assert (p.confidence, p.importance) == (0.6, 0.5)
    assert hit.score == pytest.approx((0.6 * p.relevance + 0.4 * p.recency) * 0.6 * 0.5)


def test_a_true_old_fact_is_not_buried(owner: User) -> None:
    remember(owner, "drinks", "matcha with oat milk every morning", NOW - timedelta(days=365))
    for number in range(28):
        remember(owner, "likes", f"walking route number {number}", NOW - timedelta(hours=number))
    result = ask(owner, "matcha with oat milk every morning", floor=0.0, k=50)
    assert found(result)[0] == "matcha with oat milk every morning"
    assert len(result.hits) == 29


def test_half_lives_come_from_the_call_else_the_attribute_else_the_kind(owner: User) -> None:
    remember(owner, "likes", "rock climbing", NOW - timedelta(days=180))
    remember(owner, "allergy", "rock dust", NOW - timedelta(days=180))

    def recency(**options: Any) -> dict[str, float]:
        hits = ask(owner, "rock", floor=0.0, **options).hits
        return {hit.fact["kind"]: hit.parts.recency for hit in hits}

    assert recency() == {"preference": pytest.approx(0.5), "constraint": 1.0}
    assert recency(half_life_days=90.0) == {
        "preference": pytest.approx(0.25),
        "constraint": pytest.approx(0.25),
    }
    with connection.cursor() as cursor:
        cursor.execute("UPDATE memoryapp_attribute SET half_life_days = 60 WHERE key = 'likes'")
    assert recency()["preference"] == pytest.approx(0.125)


def test_a_fact_of_no_importance_is_never_recalled(owner: User) -> None:
    remember(owner, "editor", "Vim", importance=0.0)
    assert ask(owner, "Which editor do I use?", floor=0.0).abstained


def test_without_a_vector_the_words_count(owner: User) -> None:
    remember(owner, "editor", "Vim", vector=False)
    remember(owner, "home", "Lisbon")
    [hit] = ask(owner, "Which editor do I use?").hits
    assert hit.fact["value"] == "Vim"
    assert (hit.parts.vector, hit.parts.relevance) == (0, 1)
    with acting_for(owner.pk):
        result = recall.recall(
            user_id=owner.pk,
            asked=recall.Asked("Where is my home? Lisbon?", None),
            embedder=providers.embedder(),
            options=RecallOptions(),
            now=NOW,
        )
    assert found(result) == ["Lisbon"]


def test_vectors_of_another_model_are_left_alone(owner: User) -> None:
    fact_id = remember(owner, "editor", "Vim", vector=False)
    with acting_for(owner.pk):
        for model, dimension in (("other", 384), (providers.embedder().model, 3)):
            FactEmbedding.objects.create(
                user_id=owner.pk,
                fact_id=fact_id,
                model=model,
                dimension=dimension,
                embedding=[1.0] * dimension,
            )
    [hit] = ask(owner, "Which editor do I use?").hits
    assert hit.parts.vector == 0


def test_filters(samir: User) -> None:
    remember(samir, "editor", "Zed", scope="project:astronomy")
    remember(samir, "likes", "strong coffee", subject="person:mira")

    def values(question: str, **options: Any) -> set[str]:
        return set(found(ask(samir, question, floor=0.0, k=50, **options)))

    editor = "Which editor do I use?"
    assert values(editor, scopes=["project:astronomy"]) == {"Zed"}
    assert "Zed" not in values(editor, scopes=[""])
    assert {"Zed", "VS Code"} <= values(editor)
    assert values(editor, scopes=[]) == set()
    assert values("coffee", subjects=["person:mira"]) == {"strong coffee"}
    assert values("coffee", kinds=["constraint"]) == {"peanuts", "1500 euros a month for rent"}
    assert len(ask(samir, editor, floor=0.0, k=2).hits) == 2


@pytest.mark.parametrize("k", [0, 51])
def test_k_has_bounds(owner: User, k: int) -> None:
    with pytest.raises(ValueError, match="k must be"):
        ask(owner, "anything", k=k)


@pytest.mark.parametrize(
    "query",
    ["'; DROP TABLE memoryapp_fact; --", "%s %(user_id)s \\ : & | !", "a\0b \ud800", "x" * 9000],
)
def test_any_text_may_be_asked(samir: User, query: str) -> None:
    ask(samir, query)


# -- Time --------------------------------------------------------------------------------------


@pytest.fixture
def moved(owner: User) -> User:
    """Vim from 1 January, VS Code from 1 March; each known a day after it was said."""
    for when, value in (("2026-01-01", "Vim"), ("2026-03-01", "VS Code")):
        remember(
            owner,
            "editor",
            value,
            when,
            words=f"I use {value} as my editor.",
            known=day(when) + timedelta(days=1),
        )
    return owner


def at(user: User, **times: Any) -> list[str]:
    return found(ask(user, "Which editor do I use?", **times))


def test_the_present_is_the_default_and_carries_its_past(moved: User) -> None:
    [hit] = ask(moved, "Which editor do I use?").hits
    assert (hit.fact["value"], hit.fact["status"]) == ("VS Code", "current")
    assert [e.quote for e in hit.evidence] == ["I use VS Code as my editor."]
    assert hit.evidence[0].conversation == "talk"
    assert hit.evidence[0].sent_at == day("2026-03-01")
    [link] = hit.chain
    assert (link.value, link.valid_from, link.valid_to, link.supersession) == (
        "Vim",
        day("2026-01-01"),
        day("2026-03-01"),
        "change",
    )


def test_as_of_answers_with_what_was_so(moved: User) -> None:
    assert at(moved, as_of=day("2025-12-31")) == []
    assert at(moved, as_of=day("2026-01-01")) == ["Vim"]
    assert at(moved, as_of=day("2026-02-28")) == ["Vim"]
    assert at(moved, as_of=day("2026-03-01")) == ["VS Code"]
    [hit] = ask(moved, "Which editor do I use?", as_of=day("2026-02-01")).hits
    assert hit.fact["status"] == "superseded"
    assert hit.fact["valid_to"] == day("2026-03-01")


def test_known_at_answers_with_what_was_believed(moved: User) -> None:
    assert at(moved, known_at=day("2026-01-01")) == []
    assert at(moved, known_at=day("2026-01-02")) == ["Vim"]
    # Said on the first of March, and not yet known here.
    [hit] = ask(moved, "Which editor do I use?", known_at=day("2026-03-01")).hits
    assert hit.fact["value"] == "Vim"
    assert hit.fact["status"] == "current"
    assert (hit.fact["valid_to"], hit.fact["superseded_by"]) == (None, None)
    assert at(moved, known_at=day("2026-03-02")) == ["VS Code"]
    assert at(moved, as_of=day("2026-03-15"), known_at=day("2026-03-01")) == ["Vim"]
    assert at(moved, as_of=day("2026-02-01"), known_at=day("2026-06-01")) == ["Vim"]


def test_a_correction_was_never_so_but_was_believed(owner: User) -> None:
    remember(owner, "name", "Samantha", "2026-01-01")
    remember(owner, "name", "Sam", "2026-02-01", correction=True)
    question = "What is my name?"
    assert found(ask(owner, question)) == ["Sam"]
    assert found(ask(owner, question, as_of=day("2026-01-15"))) == ["Sam"]
    assert found(ask(owner, question, known_at=day("2026-01-15"))) == ["Samantha"]
    assert [link.supersession for link in ask(owner, question).hits[0].chain] == ["correction"]


def test_switching_back_is_three_intervals(owner: User) -> None:
    for month, value in enumerate(("dark mode", "light mode", "dark mode"), 1):
        remember(owner, "theme", value, f"2026-0{month}-01")

    def theme(**times: Any) -> list[str]:
        return found(ask(owner, "Do I use dark mode or light mode?", **times))

    assert theme() == ["dark mode"]
    assert theme(as_of=day("2026-02-15")) == ["light mode"]
    assert theme(as_of=day("2026-01-15")) == ["dark mode"]
    [hit] = ask(owner, "Do I use dark mode or light mode?").hits
    assert [link.value for link in hit.chain] == ["light mode", "dark mode"]


def test_what_has_ended_is_not_the_present(owner: User) -> None:
    remember(owner, "likes", "cricket", "2026-01-01")
    remember(owner, "likes", "cricket", "2026-02-01", operation="end", polarity="negated")
    assert found(ask(owner, "Do I like cricket?")) == []
    assert found(ask(owner, "Do I like cricket?", as_of=day("2026-01-15"))) == ["cricket"]


def test_what_is_past_its_time_is_out_before_the_nightly_run(owner: User) -> None:
    fact_id = remember(owner, "watching", "a show about bees", "2026-04-01")
    remember(owner, "home", "Berlin", "2026-01-01", valid_to=day("2026-04-01"))
    with acting_for(owner.pk):
        assert Fact.objects.filter(status="current").count() == 2
    assert found(ask(owner, "What show about bees am I watching?")) == []
    assert found(ask(owner, "Where do I live?")) == []
    assert found(ask(owner, "Where do I live?", as_of=day("2026-03-01"))) == ["Berlin"]
    with acting_for(owner.pk):
        Fact.objects.filter(id=fact_id).update(pinned=True)
    assert found(ask(owner, "What show about bees am I watching?")) == ["a show about bees"]


def test_what_waits_for_a_yes_is_not_recalled(owner: User) -> None:
    remember(owner, "health_condition", "asthma")
    for times in ({}, {"as_of": NOW}, {"known_at": NOW}):
        assert found(ask(owner, "Do I have asthma?", **times)) == []


# -- Whose -------------------------------------------------------------------------------------


def test_two_users_with_the_same_words(samir: User, other: User) -> None:
    for attribute, value in LIFE:
        remember(other, attribute, value)
    remember(other, "allergy", "kiwi")
    with acting_for(other.pk):
        theirs = {str(fact_id) for fact_id in Fact.objects.values_list("id", flat=True)}
    result = ask(samir, "What am I allergic to?", floor=0.0, k=50)
    assert len(result.hits) == len(LIFE)
    assert not theirs & {hit.fact["id"] for hit in result.hits}


def test_other_users_vectors_do_not_crowd_the_list(owner: User, other: User) -> None:
    remember(owner, "editor", "VS Code")
    for number in range(60):
        remember(other, "uses", f"editor {number}", vector=number % 2 == 0)
    assert found(ask(owner, "Which editor do I use?")) == ["VS Code"]


def test_nothing_is_found_without_acting_for_the_user(samir: User) -> None:
    embedder = providers.embedder()
    result = recall.recall(
        user_id=samir.pk,
        asked=recall.Asked("What am I allergic to?", embedder.query("What am I allergic to?")),
        embedder=embedder,
        options=RecallOptions(),
        now=NOW,
    )
    assert result.abstained


# -- Cost and counts ---------------------------------------------------------------------------


def test_recall_is_two_statements(samir: User) -> None:
    embedder = providers.embedder()
    vector = embedder.query("What am I allergic to?")
    with acting_for(samir.pk), CaptureQueriesContext(connection) as queries:
        recall.recall(
            user_id=samir.pk,
            asked=recall.Asked("What am I allergic to?", vector),
            embedder=embedder,
            options=RecallOptions(),
            now=NOW,
        )
    assert len(queries) == 2


def test_usage_counts_each_fact_once_a_recall(owner: User, other: User) -> None:
    first, second = remember(owner, "editor", "Vim"), remember(owner, "home", "Lisbon")
    foreign = remember(other, "editor", "Vim")
    later = NOW + timedelta(days=1)
    with acting_for(owner.pk):
        assert recall.usage(user_id=owner.pk, fact_ids=[first, first, foreign], now=later) == 1
        assert recall.usage(user_id=owner.pk, fact_ids=[first, second], now=NOW) == 2
        assert recall.usage(user_id=owner.pk, fact_ids=[], now=NOW) == 0
        rows = {
            row.fact_id: (row.recall_count, row.last_recalled_at) for row in FactUsage.objects.all()
        }
    assert rows == {first: (2, later), second: (1, NOW)}
    with acting_for(other.pk):
        assert not FactUsage.objects.exists()
