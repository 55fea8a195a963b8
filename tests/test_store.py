"""Facts as they are written: one outcome a candidate, one current row a key."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection

from accounts.models import User
from memoryapp import registry, store
from memoryapp.context import acting_for
from memoryapp.models import (
    Attribute,
    AuditEvent,
    Decision,
    Evidence,
    Fact,
    FactEmbedding,
    FactUsage,
    MemorySettings,
)
from memoryapp.store import tombstones
from memoryapp.store.timelines import Vector
from tests.memory import NOW, TESTER, apply, candidate, day, facts, heard, learn, told


def outcomes(user: User) -> list[str]:
    with acting_for(user.pk):
        return list(Decision.objects.order_by("id").values_list("outcome", flat=True))


def test_a_stated_fact_is_stored_with_its_proof_and_logged(owner: User) -> None:
    message = heard(owner, "Hi! I use Vim, mostly.", on=1)
    (decided,) = apply(owner, candidate(message, "ide", "Vim", quote="I use Vim"))
    (fact,) = facts(owner)
    assert (decided.verdict.outcome, decided.fact_id) == ("add", fact.id)
    # The attribute by its known name, the time of its statement, the registry's words.
    assert (fact.attribute, fact.status, fact.valid_from) == ("editor", "current", day(1))
    assert "Vim" in fact.statement
    with acting_for(owner.pk):
        proof = Evidence.objects.get(fact_id=fact.id)
        assert message.content[proof.start : proof.end] == proof.quote == "I use Vim"
        assert Decision.objects.get().value == "Vim"
        event = AuditEvent.objects.get()
    assert (event.action, event.object, event.details) == ("fact.add", f"fact:{fact.id}", {})


def test_the_same_value_again_corroborates(owner: User) -> None:
    learn(owner, "editor", "Vim", on=1)
    again = learn(owner, "editor", "vim.", on=5)
    (fact,) = facts(owner)
    assert again.verdict.outcome == "corroborate"
    assert fact.confidence == pytest.approx(0.88)
    assert (fact.valid_from, fact.last_stated_at) == (day(1), day(5))


def test_a_later_value_supersedes_as_a_change(owner: User) -> None:
    learn(owner, "seat_preference", "window seat", on=1)
    learn(owner, "seat_preference", "aisle seats", on=9)
    window, aisle = facts(owner)
    assert (window.status, window.supersession, window.valid_to) == (
        "superseded",
        "change",
        day(9),
    )
    assert (window.superseded_by_id, window.retired_at) == (aisle.id, None)
    assert (aisle.status, aisle.valid_from, aisle.valid_to) == ("current", day(9), None)
    assert outcomes(owner) == ["add", "supersede"]


def test_a_correction_retires_what_was_never_so(owner: User) -> None:
    learn(owner, "name", "Samantha", on=1)
    learn(owner, "name", "Sam", on=9, correction=True)
    sam, samantha = facts(owner)
    assert (samantha.status, samantha.supersession, samantha.retired_at) == (
        "superseded",
        "correction",
        NOW,
    )
    assert (sam.status, sam.valid_from) == ("current", day(1))


def test_an_earlier_statement_that_comes_late_is_history(owner: User) -> None:
    learn(owner, "editor", "VS Code", on=9)
    late = learn(owner, "editor", "Vim", on=1)
    assert told(owner, "editor") == [("Vim", "superseded"), ("VS Code", "current")]
    assert late.verdict.outcome == "add"
    assert facts(owner)[0].valid_to == day(9)


def test_no_longer_retracts_the_named_one_of_several(owner: User) -> None:
    learn(owner, "sport", "cricket", on=1)
    learn(owner, "sport", "tennis", on=1)
    ended = learn(owner, "sport", "cricket", on=5, operation="end", polarity="negated")
    assert ended.verdict.outcome == "retract"
    assert told(owner, "sport") == [("cricket", "retracted"), ("tennis", "current")]
    assert facts(owner)[0].valid_to == day(5)


def test_ending_what_was_never_held_changes_nothing_and_is_logged(owner: User) -> None:
    ended = learn(owner, "sport", "cricket", on=5, operation="end", polarity="negated")
    assert ended.verdict.outcome == "ignore"
    assert facts(owner) == []
    assert outcomes(owner) == ["ignore"]


@pytest.mark.parametrize("polarity", ["affirmed", "negated"])
@pytest.mark.parametrize("operation", ["state", "end"])
@pytest.mark.parametrize("attribute", ["editor", "sport"])
def test_the_same_words_read_twice_change_nothing(
    owner: User, attribute: str, operation: str, polarity: str
) -> None:
    message = heard(owner, "about Vim", on=1)
    found = candidate(message, attribute, "Vim", operation=operation, polarity=polarity)
    apply(owner, found)
    with acting_for(owner.pk):
        before = list(Fact.objects.values()), list(Evidence.objects.values())
    (again,) = apply(owner, found)
    assert again.verdict.outcome == "ignore"
    with acting_for(owner.pk):
        assert (list(Fact.objects.values()), list(Evidence.objects.values())) == before


def test_a_statement_in_between_splits_a_row_with_its_words_and_vector(owner: User) -> None:
    first = heard(owner, "I use the dark theme.", on=1)
    found = candidate(first, "theme", "dark")
    with acting_for(owner.pk):
        statement = registry.load().get("theme").statement(found)
    vector = Vector("test-space", np.full(4, 0.5, dtype=np.float32))
    apply(owner, found, vectors={statement: vector})
    learn(owner, "theme", "dark", on=9)
    learn(owner, "theme", "light", on=5)
    assert told(owner, "theme") == [
        ("dark", "superseded"),
        ("light", "superseded"),
        ("dark", "current"),
    ]
    rows = facts(owner)
    assert [row.valid_from for row in rows] == [day(1), day(5), day(9)]
    assert [row.superseded_by_id for row in rows] == [rows[1].id, rows[2].id, None]
    assert rows[2].statement == rows[0].statement
    with acting_for(owner.pk):
        embedded = set(FactEmbedding.objects.values_list("fact_id", flat=True))
    assert embedded == {rows[0].id, rows[2].id}


def shape(user: User) -> list[tuple[object, ...]]:
    """All rows without their ids and database times, with their proof and successors."""
    with acting_for(user.pk):
        rows = {f.id: f for f in Fact.objects.filter(user_id=user.pk)}
        proofs: dict[object, list[str]] = {}
        for e in Evidence.objects.filter(user_id=user.pk).order_by("quote"):
            proofs.setdefault(e.fact_id, []).append(e.quote)
    return sorted(
        (
            f.attribute,
            f.value_key,
            f.status,
            f.valid_from,
            str(f.valid_to),
            f.supersession,
            f.confidence,
            f.last_stated_at,
            str(f.expires_at),
            f.retired_at is not None,
            rows[f.superseded_by_id].value_key if f.superseded_by_id else "",
            tuple(proofs[f.id]),
        )
        for f in rows.values()
    )


def test_deliveries_in_any_order_end_in_the_same_rows(owner: User, other: User) -> None:
    script: list[tuple[str, str, int, dict[str, Any]]] = [
        ("theme", "dark", 1, {}),
        ("theme", "light", 5, {}),
        ("theme", "dark", 9, {}),
        ("theme", "dark", 12, {}),
        ("theme", "sepia", 20, {"correction": True}),
        ("decision", "move to Lyon", 3, {"kind": "decision"}),
        ("decision", "move to Lyon", 40, {"kind": "decision"}),
        ("sport", "cricket", 1, {}),
        ("sport", "cricket", 7, {"operation": "end", "polarity": "negated"}),
        ("sport", "cricket", 15, {}),
        ("home", "Paris", 1, {}),
        ("home", "Paris", 8, {"polarity": "negated"}),
        ("home", "Rome", 30, {"valid_from": day(10), "precision": "day"}),
    ]

    def deliver(user: User, order: list[int]) -> None:
        for index in order:
            attribute, value, on, fields = script[index]
            learn(user, attribute, value, on=on, text=f"said {index:02}", **fields)

    deliver(owner, list(range(len(script))))
    expected = shape(owner)
    assert ("theme", "sepia", "current") in {row[:3] for row in expected}
    order = list(range(len(script)))
    random.shuffle(order)  # pytest-randomly prints and repeats the seed
    deliver(other, order)
    assert shape(other) == expected, order


@pytest.mark.slow
def test_sixteen_writers_on_one_key_leave_one_current_row(
    committed_db: object, owner: User
) -> None:
    found = [
        candidate(heard(owner, f"I use editor {n}.", on=n), "editor", f"editor {n}")
        for n in range(16)
    ]
    gate = threading.Barrier(16)
    errors: list[BaseException] = []

    def write(number: int) -> None:
        try:
            gate.wait()
            apply(owner, found[number])
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=[n]) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert told(owner, "editor") == [
        *[(f"editor {n}", "superseded") for n in range(15)],
        ("editor 15", "current"),
    ]


# -- What waits for the user ---------------------------------------------------------------------


def test_a_sensitive_fact_waits_until_it_is_approved(owner: User) -> None:
    decided = learn(owner, "health_condition", "asthma", on=1)
    again = learn(owner, "health_condition", "Asthma", on=2)
    assert told(owner, "health_condition") == [("asthma", "pending")]
    assert (decided.fact_id, again.verdict.outcome) == (again.fact_id, "corroborate")
    assert decided.fact_id is not None
    with acting_for(owner.pk):
        store.approve(
            user_id=owner.pk,
            fact_id=decided.fact_id,
            registry=registry.load(),
            by=TESTER,
            now=NOW,
        )
        assert Evidence.objects.count() == 2
    assert told(owner, "health_condition") == [("asthma", "current")]
    # What was approved needs no approval again.
    assert learn(owner, "health_condition", "asthma", on=3).verdict.outcome == "corroborate"


def test_a_refused_fact_is_not_asked_again(owner: User) -> None:
    decided = learn(owner, "health_condition", "asthma", on=1)
    assert decided.fact_id is not None
    with acting_for(owner.pk):
        store.reject(user_id=owner.pk, fact_id=decided.fact_id, by=TESTER, now=NOW)
        with pytest.raises(store.Conflict):
            store.reject(user_id=owner.pk, fact_id=decided.fact_id, by=TESTER, now=NOW)
    assert learn(owner, "health_condition", "asthma", on=2).verdict.outcome == "ignore"
    assert told(owner, "health_condition") == [("asthma", "rejected")]


def test_who_opted_in_is_not_asked(owner: User) -> None:
    with acting_for(owner.pk):
        MemorySettings.objects.create(user_id=owner.pk, sensitive_opt_in=["health"])
    learn(owner, "health_condition", "asthma", on=1)
    learn(owner, "religion", "Jain", on=1)
    assert told(owner, "health_condition") == [("asthma", "current")]
    assert told(owner, "religion") == [("Jain", "pending")]


# -- By hand -------------------------------------------------------------------------------------


def edit(user: User, fact: Fact, value: str, supersession: str = "correction") -> None:
    with acting_for(user.pk):
        store.edit(
            user_id=user.pk,
            fact_id=fact.id,
            value=value,
            supersession=supersession,  # type: ignore[arg-type]
            registry=registry.load(),
            by=TESTER,
            now=NOW,
        )


@pytest.mark.parametrize("attribute", ["editor", "sport"])
@pytest.mark.parametrize("supersession", ["change", "correction"])
def test_an_edit_keeps_history(owner: User, attribute: str, supersession: str) -> None:
    learn(owner, attribute, "tenis", on=1)
    edit(owner, facts(owner)[0], "tennis", supersession)
    old = facts(owner, value="tenis")[0]
    new = facts(owner, value="tennis")[0]
    assert (old.status, old.supersession, old.superseded_by_id) == (
        "superseded",
        supersession,
        new.id,
    )
    assert new.status == "current"
    assert new.valid_from == (NOW if supersession == "change" else day(1))
    assert (old.retired_at is not None) == (supersession == "correction")


@pytest.mark.parametrize("supersession", ["change", "correction"])
def test_late_words_about_a_replaced_value_leave_the_edit_as_it_is(
    owner: User, supersession: str
) -> None:
    learn(owner, "sport", "tenis", on=5)
    edit(owner, facts(owner)[0], "tennis", supersession)
    learn(owner, "sport", "tenis", on=1)
    old, new = facts(owner)
    assert (old.status, old.supersession, old.superseded_by_id, old.valid_from) == (
        "superseded",
        supersession,
        new.id,
        day(1),
    )


def test_an_edit_of_another_users_fact_finds_nothing(owner: User, other: User) -> None:
    learn(owner, "editor", "Vim", on=1)
    with pytest.raises(store.NotFound):
        edit(other, facts(owner)[0], "Emacs")
    assert told(owner, "editor") == [("Vim", "current")]


# -- Upkeep --------------------------------------------------------------------------------------


def test_facts_expire_by_kind_and_by_their_own_words(owner: User) -> None:
    learn(owner, "watching", "Severance", on=1, kind="entity", now=day(2))
    learn(owner, "home", "Oslo", on=1, valid_to=day(50), now=day(2))
    learn(owner, "diet", "vegan", on=1, now=day(2))
    with acting_for(owner.pk):
        Fact.objects.filter(attribute="home").update(pinned=True)
        assert store.expire(user_id=owner.pk, by=TESTER, now=day(20)) == 0
        assert store.expire(user_id=owner.pk, by=TESTER, now=NOW) == 2
        assert store.expire(user_id=owner.pk, by=TESTER, now=NOW) == 0
    assert {(f.attribute, f.status) for f in facts(owner)} == {
        ("watching", "expired"),
        ("home", "expired"),
        ("diet", "current"),
    }
    # A new mention brings it back.
    learn(owner, "watching", "Severance", on=59, kind="entity")
    assert told(owner, "watching") == [("Severance", "current")]


def test_only_what_was_neither_said_nor_recalled_for_long_is_archived(owner: User) -> None:
    for value in ("chess", "go", "shogi"):
        learn(owner, "hobby", value, on=1, now=day(1))
    learn(owner, "hobby", "bridge", on=300, now=day(300))
    learn(owner, "allergy", "nuts", on=1, now=day(1), kind="constraint")
    used = {"go": day(300), "shogi": day(5)}
    with acting_for(owner.pk):
        for value, at in used.items():
            FactUsage.objects.create(
                user_id=owner.pk,
                fact=Fact.objects.get(value=value),
                recall_count=1,
                last_recalled_at=at,
            )
        count = store.archive(user_id=owner.pk, by=TESTER, now=day(310), after_days=180)
    assert count == 2
    assert {f.value for f in facts(owner, status="archived")} == {"chess", "shogi"}


@pytest.mark.parametrize("said_again", [True, False])
def test_rows_whose_names_became_the_same_are_merged(owner: User, said_again: bool) -> None:
    text = "I love my mechanical keyboard."
    message = heard(owner, text, on=1)
    apply(
        owner,
        candidate(message, "gadget", "mechanical keyboard"),
        candidate(message, "gear", "mechanical keyboard"),
    )
    if said_again:
        learn(owner, "gear", "Mechanical keyboard", on=5)
    with acting_for(owner.pk):
        known = Attribute.objects.get(key="owns")
        changed = registry.load()
        changed._aliases |= {"gadget": known.key, "gear": known.key}  # type: ignore[operator]
        options = {"user_id": owner.pk, "registry": changed, "by": TESTER, "now": NOW}
        assert store.merge_duplicates(**options) == 1  # type: ignore[arg-type]
        assert store.merge_duplicates(**options) == 0  # type: ignore[arg-type]
        assert Evidence.objects.count() == (2 if said_again else 1)
    (fact,) = facts(owner)
    assert (fact.attribute, fact.status) == ("owns", "current")
    assert fact.last_stated_at == (day(5) if said_again else day(1))


# -- Tombstones ----------------------------------------------------------------------------------


def test_a_tombstone_holds_back_what_was_said_before_it(owner: User) -> None:
    def bury(*, forever: bool) -> None:
        grave = tombstones.fact_hash(
            owner, subject="user", attribute="editor", scope="", value_key="vim"
        )
        with acting_for(owner.pk):
            tombstones.bury(owner, [grave], now=day(10), forever=forever)

    bury(forever=False)
    assert learn(owner, "editor", "Vim", on=9).verdict.outcome == "ignore"
    assert learn(owner, "editor", "Emacs", on=9).verdict.outcome == "add"
    assert learn(owner, "editor", "Vim", on=11).verdict.outcome == "supersede"
    bury(forever=True)
    bury(forever=False)
    assert learn(owner, "editor", "Vim", on=12).verdict.outcome == "ignore"
    with acting_for(owner.pk):
        ignored = Decision.objects.filter(reason="erased by the user")
        assert {d.value for d in ignored} == {""}


def test_a_tombstone_of_words_holds_back_other_values_found_in_them(owner: User) -> None:
    words = "I have a dog called Pim."
    with acting_for(owner.pk):
        grave = tombstones.quote_hash(owner, attribute="pet", quote=words)
        tombstones.bury(owner, [grave], now=NOW)
    message = heard(owner, words, on=1)
    found = candidate(message, "pet", "a dog named Pim")
    pet, owns = apply(owner, found, replace(found, attribute="owns"))
    assert (pet.verdict.outcome, owns.verdict.outcome) == ("ignore", "add")
    assert message.sent_at + timedelta(days=1) < NOW
