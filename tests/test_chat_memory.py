"""What the memory adds to a chat at ``/v1``, and what it takes from it."""

from __future__ import annotations

from typing import Any

import openai
import pytest
from openai import OpenAI

from accounts.models import EndUser, User
from memoryapp import providers
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent, Outbox
from tests.api import application
from tests.chat import current, facts, read_all, said, tell
from tests.chatting import (
    asgi_site,
    assistant,
    client,
    openai_client,
    patience,
    says,
    talks,
    upstream,
    user,
)
from tests.conftest import FixedClock, Site
from tests.model_server import Reply, StandIn

__all__ = ["asgi_site", "client", "patience", "upstream"]

OFF = {"X-Memory": "off"}


def ask(client: OpenAI, *messages: Any, **more: Any) -> tuple[Any, Any]:
    """The completion and the response's headers."""
    raw = client.chat.completions.with_raw_response.create(
        model="m",
        messages=[user(m) if isinstance(m, str) else m for m in messages],
        **more,
    )
    return raw.parse(), raw.headers


def system(upstream: StandIn) -> str:
    [*firsts] = [m for m in upstream.requests[-1].body["messages"] if m["role"] == "system"]
    assert len(firsts) == 1
    return str(firsts[0]["content"])


def test_what_is_known_is_before_the_model_and_told(
    client: OpenAI, owner: User, upstream: StandIn
) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    [fact] = facts(owner, "home")
    completion, headers = ask(
        client, {"role": "system", "content": "Be brief."}, "Where do I live?"
    )
    assert system(upstream).startswith("Be brief.\n\n===== MEMORY")
    assert "I live in Porto" in system(upstream)
    assert headers["X-Memory-Status"] == "used"
    assert headers["X-Memory-Ids"] == str(fact.id)
    assert not any("Porto" in value for value in headers.values())
    assert completion.memory["status"] == "used"
    [used] = completion.memory["used"]
    assert (used["fact_id"], used["quote"]) == (str(fact.id), "I live in Porto")
    with acting_for(owner.pk):
        recalled = AuditEvent.objects.filter(action="recall").count()
    assert recalled == 0  # their own key

    _completion, headers = ask(client, "What is the capital of France?")
    assert headers["X-Memory-Status"] == "none"
    assert "X-Memory-Ids" not in headers
    assert "I don't have that" in system(upstream)


def test_what_is_said_is_stored_and_read(client: OpenAI, owner: User, upstream: StandIn) -> None:
    _completion, headers = ask(client, {"role": "system", "content": "Hm."}, "I live in Porto.")
    assert talks(owner) == [[("user", "I live in Porto."), ("assistant", "Noted.")]]
    assert headers["X-Memory-Conversation"].startswith("chat-")
    assert read_all(owner) == 2
    assert current(owner, "home") == ["Porto"]


def test_a_growing_chat_is_one_conversation(client: OpenAI, owner: User, upstream: StandIn) -> None:
    messages: list[Any] = []
    names = set()
    for number in range(4):
        messages.append(user(f"Question {number}"))
        says(upstream, f"Answer {number}")
        if number == 2:
            stream = client.chat.completions.create(model="m", messages=messages, stream=True)
            answer = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
        else:
            completion, headers = ask(client, *messages)
            answer = completion.choices[0].message.content
            names.add(headers["X-Memory-Conversation"])
        messages.append(assistant(answer))
    expected = [(m["role"], m["content"]) for m in messages]
    assert talks(owner) == [expected]
    assert len(names) == 1
    # The last one tried again, and answered anew.
    ask(client, *messages[:-1])
    says(upstream, "Another answer")
    ask(client, *messages[:-1])
    assert talks(owner) == [[*expected, ("assistant", "Another answer")]]


