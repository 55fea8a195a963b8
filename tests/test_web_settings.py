"""The settings page without scripts: each part saves by itself, says so, and takes it back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from memoryapp import preferences
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Fact, NeverTopic
from tests.memory import learn
from tests.notebook import delicate, facts, log, moved, talk_of, text


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def save(me: Client, section: str, **data: Any) -> str:
    response = me.post(reverse("settings_save", args=[section]), data, follow=True)
    assert response.status_code == 200
    return text(response)


def held(user: User) -> preferences.Preferences:
    user.refresh_from_db()
    with acting_for(user.pk):
        return preferences.load(user=user)


def test_a_language_speaks_at_once(owner: User, me: Client) -> None:
    page = save(me, "language", language="de", time_zone="Europe/Lisbon")
    assert 'lang="de"' in page
    assert (held(owner).language, held(owner).time_zone) == ("de", "Europe/Lisbon")
    assert 'lang="en"' in save(me, "undo")
    assert (held(owner).language, held(owner).time_zone) == ("en", "UTC")


@pytest.mark.parametrize(
    ("section", "data"),
    [
        ("language", {"language": "xx", "time_zone": "Moon/Base"}),
        ("pause", {"until": "never"}),
        ("pause", {"until": "date"}),
        ("pause", {"until": "date", "day": "2020-01-01"}),
        ("topics", {"words": " ... "}),
        ("topics", {"words": "x" * 201}),
        ("topics", {"topic": "area:space"}),
        ("topics", {"topic": ""}),
        ("delicate", {"sensitive_opt_in": ["secrets"]}),
        ("messages", {"retention": "12"}),
        ("expiry", {"decision": "soon"}),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(
    owner: User, me: Client, section: str, data: Any
) -> None:
    before = held(owner)
    response = me.post(reverse("settings_save", args=[section]), data)
    assert response.status_code == 422
    assert held(owner) == before


def test_every_refusal_stands_at_its_field(me: Client) -> None:
    for section, data in (("pause", {"until": "date"}), ("topics", {"words": ""})):
        assert 'class="error"' in text(me.post(reverse("settings_save", args=[section]), data))


@pytest.mark.parametrize(
    ("until", "after"),
    [("", None), ("hour", timedelta(hours=1)), ("week", timedelta(days=7))],
)
def test_pause_and_go_on(owner: User, me: Client, until: str, after: timedelta | None) -> None:
    began = timezone.now()
    assert "Paused. I keep and learn nothing" in save(me, "pause", until=until)
    found = held(owner)
    assert found.paused
    assert (found.paused_until is None) == (after is None)
    if found.paused_until and after:
        assert found.paused_until >= began + after
    assert "I’m not remembering anything new" in text(me.get(reverse("memories")))
    page = text(me.post(reverse("settings_save", args=["resume"]), {"back": "/"}, follow=True))
    assert "I’m not remembering anything new" not in page
    assert not held(owner).paused


def test_going_on_leads_nowhere_else(me: Client) -> None:
    save(me, "pause", until="")
    for back in ("https://elsewhere.example/", "//elsewhere.example/"):
        response = me.post(reverse("settings_save", args=["resume"]), {"back": back})
        assert response["Location"].startswith(reverse("settings"))


def test_a_pause_taken_back(owner: User, me: Client) -> None:
    save(me, "pause", until="week")
    assert "It is as it was before." in save(me, "undo")
    assert not held(owner).paused


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"words": "my divorce"}, "my divorce"),
        ({"topic": "area:work"}, "Everything in “Work”"),
        ({"topic": "sensitivity:health"}, "Your health"),
        ({"topic": "attribute:employer"}, "Employer"),
    ],
)
def test_a_topic_comes_and_goes(owner: User, me: Client, data: Any, name: str) -> None:
    page = save(me, "topics", **data)
    assert name in page
    assert "Nothing was left out for it yet." in page
    # What is held about it can be looked at, and forgotten, from here.
    assert reverse("forget_topic") in page
    assert "That was a rule already" in save(me, "topics", **data)
    with acting_for(owner.pk):
        [row] = NeverTopic.objects.filter(user_id=owner.pk)
    page = save(me, "topic-remove", topic=str(row.id))
    assert "I may remember it again" in page
    assert held(owner).never_remember == []


def test_what_was_left_out_is_counted_in_words(owner: User, me: Client) -> None:
    save(me, "topics", words="tea")
    assert learn_nothing(owner) == 3
    page = text(me.get(reverse("settings")))
    assert "3 things were left out because of it." in page
    assert "Something was left out because of your rule" in text(me.get(reverse("activity")))


def learn_nothing(user: User) -> int:
    for number in range(3):
        with pytest.raises(ValueError, match="unpack"):
            learn(user, "likes", f"tea of sort {number}", on=1 + number)
    return 3


def test_somebody_elses_topic_is_not_there(owner: User, other: User, me: Client) -> None:
    with acting_for(other.pk):
        row = NeverTopic.objects.create(user_id=other.pk, words="tea", created_at=timezone.now())
    response = me.post(reverse("settings_save", args=["topic-remove"]), {"topic": str(row.id)})
    assert response.status_code == 404
    assert me.post(reverse("settings_save", args=["nothing"])).status_code == 404
    with acting_for(other.pk):
        assert NeverTopic.objects.filter(user_id=other.pk).exists()


def test_delicate_subjects_need_no_asking_then(owner: User, me: Client) -> None:
    page = save(me, "delicate", sensitive_opt_in=["health"])
    assert "I no longer ask about one delicate subject." in page
    [_event] = log(owner, "settings.change")
    delicate(owner)
    assert facts(owner, attribute="health_condition", status=Fact.Status.CURRENT)
    save(me, "undo")
    assert held(owner).sensitive_opt_in == []


@pytest.mark.parametrize(("choice", "days"), [("30", 30), ("365", 365), ("36500", 36_500)])
def test_how_long_messages_are_kept(owner: User, me: Client, choice: str, days: int) -> None:
    save(me, "messages", retention=choice)
    assert held(owner).retention_days == days
    save(me, "messages", retention="")
    assert held(owner).retention_days is None
    save(me, "undo")
    assert held(owner).retention_days == days


def test_days_by_kind_for_what_is_held_too(owner: User, me: Client) -> None:
    learn(owner, "decision", "buy a bike", on=1, kind="decision")
    page = save(me, "expiry", decision="365", event="0", existing="on")
    assert "One memory that I hold runs out at another time now." in page
    assert held(owner).expiry == {"decision": 365, "event": None}
    [fact] = facts(owner)
    assert fact.expires_at == fact.last_stated_at + timedelta(days=365)
    save(me, "undo")
    assert held(owner).expiry == {}
    [fact] = facts(owner)
    assert fact.expires_at == fact.last_stated_at + timedelta(days=90)


@pytest.mark.parametrize("learning", ["off", "temporary", "on"])
def test_what_a_conversation_leaves_behind(owner: User, me: Client, learning: str) -> None:
    moved(owner)
    talk = talk_of(owner)
    url = reverse("conversation_learning", args=[talk])
    assert me.post(url, {"learning": learning}, follow=True).status_code == 200
    with acting_for(owner.pk):
        assert Conversation.objects.get(user_id=owner.pk, id=talk).learning == learning
    assert me.post(url, {"learning": "sometimes"}).status_code == 404


def test_somebody_elses_conversation_stays_as_it_is(owner: User, other: User, me: Client) -> None:
    moved(other)
    talk = talk_of(other)
    response = me.post(reverse("conversation_learning", args=[talk]), {"learning": "off"})
    assert response.status_code == 404
    with acting_for(other.pk):
        assert Conversation.objects.get(user_id=other.pk, id=talk).learning == "on"
