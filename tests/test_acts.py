"""Undoing what was done by hand: everything stands as it stood, or nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from accounts.models import User
from memoryapp import pipeline, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import (
    AuditEvent,
    Decision,
    Evidence,
    Fact,
    FactEmbedding,
    HandAct,
    MemorySettings,
)
from memoryapp.store import Since
from tests.chat import said, tell
from tests.memory import day, facts, learn, told

Do = Callable[[User, UUID, UUID], object]


def stands(person: User) -> Any:
    """Every fact and every proof, as they are."""
    with acting_for(person.pk):
        rows = Fact.objects.filter(user_id=person.pk).order_by("id").values()
        proofs = Evidence.objects.filter(user_id=person.pk).order_by("id").values()
        return list(rows), list(proofs)


def by(person: User) -> Actor:
    return Actor.user(person)


def undo(person: User, act: UUID) -> store.TakenBack:
    return pipeline.undo_act(user_id=person.pk, act=act, by=by(person))


def one(person: User, attribute: str, **conditions: Any) -> UUID:
    [row] = facts(person, attribute, **{"status": "current", **conditions})
    return row.pk


def edit(**changes: Any) -> Do:
    return lambda person, fact, act: pipeline.edit_fact(
        user_id=person.pk, fact_id=fact, by=by(person), act=act, **changes
    )


def weigh(**given: Any) -> Do:
    weights = cast(store.Weights, given)
    return lambda person, fact, act: pipeline.weigh_fact(
        user_id=person.pk, fact_id=fact, by=by(person), act=act, weights=weights
    )


@pytest.fixture
def homes(owner: User) -> UUID:
    """A home that has taken the place of another."""
    learn(owner, "home", "Porto", on=1, text="I live in Porto")
    learn(owner, "home", "Lisbon", on=20, text="I moved to Lisbon")
    return one(owner, "home")


@pytest.fixture
def tea(owner: User) -> UUID:
    """One of two things liked."""
    learn(owner, "likes", "coffee", on=1)
    learn(owner, "likes", "tea", on=2)
    return one(owner, "likes", value="tea")


SINGLE = {
    "change": edit(value="Braga"),
    "correction": edit(value="Braga", supersession="correction"),
    "back": edit(value="Porto"),
    "in other letters": edit(value="LISBON"),
    "since": edit(since=Since(day(10), "month")),
    "scope": edit(scope="summers"),
    "pin": weigh(pinned=True),
    "importance": weigh(importance=0.9),
    "expiry": weigh(expires_at=day(900)),
    "all": edit(
        value="Braga", scope="summers", since=Since(day(30), "day"),
        weights={"pinned": True, "importance": 0.1, "expires_at": None},
    ),
}  # fmt: skip
MANY = {
    "change": edit(value="green tea"),
    "correction": edit(value="green tea", supersession="correction"),
    "into another": edit(value="coffee"),
    "scope": edit(scope="mornings"),
}


@pytest.mark.parametrize("do", SINGLE.values(), ids=SINGLE)
def test_all_is_as_it_was(owner: User, homes: UUID, do: Do) -> None:
    before, act = stands(owner), uuid4()
    do(owner, homes, act)
    assert stands(owner) != before
    assert undo(owner, act).facts == [homes]
    assert stands(owner) == before


@pytest.mark.parametrize("do", MANY.values(), ids=MANY)
def test_all_is_as_it_was_among_several_values(owner: User, tea: UUID, do: Do) -> None:
    before, act = stands(owner), uuid4()
    do(owner, tea, act)
    assert stands(owner) != before
    assert undo(owner, act).facts == [tea]
    assert stands(owner) == before


def test_the_statements_own_vector_is_back(owner: User) -> None:
    tell(owner, said("2026-03-01", "I live in Lisbon."))
    home = one(owner, "home")

    def vector() -> Any:
        with acting_for(owner.pk):
            return FactEmbedding.objects.get(fact_id=home).embedding

    before, act = vector(), uuid4()
    edit(scope="summers")(owner, home, act)
    assert vector() != before
    undo(owner, act)
    assert vector() == before


# -- Answers to what waits -----------------------------------------------------------------------


def pending(person: User, value: str = "asthma", **more: Any) -> UUID:
    made = learn(person, "health_condition", value, on=30, sensitivity="health", **more).fact_id
    assert made
    return made


def test_a_no_is_taken_back(owner: User) -> None:
    waits = pending(owner)
    before, act = stands(owner), uuid4()
    pipeline.reject(user_id=owner.pk, fact_id=waits, by=by(owner), act=act)
    undo(owner, act)
    assert stands(owner) == before


@pytest.mark.parametrize("more", [{}, {"value": "hay fever"}], ids=["yes", "yes, but"])
def test_a_yes_is_taken_back(owner: User, more: dict[str, Any]) -> None:
    waits = pending(owner)
    before, act = stands(owner), uuid4()
    pipeline.approve(user_id=owner.pk, fact_id=waits, by=by(owner), act=act, **more)
    undo(owner, act)
    assert stands(owner) == before


def test_a_yes_to_what_took_the_place_of_something_is_taken_back(owner: User, homes: UUID) -> None:
    waits = learn(owner, "home", "Braga", on=30, sensitivity="health").fact_id
    assert waits
    before, act = stands(owner), uuid4()
    pipeline.approve(user_id=owner.pk, fact_id=waits, by=by(owner), act=act)
    assert told(owner, "home")[-1] == ("Braga", "current")
    undo(owner, act)
    assert stands(owner) == before


def test_a_yes_that_confirmed_something_leaves_that(owner: User) -> None:
    waits = pending(owner)
    with acting_for(owner.pk):
        MemorySettings.objects.update_or_create(
            user_id=owner.pk, defaults={"sensitive_opt_in": ["health"]}
        )
        Fact.objects.filter(pk=waits).update(value_key="wheeze")
    held = pending(owner)
    with acting_for(owner.pk):
        Fact.objects.filter(pk=waits).update(value_key="asthma")
    act = uuid4()
    pipeline.approve(user_id=owner.pk, fact_id=waits, by=by(owner), act=act)
    assert len(facts(owner, "health_condition")) == 1
    undo(owner, act)
    with acting_for(owner.pk):
        proofs = {
            row.status: list(row.evidence.filter(user_id=owner.pk))
            for row in Fact.objects.filter(user_id=owner.pk)
        }
    assert {status: len(rows) for status, rows in proofs.items()} == {"current": 1, "pending": 1}
    assert held


def test_many_answers_are_one_act(owner: User) -> None:
    waiting = [pending(owner, value) for value in ("asthma", "hay fever", "migraine")]
    before, act = stands(owner), uuid4()
    pipeline.approve(user_id=owner.pk, fact_id=waiting[0], by=by(owner), act=act)
    for fact in waiting[1:]:
        pipeline.reject(user_id=owner.pk, fact_id=fact, by=by(owner), act=act)
    assert set(undo(owner, act).facts) == set(waiting)
    assert stands(owner) == before


def test_of_many_those_that_changed_since_are_left(owner: User) -> None:
    waiting, act = [pending(owner, value) for value in ("asthma", "migraine")], uuid4()
    for fact in waiting:
        pipeline.approve(user_id=owner.pk, fact_id=fact, by=by(owner), act=act)
    weigh(pinned=True)(owner, waiting[0], uuid4())
    undone = undo(owner, act)
    assert (undone.facts, undone.left) == ([waiting[1]], 1)
    assert dict(told(owner, "health_condition")) == {"asthma": "current", "migraine": "pending"}


# -- When it is too late -------------------------------------------------------------------------


def refused(person: User, act: UUID) -> str:
    before = stands(person)
    with pytest.raises(store.NotUndoable) as error:
        undo(person, act)
    assert stands(person) == before
    return error.value.code


LATER: dict[str, Do] = {
    "another edit": edit(value="Faro"),
    "a pin": weigh(pinned=True),
    "words": lambda person, _fact, _act: tell(person, said("2030-03-01", "I live in Evora.")),
}


@pytest.mark.parametrize("later", LATER.values(), ids=LATER)
def test_the_latest_act_only(owner: User, homes: UUID, later: Do) -> None:
    act = uuid4()
    edit(value="Braga")(owner, homes, act)
    later(owner, one(owner, "home"), uuid4())
    assert refused(owner, act) == "changed"


def test_the_one_before_it_after_it(owner: User, homes: UUID) -> None:
    before = stands(owner)
    acts = [uuid4() for _ in range(3)]
    weigh(pinned=True)(owner, homes, acts[0])
    edit(value="Braga")(owner, homes, acts[1])
    weigh(importance=0.9)(owner, one(owner, "home"), acts[2])
    for act in reversed(acts):
        undo(owner, act)
    assert stands(owner) == before


def test_once(owner: User, homes: UUID) -> None:
    act = uuid4()
    edit(value="Braga")(owner, homes, act)
    undo(owner, act)
    assert refused(owner, act) == "undone"


def test_not_what_was_erased(owner: User, homes: UUID) -> None:
    act = uuid4()
    edit(value="Braga")(owner, homes, act)
    pipeline.erase_facts(
        user_id=owner.pk, fact_ids=[one(owner, "home")], by=by(owner), restore_previous=True
    )
    with pytest.raises(store.NotFound):
        undo(owner, act)
    with acting_for(owner.pk):
        assert not HandAct.objects.exists()
    assert told(owner, "home")[-1] == ("Lisbon", "current")


def test_nobody_elses(owner: User, other: User, homes: UUID) -> None:
    act = uuid4()
    edit(value="Braga")(owner, homes, act)
    with pytest.raises(store.NotFound):
        undo(other, act)
    assert told(owner, "home")[-1] == ("Braga", "current")


# -- What is told of it --------------------------------------------------------------------------


def test_it_is_in_the_log_and_in_the_decisions(owner: User, homes: UUID) -> None:
    act = uuid4()
    edit(value="Braga")(owner, homes, act)
    undo(owner, act)
    with acting_for(owner.pk):
        latest = AuditEvent.objects.latest("seq")
        reasons = Decision.objects.filter(fact_id=homes).order_by("at", "id")
        assert [row.reason for row in reasons][-2:] == [
            "edited by the user: change", store.acts.TAKEN_BACK,
        ]  # fmt: skip
    assert (latest.action, latest.object) == ("hand.undo", f"fact:{homes}")


def test_the_page_knows_what_can_be_undone(owner: User, homes: UUID) -> None:
    def last() -> UUID | None:
        with acting_for(owner.pk):
            found = store.last_act(user_id=owner.pk, fact_id=one(owner, "home"))
        return found.act if found else None

    assert last() is None
    first, second = uuid4(), uuid4()
    edit(value="Braga")(owner, homes, first)
    assert last() == first
    weigh(pinned=True)(owner, one(owner, "home"), second)
    assert last() == second
    undo(owner, second)
    assert last() == first


def test_what_changes_nothing_is_no_act(owner: User, homes: UUID) -> None:
    weigh(pinned=False, expires_at=None)(owner, homes, uuid4())
    edit(value="Lisbon")(owner, homes, uuid4())
    with acting_for(owner.pk):
        assert not HandAct.objects.exists()


# -- Dates and scopes ----------------------------------------------------------------------------


@pytest.mark.parametrize("on", [10, 25])
def test_a_start_that_is_put_right_is_the_end_of_what_was_before(
    owner: User, homes: UUID, on: int
) -> None:
    edit(since=Since(day(on), "month"))(owner, homes, uuid4())
    old, new = facts(owner, "home")
    assert (new.valid_from, new.precision, old.valid_to) == (day(on), "month", day(on))
    assert new.pk == homes


def test_a_change_since_a_day(owner: User, tea: UUID) -> None:
    edit(value="mate", since=Since(day(10), "day"))(owner, tea, uuid4())
    [old] = facts(owner, "likes", value="tea")
    [new] = facts(owner, "likes", value="mate")
    assert (old.valid_to, old.superseded_by_id) == (day(10), new.pk)
    assert (new.valid_from, new.precision) == (day(10), "day")


def test_it_cant_have_changed_before_it_was_said_to_hold(owner: User, homes: UUID) -> None:
    before = stands(owner)
    with pytest.raises(store.TooEarly) as error:
        edit(value="Braga", since=Since(day(15), "day"))(owner, homes, uuid4())
    assert error.value.said_at == day(20)
    assert stands(owner) == before
    edit(value="Braga", supersession="correction", since=Since(day(15), "day"))(
        owner, homes, uuid4()
    )
    assert facts(owner, "home", status="current")[0].valid_from == day(15)


def test_with_another_scope_what_was_before_holds_again_elsewhere(owner: User, homes: UUID) -> None:
    edit(scope="summers")(owner, homes, uuid4())
    assert [(row.value, row.scope) for row in facts(owner, "home", status="current")] == [
        ("Porto", ""), ("Lisbon", "summers"),
    ]  # fmt: skip
    moved = facts(owner, "home", scope="summers")[0]
    with acting_for(owner.pk):
        assert moved.evidence.get(user_id=owner.pk).quote == "I moved to Lisbon"
    assert "summers" in moved.statement


def test_two_things_cant_hold_in_one_scope(owner: User, homes: UUID) -> None:
    learn(owner, "home", "Faro", on=5, scope="summers")
    before = stands(owner)
    with pytest.raises(store.Occupied):
        edit(scope="summers")(owner, homes, uuid4())
    assert stands(owner) == before


def test_a_chosen_day_to_run_out_outlives_saying_it_again(owner: User, homes: UUID) -> None:
    until = day(900)
    weigh(expires_at=until)(owner, homes, uuid4())
    learn(owner, "home", "Lisbon", on=40)
    assert facts(owner, "home", status="current")[0].expires_at == until
    weigh(expires_at=None)(owner, homes, uuid4())
    assert facts(owner, "home", status="current")[0].expires_at is None


def test_it_runs_out_on_its_day(owner: User, homes: UUID) -> None:
    weigh(expires_at=day(70))(owner, homes, uuid4())
    with acting_for(owner.pk):
        store.expire(user_id=owner.pk, by=by(owner), now=day(70) - timedelta(minutes=1))
        assert Fact.objects.get(pk=homes).status == "current"
        store.expire(user_id=owner.pk, by=by(owner), now=day(70))
        assert Fact.objects.get(pk=homes).status == "expired"