def test_chats_that_begin_alike_are_told_apart(
    client: OpenAI,
    owner: User,
    upstream: StandIn,
    clock: FixedClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(providers, "clock", lambda: clock)
    for topic in ("tea", "rain"):
        says(upstream, f"Hello, {topic}!")
        ask(client, "Hi")
        ask(client, "Hi")  # tried again
        clock.advance(hours=1)
    for topic in ("tea", "rain"):
        ask(client, "Hi", assistant(f"Hello, {topic}!"), f"More {topic}")
    clock.advance(days=2)
    ask(client, "Hi", assistant("Who are you?"), "Somebody else")
    first, second, third = talks(owner)
    assert [content for _role, content in first[:3]] == ["Hi", "Hello, tea!", "More tea"]
    assert [content for _role, content in second[:3]] == ["Hi", "Hello, rain!", "More rain"]
    assert [content for _role, content in third[:2]] == ["Hi", "Who are you?"]


def test_conversations_that_the_client_names(
    client: OpenAI, owner: User, upstream: StandIn
) -> None:
    """Its newest turn alone is enough then."""
    for text in ("yes", "no", "yes"):
        completion, headers = ask(client, text, metadata={"conversation": "мой чат"})
        assert completion.memory["conversation"] == "мой чат"
        assert headers["X-Memory-Conversation"].isascii()
        assert "metadata" not in upstream.requests[-1].body
    assert [content for role, content in talks(owner)[0] if role == "user"] == ["yes", "no", "yes"]


@pytest.mark.parametrize("how", [{"extra_headers": OFF}, {"metadata": {"memory": "off"}}])
def test_a_temporary_chat_leaves_nothing(
    client: OpenAI, owner: User, upstream: StandIn, how: Any
) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    before = talks(owner)
    completion, headers = ask(client, "Where do I live?", **how)
    assert (headers["X-Memory-Status"], completion.memory["used"]) == ("off", [])
    assert upstream.requests[-1].body["messages"] == [user("Where do I live?")]
    assert talks(owner) == before


def test_reading_alone(client: OpenAI, owner: User, upstream: StandIn) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    before = talks(owner)
    _completion, headers = ask(client, "Where do I live?", extra_headers={"X-Memory": "read"})
    assert headers["X-Memory-Status"] == "used"
    assert talks(owner) == before


def test_applications_name_their_users(
    asgi_site: Site, owner: User, upstream: StandIn, patience: None
) -> None:
    made, frontend = application(owner)
    secret = frontend.headers["Authorization"].removeprefix("Bearer ")
    with openai_client(asgi_site, secret) as client:
        ask(client, "I live in Porto.", user="u1")
        assert upstream.requests[-1].body["user"] == "u1"
        ask(client, "I live in Lyon.", extra_headers={"X-Memory-User": "u2"})
        for name, city in (("u1", "Porto"), ("u2", "Lyon")):
            person = EndUser.objects.get(application=made, external_id=name).user
            assert talks(person)[0][0] == ("user", f"I live in {city}.")
            read_all(person)
            _completion, headers = ask(
                client,
                "Where do I live?",
                extra_headers={"X-Memory-User": name, "X-Memory": "read"},
            )
            assert city in system(upstream)
            assert headers["X-Memory-Ids"] == str(facts(person, "home")[0].id)
        with pytest.raises(openai.BadRequestError) as refused:
            ask(client, "Where do I live?")
        assert refused.value.param == "user"
    assert talks(owner) == []


def test_what_the_user_denies_the_chat_does_without(
    asgi_site: Site, owner: User, upstream: StandIn, patience: None
) -> None:
    made, frontend = application(owner)
    secret = frontend.headers["Authorization"].removeprefix("Bearer ")
    with openai_client(asgi_site, secret) as client:
        ask(client, "I live in Porto.", user="u1")
        EndUser.objects.filter(application=made).update(may_read=False, may_write=False)
        person = EndUser.objects.get(application=made).user
        read_all(person)
        before = talks(person)
        completion, headers = ask(client, "Where do I live?", user="u1")
    assert completion.choices[0].message.content == "Noted."
    assert headers["X-Memory-Status"] == "denied"
    assert talks(person) == before
    with acting_for(person.pk):
        denied = AuditEvent.objects.filter(action="access.denied").values_list("object", flat=True)
        assert set(denied) == {"recall:read", "messages:write"}


def test_a_paused_memory_takes_nothing_in(client: OpenAI, owner: User, upstream: StandIn) -> None:
    from memoryapp.models import MemorySettings

    with acting_for(owner.pk):
        MemorySettings.objects.create(user_id=owner.pk, paused=True)
    completion, _headers = ask(client, "I live in Porto.")
    assert completion.choices[0].message.content == "Noted."
    assert talks(owner) == []


def test_an_injected_block_is_never_learned(client: OpenAI, owner: User, upstream: StandIn) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    ask(client, "Where do I live?")
    block = system(upstream)
    ask(client, f"{block}\nI work at Acme.")
    read_all(owner)
    assert current(owner, "home") == ["Porto"]
    assert len(facts(owner, "home")) == 1
    with acting_for(owner.pk):
        assert not Outbox.objects.filter(done_at__isnull=True).exists()


def test_a_tool_loop_is_one_turn(client: OpenAI, owner: User, upstream: StandIn) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asks = {"role": "assistant", "content": None, "tool_calls": [call]}
    body = (
        b'{"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"content": null}}]}'
    )
    upstream.script(Reply(body=body))
    ask(client, "What is the weather?")
    ask(client, "What is the weather?", asks, {"role": "tool", "tool_call_id": "1", "content": "9"})
    assert talks(owner) == [[("user", "What is the weather?"), ("assistant", "Noted.")]]


# -- Without a model -----------------------------------------------------------------------------


def test_the_memory_answers_by_itself(client: OpenAI, owner: User) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    completion, headers = ask(client, "Where do I live?")
    [choice] = completion.choices
    assert "Porto" in choice.message.content
    assert "1 March 2026" in choice.message.content
    assert "[1]" in choice.message.content
    assert choice.finish_reason == "stop"
    assert headers["X-Memory-Ids"] == str(facts(owner, "home")[0].id)
    assert completion.memory["used"][0]["number"] == 1
    assert completion.model == "memory"

    stream: Any = client.chat.completions.create(
        model="gpt-5.2", messages=[user("Where do I live?")], stream=True
    )
    chunks = list(stream)
    said_now = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert said_now == choice.message.content
    assert chunks[-1].model_extra
    assert chunks[-1].model_extra["memory"]["status"] == "used"


def test_or_says_that_it_does_not_have_that(client: OpenAI, owner: User) -> None:
    completion, headers = ask(client, "What is my blood type?")
    assert "don’t have that" in completion.choices[0].message.content
    assert headers["X-Memory-Status"] == "none"
    completion, headers = ask(client, "What is my blood type?", extra_headers=OFF)
    assert "doesn’t use it" in completion.choices[0].message.content


def test_only_a_model_answers_in_a_form(client: OpenAI) -> None:
    for form in ({"response_format": {"type": "json_object"}}, {"tool_choice": "required"}):
        with pytest.raises(openai.BadRequestError) as refused:
            ask(client, "Where do I live?", **form)
        assert refused.value.code == "model_needed"


def test_the_memory_is_a_model_of_its_own_beside_others(
    client: OpenAI, owner: User, upstream: StandIn
) -> None:
    tell(owner, said("2026-03-01", "I live in Porto."))
    completion = client.chat.completions.create(
        model="memory", messages=[{"role": "user", "content": "Where do I live?"}]
    )
    assert "Porto" in str(completion.choices[0].message.content)
    assert upstream.requests == []
