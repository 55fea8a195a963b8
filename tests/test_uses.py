"""The record of uses: which answers used which facts, and how it goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from openai import OpenAI

from accounts.models import User
from memoryapp import consolidate, erase, pipeline, registry, tasks, uses
from memoryapp.audit import Actor
from memoryapp.celery import app
from memoryapp.context import acting_for
from memoryapp.models import Fact, FactUsage, MemoryUse, Message
from memoryapp.records import RecallOptions
from tests.api import application
from tests.chat import facts, said, tell
from tests.chatting import asgi_site, client, patience, upstream, user
from tests.memory import NOW, TESTER, day, heard, learn
from tests.model_server import StandIn
from tests.remember import remember

__all__ = ["asgi_site", "client", "patience", "upstream"]

QUESTION = "Where do I live?"


@pytest.fixture
def queue(committed_db: object) -> Iterator[Queue]:
    made = Queue()
    made.work()
    yield made
    made.close()


class Queue:
    """The tests' broker, which nobody empties but this."""

    def __init__(self) -> None:
        self._connection = app.connection()
        self._queue = self._connection.SimpleQueue(app.conf.task_default_queue)

    def work(self) -> list[Any]:
        """Does what counts recalls, and drops the rest; the tasks' arguments."""
        done = []
        while len(self._queue):
            message = self._queue.get_nowait()
            message.ack()
            if message.headers["task"] == "memoryapp.tasks.count_recall":
                arguments = json.loads(message.body)[0]
                tasks.count_recall(*arguments)
                done.append(arguments)
        return done

    def close(self) -> None:
        self._queue.close()
        self._connection.release()


def rows(person: User) -> list[MemoryUse]:
    with acting_for(person.pk):
        return list(MemoryUse.objects.filter(user_id=person.pk).order_by("at", "id"))


def use(person: User, fact_id: UUID, *, on: float = 60, **more: Any) -> int:
    answer = uses.Answer(**{"via": "recall", "at": day(on), **more})
    with acting_for(person.pk):
        return uses.note(user_id=person.pk, fact_ids=[fact_id], answer=answer)


def fact_id(person: User, **conditions: Any) -> UUID:
    with acting_for(person.pk):
        return Fact.objects.get(user_id=person.pk, operation="state", **conditions).pk


# -- Who writes it -------------------------------------------------------------------------------


def test_a_chat_says_which_answer_used_which_fact(
    queue: Queue, client: OpenAI, owner: User, upstream: StandIn
) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    [fact] = facts(owner, "home")
    client.chat.completions.create(model="m", messages=[user(QUESTION)])
    [arguments] = queue.work()
    assert "Porto" not in json.dumps(arguments)
    [row] = rows(owner)
    assert (row.fact_id, row.via, row.application_id) == (fact.id, "chat", None)
    with acting_for(owner.pk):
        answer = Message.objects.get(role="assistant")
        assert FactUsage.objects.get(fact=fact).recall_count == 1
    assert (row.message_id, row.conversation_id) == (answer.pk, answer.conversation_id)


def test_a_streamed_answer_is_noted_once(
    queue: Queue, client: OpenAI, owner: User, upstream: StandIn
) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    list(client.chat.completions.create(model="m", messages=[user(QUESTION)], stream=True))
    assert len(queue.work()) == len(rows(owner)) == 1


def test_a_chat_that_stores_nothing_is_noted_without_its_place(
    queue: Queue, client: OpenAI, owner: User, upstream: StandIn
) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    client.chat.completions.create(
        model="m", messages=[user(QUESTION)], extra_headers={"X-Memory": "read"}
    )
    queue.work()
    [row] = rows(owner)
    assert (row.via, row.message_id, row.conversation_id) == ("chat", None, None)


@pytest.mark.parametrize("via", ["recall", "context"])
def test_an_applications_look_up_names_it(queue: Queue, owner: User, via: str) -> None:
    remember(owner, "home", "Lisbon", words="I live in Lisbon.")
    app_id = uuid4()
    ask = getattr(pipeline, via)
    ask(
        user_id=owner.pk,
        query=QUESTION,
        options=RecallOptions(),
        by=Actor.application(app_id),
    )
    queue.work()
    [row] = rows(owner)
    assert (row.via, row.application_id) == (via, app_id)


def test_a_checked_answer_is_a_use_but_no_recall(queue: Queue, owner: User) -> None:
    remember(owner, "home", "Lisbon", words="I live in Lisbon.")
    by = Actor.application(uuid4())
    assert pipeline.check(user_id=owner.pk, answer="You live in Lisbon.", by=by)
    queue.work()
    [row] = rows(owner)
    with acting_for(owner.pk):
        assert not FactUsage.objects.exists()
    assert row.via == "check"


def test_the_try_page_notes_its_answer(queue: Queue, owner: User) -> None:
    remember(owner, "home", "Lisbon", words="I live in Lisbon.")
    browser = Client()
    browser.force_login(owner)
    browser.post("/try/", {"text": QUESTION, "turn": str(uuid4())})
    queue.work()
    [row] = rows(owner)
    with acting_for(owner.pk):
        assert row.message_id == Message.objects.get(role="assistant").pk
    assert row.via == "try"


