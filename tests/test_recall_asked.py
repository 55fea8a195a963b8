"""What recall makes of a question: whom and what it asks about, of when, and what goes with it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import User
from memoryapp import asking, audit, pipeline, providers, recall, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import EmbeddingCache, Fact, FactLink
from memoryapp.ranking import Event
from memoryapp.records import Candidate, Neighbour, RecallOptions, Ruling
from tests.chat import said, tell
from tests.memory import apply as take_in
from tests.memory import candidate, heard, learn
from tests.model_server import StandIn
from tests.remember import NOW, ask, day, found, remember

LIFE = (
    ("name", "Samir Okafor"),
    ("job_title", "a logistics planner"),
    ("employer", "Northwind Freight"),
    ("home", "Lisbon"),
    ("favourite_film", "Spirited Away"),
    ("favourite_food", "ramen"),
    ("working_hours", "9 to 5"),
    ("commute", "bicycle"),
)


@pytest.fixture
def samir(owner: User) -> User:
    for attribute, value in LIFE:
        remember(owner, attribute, value)
    return owner


# -- What, and about whom ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What do I do for a living?", "a logistics planner"),
        ("What is my profession?", "a logistics planner"),
        ("Where do I work?", "Northwind Freight"),
        ("What company am I at?", "Northwind Freight"),
        ("What's my favourite movie?", "Spirited Away"),
    ],
)
def test_an_attribute_is_asked_for_in_other_words(samir: User, question: str, value: str) -> None:
    assert found(ask(samir, question))[:1] == [value]


@pytest.mark.parametrize(
    "question",
    [
        "What's my sister's name?",
        "What's my mother's name?",
        "favourite restaurant?",
        "What's my favourite restaurant?",
        "Where does my brother live?",
        "Where does Mira live?",
        "What is my wife's favourite food?",
    ],
)
def test_the_nearest_thing_is_not_the_answer(samir: User, question: str) -> None:
    assert found(ask(samir, question)) == []


def test_what_is_asked_about_another_is_answered_by_what_is_known_of_them(samir: User) -> None:
    remember(samir, "partner", "Ana")
    remember(samir, "home", "Porto", subject="person:ana")
    remember(samir, "home", "Lagos", subject="person:tunde")
    assert found(ask(samir, "Where does my girlfriend live?"))[0] == "Porto"
    assert found(ask(samir, "Where does Tunde live?"))[0] == "Lagos"
    assert found(ask(samir, "Where do I live?"))[0] == "Lisbon"


@pytest.mark.parametrize(
    ("question", "others", "relations"),
    [
        ("What's my sister's name?", ["sister"], ["sibling"]),
        ("Who are my friends?", ["friend"], ["friend"]),
        ("Where does Ana live?", ["ana"], []),
        ("What is Tunde's job?", ["tunde"], []),
        ("What's my name?", [], []),
        ("When is my holiday in Japan?", [], []),
        ("Welchen Kaffee mag ich?", [], []),
    ],
)
def test_whom_a_question_is_about(question: str, others: list[str], relations: list[str]) -> None:
    about = asking.about(question)
    assert (list(about.others), list(about.relations)) == (others, relations)


def test_filters_by_attribute_and_range(samir: User) -> None:
    def values(**options: Any) -> set[str]:
        return set(found(ask(samir, "work", floor=0.0, k=50, **options)))

    assert values(attributes=["employer", "home"]) == {"Northwind Freight", "Lisbon"}
    remember(samir, "visited", "Oslo", "2026-01-01", valid_to=day("2026-02-01"))
    assert "Oslo" not in values()
    assert values(attributes=["visited"], since=day("2026-02-01")) == set()
    assert values(attributes=["visited"], until=day("2026-01-01")) == set()
    assert values(attributes=["visited"], until=day("2026-01-02")) == {"Oslo"}


# -- Weight, copies, reasons -------------------------------------------------------------------


def test_a_pin_and_a_chosen_importance_count(owner: User) -> None:
    first = remember(owner, "likes", "jazz records by women")
    second = remember(owner, "likes", "jazz records by men")
    question = "Which jazz records do I like?"

    def weigh(fact_id: Any, weights: store.Weights) -> None:
        with acting_for(owner.pk):
            store.weigh(
                user_id=owner.pk, fact_id=fact_id, weights=weights, by=audit.Actor.user(owner)
            )

    for fact_id in (first, second):
        weigh(fact_id, {"pinned": True})
        top = ask(owner, question).hits[0]
        assert (top.fact["id"], top.parts.importance) == (str(fact_id), 1.0)
        assert "is pinned" in top.reason
        weigh(fact_id, {"importance": 0.1})
        assert ask(owner, question).hits[1].parts.importance == 0.1
        weigh(fact_id, {"pinned": False, "importance": None})


def test_near_copies_fill_no_places(owner: User) -> None:
    for number in range(6):
        remember(owner, "likes", "green tea" + " in the morning" + "." * number)
    remember(owner, "dislikes", "black tea")
    values = found(ask(owner, "Which tea do I like?", k=2, floor=0.0))
    assert "black tea" in values


def test_a_hit_says_why(samir: User) -> None:
    [hit, *_] = ask(samir, "Where do I work?").hits
    assert hit.reason.startswith("has the words “work”")


# -- When --------------------------------------------------------------------------------------


@pytest.fixture
def moved(owner: User) -> User:
    remember(owner, "home", "Lisbon", "2025-10-01")
    remember(owner, "home", "Porto", "2026-03-01")
    return owner


def test_what_held_at_the_time_named_comes_up(moved: User) -> None:
    question = "Where did I live?"
    assert found(ask(moved, question)) == ["Porto"]
    winter = (day("2025-12-01"), day("2026-02-01"))
    hits = ask(moved, question, named=winter).hits
    assert [hit.fact["value"] for hit in hits] == ["Lisbon", "Porto"]
    assert hits[0].fact["status"] == "superseded"
    assert (hits[0].parts.during, hits[1].parts.during) == (recall.DURING, 0)
    assert "is from the time asked about" in hits[0].reason


@pytest.mark.parametrize(
    ("relation", "what", "since", "until"),
    [
        ("before", "I moved", None, day("2026-03-01")),
        ("since", "I moved", day("2026-03-01"), NOW),
        ("after", "my trip to Kyoto", day("2026-04-10"), NOW),
        ("when", "I lived in Lisbon", day("2025-10-01"), day("2026-03-01")),
    ],
)
def test_a_time_told_by_the_users_own_life(
    moved: User, relation: Any, what: str, since: datetime | None, until: datetime
) -> None:
    remember(
        moved, "plan", "a trip to Kyoto", "2026-03-20",
        valid_from=day("2026-04-01"), valid_to=day("2026-04-10"),
    )  # fmt: skip
    with acting_for(moved.pk):
        meant = recall.resolve(user_id=moved.pk, event=Event(relation, what), now=NOW)
    assert meant == (since, until)


@pytest.mark.parametrize("what", ["I moved", "my wedding", "I had the flu"])
def test_a_time_that_no_one_fact_tells_is_left_open(owner: User, what: str) -> None:
    remember(owner, "home", "Lisbon", "2025-10-01")  # the first home known: no move
    remember(owner, "likes", "my garden in spring", "2026-01-01")
    with acting_for(owner.pk):
        assert recall.resolve(user_id=owner.pk, event=Event("before", what), now=NOW) is None


def test_words_of_the_query_become_a_time(moved: User) -> None:
    def asked(query: str) -> Any:
        return pipeline.recall(
            user_id=moved.pk, query=query, options=RecallOptions(), by=audit.Actor.user(moved)
        )

    result = asked("Where did I live before I moved?")
    assert next(hit.fact["value"] for hit in result.hits) == "Lisbon"
    assert (result.since, result.until) == (None, day("2026-03-01"))
    result = asked("Where did I live in December 2025?")
    assert (result.since, result.until) == (day("2025-12-01"), day("2026-01-01"))
    assert next(hit.fact["value"] for hit in result.hits) == "Lisbon"


# -- What hangs together -----------------------------------------------------------------------


def link(user: User, source: Any, target: Any, kind: str) -> bool:
    with acting_for(user.pk):
        return store.link(
            user_id=user.pk, source_id=source, target_id=target, kind=FactLink.Kind(kind), now=NOW
        )


def test_links_are_walked_to_the_depth_asked_for(owner: User, other: User) -> None:
    tea = remember(owner, "drinks", "green tea")
    habit = remember(owner, "habit", "a pot of sencha every morning")
    summary = remember(owner, "fact", "a tea person through and through")
    foreign = remember(other, "drinks", "green tea")
    assert link(owner, habit, tea, "follows_from")
    assert link(owner, summary, habit, "derived_from")
    assert not link(owner, habit, tea, "follows_from")
    assert not link(owner, habit, foreign, "contradicts")
    assert not link(owner, habit, habit, "contradicts")

    def walked(depth: int) -> list[tuple[str, int, str]]:
        hits = ask(owner, "Do I drink green tea?", k=1, depth=depth).hits
        assert hits[0].fact["id"] == str(tea)
        return [(one.kind, one.depth, str(one.id)) for one in hits[0].related]

    assert walked(0) == []
    assert walked(1) == [("leads_to", 1, str(habit))]
    assert walked(2) == [("leads_to", 1, str(habit)), ("leads_to", 2, str(summary))]
    with pytest.raises(ValueError, match="depth must be"):
        walked(4)


def test_a_conflict_that_the_judge_sees_is_a_link(owner: User) -> None:
    held = learn(owner, "drinks", "coffee", on=1)
    said = candidate(heard(owner, "I can't stand coffee", on=2), "dislikes", "coffee")
    assert held.fact_id is not None
    with acting_for(owner.pk):
        fact = Fact.objects.get(id=held.fact_id)
    against = Neighbour(
        fact.id, fact.attribute, "", fact.value, fact.value_key, "affirmed", "preference",
        fact.statement, fact.last_stated_at, 0.9,
    )  # fmt: skip
    canonical: Candidate = said
    (decided,) = take_in(
        owner, canonical,
        rulings=_Any(Ruling("conflicts", "rule", "contradicts", against)),
    )  # fmt: skip
    with acting_for(owner.pk):
        row = FactLink.objects.get()
    assert (row.source_id, row.target_id, row.kind) == (
        decided.fact_id,
        held.fact_id,
        "contradicts",
    )


class _Any(dict[Any, Any]):
    """The same ruling for every candidate: its canonical form is the registry's affair."""

    def __init__(self, ruling: Ruling) -> None:
        super().__init__(some=ruling)
        self._ruling = ruling

    def get(self, key: Any, default: Any = None) -> Ruling:
        return self._ruling


