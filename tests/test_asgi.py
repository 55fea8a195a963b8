"""The site behind the server that `make run` starts: real sockets, real threads."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import os
import re
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from accounts.models import ApiKey, User
from memoryapp import threads
from memoryapp.asgi import THREADS, Dispatcher, Mount
from memoryapp.threads import Threaded, Threads
from tests.conftest import Site
from tests.server import WorkerDatabase
from tests.serving import Connections, asgi_site, serving

__all__ = ["asgi_site"]

Environ = dict[str, Any]


def connect(site: Site) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=30)


def raw(site: Site, data: bytes) -> socket.socket:
    address = urlsplit(site.url)
    client = socket.create_connection((address.hostname, address.port), timeout=30)
    client.sendall(data)
    return client


def get(site: Site, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = connect(site)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    found = response.status, response.headers, response.read()
    connection.close()
    return found


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def uploading(owner: User, length: int) -> bytes:
    _key, secret = ApiKey.objects.issue(owner=owner, name="own")
    return (
        f"POST /api/v1/imports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
        f"Content-Type: application/octet-stream\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def test_pages_files_and_policy(asgi_site: Site) -> None:
    status, headers, body = get(asgi_site, "/accounts/login/")
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert int(headers["Content-Length"]) == len(body)
    style = re.search(rb'href="(/static/[^"]+\.css)"', body)
    assert style
    status, headers, body = get(asgi_site, style[1].decode())
    assert (status, headers.get_content_type()) == (200, "text/css")
    assert len(body) == int(headers["Content-Length"]) > 0


def test_one_connection_takes_many_requests(asgi_site: Site) -> None:
    connection = connect(asgi_site)
    for path, status in (("/accounts/login/", 200), ("/api/v1/facts", 401), ("/none/%ff", 404)):
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        assert response.status == status
    connection.request("HEAD", "/accounts/login/")
    response = connection.getresponse()
    assert (response.read(), int(response.headers["Content-Length"]) > 0) == (b"", True)
    connection.close()


def test_a_request_leaves_no_connection_to_the_database_behind(
    asgi_site: Site, committed_db: WorkerDatabase, owner: User
) -> None:
    _key, secret = ApiKey.objects.issue(owner=owner, name="own")
    to_database = Connections(committed_db)
    status, _headers, body = get(asgi_site, "/api/v1/facts", Authorization=f"Bearer {secret}")
    assert (status, json.loads(body)["items"]) == (200, [])
    until(lambda: not to_database.held())


def test_a_large_upload_arrives_whole(asgi_site: Site, owner: User, uploads_folder: Path) -> None:
    memories = [{"id": str(n), "memory": f"Likes number {n}."} for n in range(100_000)]
    content = json.dumps({"results": memories}).encode()
    assert len(content) > 3 * threads.READ_AHEAD
    client = raw(asgi_site, uploading(owner, len(content)))
    client.sendall(content)
    response = http.client.HTTPResponse(client)
    response.begin()
    assert response.status == 201, response.read()
    client.close()
    [kept] = [path for path in uploads_folder.rglob("*") if path.is_file()]
    assert kept.read_bytes() == content


def test_too_large_an_upload_is_refused_unread(
    asgi_site: Site, owner: User, uploads_folder: Path, settings: Any
) -> None:
    settings.IMPORT_MAX_MB = 1
    client = raw(asgi_site, uploading(owner, 5_000_000))
    response = http.client.HTTPResponse(client)
    response.begin()
    assert response.status == 413
    client.close()


def test_an_upload_that_breaks_off_leaves_nothing(
    asgi_site: Site, committed_db: WorkerDatabase, owner: User, uploads_folder: Path
) -> None:
    request = uploading(owner, 50_000_000)
    to_database = Connections(committed_db)
    client = raw(asgi_site, request)
    client.sendall(b"[" * 5_000_000)
    until(lambda: any(uploads_folder.rglob("*")) if uploads_folder.exists() else False)
    client.close()
    until(lambda: not to_database.held())
    assert [path for path in uploads_folder.rglob("*") if path.is_file()] == []


def test_half_a_request_holds_no_thread(asgi_site: Site) -> None:
    half = (
        b"POST /api/v1/recall HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    )
    clients = [raw(asgi_site, half) for _ in range(2 * THREADS)]
    assert get(asgi_site, "/accounts/login/")[0] == 200
    for client in clients:
        client.close()


def test_a_body_that_never_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "PATIENCE", 0.2)

    def never(environ: Environ, start: Any) -> list[bytes]:
        raise AssertionError("it came")

    with serving(alone(never)) as site:
        client = raw(site, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")
        assert client.recv(100).startswith(b"HTTP/1.1 408 ")
        client.close()


def alone(application: Any, *mounts: Mount) -> Dispatcher:
    return Dispatcher(Threaded(application, Threads(1, "test")), mounts)


def test_a_stream_ends_when_its_reader_leaves() -> None:
    ended = threading.Event()

    def endless(environ: Environ, start: Any) -> Iterator[bytes]:
        start("200 OK", [("Content-Type", "text/plain")])

        def pieces() -> Iterator[bytes]:
            try:
                while True:
                    yield b"more and more\n" * 1000
            finally:
                ended.set()

        return pieces()

    with serving(alone(endless)) as site:
        client = raw(site, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 200 ")
        # Nobody reads: what fits between us is all that is made. (Any more would be a hang.)
        assert not ended.wait(0.3)
        client.close()
        assert ended.wait(30)


@pytest.mark.parametrize("leaves", [True, False])
def test_a_view_that_streams_asynchronously_holds_no_thread(leaves: bool) -> None:
    ended = asyncio.Event()
    left = threading.Event()

    async def pieces() -> AsyncIterator[bytes]:
        try:
            yield b"one"
            await ended.wait()
            yield b"two"
        finally:
            left.set()

    def either(environ: Environ, start: Any) -> Any:
        start("200 OK", [("Content-Type", "text/plain")])
        if environ["PATH_INFO"] == "/end":
            ended._loop.call_soon_threadsafe(ended.set)  # type: ignore[attr-defined]
            return HttpResponse(b"ending")
        return StreamingHttpResponse(pieces())

    # There is one thread only.
    with serving(alone(either)) as site:
        client = raw(site, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        got = b""
        while b"one" not in got:
            got += client.recv(1000)
        if leaves:
            client.close()
        else:
            assert get(site, "/end")[2] == b"ending"
            while piece := client.recv(1000):
                got += piece
            assert b"two" in got
            client.close()
        assert left.wait(30)


def test_a_reader_who_stops_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "PATIENCE", 0.2)
    ended = threading.Event()

    def endless(environ: Environ, start: Any) -> Iterator[bytes]:
        start("200 OK", [("Content-Type", "text/plain")])

        def pieces() -> Iterator[bytes]:
            try:
                while True:
                    yield os.urandom(100_000)
            finally:
                ended.set()

        return pieces()

    with serving(alone(endless)) as site:
        client = raw(site, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert ended.wait(30)
        client.close()


def test_headers_as_wsgi_has_them() -> None:
    seen: list[Environ] = []

    def look(environ: Environ, start: Any) -> list[bytes]:
        seen.append({**environ, "body": environ["wsgi.input"].read()})
        start("200 OK", [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
        return [b"done"]

    with serving(alone(look)) as site:
        client = raw(
            site,
            b"POST /a%20b%2Fc/%ff?q=%C3%A9 HTTP/1.1\r\nHost: x\r\nCookie: a=1\r\nCookie: b=2\r\n"
            b"X-Real-User: one\r\nX_Real_User: two\r\nAccept: a\r\nAccept: b\r\n"
            b"Content-Length: 4\r\nConnection: close\r\n\r\nbody",
        )
        answer = b""
        while data := client.recv(1000):
            answer += data
        client.close()
    assert answer.count(b"set-cookie: ") == 2
    [environ] = seen
    assert environ["PATH_INFO"] == "/a b/c/\xff"
    assert environ["QUERY_STRING"] == "q=%C3%A9"
    assert environ["HTTP_COOKIE"] == "a=1; b=2"
    assert environ["HTTP_X_REAL_USER"] == "one"
    assert environ["HTTP_ACCEPT"] == "a,b"
    assert (environ["CONTENT_LENGTH"], environ["body"]) == ("4", b"body")
    assert environ["REMOTE_ADDR"] == "127.0.0.1"


def test_what_is_mounted_lives_and_ends_with_the_server() -> None:
    said: list[str] = []

    @asynccontextmanager
    async def life() -> Any:
        said.append("began")
        yield
        said.append("ended")

    async def hello(scope: Any, receive: Any, send: Any) -> None:
        said.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})

    def rest(environ: Environ, start: Any) -> list[bytes]:
        start("404 Not Found", [])
        return []

    with serving(alone(rest, Mount("/hello", hello, life))) as site:
        assert [get(site, path)[0] for path in ("/hello", "/hello/you", "/helloyou")] == [
            *(200, 200),
            404,
        ]
    assert said == ["began", "/hello", "/hello/you", "ended"]


def test_what_fails_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    words = "the user's own words"

    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError(words)

    def fails(environ: Environ, start: Any) -> list[bytes]:
        raise ValueError(words)

    with caplog.at_level(logging.INFO), serving(alone(fails, Mount("/m", broken))) as site:
        assert get(site, "/m")[0] == get(site, "/")[0] == 500
    assert caplog.text.count("a request failed: ValueError") == 2
    assert words not in caplog.text
