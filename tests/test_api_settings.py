"""What the user chose, and that it is honoured."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import EndUser, User
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent
from tests.api import ANY, Frontend, application, errors, log, personal, problem
from tests.remember import remember

QUESTION = {"user": "u1", "query": "Which editor do I use?"}
MESSAGE = {
    "user": "u1",
    "conversation": "c",
    "messages": [{"role": "user", "content": "I use Vim.", "sent_at": "2026-03-01T09:30:00Z"}],
}


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


def test_settings_before_anything_was_chosen(frontend: Frontend) -> None:
    assert frontend.get("/settings").json() == {
        "language": "en",
        "time_zone": "UTC",
        "paused": False,
        "paused_until": None,
        "retention_days": None,
        "sensitive_opt_in": [],
        "expiry": {},
        "never_remember": [],
        "review_keys": True,
        "applications": [],
    }


def test_only_what_is_named_changes(owner: User, frontend: Frontend) -> None:
    changed = {"time_zone": "Europe/Lisbon", "sensitive_opt_in": ["union", "health"]}
    answer = frontend.patch("/settings", changed, **ANY).json()
    assert answer["time_zone"] == "Europe/Lisbon"
    assert answer["sensitive_opt_in"] == ["health", "union"]
    answer = frontend.patch("/settings", {"retention_days": 7, "paused": True}, **ANY).json()
    assert (answer["retention_days"], answer["paused"]) == (7, True)
    assert (answer["language"], answer["time_zone"]) == ("en", "Europe/Lisbon")
    assert answer == frontend.get("/settings").json()
    answer = frontend.patch("/settings", {"retention_days": None}, **ANY).json()
    assert (answer["retention_days"], answer["paused"]) == (None, True)
    with acting_for(owner.pk):
        changes = AuditEvent.objects.filter(action="settings.change").order_by("seq")
        assert [event.details for event in changes] == [
            {"changed": ["time_zone", "sensitive_opt_in"]},
            {"changed": ["paused", "retention_days"]},
            {"changed": ["retention_days"]},
        ]


def test_what_is_chosen_is_honoured(owner: User, frontend: Frontend) -> None:
    body = {key: value for key, value in MESSAGE.items() if key != "user"}
    frontend.patch("/settings", {"paused": True}, **ANY)
    assert frontend.post("/messages", body).json()["paused"]
    frontend.patch("/settings", {"paused": False, "sensitive_opt_in": ["health"]}, **ANY)
    assert frontend.post("/messages", body).json()["accepted"] == 1
    remember(owner, "health_condition", "asthma", vector=False)
    assert [each["value"] for each in frontend.get("/facts").json()["items"]] == ["asthma"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"user": None}, "body"),
        ({"language": "xx"}, "language"),
        ({"language": None}, "language"),
        ({"time_zone": "Lisbon"}, "time_zone"),
        ({"paused": "yes"}, "paused"),
        ({"paused": None}, "paused"),
        ({"retention_days": -1}, "retention_days"),
        ({"sensitive_opt_in": ["weather"]}, "sensitive_opt_in[0]"),
        ({"applications": [{"application": "x"}]}, "applications[0].application"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_wrong_settings_are_named(frontend: Frontend, body: Any, field: str) -> None:
    assert field in errors(frontend.patch("/settings", body, **ANY))
    assert frontend.get("/settings").json()["language"] == "en"


def test_nothing_new_is_not_logged(owner: User, frontend: Frontend) -> None:
    frontend.patch("/settings", {"language": "en"}, **ANY)
    assert log(owner) == []


# -- What applications may do ------------------------------------------------------------------


def choose(user: User, *, may_read: bool = True, may_write: bool = True) -> None:
    EndUser.objects.filter(user=user).update(may_read=may_read, may_write=may_write)


def test_an_application_that_may_not_read(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    remember(user, "editor", "Vim", vector=False)
    choose(user, may_read=False)
    for response in (
        frontend.post("/recall", QUESTION),
        frontend.post("/context", QUESTION),
        frontend.get("/facts?user=u1"),
        frontend.get("/conversations?user=u1"),
        frontend.get("/settings?user=u1"),
        frontend.get("/export?user=u1"),
        frontend.get("/audit?user=u1"),
    ):
        answer = problem(response, 403, "denied-by-user")
        assert b"Vim" not in response.content
        assert "POST /links" in answer["detail"]
    assert log(user)[-1] == (f"app:{app.pk}", "access.denied", "audit:read")
    assert frontend.post("/messages", MESSAGE).status_code == 202
    # Another user of the same application chose nothing.
    assert frontend.post("/recall", {**QUESTION, "user": "u2"}).status_code == 200
    choose(user)
    assert frontend.post("/recall", QUESTION).status_code == 200


def test_an_application_that_may_not_write(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    fact_id = remember(user, "editor", "Vim", vector=False)
    choose(user, may_write=False)
    for response in (
        frontend.post("/messages", MESSAGE),
        frontend.patch(f"/facts/{fact_id}", {"user": "u1", "value": "Zed"}, **ANY),
        frontend.delete(f"/facts/{fact_id}?user=u1", **ANY),
        frontend.post("/erasures", {"user": "u1", "facts": [str(fact_id)]}),
        frontend.patch("/settings", {"user": "u1", "paused": True}, **ANY),
        frontend.post("/imports?user=u1", {}),
    ):
        problem(response, 403, "denied-by-user")
    assert frontend.get(f"/facts/{fact_id}?user=u1").json()["value"] == "Vim"
    # The way to the page stays open: nobody is locked out of their own choice.
    choose(user, may_read=False, may_write=False)
    assert frontend.post("/links", {"user": "u1"}).status_code == 201


def test_an_application_cannot_let_itself_in(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    choose(user, may_write=True, may_read=True)
    [shown] = frontend.get("/settings?user=u1").json()["applications"]
    assert shown == {
        "application": str(app.pk), "name": "Chatty", "may_read": True, "may_write": True,
    }  # fmt: skip
    access = {"application": str(app.pk), "may_read": True, "may_write": True}
    body = {"user": "u1", "applications": [access]}
    problem(frontend.patch("/settings", body, **ANY), 403, "forbidden")


def test_the_user_chooses_on_their_page(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    browser = Client()
    browser.force_login(user)
    page = browser.get("/apps/").content.decode()
    assert "Chatty" in page
    assert page.count('aria-checked="true"') == 2
    assert browser.post(f"/apps/{app.pk}/access/", {"may_read": "0"}).status_code == 302
    problem(frontend.post("/recall", QUESTION), 403, "denied-by-user")
    assert frontend.post("/messages", MESSAGE).status_code == 202
    assert browser.get("/apps/").content.decode().count('aria-checked="true"') == 1
    # Who has no application is asked nothing.
    browser.force_login(owner)
    assert 'role="switch"' not in browser.get("/apps/").content.decode()


def test_the_user_chooses_with_their_own_key(owner: User, other: User) -> None:
    app, _frontend = application(owner)
    EndUser.objects.create(application=app, external_id="me", user=other)
    mine = personal(other)
    access = {"application": str(app.pk), "may_read": False, "may_write": True}
    answer = mine.patch("/settings", {"applications": [access]}, **ANY).json()
    assert answer["applications"] == [{**access, "name": "Chatty"}]
    assert not EndUser.objects.get().may_read
    unknown = {**access, "application": str(other.pk)}
    assert errors(mine.patch("/settings", {"applications": [unknown]}, **ANY)) == {
        "applications": "unknown_application"
    }
