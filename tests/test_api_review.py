"""The review inbox over the API: what waits, and the user's word."""

from __future__ import annotations

from uuid import UUID

import pytest

from accounts.models import User
from memoryapp.context import acting_for
from memoryapp.models import ErasureRequest, Fact, FactEmbedding, IdempotencyKey
from tests.api import ANY, Frontend, errors, log, personal, problem
from tests.chat import said, tell
from tests.remember import remember


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


@pytest.fixture
def waiting(owner: User) -> UUID:
    return remember(owner, "health_condition", "asthma", words="I have asthma.")


def current(frontend: Frontend) -> list[str]:
    return [item["value"] for item in frontend.get("/facts").json()["items"]]


def test_what_waits_is_shown_with_its_reason_and_proof(
    owner: User, frontend: Frontend, waiting: UUID
) -> None:
    remember(owner, "religion", "Quaker", vector=False)
    page = frontend.get("/review?limit=1").json()
    assert [item["fact"]["value"] for item in page["items"]] == ["Quaker"]
    page = frontend.get(f"/review?cursor={page['next_cursor']}").json()
    [item] = page["items"]
    assert page["next_cursor"] is None
    assert item["fact"]["id"] == str(waiting)
    assert (item["fact"]["status"], item["fact"]["sensitivity"]) == ("pending", "health")
    assert "consent" in item["reason"]
    assert [proof["quote"] for proof in item["evidence"]] == ["I have asthma."]
    assert item["against"] is None
    assert frontend.get(f"/review/{waiting}").json() == item
    assert current(frontend) == []


def test_kept(owner: User, frontend: Frontend, waiting: UUID) -> None:
    response = frontend.post(f"/review/{waiting}/keep", {}, **ANY)
    assert (response.status_code, response.json()["status"]) == (200, "current")
    assert current(frontend) == ["asthma"]
    assert frontend.get("/review").json()["items"] == []
    problem(frontend.get(f"/review/{waiting}"), 404, "not-found")
    problem(frontend.post(f"/review/{waiting}/keep", {}, **ANY), 409, "conflict")


def test_kept_with_another_value(owner: User, frontend: Frontend, waiting: UUID) -> None:
    changed = frontend.post(f"/review/{waiting}/change", {"value": "hay fever"}, **ANY).json()
    assert (changed["value"], changed["status"]) == ("hay fever", "current")
    assert current(frontend) == ["hay fever"]
    with acting_for(owner.pk):
        assert FactEmbedding.objects.filter(fact_id=changed["id"]).exists()
        assert Fact.objects.get(value="asthma", operation="state").retired_at  # it was never so


def test_a_refused_change_leaves_it_waiting(frontend: Frontend, waiting: UUID) -> None:
    response = frontend.post(f"/review/{waiting}/change", {"value": " "}, **ANY)
    assert errors(response) == {"value": "blank"}
    assert frontend.get(f"/review/{waiting}").json()["fact"]["status"] == "pending"


def test_rejected(owner: User, frontend: Frontend, waiting: UUID) -> None:
    rejected = frontend.post(f"/review/{waiting}/reject", {}, **ANY).json()
    assert rejected["status"] == "rejected"
    remember(owner, "health_condition", "asthma", vector=False)
    assert frontend.get("/review").json()["items"] == []
    assert current(frontend) == []


def test_a_repeated_word_is_carried_out_once(
    owner: User, frontend: Frontend, waiting: UUID
) -> None:
    headers = {**ANY, "Idempotency-Key": "k1"}
    first = frontend.post(f"/review/{waiting}/keep", {}, **headers)
    again = frontend.post(f"/review/{waiting}/keep", {}, **headers)
    assert (again.status_code, again.json()) == (200, first.json())
    assert again["Idempotency-Replayed"] == "true"
    problem(frontend.post(f"/review/{waiting}/reject", {}, **headers), 422, "key-reused")
    with acting_for(owner.pk):
        assert IdempotencyKey.objects.get().body == {"fact": first.json()["id"]}
    # What was erased since isn't told again.
    frontend.delete(f"/facts/{first.json()['id']}", **ANY)
    problem(frontend.post(f"/review/{waiting}/keep", {}, **headers), 404, "not-found")


def test_anothers_is_not_there(owner: User, other: User, frontend: Frontend) -> None:
    theirs = remember(other, "health_condition", "asthma", vector=False)
    for path, body in (("keep", {}), ("change", {"value": "x"}), ("reject", {})):
        response = frontend.post(f"/review/{theirs}/{path}", body, **ANY)
        problem(response, 404, "not-found")
    problem(frontend.get(f"/review/{theirs}"), 404, "not-found")
    assert log(owner) == [(f"user:{owner.pk}", "access.refused", f"fact:{theirs}")] * 4


def test_a_wish_that_matched_nothing_can_be_taken_back(owner: User, frontend: Frontend) -> None:
    tell(owner, said("2026-03-01", "Please forget that I have a boat."))
    [wish] = frontend.get("/wishes").json()["items"]
    assert (wish["what"], wish["state"]) == ("I have a boat", "open")
    key = {"Idempotency-Key": "k1"}
    for _ in range(2):
        settled = frontend.post(f"/wishes/{wish['id']}/dismiss", {}, **key)
        assert settled.status_code == 200
        assert (settled.json()["state"], settled.json()["what"]) == ("dismissed", "")
    assert frontend.get("/wishes").json()["items"] == []
    problem(frontend.post(f"/wishes/{wish['id']}/dismiss", {}), 404, "not-found")
    with acting_for(owner.pk):
        assert ErasureRequest.objects.get().what == ""
