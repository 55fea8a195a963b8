"""Two names that mean one person: renaming, merging, what is said later, and parting."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from memoryapp import audit, erase, pipeline, registry, store
from memoryapp.context import acting_for
from memoryapp.models import Decision, Evidence, Fact, FactEmbedding, SubjectAlias
from memoryapp.store.names import TWO
from tests.memory import NOW, TESTER, facts, learn
from tests.notebook import log
from tests.remember import remember

BY = audit.Actor.system("test")
MIRA, SISTER = "person:mira", "person:sister"


def rename(user: User, subject: str = SISTER, name: str = MIRA) -> store.Renamed:
    with acting_for(user.pk):
        return store.rename(
            user_id=user.pk, subject=subject, name=name, registry=registry.load(), by=BY, now=NOW
        )


def part(user: User, alias: str = SISTER) -> store.Renamed:
    with acting_for(user.pk):
        return store.part(
            user_id=user.pk,
            alias_id=SubjectAlias.objects.get(alias=alias).pk,
            registry=registry.load(),
            by=BY,
            now=NOW,
        )


def about(user: User, subject: str) -> list[tuple[str, str, str]]:
    """What is held about somebody: attribute, value and status, by attribute and time."""
    return sorted(
        (fact.attribute, fact.value, str(fact.status)) for fact in facts(user, subject=subject)
    )


def aliases(user: User) -> list[tuple[str, str]]:
    with acting_for(user.pk):
        return sorted(SubjectAlias.objects.values_list("alias", "subject"))


def test_a_name_of_its_own_keeps_everything_else(owner: User) -> None:
    learn(owner, "home", "Porto", on=1, subject=MIRA)
    learn(owner, "home", "Lisbon", on=9, subject=MIRA)
    before = [(f.id, f.value, f.valid_from, f.valid_to, f.status) for f in facts(owner)]
    rename(owner, MIRA, "person:mira-novak")
    after = facts(owner)
    assert [(f.id, f.value, f.valid_from, f.valid_to, f.status) for f in after] == before
    assert {f.subject for f in after} == {"person:mira-novak"}
    assert [f.statement for f in after] == [
        "Mira Novak lives in Porto.",
        "Mira Novak lives in Lisbon.",
    ]
    assert len(log(owner, "fact.rename")) == 2


def test_of_two_who_are_one_the_later_statement_holds(owner: User) -> None:
    learn(owner, "home", "Porto", on=1, subject=MIRA)
    learn(owner, "home", "Lisbon", on=9, subject=SISTER)
    learn(owner, "home", "Braga", on=5, subject=SISTER)
    rename(owner)
    assert about(owner, SISTER) == []
    assert about(owner, MIRA) == [
        ("home", "Braga", "superseded"),
        ("home", "Lisbon", "current"),
        ("home", "Porto", "superseded"),
    ]


def test_the_same_said_of_both_becomes_one_with_both_proofs(owner: User) -> None:
    learn(owner, "likes", "tea", on=1, subject=MIRA, text="Mira loves tea")
    learn(owner, "likes", "tea", on=3, subject=SISTER, text="My sister loves tea")
    rename(owner)
    assert about(owner, MIRA) == [("likes", "tea", "current")]
    with acting_for(owner.pk):
        assert sorted(Evidence.objects.values_list("quote", flat=True)) == [
            "Mira loves tea",
            "My sister loves tea",
        ]


def test_what_is_said_later_under_the_old_name_finds_its_place(owner: User) -> None:
    learn(owner, "home", "Porto", on=1, subject=SISTER)
    rename(owner)
    learn(owner, "home", "Lisbon", on=70, subject=SISTER)
    assert about(owner, MIRA) == [("home", "Lisbon", "current"), ("home", "Porto", "superseded")]
    rename(owner, MIRA, "person:mira-novak")
    learn(owner, "likes", "tea", on=71, subject=SISTER)
    assert ("likes", "tea", "current") in about(owner, "person:mira-novak")


def test_parting_gives_each_their_own_back(owner: User) -> None:
    learn(owner, "home", "Porto", on=1, subject=MIRA)
    learn(owner, "home", "Lisbon", on=9, subject=SISTER)
    learn(owner, "home", "Braga", on=5, subject=SISTER)
    learn(owner, "likes", "tea", on=2, subject=MIRA, text="Mira loves tea")
    learn(owner, "likes", "tea", on=3, subject=SISTER, text="My sister loves tea")
    before = about(owner, MIRA), about(owner, SISTER)
    rename(owner)
    part(owner)
    assert (about(owner, MIRA), about(owner, SISTER)) == before
    assert aliases(owner) == []
    with acting_for(owner.pk):
        proofs = Evidence.objects.filter(fact__attribute="likes")
        assert {(row.fact.subject, "sister" in row.quote) for row in proofs} == {
            (MIRA, False), (SISTER, True),
        }  # fmt: skip
        assert Decision.objects.filter(reason=TWO).count() == 3


def test_what_was_said_since_stays_where_it_is(owner: User) -> None:
    learn(owner, "home", "Porto", on=1, subject=SISTER)
    rename(owner)
    learn(owner, "likes", "tea", on=70, subject=SISTER)
    part(owner)
    assert about(owner, SISTER) == [("home", "Porto", "current")]
    assert about(owner, MIRA) == [("likes", "tea", "current")]


def test_names_may_change_back_and_forth(owner: User) -> None:
    learn(owner, "home", "Porto", on=1, subject=MIRA)
    rename(owner, MIRA, "person:mia")
    rename(owner, "person:mia", MIRA)
    assert about(owner, MIRA) == [("home", "Porto", "current")]
    assert aliases(owner) == [("person:mia", MIRA)]


def test_what_waits_for_review_goes_along(owner: User) -> None:
    learn(owner, "health_condition", "asthma", on=1, subject=SISTER)
    rename(owner)
    assert about(owner, MIRA) == [("health_condition", "asthma", "pending")]


@pytest.mark.parametrize("name", ["user", "", "Mira", "mira", "person:the-user", "person:"])
def test_a_name_must_be_one(owner: User, name: str) -> None:
    learn(owner, "home", "Porto", on=1, subject=SISTER)
    with pytest.raises(ValueError, match="no name"):
        rename(owner, SISTER, name)


def test_nobody_and_the_same_are_refused(owner: User, other: User) -> None:
    learn(other, "home", "Porto", on=1, subject=SISTER)
    with pytest.raises(store.NotFound):
        rename(owner)
    learn(owner, "home", "Porto", on=1)
    with pytest.raises(store.NotFound):
        rename(owner, "user", MIRA)
    learn(owner, "home", "Porto", on=1, subject=MIRA)
    with pytest.raises(store.Conflict):
        rename(owner, MIRA, MIRA)
    assert about(other, SISTER) == [("home", "Porto", "current")]


def forget(user: User, subject: str, **options: Any) -> None:
    with acting_for(user.pk):
        ids = list(Fact.objects.filter(subject=subject).values_list("id", flat=True))
        erase.erase_facts(user_id=user.pk, fact_ids=ids, by=TESTER, **options)


def test_with_the_last_memory_of_somebody_their_names_go(owner: User) -> None:
    learn(owner, "home", "Porto", on=1, subject=SISTER)
    rename(owner)
    forget(owner, MIRA)
    assert aliases(owner) == []


def test_what_was_forgotten_for_ever_stays_so_under_every_name(owner: User) -> None:
    learn(owner, "home", "Porto", on=1, subject=SISTER)
    learn(owner, "likes", "tea", on=1, subject=SISTER)
    with acting_for(owner.pk):
        fact = Fact.objects.get(attribute="home")
        erase.erase_facts(user_id=owner.pk, fact_ids=[fact.id], by=TESTER, forever=True)
    rename(owner)
    learn(owner, "home", "Porto", on=80, subject=MIRA, text="Mira is still in Porto")
    assert about(owner, MIRA) == [("likes", "tea", "current")]


def test_the_new_sentences_are_found_by_meaning(owner: User) -> None:
    remember(owner, "home", "Porto", subject=SISTER)
    pipeline.rename(user_id=owner.pk, subject=SISTER, name=MIRA, by=BY)
    with acting_for(owner.pk):
        fact = Fact.objects.get()
        [row] = FactEmbedding.objects.filter(fact_id=fact.id)
        alias = SubjectAlias.objects.get()
    assert fact.statement == "Mira lives in Porto."
    [vector] = pipeline.embed(user_id=owner.pk, texts=[fact.statement]).values()
    assert list(row.embedding) == pytest.approx(list(vector.values), abs=1e-2)
    pipeline.part(user_id=owner.pk, alias_id=alias.pk, by=BY)
    with acting_for(owner.pk):
        assert Fact.objects.get().statement == "Sister lives in Porto."
        assert FactEmbedding.objects.count() == 1
