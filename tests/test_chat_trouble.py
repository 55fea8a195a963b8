"""A chat at ``/v1`` when something breaks: the memory, the model server, the client."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import openai
import psycopg
import pytest
from django.db import connections
from openai import OpenAI

from accounts.models import User
from memoryapp import providers
from memoryapp.api.proxy.caller import known_keys
from memoryapp.threads import PATIENCE
from tests.chatting import (
    answer,
    asgi_site,
    client,
    connect,
    patience,
    post,
    secret_of,
    talks,
    upstream,
    user,
)
from tests.conftest import Site
from tests.model_server import Reply, StandIn
from tests.server import WorkerDatabase

__all__ = ["asgi_site", "client", "patience", "upstream"]

HELLO = {"model": "m", "messages": [user("Hello there")]}


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# -- The memory ----------------------------------------------------------------------------------


@pytest.fixture
def no_database(asgi_site: Site, committed_db: WorkerDatabase) -> Iterator[Callable[[], None]]:
    """Called, it takes the database away: nobody answers at its address any more, and who was
    connected is cut off."""
    default = connections.settings["default"]
    host = default["HOST"]

    def gone() -> None:
        default["HOST"] = "/nowhere"
        with psycopg.connect(committed_db.admin_url, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connections.close_all()

    yield gone
    default["HOST"] = host
    connections.close_all()


def test_without_its_database_the_chat_goes_on(
    asgi_site: Site, client: OpenAI, upstream: StandIn, no_database: Callable[[], None], caplog: Any
) -> None:
    client.models.list()  # the key was good a while ago
    no_database()
    for stream in (False, True):
        connection = post(asgi_site, client.api_key, {**HELLO, "stream": stream})
        response = http.client.HTTPResponse(connection)
        response.begin()
        assert response.headers["X-Memory-Status"] == "unavailable"
        assert b"Noted." in response.read()
        connection.close()
    assert upstream.requests[-1].body["messages"] == HELLO["messages"]
    assert "Hello there" not in caplog.text


def test_without_its_database_a_key_that_nobody_knows_is_refused(
    client: OpenAI, upstream: StandIn, no_database: Callable[[], None]
) -> None:
    no_database()
    with pytest.raises(openai.InternalServerError) as refused:
        client.chat.completions.create(**HELLO)  # type: ignore[call-overload]
    assert refused.value.status_code == 503
    assert upstream.requests == []


def test_keys_that_were_good_are_known_for_a_while_only(monkeypatch: pytest.MonkeyPatch) -> None:
    known_keys.note("mem_a", good=True)
    assert known_keys.good("mem_a")
    known_keys.note("mem_a", good=False)
    assert not known_keys.good("mem_a")
    known_keys.note("mem_b", good=True)
    monkeypatch.setattr(known_keys, "SECONDS", 0)
    assert not known_keys.good("mem_b")


def test_a_slow_database_is_not_waited_for(
    asgi_site: Site,
    owner: User,
    upstream: StandIn,
    settings: Any,
    owner_connection: psycopg.Connection[Any],
) -> None:
    settings.CHAT_MEMORY_MILLISECONDS = 300
    secret = secret_of(owner)
    known_keys.note(secret, good=True)
    with owner_connection.transaction():
        owner_connection.execute("LOCK TABLE memoryapp_fact IN ACCESS EXCLUSIVE MODE")
        response, body = answer(post(asgi_site, secret, HELLO))
        assert response.headers["X-Memory-Status"] == "unavailable"
        assert body["choices"][0]["message"]["content"] == "Noted."


@pytest.mark.parametrize("reply", [Reply(hang=True), Reply(body=b"null")])
def test_an_embedder_in_trouble(
    asgi_site: Site, owner: User, upstream: StandIn, settings: Any, reply: Reply
) -> None:
    """One that fails is done without: words are searched. One that hangs isn't waited for."""
    settings.CHAT_MEMORY_MILLISECONDS = 1500 if reply.hang else 60_000
    settings.EMBEDDER, settings.MODEL_RETRIES = "openai", 0
    upstream.script(reply)
    providers.reset()
    try:
        response, body = answer(post(asgi_site, secret_of(owner), HELLO))
    finally:
        upstream.stopping.set()
        providers.reset()
    assert response.headers["X-Memory-Status"] == ("unavailable" if reply.hang else "none")
    assert body["choices"][0]["message"]["content"] == "Noted."


def test_what_was_missed_is_stored_with_the_next_turn(
    client: OpenAI, owner: User, upstream: StandIn, no_database: Callable[[], None]
) -> None:
    host = connections.settings["default"]["HOST"]
    client.models.list()
    no_database()
    client.chat.completions.create(**HELLO)  # type: ignore[call-overload]
    connections.settings["default"]["HOST"] = host
    client.chat.completions.create(
        model="m",
        messages=[*HELLO["messages"], {"role": "assistant", "content": "Noted."}, user("More")],
    )
    words = ["Hello there", "Noted.", "More", "Noted."]
    assert [content for _role, content in talks(owner)[0]] == words


# -- The model server ----------------------------------------------------------------------------


