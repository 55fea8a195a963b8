"""Since when, where and how long over the API; and which answers used a fact."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from memoryapp import uses
from memoryapp.context import acting_for
from memoryapp.models import Fact, HandAct, Message
from tests.api import ANY, Frontend, application, errors, log, personal
from tests.remember import remember


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


@pytest.mark.parametrize(
    ("since", "precision", "start"),
    [
        ("2024", "year", datetime(2023, 12, 31, 15, tzinfo=UTC)),
        ("2024-05", "month", datetime(2024, 4, 30, 15, tzinfo=UTC)),
        ("2024-05-03", "day", datetime(2024, 5, 2, 15, tzinfo=UTC)),
    ],
)
def test_since_when(
    owner: User, frontend: Frontend, since: str, precision: str, start: datetime
) -> None:
    owner.time_zone = "Asia/Tokyo"
    owner.save()
    fact_id = remember(owner, "home", "Lisbon")
    found = frontend.patch(f"/facts/{fact_id}", {"since": since}, **ANY).json()
    assert (found["id"], found["value"]) == (str(fact_id), "Lisbon")
    assert datetime.fromisoformat(found["valid_from"]) == start
    with acting_for(owner.pk):
        assert Fact.objects.get(pk=fact_id).precision == precision


def test_where_and_how_long(owner: User, frontend: Frontend) -> None:
    fact_id = remember(owner, "editor", "Vim")
    until = timezone.now().replace(microsecond=0) + timedelta(days=9)
    body = {"scope": " work ", "expires_at": until.isoformat()}
    found = frontend.patch(f"/facts/{fact_id}", body, **ANY).json()
    assert (found["scope"], found["expiry_chosen"]) == ("work", True)
    assert datetime.fromisoformat(found["expires_at"]) == until
    kinds = {"scope": "", "expires_at": None}
    found = frontend.patch(f"/facts/{fact_id}", kinds, **ANY).json()
    assert (found["scope"], found["expiry_chosen"]) == ("", False)


def test_the_user_can_take_it_back(owner: User, frontend: Frontend) -> None:
    fact_id = remember(owner, "editor", "Vim")
    body = {"value": "Emacs", "since": "2026", "pinned": True}
    found = frontend.patch(f"/facts/{fact_id}", body, **ANY).json()
    assert (found["value"], found["pinned"]) == ("Emacs", True)
    with acting_for(owner.pk):
        acts = HandAct.objects.order_by("id")
        assert [row.kind for row in acts] == ["edit", "weigh"]
        assert len({row.act for row in acts}) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"since": "2999"}, "since"),
        ({"since": "2024-13"}, "since"),
        ({"since": "2024-02-30"}, "since"),
        ({"since": "0000"}, "since"),
        ({"since": "0001"}, "since"),
        ({"since": "last year"}, "since"),
        ({"value": "Emacs", "since": "2020"}, "since"),
        ({"scope": "work"}, "scope"),
        ({"scope": "a\0b"}, "scope"),
        ({"scope": None}, "scope"),
        ({"expires_at": "soon"}, "expires_at"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
    ],
)
def test_what_cant_be_is_named(owner: User, frontend: Frontend, body: Any, field: str) -> None:
    fact_id = remember(owner, "editor", "Vim")
    remember(owner, "editor", "Nano", scope="work")
    response = frontend.patch(f"/facts/{fact_id}", body, **ANY)
    assert list(errors(response)) == [field]
    with acting_for(owner.pk):
        assert not HandAct.objects.exists()


def test_which_answers_used_it(owner: User, other: User) -> None:
    chatty, frontend = application(other)
    person = "person-1"
    sent = datetime(2026, 5, 1, tzinfo=UTC).isoformat()
    frontend.post(
        "/messages",
        {
            "user": person,
            "conversation": "c1",
            "messages": [{"role": "user", "content": "I live in Oslo.", "sent_at": sent}],
        },
    )
    user = chatty.end_users.get().user
    fact_id = remember(user, "home", "Oslo")
    with acting_for(user.pk):
        message = Message.objects.get(conversation__external_id="c1")
        for day in range(3):
            uses.note(
                user_id=user.pk,
                fact_ids=[fact_id],
                answer=uses.Answer(
                    "chat", timezone.now() + timedelta(days=day), chatty.pk,
                    message.conversation_id, message.pk if day == 2 else None,
                ),
            )  # fmt: skip
    page = frontend.get(f"/facts/{fact_id}/uses?user={person}&limit=2").json()
    assert [one["message"] for one in page["items"]] == [str(message.pk), None]
    assert {(one["application"], one["conversation"]) for one in page["items"]} == {
        ("Chatty", "c1")
    }
    query = f"?user={person}&limit=2&cursor={page['next_cursor']}"
    page = frontend.get(f"/facts/{fact_id}/uses{query}").json()
    assert (len(page["items"]), page["next_cursor"]) == (1, None)
    assert "facts.read" in [action for _actor, action, _object in log(user)]
    assert personal(owner).get(f"/facts/{fact_id}/uses").status_code == 404
