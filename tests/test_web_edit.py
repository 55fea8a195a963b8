"""Correcting a memory on the page: what is meant, what is refused, and two tabs at once."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from memoryapp import pipeline
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Fact, HandAct
from tests.notebook import delicate, facts, learn, moved, text

HTMX: Any = {"HX-Request": "true"}
both = pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def seen(me: Client, fact_id: UUID) -> str:
    """The revision that a form holds which is open now."""
    found = re.search(
        r'name="seen" value="(\d+)"', text(me.get(reverse("fact_edit", args=[fact_id])))
    )
    assert found is not None
    return found[1]


def send(me: Client, fact_id: UUID, headers: Any = None, **changes: str) -> Any:
    """What the form sends when only ``changes`` are made in it."""
    whole = {"supersession": "change", "importance": "normal", "scope": "", "expires": ""}
    url = reverse("fact_edit", args=[fact_id])
    return me.post(url, {**whole, "seen": seen(me, fact_id), **changes}, headers=headers)


def home(person: User) -> Fact:
    [row] = facts(person, attribute="home", status=Fact.Status.CURRENT)
    return row


def act_of(page: str) -> str:
    found = re.search(r"/undo/([0-9a-f-]{36})/", page)
    assert found is not None
    return found[0]


# -- What is meant -------------------------------------------------------------------------------


@both
def test_every_change_can_be_undone_where_it_was_made(
    owner: User, me: Client, headers: Any
) -> None:
    response = send(me, moved(owner), headers, value="Coimbra")
    page = text(response if headers else me.get(response["Location"]))
    assert "Noted. What it said before is kept as the past." in page
    assert home(owner).value == "Coimbra"
    me.post(act_of(page))
    assert home(owner).value == "Lisbon"


@pytest.mark.parametrize(
    ("given", "precision", "start"),
    [
        ({"since_year": "2025"}, "year", datetime(2025, 1, 1)),
        ({"since_year": "2025", "since_month": "5"}, "month", datetime(2025, 5, 1)),
        (
            {"since_year": "٢٠٢٥", "since_month": "5", "since_day": "٣"},
            "day",
            datetime(2025, 5, 3),
        ),
    ],
)
def test_since_when_is_as_exact_as_it_was_given(
    owner: User, me: Client, given: dict[str, str], precision: str, start: datetime
) -> None:
    owner.time_zone = "Asia/Tokyo"
    owner.save()
    learn(owner, "I live in Lisbon", "I live in Lisbon", "city", "Lisbon")
    response = send(me, home(owner).pk, value="Lisbon", **given)
    assert response.status_code == 302
    row = home(owner)
    with timezone.override("Asia/Tokyo"):
        assert timezone.make_naive(row.valid_from) == start
    assert row.precision == precision


def test_all_that_is_beside_the_value(owner: User, me: Client) -> None:
    day = timezone.localdate() + timedelta(days=40)
    send(
        me, moved(owner), value="Lisbon", scope="At work", expires=day.isoformat(),
        importance="a_lot",
    )  # fmt: skip
    [row] = facts(owner, attribute="home", status=Fact.Status.CURRENT, value="Lisbon")
    assert (row.scope, row.chosen_importance, row.expiry_chosen) == ("work", 0.9, True)
    with timezone.override(owner.time_zone):
        assert row.expires_at is not None
        assert timezone.localtime(row.expires_at) == timezone.make_aware(
            datetime.combine(day, time(23, 59, 59))
        )
    page = text(me.get(reverse("fact_edit", args=[row.pk])))
    assert f'value="{day.isoformat()}"' in page
    assert 'value="At work"' in page
    send(me, row.pk, value="Lisbon", scope="At work", importance="never", pinned="on")
    [row] = facts(owner, attribute="home", status=Fact.Status.CURRENT, value="Lisbon")
    assert (row.pinned, row.chosen_importance, row.expires_at) == (True, 0.0, None)


def test_a_new_value_keeps_what_was_made_of_the_old_one(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    send(me, fact_id, value="Lisbon", pinned="on", importance="a_lot")
    send(me, fact_id, value="Faro", pinned="on", importance="a_lot")
    row = home(owner)
    assert (row.value, row.pinned, row.chosen_importance) == ("Faro", True, 0.9)


def test_what_changes_nothing_says_so(owner: User, me: Client) -> None:
    page = text(me.get(send(me, moved(owner), value="Lisbon")["Location"]))
    assert "nothing was changed" in page
    assert "/undo/" not in page
    with acting_for(owner.pk):
        assert not HandAct.objects.exists()


def test_a_weight_that_was_set_elsewhere_stays(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    weights: Any = {"importance": 0.55}
    by = Actor.user(owner)
    pipeline.weigh_fact(user_id=owner.pk, fact_id=fact_id, weights=weights, by=by)
    send(me, fact_id, value="Lisbon", pinned="on")
    assert home(owner).chosen_importance == 0.55


def test_what_waits_is_kept_in_other_words(owner: User, me: Client) -> None:
    fact_id = delicate(owner)
    form = text(me.get(reverse("fact_edit", args=[fact_id])))
    assert "supersession" not in form
    page = text(me.get(send(me, fact_id, value="hay fever")["Location"]))
    assert "Kept." in page
    [row] = facts(owner, status=Fact.Status.CURRENT)
    assert row.value == "hay fever"
    me.post(act_of(page))
    [row] = facts(owner, status=Fact.Status.PENDING)
    assert (row.pk, row.value) == (fact_id, "asthma")


# -- What is refused -----------------------------------------------------------------------------

TOMORROW = timezone.localdate() + timedelta(days=2)
REFUSED = [
    ({"value": ""}, "Write what it should say"),
    ({"value": "x" * 501}, "too long to remember"),
    ({"since_day": "3"}, "Give the year"),
    ({"since_year": "2025", "since_day": "3"}, "Give the year"),
    ({"since_year": "2025", "since_month": "2", "since_day": "30"}, "no date I know"),
    ({"since_year": "MMXXV"}, "no date I know"),
    ({"since_year": "20250"}, "no date I know"),
    ({"since_year": str(TOMORROW.year + 1)}, "up to today"),
    ({"value": "Faro", "since_year": "2026", "since_month": "3"}, "You still said so"),
    ({"expires": "2020-01-01"}, "Choose today or a day to come"),
    ({"expires": "soon"}, "no date I know"),
    ({"expires": TOMORROW.isoformat(), "pinned": "on"}, "What is pinned"),
    ({"scope": "work"}, "Something else holds there"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED)
def test_what_cant_be_is_said_and_nothing_is_changed(
    owner: User, me: Client, changes: dict[str, str], words: str
) -> None:
    fact_id = moved(owner)
    learn(owner, "At work I live in Beja", "I live in Beja", "city", "Beja", scope="work")
    both_ways: list[Any] = [{}, HTMX]
    for headers in both_ways:
        response = send(me, fact_id, headers, **{"value": "Lisbon", **changes})
        assert response.status_code == 422
        assert words in text(response)
    with acting_for(owner.pk):
        assert not HandAct.objects.exists()


@pytest.mark.parametrize(
    ("attribute", "value", "wrong", "right"),
    [
        ("age", "41", "old", "42"),
        ("age", "41", "412", "٤٢"),
        ("birth_year", "1984", "84", "1985"),
        ("birthday", "3 March", "blue", "4. März 1984"),
    ],
)
def test_a_value_must_make_sense_under_its_name(
    owner: User, me: Client, attribute: str, value: str, wrong: str, right: str
) -> None:
    learn(owner, f"It is {value}.", value, attribute, value)
    [row] = facts(owner, attribute=attribute)
    assert send(me, row.pk, value=wrong).status_code == 422
    assert send(me, row.pk, value=right).status_code == 302


def test_a_topic_never_to_remember_cant_be_written_in(owner: User, me: Client) -> None:
    from memoryapp.models import NeverTopic

    fact_id = moved(owner)
    with acting_for(owner.pk):
        NeverTopic.objects.create(user_id=owner.pk, attribute="home", created_at=timezone.now())
    response = send(me, fact_id, value="Faro")
    assert response.status_code == 422
    assert "You asked me never to remember this." in text(response)


# -- Two tabs ------------------------------------------------------------------------------------


def opened(me: Client, fact_id: UUID) -> dict[str, str]:
    """What a form that is open now holds in hidden fields."""
    page = text(me.get(reverse("fact_edit", args=[fact_id])))
    return dict(re.findall(r'name="(seen|was_\w+)" value="([^"]*)"', page))


@both
def test_the_second_of_two_tabs_loses_no_word(owner: User, me: Client, headers: Any) -> None:
    fact_id = moved(owner)
    tab = opened(me, fact_id)
    send(me, fact_id, value="Faro")
    data = {"supersession": "correction", "importance": "a_lot", **tab, "value": "Rome"}
    response = me.post(reverse("fact_edit", args=[fact_id]), data, headers=headers)
    page = text(response)
    assert response.status_code == 409
    assert "This changed while you were writing." in page
    assert "You live in Faro." in page
    assert 'value="Rome"' in page
    assert re.search(r'value="correction"[^>]* checked', page)
    assert re.search(r'value="a_lot"[^>]* checked', page)
    there = home(owner)
    assert there.value == "Faro"

    # Their choice: over what is there now.
    url = reverse("fact_edit", args=[there.pk])
    assert f'action="{url}"' in page
    again = dict(re.findall(r'name="(seen|was_\w+)" value="([^"]*)"', page))
    assert me.post(url, {**data, **again}).status_code == 302
    assert (home(owner).value, home(owner).chosen_importance) == ("Rome", 0.9)


def test_what_one_tab_left_alone_stays_as_the_other_made_it(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    tab = opened(me, fact_id)
    send(me, fact_id, value="Faro", pinned="on", scope="At work")
    url = reverse("fact_edit", args=[fact_id])
    data = {"supersession": "change", "value": "Lisbon", "importance": "a_lot", **tab}
    page = text(me.post(url, data))
    assert re.search(r'name="value" value="Faro"', page)
    assert re.search(r'name="pinned"[^>]* checked', page)
    assert 'value="At work"' in page
    assert re.search(r'value="a_lot"[^>]* checked', page)


def test_what_no_longer_holds_leaves_the_words_to_copy(owner: User, me: Client) -> None:
    learn(owner, "I speak Dutch", "I speak Dutch", "language", "Dutch")
    [row] = facts(owner)
    open_tab = seen(me, row.pk)
    learn(owner, "I gave up Dutch", "gave up Dutch", "language", "Dutch", days=2, operation="end")
    response = me.post(
        reverse("fact_edit", args=[row.pk]),
        {"value": "Flemish", "supersession": "change", "seen": open_tab},
    )
    page = text(response)
    assert response.status_code == 409
    assert "It no longer holds" in page
    assert 'value="Flemish"' in page
    assert "Keep mine instead" not in page


def test_what_was_forgotten_meanwhile_leaves_the_words_to_copy(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    pipeline.erase_facts(user_id=owner.pk, fact_ids=[fact_id], by=Actor.user(owner))
    url = reverse("fact_edit", args=[fact_id])
    data = {"value": "Rome", "supersession": "change"}
    response = me.post(url, data)
    assert response.status_code == 404
    assert "Rome" in text(response)
    # Where scripts are, the form stays and the page says a word.
    assert me.post(url, data, headers=HTMX).status_code == 404
    assert not facts(owner)


def test_a_settled_question_is_no_question_any_more(owner: User, me: Client) -> None:
    fact_id = delicate(owner)
    open_tab = seen(me, fact_id)
    pipeline.approve(user_id=owner.pk, fact_id=fact_id, by=Actor.user(owner))
    response = me.post(
        reverse("fact_edit", args=[fact_id]), {"value": "hay fever", "seen": open_tab}
    )
    assert response.status_code == 409
    assert 'value="hay fever"' in text(response)
    [row] = facts(owner, status=Fact.Status.CURRENT)
    assert row.value == "asthma"
