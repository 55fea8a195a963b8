"""Taking back what was just learned, through the real reading and by hand-made candidates."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from accounts.models import User
from memoryapp import pipeline, registry, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Decision, Extraction, Fact, FactLink, MemoryEvent
from memoryapp.records import Neighbour, Ruling
from tests.api import Frontend, log, personal, problem
from tests.chat import current, facts, said, tell, values
from tests.memory import NOW, TESTER, candidate, day, heard


def run(user: User) -> UUID:
    """The latest extraction."""
    with acting_for(user.pk):
        return Extraction.objects.latest("started_at", "id").id


def take_back(user: User, extraction: UUID | None = None) -> store.Undone:
    by = Actor.user(user)
    return pipeline.undo(user_id=user.pk, by=by, extraction_id=extraction or run(user))


def why_not(user: User, extraction: UUID) -> str:
    before = [(f.id, f.status, f.valid_to) for f in facts(user)]
    with pytest.raises(store.NotUndoable) as refused:
        take_back(user, extraction)
    assert [(f.id, f.status, f.valid_to) for f in facts(user)] == before
    return refused.value.code


def read(user: User, *found: Any, on: float = 60, **options: Any) -> UUID:
    """An extraction that found these candidates."""
    now = day(on)
    with acting_for(user.pk):
        extraction = Extraction.objects.create(
            user_id=user.pk, extractor="test", version="1", started_at=now, ended_at=now,
            outcome="ok", messages=1, candidates=len(found),
        )  # fmt: skip
        store.apply(
            user_id=user.pk, candidates=found, registry=registry.load(), by=TESTER, now=now,
            extraction=extraction, **options,
        )  # fmt: skip
    return extraction.id


def test_what_was_added_goes_and_what_it_replaced_holds_again(owner: User) -> None:
    tell(owner, said("2026-01-10", "I use dark mode in my IDE."))
    tell(owner, said("2026-03-10", "I have switched to light mode in my IDE."))
    [new] = [f for f in facts(owner) if f.status == "current"]
    [old] = [f for f in facts(owner) if f.status == "superseded"]
    undone = take_back(owner)
    assert undone == store.Undone([new.id], [old.id])
    assert current(owner, old.attribute) == [old.value]
    [held] = [f for f in facts(owner) if f.id == old.id]
    assert (held.valid_to, held.superseded_by_id, held.supersession) == (None, None, "")
    assert ("fact.undo", f"fact:{new.id}") in [each[1:] for each in log(owner)]
    assert ("fact.restore", f"fact:{old.id}") in [each[1:] for each in log(owner)]


def test_the_same_words_do_not_teach_it_again_and_new_ones_may(owner: User) -> None:
    message = heard(owner, "I live in Oslo", on=1)
    read(owner, candidate(message, "home", "Oslo"))
    take_back(owner)
    read(owner, candidate(message, "home", "Oslo"), on=61)
    assert current(owner, "home") == []
    read(owner, candidate(heard(owner, "Oslo is my home", on=62), "home", "Oslo"), on=62)
    assert current(owner, "home") == ["Oslo"]


def test_what_was_ended_holds_again(owner: User) -> None:
    read(owner, candidate(heard(owner, "I play cricket", on=1), "sport", "cricket"), on=1)
    gone = heard(owner, "no more cricket for me", on=5)
    read(owner, candidate(gone, "sport", "cricket", operation="end", polarity="negated"), on=5)
    assert current(owner, "sport") == []
    assert len(take_back(owner).restored) == 1
    assert current(owner, "sport") == ["cricket"]


def test_what_it_ended_under_another_key_holds_again(owner: User) -> None:
    read(owner, candidate(heard(owner, "I drive a Fiat", on=1), "car", "Fiat"), on=1)
    [car] = facts(owner)
    new = candidate(heard(owner, "I go by bicycle now", on=5), "commute", "bicycle")
    other = Neighbour(
        car.id, car.attribute, "", car.value, car.value_key, "affirmed",
        car.kind, car.statement, car.last_stated_at, 0.9,  # type: ignore[arg-type]
    )  # fmt: skip
    ruling = Ruling("replaces", "rule", "x", other)
    with acting_for(owner.pk):
        canonical = registry.load().canonicalise(new)
    read(owner, new, on=5, rulings={canonical: ruling})
    assert [f.status for f in facts(owner, car.attribute)] != ["current"]
    undone = take_back(owner)
    assert undone.restored == [car.id]
    [again] = facts(owner, car.attribute)
    assert (again.status, again.superseded_by_id) == ("current", None)


def test_what_waits_in_review_is_left_out(owner: User) -> None:
    message = heard(owner, "I have asthma", on=1)
    read(owner, candidate(message, "health_condition", "asthma"))
    assert [f.status for f in facts(owner)] == ["pending"]
    take_back(owner)
    assert [f.status for f in facts(owner)] == ["rejected"]


def test_one_decision_alone(owner: User) -> None:
    home = candidate(heard(owner, "I live in Oslo", on=1), "home", "Oslo")
    sport = candidate(heard(owner, "I play chess", on=1), "sport", "chess")
    read(owner, home, sport)
    with acting_for(owner.pk):
        decision = Decision.objects.get(attribute=facts(owner, "home")[0].attribute)
    undone = pipeline.undo(user_id=owner.pk, by=Actor.user(owner), decision_id=decision.id)
    assert len(undone.undone) == 1
    assert (current(owner, "home"), current(owner, "sport")) == ([], ["chess"])
    take_back(owner)  # the rest
    assert current(owner, "sport") == []


class TestNot:
    @pytest.fixture
    def extraction(self, owner: User) -> UUID:
        return read(owner, candidate(heard(owner, "I live in Oslo", on=1), "home", "Oslo"))

    @pytest.fixture
    def fact(self, owner: User, extraction: UUID) -> Fact:
        return facts(owner, "home")[0]

    def test_twice(self, owner: User, extraction: UUID) -> None:
        take_back(owner, extraction)
        assert why_not(owner, extraction) == "undone"

    def test_once_said_again(self, owner: User, extraction: UUID) -> None:
        read(owner, candidate(heard(owner, "Oslo, still", on=2), "home", "Oslo"), on=61)
        assert why_not(owner, extraction) == "said_again"

    def test_once_replaced(self, owner: User, extraction: UUID) -> None:
        read(owner, candidate(heard(owner, "Bergen now", on=3), "home", "Bergen"), on=61)
        assert why_not(owner, extraction) == "changed"
        take_back(owner)  # the later one first
        assert current(owner, "home") == ["Oslo"]
        take_back(owner, extraction)
        assert current(owner, "home") == []

    def test_once_edited_by_hand(self, owner: User, extraction: UUID, fact: Fact) -> None:
        pipeline.edit_fact(
            user_id=owner.pk, fact_id=fact.id, value="Bergen", supersession="change",
            by=Actor.user(owner),
        )  # fmt: skip
        assert why_not(owner, extraction) == "changed"

    def test_once_pinned(self, owner: User, extraction: UUID, fact: Fact) -> None:
        by = Actor.user(owner)
        pipeline.weigh_fact(user_id=owner.pk, fact_id=fact.id, weights={"pinned": True}, by=by)
        assert why_not(owner, extraction) == "weighed"

    def test_once_erased(self, owner: User, extraction: UUID, fact: Fact) -> None:
        pipeline.erase_facts(user_id=owner.pk, fact_ids=[fact.id], by=Actor.user(owner))
        assert why_not(owner, extraction) == "erased"

    def test_once_something_was_made_of_it(self, owner: User, extraction: UUID, fact: Fact) -> None:
        read(owner, candidate(heard(owner, "I like fjords", on=2), "likes", "fjords"), on=61)
        with acting_for(owner.pk):
            FactLink.objects.create(
                user_id=owner.pk, source=facts(owner, "likes")[0], target=fact,
                kind="derived_from", made_at=NOW,
            )  # fmt: skip
        assert why_not(owner, extraction) == "built_on"

    def test_once_kept_in_review(self, owner: User) -> None:
        waits = candidate(heard(owner, "I have asthma", on=1), "health_condition", "asthma")
        extraction = read(owner, waits)
        [fact] = facts(owner)
        pipeline.approve(user_id=owner.pk, fact_id=fact.id, by=Actor.user(owner))
        assert why_not(owner, extraction) == "kept"

    def test_where_nothing_was_learned(self, owner: User) -> None:
        assert why_not(owner, read(owner)) == "nothing"

    def test_what_is_somebody_elses(self, owner: User, other: User, extraction: UUID) -> None:
        with pytest.raises(store.NotFound):
            take_back(other, extraction)
        assert current(owner, "home") == ["Oslo"]


class TestOverTheApi:
    @pytest.fixture
    def frontend(self, owner: User) -> Frontend:
        return personal(owner)

    def test_the_event_names_what_to_undo(self, owner: User, frontend: Frontend) -> None:
        tell(owner, said("2026-01-10", "I use dark mode in my IDE."))
        with acting_for(owner.pk):
            event = MemoryEvent.objects.get(type="memory.created").data
        [fact] = event["facts"]
        key = {"Idempotency-Key": "k"}
        answer = frontend.post(f"/extractions/{event['extraction']}/undo", {}, **key)
        assert answer.json() == {"undone": [fact], "restored": []}
        again = frontend.post(f"/extractions/{event['extraction']}/undo", {}, **key)
        assert again.json() == answer.json()
        assert again["Idempotency-Replayed"] == "true"
        [decision] = event["decisions"]
        body = problem(frontend.post(f"/decisions/{decision}/undo", {}), 409, "conflict")
        assert [each["code"] for each in body["errors"]] == ["undone"]
        with acting_for(owner.pk):
            last = MemoryEvent.objects.latest("seq")
        assert (last.type, last.data["change"], last.data["facts"]) == (
            "memory.updated", "undone", [fact],
        )  # fmt: skip

    def test_an_edit_by_hand_is_not_undone_here(self, owner: User, frontend: Frontend) -> None:
        read(owner, candidate(heard(owner, "I live in Oslo", on=1), "home", "Oslo"))
        pipeline.edit_fact(
            user_id=owner.pk, fact_id=facts(owner, "home")[0].id, value="Bergen",
            supersession="change", by=Actor.user(owner),
        )  # fmt: skip
        with acting_for(owner.pk):
            decision = Decision.objects.get(extraction=None)
        body = problem(frontend.post(f"/decisions/{decision.id}/undo", {}), 409, "conflict")
        assert [each["code"] for each in body["errors"]] == ["by_hand"]
        assert values(owner, "home", status="current") == ["Bergen"]

    def test_another_users_is_not_there(self, owner: User, other: User, frontend: Frontend) -> None:
        extraction = read(other, candidate(heard(other, "I live in Oslo", on=1), "home", "Oslo"))
        problem(frontend.post(f"/extractions/{extraction}/undo", {}), 404, "not-found")
        assert current(other, "home") == ["Oslo"]
        assert ("access.refused", f"extraction:{extraction}") in [e[1:] for e in log(owner)]