def test_a_stream_that_the_server_cuts_is_no_answer(
    client: OpenAI, owner: User, upstream: StandIn
) -> None:
    """Without saying why it ends: what came of it isn't stored, the user's turn is."""
    upstream.script(Reply(content="half of an", finish_reason=None))
    stream = client.chat.completions.create(**HELLO, stream=True)  # type: ignore[call-overload]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "half of an"
    assert talks(owner) == [[("user", "Hello there")]]


def test_a_stream_that_breaks_off_says_so(client: OpenAI, owner: User, upstream: StandIn) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "half"}}]}
    body = f"data: {json.dumps(chunk)}\n\n".encode() * 2
    upstream.script(
        Reply(body=body, content_type="text/event-stream", cut=len(body) - 5),
    )
    stream = client.chat.completions.create(**HELLO, stream=True)  # type: ignore[call-overload]
    with pytest.raises(openai.APIError) as broken:
        list(stream)
    assert broken.value.code == "upstream_unavailable"
    assert talks(owner) == [[("user", "Hello there")]]


def test_a_refused_request_stores_nothing(client: OpenAI, owner: User, upstream: StandIn) -> None:
    upstream.script(Reply(status=400, body=b'{"error": {"message": "no"}}'))
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(**HELLO)  # type: ignore[call-overload]
    assert talks(owner) == []


# -- The client ----------------------------------------------------------------------------------


class Endless:
    """A model server that streams until its reader leaves; ``left`` says that it has."""

    def __init__(self) -> None:
        self.left = threading.Event()
        self.sent = 0
        endless = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                chunk = {"choices": [{"index": 0, "delta": {"content": "more " * 200}}]}
                event = f"data: {json.dumps(chunk)}\n\n".encode()
                try:
                    while True:
                        self.wfile.write(event)
                        endless.sent += len(event)
                except OSError:
                    endless.left.set()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture
def endless(settings: Any) -> Iterator[Endless]:
    made = Endless()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.05,))
    thread.start()
    settings.OPENAI_BASE_URL = made.url
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_who_leaves_midway_ends_it_at_the_server_too(
    asgi_site: Site, owner: User, endless: Endless, patience: None
) -> None:
    connection = post(asgi_site, secret_of(owner), {**HELLO, "stream": True})
    assert connection.recv(10_000).startswith(b"HTTP/1.1 200")
    connection.close()
    assert endless.left.wait(30)
    until(lambda: talks(owner) == [[("user", "Hello there")]])


def test_who_leaves_before_the_answer(
    asgi_site: Site, owner: User, upstream: StandIn, patience: None
) -> None:
    upstream.script(Reply(hang=True))
    connection = post(asgi_site, secret_of(owner), HELLO)
    until(lambda: bool(upstream.requests))
    connection.close()
    until(lambda: talks(owner) == [[("user", "Hello there")]])


def test_a_slow_reader_slows_the_server_down_and_nobody_else(
    asgi_site: Site, owner: User, endless: Endless, patience: None
) -> None:
    """What nobody takes isn't asked for: it would pile up in our memory."""
    secret = secret_of(owner)
    slow = [post(asgi_site, secret, {**HELLO, "stream": True}) for _ in range(10)]
    for connection in slow:
        assert connection.recv(1000)
    before = -1
    while before != endless.sent:  # until all that fits between us is on its way
        before = endless.sent
        time.sleep(0.5)
    # Socket buffers on four sides, and ours.
    assert endless.sent < len(slow) * 40_000_000
    response, body = answer(post(asgi_site, secret, {**HELLO, "model": "memory"}))
    assert (response.status, body["model"]) == (200, "memory")
    for connection in slow:
        assert connection.recv(100_000)
        connection.close()


def test_half_a_request_holds_nobody_up(
    asgi_site: Site, owner: User, upstream: StandIn, patience: None
) -> None:
    secret = secret_of(owner)
    half = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n"
        'Content-Length: 1000\r\n\r\n{"model":'
    ).encode()
    waiting = [connect(asgi_site) for _ in range(20)]
    for connection in waiting:
        connection.sendall(half)
    response, _body = answer(post(asgi_site, secret, HELLO))
    assert response.status == 200
    for connection in waiting:
        connection.close()
    assert len(upstream.requests) == 1


def test_the_rest_of_a_request_that_does_not_come(
    asgi_site: Site, owner: User, monkeypatch: pytest.MonkeyPatch, patience: None
) -> None:
    assert PATIENCE > 10
    monkeypatch.setattr("memoryapp.api.proxy.caller.PATIENCE", 0.2)
    connection = connect(asgi_site)
    connection.sendall(
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
        f"{secret_of(owner)}\r\nContent-Length: 9\r\n\r\n{{".encode()
    )
    response, body = answer(connection)
    assert response.status == 408
    assert body["error"]["type"] == "invalid_request_error"


def test_too_large_a_request_is_refused_unread(asgi_site: Site, owner: User) -> None:
    connection = connect(asgi_site)
    connection.sendall(
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
        f"{secret_of(owner)}\r\nContent-Length: 99999999\r\n\r\n".encode()
    )
    response, body = answer(connection)
    assert (response.status, body["error"]["param"]) == (413, None)
