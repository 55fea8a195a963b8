"""Whatever way something is forgotten: what goes is what was shown, no table has a word of it
any more, and the same doesn't come back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import pytest

from accounts.models import Application, EndUser, User
from memoryapp import audit, erase, pipeline, store
from memoryapp.context import acting_for
from memoryapp.models import (
    AuditEvent,
    Conversation,
    Decision,
    EmbeddingCache,
    ErasureRequest,
    Evidence,
    Fact,
    FactEmbedding,
    HandAct,
    Import,
    MemoryUse,
    Message,
    MessageEmbedding,
)
from tests.chat import at, deliver, facts, ids, read_all, said, values
from tests.everywhere import WORDS, everywhere

SECRET = (
    said("2026-03-01T10:00", f"I live in {WORDS.title()}.", id="m1"),
    said("2026-03-02T10:00", f"I work at {WORDS.title()} Ferries.", id="m2"),
)
KEPT = said("2026-05-01T10:00", "I use Vim as my editor.", id="m3")


@dataclass(frozen=True)
class Told:
    user: User
    application: Application
    talk: UUID


@pytest.fixture
def told(committed_db: object, owner: User, other: User) -> Told:
    """Two things told through an application, in every table that has a place for them; a
    third told elsewhere, later."""
    application = Application.objects.create(owner=other, name="Chatty")
    EndUser.objects.create(application=application, external_id="u", user=owner)
    pipeline.accept(
        user_id=owner.pk,
        conversation="secret",
        messages=SECRET,
        by=audit.Actor.application(application.pk),
        application_id=application.pk,
    )
    deliver(owner, [KEPT], "kept")
    read_all(owner)
    pipeline.index_messages(user_id=owner.pk)
    with acting_for(owner.pk):
        talk = Conversation.objects.get(external_id="secret")
        Conversation.objects.filter(pk=talk.pk).update(title=f"My {WORDS}")
        for fact in Fact.objects.filter(value__icontains=WORDS):
            MemoryUse.objects.create(user_id=owner.pk, fact=fact, at=fact.recorded_at, via="recall")
            HandAct.objects.create(
                user_id=owner.pk,
                act=fact.pk,
                fact=fact,
                kind="edit",
                actor=f"user:{owner.pk}",
                at=fact.recorded_at,
                before={"value": WORDS},
            )
        ErasureRequest.objects.create(
            user_id=owner.pk,
            message=Message.objects.get(external_id="m1"),
            what=f"the house in {WORDS}",
            asked_at=at("2026-03-01"),
        )
        EmbeddingCache.objects.create(
            user_id=owner.pk,
            key=owner.keyed_hash("query", WORDS),
            model="test-space",
            embedding=np.full(4, 0.5, dtype=np.float32),
            used_at=at("2026-03-01"),
        )
    return Told(owner, application, talk.pk)


def secret_facts(user: User) -> list[Fact]:
    return facts(user, value__icontains=WORDS)


def the_facts(told: Told) -> erase.Choice:
    return erase.Choice("facts", facts=ids(secret_facts(told.user)))


def the_topic(told: Told) -> erase.Choice:
    found = pipeline.find_topic(
        user_id=told.user.pk, words=f"anything about {WORDS}", by=audit.Actor.user(told.user)
    )
    return erase.Choice("topic", facts=found.facts, messages=found.messages)


def the_conversation(told: Told) -> erase.Choice:
    return erase.Choice("conversation", conversation=told.talk, restore_previous=True)


def the_application(told: Told) -> erase.Choice:
    return erase.Choice("application", application=told.application.pk, restore_previous=True)


def the_days(told: Told) -> erase.Choice:
    since = at("2026-03-01")
    return erase.Choice(
        "range", since=since, until=since + timedelta(days=2), restore_previous=True
    )


def everything(told: Told) -> erase.Choice:
    return erase.Choice("everything")


def the_account(told: Told) -> erase.Choice:
    return erase.Choice("account")


Choose = Callable[[Told], erase.Choice]
PARTS = (the_facts, the_topic, the_conversation, the_application, the_days)


def forget(told: Told, choice: erase.Choice) -> tuple[erase.Going, Any]:
    with acting_for(told.user.pk):
        going = erase.look(user_id=told.user.pk, choice=choice)
    receipt = pipeline.forget(
        user=told.user,
        choice=choice,
        by=audit.Actor.user(told.user),
        word=going.confirm(told.user),
    )
    return going, receipt


@pytest.mark.parametrize("choose", [*PARTS, everything, the_account])
def test_no_table_has_a_word_of_it_left(
    told: Told, choose: Choose, owner_connection: psycopg.Connection[Any]
) -> None:
    assert len(everywhere(owner_connection)) >= 6
    user_id = told.user.pk
    gone = ids(secret_facts(told.user))
    assert len(gone) == 2
    going, receipt = forget(told, choose(told))
    assert everywhere(owner_connection) == []
    with acting_for(user_id):
        assert not FactEmbedding.objects.filter(fact_id__in=gone).exists()
        assert not MessageEmbedding.objects.filter(
            message__external_id__in=["m1", "m2"], message__content=""
        ).exists()
        assert not EmbeddingCache.objects.exists()
        assert not MemoryUse.objects.exists()
        assert not HandAct.objects.exists()
        assert audit.verify_chain(user_id=user_id).whole
    told_by = "fact" if choose is the_account else "facts"
    assert receipt.counts[told_by] == going.counts[told_by] > 0
    if choose in (the_topic, the_conversation, the_application, the_days):
        for name in ("messages", "embeddings", "uses"):
            assert receipt.counts[name] == going.counts[name] == 2 * (1 + (name == "embeddings"))


@pytest.mark.parametrize("choose", PARTS)
def test_the_rest_stays(told: Told, choose: Choose) -> None:
    forget(told, choose(told))
    assert values(told.user, "editor", status="current") == ["Vim"]
    with acting_for(told.user.pk):
        assert Message.objects.get(external_id="m3").content == KEPT.content
        assert Evidence.objects.get().quote
        assert Decision.objects.exclude(fact=None).exists()


@pytest.mark.parametrize("choose", [*PARTS, everything])
def test_it_does_not_come_back_when_it_is_sent_or_read_again(told: Told, choose: Choose) -> None:
    forget(told, choose(told))
    assert deliver(told.user, SECRET, "secret").accepted == 0
    assert deliver(told.user, SECRET, "brought in").accepted == 2
    read_all(told.user)
    assert secret_facts(told.user) == []


@pytest.mark.parametrize(("forever", "learnt"), [(False, 1), (True, 0)])
def test_said_anew_it_may_be_learnt_unless_never_again(
    told: Told, forever: bool, learnt: int
) -> None:
    choice = erase.Choice(
        "conversation", conversation=told.talk, restore_previous=True, forever=forever
    )
    forget(told, choice)
    deliver(told.user, [said("2027-03-01", f"I live in {WORDS.title()}.")], "new")
    read_all(told.user)
    assert len(secret_facts(told.user)) == learnt


def test_what_changed_since_the_look_stops_it(told: Told) -> None:
    choice = the_conversation(told)
    with acting_for(told.user.pk):
        word = erase.look(user_id=told.user.pk, choice=choice).confirm(told.user)
    deliver(told.user, [said("2026-03-03", "I play chess.")], "secret")
    with pytest.raises(pipeline.Changed):
        pipeline.forget(user=told.user, choice=choice, by=audit.Actor.user(told.user), word=word)
    assert len(secret_facts(told.user)) == 2


def test_what_is_known_from_elsewhere_stays_and_is_named(told: Told) -> None:
    deliver(told.user, [said("2026-06-01", f"I live in {WORDS.title()}.")], "kept")
    read_all(told.user)
    going, _receipt = forget(told, the_application(told))
    [staying] = going.stays
    assert (staying.proofs, staying.said_at, staying.by_hand) == (1, at("2026-06-01"), False)
    [fact] = secret_facts(told.user)
    assert fact.id == staying.id


@pytest.mark.parametrize("restore", [True, False])
def test_what_was_replaced_holds_again_or_goes_along(told: Told, restore: bool) -> None:
    deliver(told.user, [said("2026-06-01", "I switched from Vim to Emacs.")], "later")
    read_all(told.user)
    assert values(told.user, "editor", status="current") == ["Emacs"]
    with acting_for(told.user.pk):
        talk = Conversation.objects.get(external_id="later").pk
    choice = erase.Choice("conversation", conversation=talk, restore_previous=restore)
    going, _receipt = forget(told, choice)
    assert [fact.value for fact in going.restorable] == ["Vim"]
    assert values(told.user, "editor") == (["Vim"] if restore else [])
    assert values(told.user, "editor", status="current") == (["Vim"] if restore else [])


def test_a_past_value_goes_alone_and_what_followed_stays(told: Told) -> None:
    deliver(told.user, [said("2026-06-01", "I switched from Vim to Emacs.")], "later")
    read_all(told.user)
    vim, emacs = facts(told.user, "editor")
    forget(told, erase.Choice("topic", facts=[vim.id]))
    [left] = facts(told.user, "editor")
    assert (left.id, left.status) == (emacs.id, "current")


def test_a_topic_is_found_by_words_in_the_past_and_by_meaning(told: Told) -> None:
    deliver(told.user, [said("2026-06-01", "I moved to Oslo.")], "later")
    read_all(told.user)
    by = audit.Actor.user(told.user)
    found = pipeline.find_topic(user_id=told.user.pk, words=f"{WORDS} ferries", by=by)
    assert [fact.value for fact in facts(told.user, pk__in=found.facts)] == [
        f"{WORDS.title()} Ferries"
    ]
    with acting_for(told.user.pk):
        assert Message.objects.get(external_id="m2").pk in found.messages
    found = pipeline.find_topic(user_id=told.user.pk, words=WORDS, by=by)
    # Oslo came after; it goes with its past only when its own words were asked for.
    assert {fact.status for fact in facts(told.user, pk__in=found.facts)} == {
        "current",
        "superseded",
    }
    assert "Oslo" not in [fact.value for fact in facts(told.user, pk__in=found.facts)]
    found = pipeline.find_topic(user_id=told.user.pk, words="where I live", by=by)
    assert {f.value for f in facts(told.user, pk__in=found.facts)} >= {"Oslo", WORDS.title()}
    assert pipeline.find_topic(user_id=told.user.pk, words="\0 ", by=by) == pipeline.Found((), ())


def test_what_an_application_wrote_itself_goes_with_what_it_brought(told: Told) -> None:
    pipeline.edit_fact(
        user_id=told.user.pk,
        fact_id=facts(told.user, "editor")[0].id,
        value="Emacs",
        supersession="correction",
        by=audit.Actor.application(told.application.pk),
    )
    forget(told, the_application(told))
    assert values(told.user, "editor", status="current") == ["Vim"]


def test_everything_stops_what_is_on_its_way_in(told: Told, uploads_folder: Any) -> None:
    with acting_for(told.user.pk):
        Import.objects.create(
            user_id=told.user.pk,
            state=Import.State.READY,
            actor="user",
            file="waiting",
            created_at=at("2026-03-01"),
        )
    uploads_folder.mkdir()
    (uploads_folder / "waiting").write_text(WORDS)
    _going, receipt = forget(told, everything(told))
    assert receipt.counts["imports"] == 1
    assert not (uploads_folder / "waiting").exists()
    with acting_for(told.user.pk):
        row = Import.objects.get()
        assert (row.state, row.file) == (Import.State.UNDONE, "")
        assert AuditEvent.objects.filter(action="everything.erase").exists()


def test_a_choice_of_anothers_is_not_found(told: Told, other: User) -> None:
    theirs = Told(other, told.application, told.talk)
    for choice in (the_conversation(told), the_facts(told)):
        with acting_for(other.pk), pytest.raises(store.NotFound):
            erase.look(user_id=other.pk, choice=choice)
    going, _receipt = forget(theirs, the_application(theirs))
    assert going.counts["messages"] == 0
    assert len(secret_facts(told.user)) == 2
