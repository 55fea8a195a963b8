"""What the `openai` client says and hears at ``/v1`` is what the model server hears and says."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from accounts.models import User
from tests import loops
from tests.chatting import (
    asgi_site,
    assistant,
    client,
    openai_client,
    patience,
    secret_of,
    upstream,
    user,
)
from tests.conftest import Site
from tests.model_server import Reply, StandIn, failed, html

__all__ = ["asgi_site", "client", "patience", "upstream"]

TOOL: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get current temperature for a given location.",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string"}},
            "required": ["location"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
SOUND = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}


def sent(upstream: StandIn) -> dict[str, Any]:
    """The last chat request that the model server got, less what the memory added."""
    body = dict(upstream.requests[-1].body)
    first, *rest = body["messages"]
    assert "===== MEMORY" in str(first["content"])
    own = str(first["content"]).split("===== MEMORY")[0].strip()
    body["messages"] = [{**first, "content": own}, *rest] if own else rest
    return body


# -- The client's documented examples ------------------------------------------------------------


def test_plain(client: OpenAI, upstream: StandIn) -> None:
    upstream.answer = lambda _request: "Arr, a semicolon be optional."
    completion = client.chat.completions.create(
        model="gpt-5.2",
        messages=[
            {"role": "developer", "content": "Talk like a pirate."},
            {
                "role": "user",
                "content": "How do I check if a Python object is an instance of a class?",
            },
        ],
    )
    assert completion.choices[0].message.content == "Arr, a semicolon be optional."
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage
    assert completion.usage.total_tokens > 0
    body = sent(upstream)
    assert body["messages"][0] == {"role": "developer", "content": "Talk like a pirate."}
    assert body["model"] == "gpt-5.2"
    assert upstream.requests[-1].headers["Authorization"] == "Bearer sk-ours"


def test_streaming(client: OpenAI, upstream: StandIn) -> None:
    upstream.answer = lambda _request: "This is a test."
    stream = client.chat.completions.create(
        model="gpt-4",
        messages=[{"role": "user", "content": "Say this is a test"}],
        stream=True,
    )
    said, chunks = "", []
    for chunk in stream:
        said += chunk.choices[0].delta.content or ""
        chunks.append(chunk)
    assert said == "This is a test."
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert chunks[-1].model_extra
    assert chunks[-1].model_extra["memory"]["status"] == "none"
    assert [chunk for chunk in chunks[:-1] if chunk.model_extra] == []


def test_streaming_with_usage(client: OpenAI, upstream: StandIn) -> None:
    stream = client.chat.completions.create(
        model="gpt-4",
        messages=[{"role": "user", "content": "Hello"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    assert [chunk.usage for chunk in stream if chunk.usage]


def test_streaming_with_the_helper(client: OpenAI, upstream: StandIn) -> None:
    upstream.answer = lambda _request: "one two three"
    with client.chat.completions.stream(model="gpt-5", messages=[user("Count")]) as stream:
        deltas = [event.delta for event in stream if event.type == "content.delta"]
        assert "".join(deltas) == "one two three"
        assert stream.get_final_completion().choices[0].message.content == "one two three"


def test_asynchronously(asgi_site: Site, owner: User, upstream: StandIn, patience: None) -> None:
    async def chat() -> tuple[str | None, str]:
        async with AsyncOpenAI(base_url=f"{asgi_site.url}/v1", api_key=secret) as client:
            completion = await client.chat.completions.create(
                messages=[{"role": "user", "content": "Say this is a test"}], model="gpt-5.2"
            )
            stream = await client.chat.completions.create(
                messages=[{"role": "user", "content": "And again"}], model="gpt-5.2", stream=True
            )
            parts = [chunk.choices[0].delta.content or "" async for chunk in stream]
            return completion.choices[0].message.content, "".join(parts)

    secret = secret_of(owner)
    assert loops.run(chat) == ("Noted.", "Noted.")


def test_tools(client: OpenAI, upstream: StandIn) -> None:
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"location":"Paris, France"}'},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    upstream.script(Reply(body=json.dumps({"id": "c", "choices": [choice]}).encode()))
    messages: list[Any] = [user("What is the weather like in Paris today?")]
    completion = client.chat.completions.create(
        model="gpt-4.1",
        messages=messages,
        tools=[TOOL],
        parallel_tool_calls=False,
    )
    assert completion.choices[0].finish_reason == "tool_calls"
    [called] = completion.choices[0].message.tool_calls or []
    assert called.to_dict() == call
    assert sent(upstream)["tools"] == [TOOL]

    messages += [message, {"role": "tool", "tool_call_id": "call_1", "content": "14"}]
    client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[TOOL])
    assert sent(upstream)["messages"] == messages


def test_images_and_sound(client: OpenAI, upstream: StandIn) -> None:
    content = [{"type": "text", "text": "What's in this image?"}, IMAGE, SOUND]
    client.chat.completions.create(model="gpt-4.1", messages=[user(content)])
    assert sent(upstream)["messages"] == [user(content)]


def test_structured_output(client: OpenAI, upstream: StandIn) -> None:
    class CalendarEvent(BaseModel):
        name: str
        date: str
        participants: list[str]

    event = {"name": "science fair", "date": "Friday", "participants": ["Alice", "Bob"]}
    upstream.answer = lambda _request: json.dumps(event)
    completion = client.chat.completions.parse(
        model="gpt-5.2",
        messages=[
            {"role": "system", "content": "Extract the event information."},
            {"role": "user", "content": "Alice and Bob are going to a science fair on Friday."},
        ],
        response_format=CalendarEvent,
    )
    assert completion.choices[0].message.parsed == CalendarEvent(**event)  # type: ignore[arg-type]
    form = sent(upstream)["response_format"]
    assert form["json_schema"]["schema"]["properties"].keys() == event.keys()


def test_models(client: OpenAI, upstream: StandIn) -> None:
    assert [model.id for model in client.models.list()] == ["stand-in", "memory"]
    assert client.models.retrieve("memory").owned_by == "memoryapp"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("vendor/none")


# -- Unknown fields, refusals --------------------------------------------------------------------


def test_what_we_have_never_heard_of_passes_both_ways(client: OpenAI, upstream: StandIn) -> None:
    chunks = [
        {"id": "x", "new": [1], "choices": [{"index": 0, "delta": {"reasoning": "hm"}, "z": 0.10}]},
        {"choices": [{"index": 0, "delta": {"content": "é\ud83d"}, "finish_reason": "new_reason"}]},
    ]
    stream = ": keep-alive\r\n\r\n" + "".join(f"data: {json.dumps(c)}\r\n\r\n" for c in chunks)
    upstream.script(
        Reply(body=(stream + "data: [DONE]\r\n\r\n").encode(), content_type="text/event-stream")
    )
    critic: Any = {"role": "critic", "content": "?"}
    heard: Any = client.chat.completions.create(
        model="m",
        messages=[user("Hello"), critic, user("Go on")],
        stream=True,
        extra_body={"verbosity_of_2031": {"level": 3}, "metadata": {"mine": "1", "memory": "read"}},
    )
    first, last = list(heard)
    assert first.to_dict() == chunks[0]
    assert last.model_extra
    assert last.model_extra.pop("memory")["mode"] == "read"
    assert last.to_dict() == chunks[1]
    body = sent(upstream)
    assert body["verbosity_of_2031"] == {"level": 3}
    assert body["metadata"] == {"mine": "1"}
    assert body["messages"][1] == {"role": "critic", "content": "?"}


def test_the_servers_refusal_is_passed_on(client: OpenAI, upstream: StandIn) -> None:
    upstream.script(failed(429, "slow down", code="rate_limit_exceeded", retry_after="7"))
    with pytest.raises(openai.RateLimitError) as refused:
        client.chat.completions.create(model="m", messages=[user("Hello")])
    assert refused.value.response.headers["Retry-After"] == "7"
    assert refused.value.body == {
        "message": "slow down",
        "type": "error",
        "code": "rate_limit_exceeded",
        "param": None,
    }


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (failed(401, "Incorrect API key provided: sk-ou**rs"), "upstream_unauthorised"),
        (html(), "upstream_malformed"),
        (Reply(hang=True), "upstream_timeout"),
        (Reply(content="cut", cut=20), "upstream_unavailable"),
    ],
)
def test_a_server_that_misbehaves(
    client: OpenAI, upstream: StandIn, settings: Any, reply: Reply, code: str
) -> None:
    settings.CHAT_SILENCE_SECONDS = 1
    upstream.script(reply)
    with pytest.raises(openai.InternalServerError) as refused:
        client.chat.completions.create(model="m", messages=[user("Hello")])
    assert refused.value.code == code
    assert "sk-ou" not in str(refused.value.body)


def test_a_server_that_isnt_there(client: OpenAI, settings: Any) -> None:
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    with pytest.raises(openai.InternalServerError) as refused:
        client.chat.completions.create(model="m", messages=[user("Hello")])
    assert (refused.value.status_code, refused.value.code) == (502, "upstream_unavailable")


# -- Who may -------------------------------------------------------------------------------------


def test_keys(asgi_site: Site, client: OpenAI, owner: User, upstream: StandIn) -> None:
    with (
        openai_client(asgi_site, "mem_none") as unknown,
        pytest.raises(openai.AuthenticationError) as wrong,
    ):
        unknown.models.list()
    assert wrong.value.code == "invalid_api_key"
    narrow = secret_of(owner, scopes=("recall:read",))
    with openai_client(asgi_site, narrow) as reader:
        with pytest.raises(openai.PermissionDeniedError) as denied:
            reader.chat.completions.create(model="m", messages=[user("Hello")])
        assert "messages:write" in str(denied.value)
        reader.chat.completions.create(
            model="m",
            messages=[user("Hello")],
            extra_headers={"X-Memory": "read"},
        )


def test_too_often(client: OpenAI, owner: User, settings: Any) -> None:
    settings.RATE_LIMIT_KEY = 1
    first = client.models.with_raw_response.list()
    assert first.headers["RateLimit"].startswith('"key";r=0')
    with pytest.raises(openai.RateLimitError) as refused:
        client.models.list()
    assert refused.value.code == "rate_limit_exceeded"
    assert int(refused.value.response.headers["Retry-After"]) >= 1


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": ["Hello"]}, "messages"),
        ({"messages": [user("Hello")], "extra_headers": {"X-Memory": "maybe"}}, "X-Memory"),
        ({"messages": [user("Hello")], "user": "somebody"}, "user"),
        ({"messages": [user("Hello")], "model": 5}, "model"),
    ],
)
def test_what_isnt_a_request(client: OpenAI, body: Any, param: str) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(**{"model": "m", **body})
    assert refused.value.param == param
    assert refused.value.type == "invalid_request_error"


def test_other_addresses(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        client.embeddings.create(model="m", input="Hello")
    assert refused.value.code == "unknown_url"
    with pytest.raises(openai.APIStatusError) as method:
        client.get("/chat/completions", cast_to=object)
    assert method.value.status_code == 405


def test_half_the_history_is_nobodys_fault(client: OpenAI, upstream: StandIn) -> None:
    """A reply of the assistant alone asks nothing, and is passed on all the same."""
    completion = client.chat.completions.create(model="m", messages=[assistant("And then?")])
    assert completion.choices[0].message.content == "Noted."
