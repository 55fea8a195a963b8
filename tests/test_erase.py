"""Erasing: what goes, what stays, and that it doesn't come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest

from accounts.models import Application, EndUser, User
from memoryapp import audit, erase, registry, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.erase.masking import Spoken, mask, occurrences, positions
from memoryapp.models import (
    AuditEvent,
    Conversation,
    Decision,
    EmbeddingCache,
    ErasureReceipt,
    ErasureRequest,
    Evidence,
    Fact,
    FactEmbedding,
    FactUsage,
    MemorySettings,
    MemoryUse,
    Message,
    Tombstone,
)
from memoryapp.store.timelines import Vector
from tests.everywhere import WORDS, everywhere
from tests.memory import NOW, TESTER, apply, candidate, day, facts, heard, learn, told


def forget(user: User, *erased: Fact, **options: Any) -> ErasureReceipt:
    with acting_for(user.pk):
        return erase.erase_facts(
            user_id=user.pk,
            fact_ids=[fact.id for fact in erased],
            by=Actor.user(user),
            now=NOW,
            **options,
        )


def forget_conversation(user: User, name: str) -> ErasureReceipt:
    with acting_for(user.pk):
        return erase.erase_conversation(
            user_id=user.pk,
            conversation_id=Conversation.objects.get(external_id=name).id,
            by=Actor.user(user),
            now=NOW,
        )


def with_everything(user: User) -> Fact:
    """A home in every tier: replaced before, embedded, recalled, asked about."""
    found = candidate(heard(user, f"I live in {WORDS}, near the sea.", on=1), "home", WORDS)
    with acting_for(user.pk):
        statement = registry.load().get("home").statement(found)
    vector = Vector("test-space", np.full(4, 0.5, dtype=np.float32))
    apply(user, found, vectors={statement: vector})
    learn(user, "home", "Oslo", on=5, text=f"I left {WORDS} for Oslo.")
    learn(user, "home", f"new {WORDS}", on=9)
    fact = facts(user, status="current")[0]
    with acting_for(user.pk):
        FactUsage.objects.create(user_id=user.pk, fact=fact, recall_count=3)
        MemoryUse.objects.create(user_id=user.pk, fact=fact, at=NOW, via="recall")
        EmbeddingCache.objects.create(
            user_id=user.pk,
            key=user.keyed_hash("query", WORDS),
            model="test-space",
            embedding=np.full(4, 0.5, dtype=np.float32),
            used_at=NOW,
        )
        ErasureRequest.objects.create(
            user_id=user.pk,
            message=heard(user, f"Forget about New {WORDS.title()}!", on=12),
            what=f"New {WORDS.title()}",
            asked_at=NOW,
        )
    return fact


def test_nothing_of_an_erased_fact_is_left_in_any_table(
    committed_db: object, owner: User, owner_connection: psycopg.Connection[Any]
) -> None:
    fact = with_everything(owner)
    assert len(everywhere(owner_connection)) >= 5
    receipt = forget(owner, fact)
    assert everywhere(owner_connection) == []
    assert receipt.counts == {
        "facts": 3,
        "evidence": 3,
        "messages": 4,
        "embeddings": 1,
        "usage": 1,
        "uses": 1,
        "cache": 1,
        "decisions": 3,
        "requests": 1,
        "tombstones": 6,
    }
    assert len(receipt.fact_ids) == 3
    with acting_for(owner.pk):
        for model in (Fact, Evidence, FactEmbedding, FactUsage, MemoryUse, EmbeddingCache):
            assert not model._base_manager.filter(user_id=owner.pk).exists()
        assert not Decision.objects.exclude(value="", fact=None).exists()
        request = ErasureRequest.objects.get()
        assert (request.state, request.settled_at, request.what) == ("done", NOW, "")
        messages = list(Message.objects.order_by("sent_at").values_list("content", flat=True))
    # As long as before; what was not proof stays readable.
    assert messages[0] == "█" * len(f"I live in {WORDS}, near the sea.")
    assert messages[3] == "Forget about ████████████!"


def test_the_log_says_that_and_by_whom_without_content(owner: User) -> None:
    learn(owner, "editor", "Vim", on=1)
    (fact,) = facts(owner)
    receipt = forget(owner, fact)
    with acting_for(owner.pk):
        event = AuditEvent.objects.order_by("-seq")[0]
        assert audit.verify_chain(user_id=owner.pk).whole
    assert (event.action, event.object, event.actor) == (
        "fact.erase",
        f"fact:{fact.id}",
        f"user:{owner.pk}",
    )
    assert event.details == {"receipt": str(receipt.id)}


def test_the_plan_is_what_erasing_does(owner: User) -> None:
    learn(owner, "editor", "Vim", on=1)
    learn(owner, "editor", "Emacs", on=3)
    vim, emacs = facts(owner)
    with acting_for(owner.pk):
        plan = erase.plan(user_id=owner.pk, fact_ids=[emacs.id])
        only = erase.plan(user_id=owner.pk, fact_ids=[emacs.id], restore_previous=True)
    assert [f.value for f in plan.chain] == ["Vim", "Emacs"]
    assert [f.id for f in plan.restorable] == [vim.id]
    assert [f.statement for f in only.chain] == [emacs.statement]
    assert (plan.facts, plan.evidence, plan.quotes, plan.decisions) == (2, 2, 2, 2)
    counts = forget(owner, emacs).counts
    assert (counts["facts"], counts["evidence"], counts["messages"]) == (2, 2, 2)


# -- What belongs to the fact --------------------------------------------------------------------


def test_of_several_values_only_the_named_one_goes(owner: User) -> None:
    learn(owner, "sport", "cricket", on=1)
    learn(owner, "sport", "tennis", on=1)
    learn(owner, "sport", "cricket", on=5, operation="end", polarity="negated")
    forget(owner, facts(owner, value="cricket")[0])
    assert told(owner, "sport") == [("tennis", "current")]
    with acting_for(owner.pk):
        assert not Fact.objects.filter(value="cricket").exists()
        assert set(Decision.objects.values_list("value", flat=True)) == {"", "tennis"}


def test_a_value_goes_with_the_one_that_an_edit_put_in_its_place(owner: User) -> None:
    learn(owner, "sport", "tenis", on=1)
    with acting_for(owner.pk):
        store.edit(
            user_id=owner.pk,
            fact_id=facts(owner)[0].id,
            value="tennis",
            supersession="correction",
            registry=registry.load(),
            by=TESTER,
            now=NOW,
        )
    forget(owner, facts(owner, status="current")[0])
    with acting_for(owner.pk):
        assert not Fact.objects.exists()


def test_another_scope_and_another_person_stay(owner: User) -> None:
    learn(owner, "theme", "dark", on=1)
    learn(owner, "theme", "dark", on=1, scope="ide", text="dark in the ide")
    learn(owner, "theme", "dark", on=1, subject="person:mira", text="mira has dark")
    forget(owner, facts(owner, scope="", subject="user")[0])
    assert {(f.subject, f.scope) for f in facts(owner)} == {
        ("user", "ide"),
        ("person:mira", ""),
    }


def test_erasing_a_suggestion_leaves_what_is_held(owner: User) -> None:
    with acting_for(owner.pk):
        chosen = MemorySettings.objects.create(user_id=owner.pk, sensitive_opt_in=["health"])
    learn(owner, "blood_type", "A", on=1)
    with acting_for(owner.pk):
        chosen.delete()
    learn(owner, "blood_type", "B", on=2)
    forget(owner, facts(owner, status="pending")[0])
    assert told(owner, "blood_type") == [("A", "current")]


@pytest.mark.parametrize("attribute", ["editor", "sport"])
def test_a_suggestion_of_an_erased_value_goes_with_it(owner: User, attribute: str) -> None:
    learn(owner, attribute, "Vim", on=1)
    learn(owner, attribute, "Vim", on=2, sensitivity="health", scope="work")
    with acting_for(owner.pk):
        Fact.objects.filter(status="pending").update(scope="")
    forget(owner, facts(owner, status="current")[0])
    assert facts(owner) == []


# -- Restoring -----------------------------------------------------------------------------------


def test_the_previous_value_can_be_restored(owner: User) -> None:
    for value, on in (("dark", 1), ("light", 5), ("dark", 9)):
        learn(owner, "theme", value, on=on, text=f"{value} on {on}")
    forget(owner, facts(owner, status="current")[0], restore_previous=True)
    assert told(owner, "theme") == [("dark", "superseded"), ("light", "current")]
    light = facts(owner, status="current")[0]
    assert (light.valid_to, light.superseded_by_id, light.supersession) == (None, None, "")


def test_restoring_takes_back_an_end_said_in_the_same_breath(owner: User) -> None:
    learn(owner, "editor", "Vim", on=1)
    message = heard(owner, "I switched from Vim to VS Code.", on=5)
    ends = candidate(message, "editor", "Vim", operation="end", polarity="negated")
    apply(owner, ends, replace(ends, value="VS Code", operation="state", polarity="affirmed"))
    assert told(owner, "editor") == [("Vim", "superseded"), ("VS Code", "current")]
    forget(owner, facts(owner, status="current")[0], restore_previous=True)
    assert told(owner, "editor") == [("Vim", "current")]


def test_restoring_undoes_an_edit_of_one_of_several(owner: User) -> None:
    learn(owner, "sport", "tennis", on=1)
    learn(owner, "sport", "chess", on=1)
    with acting_for(owner.pk):
        store.edit(
            user_id=owner.pk,
            fact_id=facts(owner, value="tennis")[0].id,
            value="padel",
            supersession="change",
            registry=registry.load(),
            by=TESTER,
            now=NOW,
        )
    forget(owner, facts(owner, value="padel")[0], restore_previous=True)
    assert sorted(told(owner, "sport")) == [("chess", "current"), ("tennis", "current")]


def test_restoring_a_corrected_value_makes_it_hold_again(owner: User) -> None:
    learn(owner, "name", "Samantha", on=1)
    learn(owner, "name", "Sam", on=9, correction=True)
    forget(owner, facts(owner, status="current")[0], restore_previous=True)
    (samantha,) = facts(owner)
    assert (samantha.status, samantha.retired_at) == ("current", None)


# -- Masking -------------------------------------------------------------------------------------


def content(message: Message) -> str:
    with acting_for(message.user_id):
        return Message.objects.get(id=message.id).content


def test_words_that_prove_something_else_too_lose_only_the_value(owner: User) -> None:
    text = "Hello. I have a dog and a cat."
    message = heard(owner, text, on=1)
    quote = "I have a dog and a cat."
    apply(
        owner,
        candidate(message, "pet", "dog", quote=quote),
        candidate(message, "pet", "cat", quote=quote),
    )
    forget(owner, facts(owner, value="dog")[0])
    assert content(message) == "Hello. I have a ███ and a cat."
    with acting_for(owner.pk):
        proof = Evidence.objects.get()
        assert proof.quote == content(message)[proof.start : proof.end]
    forget(owner, facts(owner, value="cat")[0])
    assert content(message) == "Hello. " + "█" * len(quote)


def test_a_value_that_is_not_in_its_words_takes_them_all(owner: User) -> None:
    message = heard(owner, "We rescued a greyhound, Pim.", on=1)
    apply(
        owner,
        candidate(message, "pet", "dog"),
        candidate(message, "name", "Pim", quote="Pim", subject="pet:pim"),
    )
    forget(owner, facts(owner, value="dog")[0])
    assert content(message) == "█" * len("We rescued a greyhound, Pim.")
    with acting_for(owner.pk):
        assert Evidence.objects.get().quote == "███"


def test_masking_is_of_whole_words_in_any_case_spacing_and_script() -> None:
    assert occurrences("art is not party; ART!", "art") == [range(0, 3), range(18, 21)]
    assert occurrences("a New\nYork  day", "new york") == [range(2, 10)]
    assert occurrences("我喜欢喝绿茶。", "绿茶") == [range(4, 6)]
    assert occurrences("C++ (not C)", "C++") == [range(0, 3)]
    assert occurrences("anything", " ") == []
    spoken = [Spoken(start=2, quote="tea and milk", value="tea")]
    assert positions(spoken, kept=[]) == set(range(2, 14))
    assert positions(spoken, kept=[range(6, 14)]) == set(range(2, 6))
    assert mask("tea", {3, 4}, offset=2) == "t██"


# -- Coming back ---------------------------------------------------------------------------------


def test_a_conversation_sent_again_under_other_ids_brings_nothing_back(owner: User) -> None:
    learn(owner, "pet", "dog", on=1, text="I have a dog called Pim.")
    forget(owner, facts(owner)[0])
    # Another extractor may word the value otherwise; the sentence is the same.
    for value in ("dog", "Dog.", "a dog called Pim"):
        again = learn(
            owner, "pet", value, on=1, text="I have a dog called Pim.", conversation="imported"
        )
        assert (again.verdict.outcome, again.fact_id) == ("ignore", None)
    assert facts(owner) == []


def test_what_is_said_after_the_erasure_may_be_learnt_unless_for_ever(owner: User) -> None:
    learn(owner, "pet", "dog", on=1)
    forget(owner, facts(owner)[0])
    learn(owner, "pet", "dog", on=61, text="We have a dog again.", now=day(61))
    assert told(owner, "pet") == [("dog", "current")]
    forget(owner, facts(owner)[0], forever=True)
    learn(owner, "pet", "dog", on=70, text="A dog, once more.", now=day(70))
    assert facts(owner) == []


def test_words_erased_while_an_extractor_read_them_prove_nothing(owner: User) -> None:
    message = heard(owner, "I have a dog and a cat.", on=1)
    late = candidate(message, "owns", "a dog")
    apply(owner, candidate(message, "pet", "dog"))
    forget(owner, facts(owner)[0])
    (decided,) = apply(owner, late)
    assert (decided.verdict.outcome, decided.fact_id) == ("ignore", None)
    with acting_for(owner.pk):
        assert set(Decision.objects.values_list("value", flat=True)) == {""}


# -- Refusals ------------------------------------------------------------------------------------


def test_an_id_of_somebody_else_erases_nothing(owner: User, other: User) -> None:
    learn(owner, "editor", "Vim", on=1)
    learn(other, "editor", "Vim", on=1)
    both = [facts(owner)[0], facts(other)[0]]
    with pytest.raises(store.NotFound):
        forget(owner, *both)
    with acting_for(owner.pk), pytest.raises(store.NotFound):
        erase.plan(user_id=owner.pk, fact_ids=[both[1].id])
    with acting_for(other.pk):
        foreign = Conversation.objects.get().id
    with acting_for(owner.pk), pytest.raises(store.NotFound):
        erase.erase_conversation(user_id=owner.pk, conversation_id=foreign, by=TESTER)
    with acting_for(owner.pk), pytest.raises(store.NotFound):
        erase.erase_facts(user_id=owner.pk, fact_ids=[], by=TESTER)
    assert (told(owner, "editor"), told(other, "editor")) == ([("Vim", "current")],) * 2
    with acting_for(owner.pk):
        assert not ErasureReceipt.objects.exists()
        assert not Tombstone.objects.exists()


# -- A conversation ------------------------------------------------------------------------------


def test_a_conversation_goes_with_what_it_alone_taught(owner: User) -> None:
    learn(owner, "theme", "dark", on=1, conversation="old")
    learn(owner, "theme", "light", on=5, text=f"light, {WORDS}", conversation="gone")
    learn(owner, "theme", "dark", on=9, text="dark again", conversation="old")
    learn(owner, "diet", "vegan", on=2, conversation="old")
    learn(owner, "diet", "vegan", on=6, text="still vegan", conversation="gone")
    learn(owner, "pet", "dog", on=6, conversation="gone")
    learn(owner, "health_condition", "asthma", on=6, conversation="gone")
    waiting = heard(owner, WORDS, on=7, conversation="gone", state="pending")
    receipt = forget_conversation(owner, "gone")
    # Dark was never interrupted as far as is known now.
    assert told(owner, "theme") == [("dark", "current")]
    assert facts(owner, "theme")[0].last_stated_at == day(9)
    (diet,) = facts(owner, "diet")
    assert diet.last_stated_at == day(2)
    assert diet.confidence == pytest.approx(0.8)
    assert facts(owner, "pet") == facts(owner, "health_condition") == []
    with acting_for(owner.pk):
        gone = Message.objects.filter(conversation__external_id="gone")
        assert set(gone.values_list("content", "state")) == {("", "processed")}
        assert Message.objects.exclude(content="").count() == 3
        assert set(Decision.objects.filter(message__in=gone).values_list("value", flat=True)) == {
            ""
        }
    assert (receipt.counts["messages"], receipt.counts["evidence"]) == (5, 4)
    assert receipt.counts["facts"] == 3
    assert content(waiting) == ""


def test_an_erased_conversation_sent_again_teaches_nothing(owner: User) -> None:
    learn(owner, "pet", "dog", on=1, text="I have a dog.", conversation="gone")
    learn(owner, "diet", "vegan", on=1, text="I'm vegan.", conversation="gone")
    learn(owner, "diet", "vegan", on=2, text="Vegan food only.", conversation="kept")
    forget_conversation(owner, "gone")
    before = facts(owner)
    learn(owner, "pet", "dog", on=1, text="I have a dog.", conversation="again")
    learn(owner, "diet", "vegan", on=1, text="I'm vegan.", conversation="again")
    assert [f.value for f in facts(owner)] == [f.value for f in before] == ["vegan"]
    assert facts(owner)[0].last_stated_at == day(2)


# -- An account ----------------------------------------------------------------------------------


def test_an_account_goes_with_all_but_log_and_receipt(
    committed_db: object, owner: User, other: User, owner_connection: psycopg.Connection[Any]
) -> None:
    with_everything(owner)
    learn(other, "home", "Oslo", on=1)
    owner_id = owner.pk
    with acting_for(owner_id):
        receipt = erase.erase_account(user_id=owner_id, by=Actor.user(owner), now=NOW)
    assert everywhere(owner_connection) == []
    tables: Sequence[tuple[str]] = owner_connection.execute(
        "SELECT table_name FROM information_schema.columns WHERE column_name = 'user_id'"
        " AND table_schema = 'public'"
    ).fetchall()
    left = {
        name
        for (name,) in tables
        if owner_connection.execute(
            f"SELECT EXISTS (SELECT FROM {name} WHERE user_id = %s)", [owner_id]
        ).fetchone()
        == (True,)
    }
    assert left == {"memoryapp_auditevent", "memoryapp_erasurereceipt"}
    assert not User.objects.filter(pk=owner_id).exists()
    assert (receipt.counts["fact"], receipt.counts["message"]) == (3, 4)
    with acting_for(owner_id):
        assert audit.verify_chain(user_id=owner_id).whole
        assert AuditEvent.objects.order_by("-seq")[0].action == "account.erase"
    assert told(other, "home") == [("Oslo", "current")]


def test_an_account_that_others_memories_hang_on_is_not_erased(owner: User) -> None:
    application = Application.objects.create(owner=owner, name="Chat")
    EndUser.objects.resolve(application=application, external_id="someone")
    learn(owner, "editor", "Vim", on=1)
    with acting_for(owner.pk), pytest.raises(store.Conflict):
        erase.erase_account(user_id=owner.pk, by=Actor.user(owner))
    assert told(owner, "editor") == [("Vim", "current")]
