"""Conversations read back and erased over the API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from accounts.models import EndUser, User
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Message
from tests.api import Frontend, application, errors, log, personal, problem
from tests.remember import remember


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


def send(frontend: Frontend, conversation: str, *contents: str, hour: int = 9) -> None:
    messages = [
        {
            "id": f"m{number}",
            "role": "assistant" if number % 2 else "user",
            "content": content,
            "sent_at": f"2026-03-01T{hour:02}:{number:02}:00Z",
        }
        for number, content in enumerate(contents)
    ]
    sent = frontend.post("/messages", {"conversation": conversation, "messages": messages})
    assert sent.status_code == 202


def pages(frontend: Frontend, path: str, key: str) -> list[list[Any]]:
    """Every page of a list, by following the cursors."""
    found, cursor = [], ""
    while True:
        page = frontend.get(f"{path}{'&' if '?' in path else '?'}limit=2{cursor}").json()
        found.append([item[key] for item in page["items"]])
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def test_conversations_are_listed_the_latest_first(owner: User, frontend: Frontend) -> None:
    for number, hour in enumerate((9, 12, 10, 12, 11)):
        send(frontend, f"c{number}", "Hello.", hour=hour)
    assert pages(frontend, "/conversations", "conversation") == [["c3", "c1"], ["c4", "c2"], ["c0"]]
    item = frontend.get("/conversations/c1").json()
    assert item["conversation"] == "c1"
    assert (item["messages"], item["readable"], item["facts"]) == (1, 1, 0)
    assert item["last_message_at"] == "2026-03-01T12:00:00Z"


def test_messages_in_the_order_of_their_telling(owner: User, frontend: Frontend) -> None:
    send(frontend, "c", "one", "two", "three")
    path = "/conversations/c/messages"
    assert pages(frontend, path, "content") == [["one", "two"], ["three"]]
    assert pages(frontend, f"{path}?order=newest", "content") == [["three", "two"], ["one"]]
    [first, *_] = frontend.get(path).json()["items"]
    assert (first["external_id"], first["role"], first["state"]) == ("m0", "user", "pending")
    assert errors(frontend.get(f"{path}?cursor=x")) == {"cursor": "cursor"}


def test_a_message_names_what_it_proves(owner: User, frontend: Frontend) -> None:
    fact_id = remember(owner, "editor", "Vim", vector=False)
    [item] = frontend.get("/conversations/talk/messages").json()["items"]
    assert item["facts"] == [str(fact_id)]
    assert frontend.get("/conversations/talk").json()["facts"] == 1
    [listed] = frontend.get("/facts?conversation=talk").json()["items"]
    assert listed["id"] == str(fact_id)
    assert frontend.get("/facts?conversation=other").json()["items"] == []


def test_a_purged_message_is_still_there(owner: User, frontend: Frontend) -> None:
    send(frontend, "c", "secret plans", "noted")
    with acting_for(owner.pk):
        row = Message.objects.get(external_id="m0")
        row.content, row.purged_at = "", row.received_at
        row.save()
    [first, _second] = frontend.get("/conversations/c/messages").json()["items"]
    assert first["content"] == ""
    assert first["purged_at"]
    assert frontend.get("/conversations/c").json()["readable"] == 1


@pytest.mark.parametrize("name", ["2026/03 — chat? #1 %2F", "a/status", "x/messages"])
def test_a_conversation_of_any_name(owner: User, frontend: Frontend, name: str) -> None:
    send(frontend, name, "Hello.")
    [item] = frontend.get("/conversations").json()["items"]
    assert item["conversation"] == name
    by_name = quote(name, safe="") if not name.endswith(("status", "messages")) else item["id"]
    assert frontend.get(f"/conversations/{by_name}").json() == item
    assert len(frontend.get(f"/conversations/{by_name}/messages").json()["items"]) == 1


def test_an_erased_conversation_is_gone_and_stays_so(owner: User, frontend: Frontend) -> None:
    remember(owner, "editor", "Vim", words="I use Vim.", vector=False)
    response = frontend.delete("/conversations/talk")
    assert response.json()["counts"]["facts"] == 1
    assert b"Vim" not in response.content
    assert frontend.get("/facts?status=all").json()["items"] == []
    assert frontend.get("/conversations").json()["items"] == []
    for gone in (
        frontend.get("/conversations/talk"),
        frontend.get("/conversations/talk/messages"),
        frontend.delete("/conversations/talk"),
    ):
        problem(gone, 404, "not-found")


def test_anothers_conversation_is_not_there(owner: User, other: User, frontend: Frontend) -> None:
    send(personal(other), "theirs", "My diary.")
    with acting_for(other.pk):
        id = Conversation.objects.get().pk
    for name in ("theirs", id):
        problem(frontend.get(f"/conversations/{name}"), 404, "not-found")
        problem(frontend.get(f"/conversations/{name}/messages"), 404, "not-found")
        problem(frontend.delete(f"/conversations/{name}"), 404, "not-found")
    assert log(owner) == [(f"user:{owner.pk}", "access.refused", "conversation")] * 6
    assert len(personal(other).get("/conversations").json()["items"]) == 1


def test_an_applications_reading_is_in_the_users_log(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    remember(user, "editor", "Vim", vector=False)
    frontend.get("/conversations/talk/messages?user=u1")
    with acting_for(user.pk):
        id = Conversation.objects.get().pk
    assert log(user)[-1] == (f"app:{app.pk}", "messages.read", f"conversation:{id}")
