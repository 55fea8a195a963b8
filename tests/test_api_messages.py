"""Conversation turns in: what is accepted, once; what is refused, and why."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connections

from accounts.models import EndUser, User
from memoryapp import providers
from memoryapp.context import acting_for
from memoryapp.models import IdempotencyKey, MemorySettings, Message, Outbox
from tests.api import Frontend, application, errors, log, personal, problem

BODY: dict[str, Any] = {
    "conversation": "chat-42",
    "messages": [
        {
            "id": "m1",
            "role": "user",
            "content": "I use Vim as my editor.",
            "sent_at": "2026-03-01T09:30:00Z",
        },
        {"role": "assistant", "content": "Noted.", "sent_at": "2026-03-01T10:30:04+01:00"},
    ],
}


def body(**message: Any) -> dict[str, Any]:
    """The first message with some fields replaced; None removes a field."""
    changed = copy.deepcopy(BODY)
    changed["messages"] = changed["messages"][:1]
    for name, value in message.items():
        if value is None:
            del changed["messages"][0][name]
        else:
            changed["messages"][0][name] = value
    return changed


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


def stored(user: User) -> list[str]:
    with acting_for(user.pk):
        return list(Message.objects.order_by("sent_at").values_list("content", flat=True))


def test_turns_are_stored_and_queued_at_once(owner: User, frontend: Frontend) -> None:
    response = frontend.post("/messages", BODY)
    assert response.status_code == 202
    answer = response.json()
    assert answer == {
        "conversation": "chat-42",
        "accepted": 2,
        "duplicates": 0,
        "status_url": "http://testserver/api/v1/conversations/chat-42/status",
        "paused": False,
        "temporary": False,
    }
    assert stored(owner) == ["I use Vim as my editor.", "Noted."]
    with acting_for(owner.pk):
        assert Outbox.objects.count() == 1
    status = frontend.client.get(answer["status_url"], headers=frontend.headers)
    assert status.json() == {"pending": 2, "processed": 0, "failed": 0, "forget": []}


def test_a_turn_is_stored_once(owner: User, frontend: Frontend) -> None:
    frontend.post("/messages", BODY)
    assert frontend.post("/messages", BODY).json()["duplicates"] == 2
    assert len(stored(owner)) == 2


def test_a_paused_memory_takes_nothing_and_says_so(owner: User, frontend: Frontend) -> None:
    with acting_for(owner.pk):
        MemorySettings.objects.create(user_id=owner.pk, paused=True)
    answer = frontend.post("/messages", BODY).json()
    assert (answer["accepted"], answer["paused"]) == (0, True)
    assert stored(owner) == []


def test_an_application_speaks_for_its_users(owner: User) -> None:
    app, frontend = application(owner)
    response = frontend.post("/messages", {**BODY, "user": "user 17/é"})
    assert response.status_code == 202
    user = EndUser.objects.get(application=app).user
    assert len(stored(user)) == 2
    assert stored(owner) == []
    assert (f"app:{app.pk}", "messages.add") in [event[:2] for event in log(user)]
    url = urlsplit(response.json()["status_url"])
    status = frontend.get(f"{url.path.removeprefix('/api/v1')}?{url.query}")
    assert status.json()["pending"] == 2


def test_a_conversation_may_have_any_name(owner: User, frontend: Frontend) -> None:
    name = "2026/03 — chat? #1 %2F"
    answer = frontend.post("/messages", {**BODY, "conversation": name}).json()
    assert answer["conversation"] == name
    status = frontend.client.get(answer["status_url"], headers=frontend.headers)
    assert status.json()["pending"] == 2


def test_anothers_conversation_is_not_there(owner: User, other: User, frontend: Frontend) -> None:
    personal(other).post("/messages", BODY)
    problem(frontend.get("/conversations/chat-42/status"), 404, "not-found")
    assert log(owner) == [(f"user:{owner.pk}", "access.refused", "conversation")]


# -- What is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"sent_at": "2026-03-01T09:30:00"}, "sent_at", "naive_time"),
        ({"sent_at": "2026-03-01"}, "sent_at", "date_only"),
        ({"sent_at": "20260301"}, "sent_at", "date_only"),
        ({"sent_at": "yesterday"}, "sent_at", "time_format"),
        ({"sent_at": "2026-02-30T09:30:00Z"}, "sent_at", "time_format"),
        ({"sent_at": "0001-01-01T00:00:00+14:00"}, "sent_at", "time_format"),
        ({"sent_at": "1969-12-31T23:59:59Z"}, "sent_at", "ancient_time"),
        ({"sent_at": "9999-12-31T23:59:59Z"}, "sent_at", "future_time"),
        ({"sent_at": 1772357400}, "sent_at", "time_type"),
        ({"sent_at": {"date": "2026-03-01"}}, "sent_at", "time_type"),
        ({"sent_at": None}, "sent_at", "missing"),
        ({"role": "human"}, "role", "literal_error"),
        ({"content": ""}, "content", "string_too_short"),
        ({"content": " \n"}, "content", "blank"),
        ({"content": 7}, "content", "string_type"),
        ({"content": "a\0b"}, "content", "nul"),
        ({"content": "cut \ud83d"}, "content", "surrogate"),
        ({"content": "x" * 100_001}, "content", "string_too_long"),
        ({"id": "a\nb"}, "id", "control_character"),
        ({"timestamp": "2026-03-01T09:30:00Z"}, "timestamp", "extra_forbidden"),
    ],
)
def test_a_wrong_field_is_named_with_its_cure(
    owner: User, frontend: Frontend, changes: dict[str, Any], field: str, code: str
) -> None:
    response = frontend.post("/messages", body(**changes))
    assert errors(response) == {f"messages[0].{field}": code}
    assert stored(owner) == []


def test_every_wrong_field_is_named_at_once(frontend: Frontend) -> None:
    wrong = body(sent_at="2026-03-01", role="human")
    wrong["messages"].append({"role": "user"})
    assert set(errors(frontend.post("/messages", wrong))) == {
        "messages[0].sent_at",
        "messages[0].role",
        "messages[1].content",
        "messages[1].sent_at",
    }


def test_a_clock_may_be_a_little_ahead(owner: User, frontend: Frontend) -> None:
    soon = providers.clock().now() + timedelta(hours=23)
    assert frontend.post("/messages", body(sent_at=soon.isoformat())).status_code == 202


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"conversation": ""}, "conversation"),
        ({"conversation": "x" * 201}, "conversation"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": [BODY["messages"][0]] * 101}, "messages"),
        ({"user": "somebody"}, "user"),
    ],
)
def test_a_wrong_request_is_refused(
    frontend: Frontend, changes: dict[str, Any], field: str
) -> None:
    assert list(errors(frontend.post("/messages", {**BODY, **changes}))) == [field]


def test_a_hundred_messages_are_taken(owner: User, frontend: Frontend) -> None:
    message = BODY["messages"][0]
    many = [{**message, "id": f"m{number}"} for number in range(100)]
    assert frontend.post("/messages", {**BODY, "messages": many}).json()["accepted"] == 100


# -- Once --------------------------------------------------------------------------------------


def test_a_repeated_request_gets_the_same_answer(owner: User, frontend: Frontend) -> None:
    key = {"Idempotency-Key": "9f1c"}
    first = frontend.post("/messages", BODY, **key)
    again = frontend.post("/messages", BODY, **key)
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert (again.status_code, again.json()) == (202, first.json())
    assert again.json()["accepted"] == 2
    assert len(stored(owner)) == 2


def test_a_key_is_for_one_request(owner: User, other: User, frontend: Frontend) -> None:
    key = {"Idempotency-Key": "9f1c"}
    frontend.post("/messages", BODY, **key)
    problem(frontend.post("/messages", body(content="Other."), **key), 422, "key-reused")
    assert len(stored(owner)) == 2
    # Somebody else's key is their own affair.
    assert "Idempotency-Replayed" not in personal(other).post("/messages", BODY, **key)


def test_a_key_is_kept_a_day_and_without_a_word_of_content(owner: User, frontend: Frontend) -> None:
    key = {"Idempotency-Key": "9f1c"}
    frontend.post("/messages", BODY, **key)
    with acting_for(owner.pk):
        row = IdempotencyKey.objects.get()
        counted = {"accepted": 2, "duplicates": 0, "paused": False, "temporary": False}
        assert row.body == counted
        IdempotencyKey.objects.all().delete()
        row.created_at -= timedelta(hours=24)
        row.save(force_insert=True)
    response = frontend.post("/messages", BODY, **key)
    assert "Idempotency-Replayed" not in response
    assert response.json()["duplicates"] == 2
    with acting_for(owner.pk):
        assert IdempotencyKey.objects.get().created_at > row.created_at


def test_a_failed_request_leaves_its_key_free(owner: User, frontend: Frontend) -> None:
    key = {"Idempotency-Key": "9f1c"}
    problem(frontend.post("/messages", body(role="human"), **key), 422, "invalid")
    assert frontend.post("/messages", BODY, **key).status_code == 202


@pytest.mark.parametrize("key", ["", " ", "x" * 256])
def test_a_key_that_is_none(frontend: Frontend, key: str) -> None:
    response = frontend.post("/messages", BODY, **{"Idempotency-Key": key})
    assert errors(response) == {"Idempotency-Key": "idempotency_key"}


def test_the_same_key_at_the_same_moment(committed_db: Any, owner: User) -> None:
    frontend = personal(owner)

    def send(_: int) -> tuple[int, bool, int]:
        try:
            caller = Frontend()
            caller.headers = frontend.headers
            response = caller.post("/messages", BODY, **{"Idempotency-Key": "9f1c"})
            return (
                response.status_code,
                "Idempotency-Replayed" in response,
                response.json()["accepted"],
            )
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(6)))
    assert {answer[0] for answer in answers} == {202}
    assert sorted(answer[1] for answer in answers) == [False] + [True] * 5
    assert {answer[2] for answer in answers} == {2}
    assert len(stored(owner)) == 2
