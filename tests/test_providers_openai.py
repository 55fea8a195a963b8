"""The chat model against a real server that behaves in every way seen in the wild."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from openai import OpenAI

from memoryapp.ports import ProviderError
from memoryapp.providers.openai_api import ModelServer, OpenAIChat
from memoryapp.records import ChatMessage
from tests import model_server as stand_in
from tests.model_server import Reply, StandIn, failed, html

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
ASKED = [ChatMessage("system", "Be brief."), ChatMessage("user", "My secret is swordfish.")]

Connect = Callable[..., OpenAIChat]


@pytest.fixture
def waits() -> list[float]:
    """How long the client waited between attempts."""
    return []


@pytest.fixture
def connect(model_server: StandIn, waits: list[float]) -> Iterator[Connect]:
    opened: list[OpenAIChat] = []

    def open_chat(*, timeout: float = 10, retries: int = 2, key: str = "") -> OpenAIChat:
        server = ModelServer(
            api_key=key,
            base_url=model_server.url,
            timeout=timeout,
            retries=retries,
            sleep=waits.append,
        )
        opened.append(OpenAIChat("stand-in", server))
        return opened[-1]

    yield open_chat
    for chat in opened:
        chat.close()


def _fails(chat: OpenAIChat) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        chat.complete(ASKED, schema=SCHEMA)
    shown = "".join(traceback.format_exception(caught.value))
    assert "swordfish" not in shown
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return caught.value


# -- The formats -------------------------------------------------------------------------------


def test_json_schema_is_asked_for_strictly(model_server: StandIn, connect: Connect) -> None:
    completion = connect(key="k").complete(ASKED, schema=SCHEMA, schema_name="facts")
    assert (completion.text, completion.format) == (stand_in.NOTHING_FOUND, "json_schema")
    assert completion.tokens > 0
    (request,) = model_server.requests
    assert request.body["response_format"]["json_schema"] == {
        "name": "facts",
        "strict": True,
        "schema": SCHEMA,
    }
    assert request.headers["Authorization"] == "Bearer k"


def test_without_a_schema_no_format_is_asked_for(model_server: StandIn, connect: Connect) -> None:
    assert connect().complete(ASKED).format == "text"
    assert model_server.asked_formats == ["text"]


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_refused_format_is_not_asked_for_again(
    model_server: StandIn, connect: Connect, status: int, waits: list[float]
) -> None:
    model_server.formats = {"json_object"}
    model_server.unsupported_status = status
    chat = connect()
    assert chat.complete(ASKED, schema=SCHEMA).format == "json_object"
    assert chat.complete(ASKED, schema=SCHEMA).format == "json_object"
    assert model_server.asked_formats == ["json_schema", "json_object", "json_object"]
    assert waits == []
    # A server that isn't held to the schema is told it, and JSON mode wants the word JSON.
    system = model_server.requests[1].body["messages"][0]
    assert system["role"] == "system"
    assert "JSON Schema" in system["content"]
    assert "additionalProperties" in system["content"]


def test_a_500_to_a_format_counts_when_it_repeats(model_server: StandIn, connect: Connect) -> None:
    model_server.formats = {"json_object"}
    chat = connect()
    for _ in range(3):
        assert chat.complete(ASKED, schema=SCHEMA).format == "json_object"
    assert model_server.asked_formats == [
        *["json_schema", "json_object"] * 2,
        "json_object",
    ]


def test_plain_text_when_the_server_knows_no_format(
    model_server: StandIn, connect: Connect
) -> None:
    model_server.formats = set()
    model_server.unsupported_status = 400
    chat = connect()
    assert chat.complete(ASKED, schema=SCHEMA).format == "text"
    assert chat.complete(ASKED, schema=SCHEMA).format == "text"
    assert model_server.asked_formats == ["json_schema", "json_object", "text", "text"]


def test_an_outage_teaches_nothing_about_formats(
    model_server: StandIn, connect: Connect, waits: list[float]
) -> None:
    model_server.script(*[failed(500)] * 3)
    chat = connect()
    assert chat.complete(ASKED, schema=SCHEMA).format == "json_schema"
    assert len(waits) == 1
    assert chat.complete(ASKED, schema=SCHEMA).format == "json_schema"


def test_text_that_is_not_unicode_is_sent_all_the_same(
    model_server: StandIn, connect: Connect
) -> None:
    assert connect().complete([ChatMessage("user", "a \ud800 b")]).text
    assert model_server.requests[0].body["messages"][0]["content"] == "a ? b"


@pytest.mark.parametrize("parameter", ["max_tokens", "temperature"])
def test_a_parameter_the_server_does_not_know_is_left_out(
    model_server: StandIn, connect: Connect, parameter: str
) -> None:
    model_server.unknown_parameters = {parameter}
    chat = connect()
    assert chat.complete(ASKED, schema=SCHEMA, max_tokens=77).format == "json_schema"
    chat.complete(ASKED, schema=SCHEMA)
    assert [parameter in request.body for request in model_server.requests] == [True, False, False]
    if parameter == "max_tokens":
        assert model_server.requests[1].body["max_completion_tokens"] == 77


# -- Waiting -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "passing",
    [failed(429), failed(503), failed(502), failed(409), failed(408), Reply(cut=10)],
    ids=["429", "503", "502", "409", "408", "cut body"],
)
def test_what_passes_is_tried_again(
    model_server: StandIn, connect: Connect, waits: list[float], passing: Reply
) -> None:
    model_server.script(passing, passing)
    assert connect().complete(ASKED).text
    first, second = waits
    assert 0.25 <= first <= 0.5
    assert 0.5 <= second <= 1.0


def test_patience_ends(model_server: StandIn, connect: Connect, waits: list[float]) -> None:
    model_server.script(*[failed(503)] * 9)
    error = _fails(connect(retries=1))
    assert (error.code, error.permanent) == ("server_error", False)
    assert len(waits) == 1


def test_retry_after_is_obeyed(model_server: StandIn, connect: Connect, waits: list[float]) -> None:
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    model_server.script(failed(429, retry_after="7"), failed(429, retry_after=when))
    assert connect().complete(ASKED).text
    assert waits[0] == 7
    assert 20 < waits[1] <= 30


def test_a_long_retry_after_is_handed_up(
    model_server: StandIn, connect: Connect, waits: list[float]
) -> None:
    model_server.script(failed(429, retry_after="600"))
    error = _fails(connect())
    assert (error.code, error.retry_after, error.permanent) == ("rate_limited", 600, False)
    assert waits == []


def test_a_nonsense_retry_after_is_ignored(
    model_server: StandIn, connect: Connect, waits: list[float]
) -> None:
    model_server.script(
        failed(429, retry_after="soon"),
        failed(429, retry_after="-5"),
    )
    assert connect().complete(ASKED).text
    assert max(waits) <= 1


def test_an_empty_account_is_not_waited_for(
    model_server: StandIn, connect: Connect, waits: list[float]
) -> None:
    model_server.script(failed(429, code="insufficient_quota"))
    assert _fails(connect()).code == "rate_limited"
    assert waits == []


def test_silence_is_a_timeout(model_server: StandIn, connect: Connect) -> None:
    model_server.script(Reply(hang=True))
    assert _fails(connect(timeout=0.2, retries=0)).code == "timeout"


def test_a_body_that_drips_is_a_timeout(model_server: StandIn, connect: Connect) -> None:
    # Each piece comes in time; the whole doesn't.
    model_server.script(Reply(content="x" * 1000, drip=20))
    assert _fails(connect(timeout=1.5, retries=0)).code == "timeout"


def test_slow_is_not_too_slow(model_server: StandIn, connect: Connect) -> None:
    model_server.script(Reply(wait=0.2, drip=0.2))
    assert connect().complete(ASKED).text


def test_nobody_there(connect: Connect, waits: list[float]) -> None:
    with stand_in.running_model_server() as gone:
        url = gone.url
    chat = OpenAIChat("any", ModelServer(base_url=url, timeout=2, retries=1, sleep=waits.append))
    assert _fails(chat).code == "unavailable"
    assert len(waits) == 1
    chat.close()


# -- Answers that can't be used ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (html(), "malformed"),
        (Reply(body=b'{"choices": ['), "malformed"),
        (Reply(body=b"[" * 200_000), "malformed"),
        (Reply(body=b"[]"), "malformed"),
        (Reply(body=b"{}"), "malformed"),
        (Reply(body=b'{"choices": []}'), "malformed"),
        (Reply(body=b'{"choices": [{"message": null, "finish_reason": "stop"}]}'), "malformed"),
        (Reply(content=""), "malformed"),
        (Reply(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip"}), "malformed"),
        (Reply(finish_reason="length"), "truncated"),
        (Reply(finish_reason=None), "truncated"),
        (Reply(refusal="I won't repeat swordfish."), "refused"),
        (Reply(finish_reason="content_filter"), "refused"),
        (failed(400, "swordfish is not allowed", code="content_filter"), "refused"),
        (Reply(content="x" * (1024 * 1024 + 1)), "too_large"),
        (failed(413, "swordfish"), "too_large"),
        (failed(400, "maximum context length is 2048", code=""), "too_large"),
        (failed(307, location="http://127.0.0.1:9/v1/elsewhere"), "rejected"),
    ],
)
def test_an_answer_of_no_use_is_named_and_not_asked_for_again(
    model_server: StandIn, connect: Connect, waits: list[float], reply: Reply, code: str
) -> None:
    model_server.script(reply)
    assert _fails(connect()).code == code
    assert len(model_server.requests) == 1
    assert waits == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_permanent(model_server: StandIn, connect: Connect, status: int) -> None:
    model_server.script(failed(status, "key swordfish is wrong"))
    error = _fails(connect())
    assert (error.code, error.permanent) == ("unauthorised", True)
    assert len(model_server.requests) == 1


def test_a_request_refused_in_every_form_is_permanent(
    model_server: StandIn, connect: Connect
) -> None:
    model_server.script(*[failed(404, "no such model")] * 3)
    error = _fails(connect())
    assert (error.code, error.permanent) == ("rejected", True)


def test_tokens_are_estimated_when_the_server_does_not_count(
    model_server: StandIn, connect: Connect
) -> None:
    model_server.script(Reply(content="word " * 100, usage=False))
    assert connect().complete(ASKED).tokens > 100


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_connects_anew(model_server: StandIn, connect: Connect) -> None:
    chat = connect()
    chat.complete(ASKED)
    child = os.fork()
    if child == 0:
        try:
            chat.complete(ASKED)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert chat.complete(ASKED).text
    assert len(model_server.requests) == 3


# -- The stand-in itself, which the other tests rest on ----------------------------------------


def test_the_stand_in_speaks_the_protocol(model_server: StandIn) -> None:
    model_server.answer = lambda body: body["messages"][-1]["content"].upper()
    with OpenAI(api_key="k", base_url=model_server.url, max_retries=0) as client:
        assert [model.id for model in client.models.list()] == ["stand-in"]
        chunks = list(
            client.chat.completions.create(
                model="any",
                messages=[{"role": "user", "content": "hello there"}],
                stream=True,
                stream_options={"include_usage": True},
            )
        )
        parts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
        assert "".join(parts) == "HELLO THERE"
        assert chunks[-2].choices[0].finish_reason == "stop"
        assert chunks[-1].usage
        answer = client.embeddings.create(model="any", input=["a", "b"], encoding_format="float")
        assert [len(row.embedding) for row in answer.data] == [8, 8]


def test_the_stand_in_can_break_off_a_stream(model_server: StandIn) -> None:
    model_server.script(Reply(content="one two", finish_reason=None))
    with OpenAI(api_key="k", base_url=model_server.url, max_retries=0) as client:
        chunks = list(
            client.chat.completions.create(
                model="any", messages=[{"role": "user", "content": "hello"}], stream=True
            )
        )
    assert {chunk.choices[0].finish_reason for chunk in chunks} == {None}


def test_the_stand_in_checks_the_key(model_server: StandIn, connect: Connect) -> None:
    model_server.api_key = "right"
    assert connect(key="right").complete(ASKED).text
    assert _fails(connect(key="wrong")).code == "unauthorised"