def test_searching_ones_own_page_is_no_use(queue: Queue, owner: User) -> None:
    remember(owner, "home", "Lisbon", words="I live in Lisbon.")
    browser = Client()
    browser.force_login(owner)
    assert "Lisbon" in browser.post("/search/", {"query": QUESTION}).content.decode()
    assert queue.work() == []


def test_tasks_of_the_version_before_still_count(owner: User) -> None:
    learn(owner, "home", "Oslo", on=1)
    fact = fact_id(owner)
    pipeline.count_recall(user_id=owner.pk, fact_ids=[fact])
    with acting_for(owner.pk):
        assert FactUsage.objects.get(fact_id=fact).recall_count == 1
    assert rows(owner) == []


# -- What is kept of it --------------------------------------------------------------------------


def test_the_same_answer_is_noted_once(owner: User) -> None:
    learn(owner, "home", "Oslo", on=1)
    message = heard(owner, "You live in Oslo.", on=2, role="assistant")
    where: dict[str, Any] = {
        "conversation_id": message.conversation_id,
        "message_id": message.pk,
    }
    assert [use(owner, fact_id(owner), **where) for _ in range(2)] == [1, 0]


@pytest.mark.parametrize("target", ["message", "conversation"])
def test_what_was_erased_meanwhile_is_not_named(owner: User, target: str) -> None:
    learn(owner, "home", "Oslo", on=1)
    message = heard(owner, "You live in Oslo.", on=2, role="assistant", conversation="other")
    with acting_for(owner.pk):
        if target == "message":
            erase.erase_messages(user_id=owner.pk, message_ids=[message.pk], by=TESTER)
        else:
            erase.erase_conversation(
                user_id=owner.pk, conversation_id=message.conversation_id, by=TESTER
            )
    where: dict[str, Any] = {"conversation_id": message.conversation_id}
    if target == "message":
        where["message_id"] = message.pk
    assert use(owner, fact_id(owner), **where) == 0


@pytest.mark.parametrize("target", ["fact", "message", "conversation"])
def test_it_goes_with_what_it_names(owner: User, target: str) -> None:
    learn(owner, "home", "Oslo", on=1)
    message = heard(owner, "You live in Oslo.", on=2, role="assistant", conversation="other")
    fact = fact_id(owner)
    use(owner, fact, conversation_id=message.conversation_id, message_id=message.pk)
    with acting_for(owner.pk):
        if target == "fact":
            erase.erase_facts(user_id=owner.pk, fact_ids=[fact], by=TESTER)
        elif target == "message":
            erase.erase_messages(user_id=owner.pk, message_ids=[message.pk], by=TESTER)
        else:
            erase.erase_conversation(
                user_id=owner.pk, conversation_id=message.conversation_id, by=TESTER
            )
    assert rows(owner) == []


def test_it_is_kept_as_long_as_messages_are(owner: User) -> None:
    learn(owner, "home", "Oslo", on=59)
    for on in (29, 31):
        use(owner, fact_id(owner), on=on)
    with acting_for(owner.pk):
        consolidate.consolidate(
            user_id=owner.pk,
            registry=registry.load(),
            now=NOW,
            by=TESTER,
            archive_after=timedelta(days=900),
            retention=timedelta(days=30),
        )
    assert [row.at for row in rows(owner)] == [day(31)]


def test_it_moves_along_when_facts_are_merged(owner: User) -> None:
    first = learn(owner, "likes", "tea", on=1).fact_id
    second = learn(owner, "likes", "green tea", on=2).fact_id
    assert first
    assert second
    use(owner, second)
    with acting_for(owner.pk):
        # As if both had been written in words that now count as the same.
        Fact.objects.filter(id=second).update(value="Tea", value_key="the tea")
        consolidate.consolidate(
            user_id=owner.pk,
            registry=registry.load(),
            now=NOW,
            by=TESTER,
            archive_after=timedelta(days=900),
            retention=timedelta(days=900),
        )
    assert [row.fact_id for row in rows(owner)] == [first]


# -- What it tells -------------------------------------------------------------------------------


def test_when_and_by_whom(owner: User) -> None:
    learn(owner, "home", "Oslo", on=1)
    home = fact_id(owner, attribute="home")
    chatty, _secret = application(owner, name="Chatty")
    message = heard(owner, "You live in Oslo.", on=2, role="assistant")
    where: dict[str, Any] = {
        "conversation_id": message.conversation_id,
        "message_id": message.pk,
    }
    use(owner, home, on=50, application_id=chatty.pk, via="chat", **where)
    use(owner, home, on=51, application_id=uuid4())
    use(owner, home, on=52)
    with acting_for(owner.pk):
        latest = uses.uses_of(owner.pk, home, 10)
        newest = uses.uses_of(owner.pk, home, 1)
    assert [(one.application, one.at) for one in latest] == [
        (None, day(52)), ("", day(51)), ("Chatty", day(50)),
    ]  # fmt: skip
    assert latest[-1].message_id == message.pk
    assert newest == latest[:1]


def test_nothing_of_it_is_anybody_elses(owner: User, other: User) -> None:
    learn(owner, "home", "Oslo", on=1)
    mine = fact_id(owner)
    use(owner, mine)
    assert use(other, mine) == 0
    with acting_for(other.pk):
        assert uses.uses_of(other.pk, mine, 9) == []
