"""Why a memory is there: how sure it is, where it holds, which answers used it, what goes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from memoryapp import pipeline, uses
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Fact, Message
from tests.api import application
from tests.notebook import delicate, facts, learn, moved, text

HTMX: Any = {"HX-Request": "true"}


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def why(me: Client, fact_id: UUID, **headers: Any) -> str:
    return text(me.get(reverse("fact", args=[fact_id]), **headers))


def use(person: User, fact_id: UUID, **answer: Any) -> None:
    answer = {"via": "recall", "at": timezone.now(), **answer}
    with acting_for(person.pk):
        assert uses.note(user_id=person.pk, fact_ids=[fact_id], answer=uses.Answer(**answer))


@pytest.mark.parametrize("headers", [{}, {"headers": HTMX}], ids=["page", "drawer"])
def test_which_answer_used_it_and_where_that_is_kept(owner: User, me: Client, headers: Any) -> None:
    fact_id = moved(owner)
    chatty, _secret = application(owner, name="Chatty")
    with acting_for(owner.pk):
        message = Message.objects.filter(user_id=owner.pk).latest("sent_at")
    use(
        owner, fact_id, via="chat", application_id=chatty.pk,
        conversation_id=message.conversation_id, message_id=message.pk,
    )  # fmt: skip
    page = why(me, fact_id, **headers)
    assert "Chatty used this for an answer today." in page
    place = reverse("conversation", args=[message.conversation_id])
    assert f'href="{place}#message-{message.pk}"' in page


@pytest.mark.parametrize(
    ("via", "known", "words"),
    [
        ("context", True, "Chatty took this along for an answer today."),
        ("recall", True, "Chatty looked this up today."),
        ("mcp", True, "Chatty looked this up for an answer today."),
        ("check", True, "Chatty held an answer against this today."),
        ("chat", False, "An app that is gone by now used this for an answer today."),
        ("mcp", None, "An assistant of yours looked this up today."),
        ("try", None, "An answer on the page “Try it” used this today."),
    ],
)
def test_every_way_of_use_is_said(
    owner: User, me: Client, via: str, known: bool | None, words: str
) -> None:
    fact_id = moved(owner)
    chatty, _secret = application(owner, name="Chatty")
    who = {True: chatty.pk, False: uuid4(), None: None}[known]
    use(owner, fact_id, via=via, application_id=who)
    assert words in why(me, fact_id)


def test_many_uses_are_counted(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    assert "No answer has used this yet." in why(me, fact_id)
    for hours in range(11):
        use(owner, fact_id, at=timezone.now() - timedelta(hours=hours))
    page = why(me, fact_id)
    assert page.count("It was looked up with a key of yours") == 8
    assert "And 3 times before that." in page


def test_how_sure_and_what_makes_it_so(owner: User, me: Client) -> None:
    fact_id = learn(owner, "I play chess", "I play chess", "hobby", "chess", confidence=0.5)
    assert fact_id
    page = why(me, fact_id)
    assert "I am not quite sure of it. You said it once in a chat." in page
    learn(owner, "Chess again", "Chess", "hobby", "chess", days=2, confidence=0.8)
    page = why(me, fact_id)
    assert "I think so. You said it 2 times in your chats." in page
    new = pipeline.edit_fact(user_id=owner.pk, fact_id=fact_id, value="go", by=Actor.user(owner))
    assert "I am sure of it. You wrote it here yourself." in why(me, new)


def test_where_how_long_and_how_much(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    page = why(me, fact_id)
    assert "It holds everywhere. As far as I know it has been so since 2 April 2026." in page
    until = timezone.now() + timedelta(days=400)
    pipeline.edit_fact(
        user_id=owner.pk, fact_id=fact_id, scope="work", by=Actor.user(owner),
        weights={"expires_at": until, "importance": 0.0},
    )  # fmt: skip
    page = why(me, fact_id)
    assert "Where it holds: At work." in page
    assert "as you chose." in page
    assert "Kept, but never used in answers." in page
    pipeline.weigh_fact(
        user_id=owner.pk, fact_id=fact_id, weights={"pinned": True}, by=Actor.user(owner)
    )
    assert "It is pinned, so I keep it until you change it." in why(me, fact_id)


def test_what_would_go_with_it(owner: User, me: Client) -> None:
    page = why(me, moved(owner))
    assert "If you have me forget it" in page
    assert "2 memories, with their past" in page
    assert "2 quotes of yours, blanked out in their messages" in page


def test_the_last_thing_done_by_hand_can_be_taken_back_here(owner: User, me: Client) -> None:
    fact_id, act = moved(owner), uuid4()
    assert "/undo/" not in why(me, fact_id)
    pipeline.weigh_fact(
        user_id=owner.pk, fact_id=fact_id, weights={"pinned": True}, by=Actor.user(owner), act=act
    )
    page = why(me, fact_id)
    assert "You chose how it counts or how long it stays today." in page
    me.post(reverse("undo", args=[act]))
    page = why(me, fact_id)
    assert "/undo/" not in page
    assert "You took your last change back." in page


def test_what_an_application_changed_can_be_taken_back_too(owner: User, me: Client) -> None:
    chatty, _secret = application(owner, name="Chatty")
    new = pipeline.edit_fact(
        user_id=owner.pk, fact_id=moved(owner), value="Faro", by=Actor.application(chatty.pk)
    )
    assert "Chatty changed this for you today." in why(me, new)


def test_delicate_words_stay_covered_here_too(owner: User, me: Client) -> None:
    page = why(me, delicate(owner))
    before, _cover, after = page.partition("Show what you said")
    assert "I have asthma" not in before
    assert "I have asthma" in after


def test_nobody_elses(owner: User, other: User, me: Client) -> None:
    learn(other, "I live in Rome", "I live in Rome", "city", "Rome")
    [row] = facts(other, status=Fact.Status.CURRENT)
    assert me.get(reverse("fact", args=[row.pk])).status_code == 404
