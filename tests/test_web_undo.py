"""Taking back what was done by hand, from the page without scripts and with them."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memoryapp import pipeline
from memoryapp.audit import Actor
from memoryapp.models import Fact
from tests.notebook import delicate, facts, learn, log, moved, text

HTMX: Any = {"HX-Request": "true"}


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def home(person: User) -> str:
    [row] = facts(person, attribute="home", status=Fact.Status.CURRENT)
    return row.value


def edited(person: User) -> UUID:
    act = uuid4()
    pipeline.edit_fact(
        user_id=person.pk, fact_id=moved(person), value="Coimbra", by=Actor.user(person), act=act
    )
    return act


def test_undo_on_the_next_page(owner: User, me: Client) -> None:
    response = me.post(reverse("undo", args=[edited(owner)]), follow=True)
    assert "Taken back. All is as it was." in text(response)
    assert response.redirect_chain[-1][0].startswith(reverse("memories") + "#fact-")
    assert home(owner) == "Lisbon"
    assert "A change made by hand was taken back" in text(me.get(reverse("activity")))
    assert len(log(owner, "hand.undo")) == 1


def test_undo_in_place(owner: User, me: Client) -> None:
    response = me.post(reverse("undo", args=[edited(owner)]), headers=HTMX)
    [row] = facts(owner, attribute="home", status=Fact.Status.CURRENT)
    page = response.content.decode()
    assert f'id="fact-{row.pk}"' in page
    assert "You live in Lisbon." in page
    assert "Taken back." in page


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_too_late_is_said(owner: User, me: Client, headers: Any) -> None:
    act = edited(owner)
    learn(owner, "Now I live in Faro.", "I live in Faro", "city", "Faro", days=4000)
    response = me.post(reverse("undo", args=[act]), headers=headers)
    assert response.status_code == 409
    assert "It has changed again since" in text(response)
    assert home(owner) == "Faro"


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_twice_is_once(owner: User, me: Client, headers: Any) -> None:
    act = edited(owner)
    me.post(reverse("undo", args=[act]))
    response = me.post(reverse("undo", args=[act]), headers=headers)
    assert response.status_code == 409
    assert "You have taken this back already." in text(response)
    assert home(owner) == "Lisbon"


def test_what_is_gone_and_what_is_anothers_look_alike(owner: User, other: User, me: Client) -> None:
    learn(other, "I live in Rome.", "I live in Rome", "city", "Rome")
    [theirs] = facts(other)
    act = uuid4()
    pipeline.edit_fact(
        user_id=other.pk, fact_id=theirs.pk, value="Milan", by=Actor.user(other), act=act
    )
    for one in (act, uuid4()):
        response = me.post(reverse("undo", args=[one]))
        assert response.status_code == 409
        assert "There is nothing left to take back" in text(response)
    assert home(other) == "Milan"


def test_a_no_is_asked_again(owner: User, me: Client) -> None:
    waits, act = delicate(owner), uuid4()
    pipeline.reject(user_id=owner.pk, fact_id=waits, by=Actor.user(owner), act=act)
    response = me.post(reverse("undo", args=[act]), headers=HTMX)
    page = response.content.decode()
    assert f'id="fact-{waits}"' in page
    assert reverse("fact_approve", args=[waits]) in page


def test_several_at_once(owner: User, me: Client) -> None:
    act = uuid4()
    pipeline.reject(user_id=owner.pk, fact_id=delicate(owner), by=Actor.user(owner), act=act)
    second = learn(
        owner, "I have a pollen allergy.", "pollen allergy", "allergy", "pollen",
        sensitivity="health", days=3,
    )  # fmt: skip
    assert second
    pipeline.reject(user_id=owner.pk, fact_id=second, by=Actor.user(owner), act=act)
    response = me.post(reverse("undo", args=[act]), headers=HTMX)
    assert (response.status_code, response.headers["HX-Refresh"]) == (204, "true")
    page = text(me.get(reverse("review")))
    assert "Taken back: 2 of them are as they were." in page
    assert len(facts(owner, status=Fact.Status.PENDING)) == 2