def test_links_go_with_either_fact(owner: User) -> None:
    first, second = remember(owner, "drinks", "green tea"), remember(owner, "drinks", "rum")
    link(owner, first, second, "contradicts")
    with acting_for(owner.pk):
        Fact.objects.filter(id=second).delete()
        assert not FactLink.objects.exists()


def test_nothing_is_old_before_its_time(owner: User) -> None:
    remember(owner, "drinks", "green tea", NOW + timedelta(days=1))
    assert ask(owner, "Do I drink green tea?").hits[0].parts.age_days == 0


@pytest.mark.django_db
@pytest.mark.parametrize("keep", [True, False])
def test_a_question_of_which_nothing_is_kept_leaves_no_vector(
    owner: User, model_server: StandIn, settings: Any, keep: bool
) -> None:
    settings.EMBEDDER, settings.EMBEDDING_DIMENSION = "openai", model_server.dimension
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = model_server.url, "k"
    providers.reset()
    try:
        pipeline.recall(
            user_id=owner.pk,
            query="Where do I live?",
            options=RecallOptions(),
            by=Actor.user(owner),
            keep=keep,
        )
    finally:
        providers.reset()
    with acting_for(owner.pk):
        assert EmbeddingCache.objects.filter(user_id=owner.pk).exists() is keep


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does my sister do?", "nurse"),
        ("What does Ana do for a living?", "nurse"),
        ("What do I do?", "baker"),
    ],
)
def test_what_somebody_does_is_their_job(owner: User, question: str, answer: str) -> None:
    tell(
        owner,
        said("2026-03-01", "My sister Ana is a nurse."),
        said("2026-03-02", "I work as a baker at Aldeia."),
    )
    result = pipeline.recall(
        user_id=owner.pk, query=question, options=RecallOptions(), by=Actor.user(owner)
    )
    assert result.hits[0].fact["value"] == answer
