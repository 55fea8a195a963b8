"""Facts over the API: listed, read, corrected, erased, each only by whom they belong to."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accounts.models import EndUser, User
from memoryapp.api.rendering import HELD_FIELDS
from memoryapp.context import acting_for
from memoryapp.models import Fact
from tests.api import ANY, Frontend, application, errors, log, personal, problem
from tests.remember import day, remember


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


def values(frontend: Frontend, query: str = "") -> list[str]:
    response = frontend.get(f"/facts{query}")
    assert response.status_code == 200, response.content
    return [item["value"] for item in response.json()["items"]]


def test_current_facts_are_listed_newest_first(owner: User, frontend: Frontend) -> None:
    remember(owner, "editor", "Vim", "2026-01-01")
    remember(owner, "editor", "VS Code", "2026-03-01")
    remember(owner, "likes", "cricket", "2026-03-02", vector=False)
    remember(owner, "likes", "cricket", "2026-03-03", operation="end", polarity="negated")
    remember(owner, "home", "Lisbon")
    remember(owner, "health_condition", "asthma")
    remember(owner, "likes", "jazz", subject="person:mira", scope="ide")
    assert values(frontend) == ["jazz", "Lisbon", "VS Code"]
    assert values(frontend, "?status=superseded") == ["Vim"]
    assert values(frontend, "?status=pending") == ["asthma"]
    assert values(frontend, "?status=all") == [
        "jazz", "asthma", "Lisbon", "cricket", "VS Code", "Vim",
    ]  # fmt: skip
    assert values(frontend, "?status=all&attribute=editor") == ["VS Code", "Vim"]
    assert values(frontend, "?kind=personal") == ["Lisbon"]
    assert values(frontend, "?subject=person:mira") == ["jazz"]
    assert values(frontend, "?scope=") == ["Lisbon", "VS Code"]
    [item] = frontend.get("/facts?status=superseded").json()["items"]
    assert tuple(item) == (*HELD_FIELDS, "etag")
    assert item["superseded_by"] is not None


def test_pages_follow_each_other(owner: User, frontend: Frontend) -> None:
    for number in range(5):
        remember(owner, "likes", f"number {number}", vector=False)
    seen, query = [], "?limit=2"
    while query:
        page = frontend.get(f"/facts{query}").json()
        seen.append([item["value"] for item in page["items"]])
        query = f"?limit=2&cursor={page['next_cursor']}" if page["next_cursor"] else ""
    assert seen == [["number 4", "number 3"], ["number 2", "number 1"], ["number 0"]]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("cursor=nonsense", "cursor"),
        ("cursor=%00", "cursor"),
        ("cursor=", "cursor"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("status=fresh", "status"),
        ("kind=mood", "kind"),
        ("user=somebody", "user"),
        ("attribute=%00", "attribute"),
    ],
)
def test_wrong_parameters_are_named(frontend: Frontend, query: str, field: str) -> None:
    assert list(errors(frontend.get(f"/facts?{query}"))) == [field]


def test_one_fact(owner: User, frontend: Frontend) -> None:
    fact_id = remember(owner, "editor", "Vim")
    answer = frontend.get(f"/facts/{fact_id}").json()
    assert (answer["id"], answer["value"]) == (str(fact_id), "Vim")
    assert log(owner)[-1][1] == "fact.add"  # one's own reading isn't logged


@pytest.mark.parametrize("supersession", ["change", "correction"])
def test_a_change_keeps_history(owner: User, frontend: Frontend, supersession: str) -> None:
    fact_id = remember(owner, "editor", "Vim", "2026-01-01")
    response = frontend.patch(
        f"/facts/{fact_id}", {"value": "  VS   Code ", "supersession": supersession}, **ANY
    )
    assert response.status_code == 200
    answer = response.json()
    assert (answer["value"], answer["status"]) == ("VS Code", "current")
    corrected = supersession == "correction"
    assert (answer["valid_from"] == "2026-01-01T00:00:00Z") is corrected
    old = frontend.get(f"/facts/{fact_id}").json()
    assert (old["value"], old["status"]) == ("Vim", "superseded")
    assert old["superseded_by"] == answer["id"]
    assert (old["retired_at"] is not None) is corrected
    problem(frontend.patch(f"/facts/{fact_id}", {"value": "Zed"}, **ANY), 409, "conflict")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"value": None}, "value"),
        ({"pinned": "yes"}, "pinned"),
        ({"importance": 2}, "importance"),
        ({"value": ""}, "value"),
        ({"value": "\n"}, "value"),
        ({"value": "x" * 501}, "value"),
        ({"value": "x\0"}, "value"),
        ({"value": 5}, "value"),
        ({"value": "x", "supersession": "erasure"}, "supersession"),
        ({"value": "x", "statement": "y"}, "statement"),
        ([], "body"),
        (None, "body"),
    ],
)
def test_wrong_changes_are_named(owner: User, frontend: Frontend, body: Any, field: str) -> None:
    fact_id = remember(owner, "editor", "Vim", vector=False)
    assert list(errors(frontend.patch(f"/facts/{fact_id}", body, **ANY))) == [field]
    assert frontend.get(f"/facts/{fact_id}").json()["value"] == "Vim"


def test_erasing_answers_with_a_receipt_without_content(owner: User, frontend: Frontend) -> None:
    fact_id = remember(owner, "editor", "Vim", words="I use Vim.")
    response = frontend.delete(f"/facts/{fact_id}", **ANY)
    assert response.status_code == 200
    receipt = response.json()
    assert receipt["fact_ids"] == [str(fact_id)]
    assert receipt["completed_at"]
    assert receipt["counts"]["facts"] == 1
    assert b"Vim" not in response.content
    problem(frontend.get(f"/facts/{fact_id}"), 404, "not-found")
    problem(frontend.delete(f"/facts/{fact_id}", **ANY), 404, "not-found")
    with acting_for(owner.pk):
        assert not Fact.objects.exists()


def test_the_value_before_may_hold_again(owner: User, frontend: Frontend) -> None:
    remember(owner, "editor", "Vim", "2026-01-01", words="I use Vim.")
    fact_id = remember(owner, "editor", "VS Code", "2026-03-01", words="Now VS Code.")
    assert frontend.delete(f"/facts/{fact_id}?restore_previous=true", **ANY).status_code == 200
    assert values(frontend) == ["Vim"]


def test_anothers_fact_is_not_there_and_the_attempt_is_logged(
    owner: User, other: User, frontend: Frontend
) -> None:
    theirs = remember(other, "editor", "Vim")
    before = log(other)
    unknown = uuid4()
    for fact_id in (theirs, unknown):
        answers = [
            problem(frontend.get(f"/facts/{fact_id}"), 404, "not-found"),
            problem(frontend.patch(f"/facts/{fact_id}", {"value": "Zed"}, **ANY), 404, "not-found"),
            problem(frontend.delete(f"/facts/{fact_id}", **ANY), 404, "not-found"),
        ]
        # Nothing tells the one from the other.
        assert {answer["detail"] for answer in answers} == {answers[0]["detail"]}
        assert log(owner)[-3:] == [
            (f"user:{owner.pk}", "access.refused", f"fact:{fact_id}")
        ] * 3  # fmt: skip
    assert values(frontend) == []
    assert values(personal(other)) == ["Vim"]
    assert log(other) == before


def test_an_application_reaches_its_own_users_only(owner: User, other: User) -> None:
    app, frontend = application(owner)
    _app, rival = application(other, "Rival")
    user = EndUser.objects.resolve(application=app, external_id="u1")
    fact_id = remember(user, "editor", "Vim", words="I use Vim.")
    assert values(frontend, "?user=u1") == ["Vim"]
    assert log(user)[-1] == (f"app:{app.pk}", "facts.read", "facts")
    assert errors(frontend.get("/facts")) == {"user": "missing"}
    for caller in (rival, frontend):
        problem(caller.get(f"/facts/{fact_id}?user=u2"), 404, "not-found")
    problem(rival.delete(f"/facts/{fact_id}?user=u1", **ANY), 404, "not-found")
    # Not even the account that owns the application.
    problem(personal(owner).get(f"/facts/{fact_id}"), 404, "not-found")
    changed = frontend.patch(f"/facts/{fact_id}", {"user": "u1", "value": "Zed"}, **ANY)
    assert changed.json()["value"] == "Zed"
    assert frontend.delete(f"/facts/{changed.json()['id']}?user=u1", **ANY).status_code == 200


def test_a_link_opens_the_page_once(owner: User) -> None:
    app, frontend = application(owner)
    response = frontend.post("/links", {"user": "u1"})
    assert response.status_code == 201
    answer = response.json()
    assert answer["url"].startswith("http://testserver/enter/")
    assert day(answer["expires_at"].rstrip("Z"))
    browser = Client()
    page = browser.get(answer["url"])
    assert page.status_code in {200, 302}
    user = EndUser.objects.get(application=app, external_id="u1").user
    assert log(user)[0][:2] == (f"app:{app.pk}", "link.issue")
    problem(personal(owner).post("/links", {}), 403, "forbidden")
    assert errors(frontend.post("/links", {})) == {"user": "missing"}
