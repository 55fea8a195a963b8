"""The MCP address below the protocol: who is let in, and what bytes are taken."""

from __future__ import annotations

import http.client
import json
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import OperationalError
from mcp.shared.exceptions import MCPError

from accounts.models import ApiKey, User
from memoryapp import limits
from memoryapp.context import acting_for
from memoryapp.models import Message
from tests.api import application
from tests.conftest import Site
from tests.mcp_client import ask, key, message
from tests.serving import asgi_site

__all__ = ["asgi_site"]

Answer = tuple[int, dict[str, str], bytes]
LIST = message("tools/list")
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def send(
    site: Site, secret: str = "", body: Any = LIST, method: str = "POST", **headers: str
) -> Answer:
    """One request as a client of an older protocol sends it; a header is left out with ""
    (names with _ for -)."""
    given = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {secret}" if secret else "",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    address = urlsplit(site.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    kept = {name: value for name, value in given.items() if value}
    with suppress(BrokenPipeError, ConnectionResetError):  # refused before all of it was read
        connection.request(method, "/mcp", data, kept, encode_chunked="Transfer-Encoding" in kept)
    response = connection.getresponse()
    found = {name.lower(): value for name, value in response.headers.items()}
    answer = response.status, found, response.read()
    connection.close()
    return answer


def refused(answer: Answer, status: int, code: str) -> dict[str, Any]:
    """The problem of an answer that has to be this refusal, as a JSON-RPC error."""
    got, headers, body = answer
    assert got == status, body
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store, no-transform"
    error = json.loads(body)["error"]
    problem: dict[str, Any] = error["data"]
    assert problem["type"] == f"urn:memoryapp:problem:{code}"
    assert problem["status"] == status
    assert problem["title"] in error["message"]
    assert problem["detail"] in error["message"]
    return problem


def told(answer: Answer) -> Any:
    """The JSON-RPC answer, which comes as one event."""
    status, headers, body = answer
    assert status == 200, body
    assert headers["cache-control"] == "no-store, no-transform"
    if headers["content-type"] == "application/json":
        return json.loads(body)
    [line] = [line for line in body.decode().splitlines() if line.startswith("data: ")]
    return json.loads(line.removeprefix("data: "))


def test_without_a_key(asgi_site: Site, owner: User) -> None:
    secret = key(owner)
    wrong = secret[:-1] + ("0" if secret[-1] != "0" else "1")
    for each in ("", wrong, "mem_nothing", "\xff"):
        answer = send(asgi_site, each)
        refused(answer, 401, "unauthenticated")
        assert answer[1]["www-authenticate"].startswith("Bearer ")
    ApiKey.objects.update(revoked_at=owner.date_joined)
    refused(send(asgi_site, secret), 401, "unauthenticated")
    refused(send(asgi_site, Authorization=f"Basic {secret}"), 401, "unauthenticated")


def test_the_clients_user_reads_why(asgi_site: Site) -> None:
    with pytest.raises((MCPError, ExceptionGroup)) as caught:
        ask(f"{asgi_site.url}/mcp", "mem_none", lambda made: made.list_tools(), mode="legacy")
    error: BaseException = caught.value
    while isinstance(error, BaseExceptionGroup):
        [error] = error.exceptions
    assert isinstance(error, MCPError)
    assert "Authorization: Bearer mem_" in str(error)


def test_names_of_others_are_refused(asgi_site: Site, owner: User) -> None:
    """A page whose name was pointed at this machine has its own name, or its own origin."""
    secret = key(owner)
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "a b"):
        problem = refused(send(asgi_site, secret, Host=host), 421, "unknown-host")
        assert host not in json.dumps(problem)
    port = urlsplit(asgi_site.url).port
    for origin in (
        "https://evil.example",
        "null",
        f"http://127.0.0.1:{port}.evil.example",
        f"https://127.0.0.1:{port}",
        "http://127.0.0.1:1",
        "http://[",
    ):
        answer = send(asgi_site, secret, Origin=origin)
        refused(answer, 403, "foreign-origin")
        assert "access-control-allow-origin" not in answer[1]
    assert told(send(asgi_site, secret, Host="localhost"))["result"]["tools"]
    assert told(send(asgi_site, secret, Origin=asgi_site.url))["result"]["tools"]


def test_a_trusted_page_may_call(asgi_site: Site, owner: User, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://chat.example", "https://*.tools.example"]
    for origin in ("https://chat.example", "https://a.tools.example"):
        status, headers, body = send(
            asgi_site,
            body=b"",
            method="OPTIONS",
            Origin=origin,
            Access_Control_Request_Method="POST",
        )
        assert (status, body) == (204, b"")
        assert headers["access-control-allow-origin"] == origin
        assert headers["vary"] == "Origin"
        assert "Authorization" in headers["access-control-allow-headers"]
        assert "X-Memory-User" in headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in headers
        answer = send(asgi_site, key(owner), Origin=origin)
        assert told(answer)["result"]["tools"]
        assert answer[1]["access-control-allow-origin"] == origin
    for origin in ("http://chat.example", "https://tools.example.evil.example"):
        refused(send(asgi_site, key(owner), Origin=origin), 403, "foreign-origin")


def test_keys_do_not_travel_in_the_clear(asgi_site: Site, owner: User, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    secret = key(owner)
    refused(send(asgi_site, secret), 403, "https-needed")
    assert told(send(asgi_site, secret, X_Forwarded_Proto="https"))["result"]["tools"]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_there_is_no_stream_and_no_session(asgi_site: Site, owner: User, method: str) -> None:
    answer = send(asgi_site, key(owner), b"", method, Accept="text/event-stream")
    if method != "HEAD":
        refused(answer, 405, "method-not-allowed")
    assert answer[0] == 405
    assert "POST" in answer[1]["allow"]


def test_a_session_that_was_never_made(asgi_site: Site, owner: User) -> None:
    secret = key(owner)
    refused(send(asgi_site, secret, Mcp_Session_Id="0123456789abcdef"), 404, "no-session")
    answer = send(asgi_site, secret, body=initialize("2025-11-25"))
    assert told(answer)["result"]["serverInfo"]["name"] == "memoryapp"
    assert "mcp-session-id" not in answer[1]


def test_other_addresses_below_it(asgi_site: Site, owner: User) -> None:
    address = urlsplit(asgi_site.url)
    for path, status in (("/mcp/", 200), ("/mcp/sse", 404)):
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {key(owner)}",
        }
        connection.request("POST", path, json.dumps(LIST), headers)
        assert connection.getresponse().status == status
        connection.close()


def initialize(version: str) -> dict[str, Any]:
    return message(
        "initialize",
        {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    )


@pytest.mark.parametrize("version", HANDSHAKES)
def test_older_protocols(asgi_site: Site, owner: User, version: str) -> None:
    secret = key(owner)
    result = told(send(asgi_site, secret, body=initialize(version)))["result"]
    assert result["protocolVersion"] == version
    assert result["instructions"]
    begun = message("notifications/initialized", id=None)
    how = {"MCP_Protocol_Version": version}
    assert send(asgi_site, secret, body=begun, **how)[0] == 202
    tools = told(send(asgi_site, secret, **how))["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["remember", "recall", "list_memories", "forget"]
    call = message("tools/call", {"name": "list_memories", "arguments": {}})
    result = told(send(asgi_site, secret, body=call, **how))["result"]
    assert result["content"][0]["text"] == "Nothing is remembered here."


def test_unknown_protocols(asgi_site: Site, owner: User) -> None:
    result = told(send(asgi_site, key(owner), body=initialize("1999-01-01")))["result"]
    assert result["protocolVersion"] in HANDSHAKES
    status, _headers, body = send(asgi_site, key(owner), MCP_Protocol_Version="1999-01-01")
    assert status == 400
    assert json.loads(body)["error"]["message"]


def test_large_bodies(asgi_site: Site, owner: User) -> None:
    secret = key(owner)
    large = message("tools/call", {"name": "remember", "arguments": {"statement": "a" * 2**20}})
    # Refused by its length alone.
    refused(send(asgi_site, secret, b"", Content_Length=str(2**20 + 1)), 413, "too-large")
    refused(chunks(asgi_site, secret, json.dumps(large).encode()), 413, "too-large")
    assert told(chunks(asgi_site, secret, json.dumps(LIST).encode()))["result"]["tools"]
    # Longer than a statement may be, and shorter than a message.
    long = message("tools/call", {"name": "remember", "arguments": {"statement": "a" * 20_001}})
    assert told(send(asgi_site, secret, long))["result"]["isError"]
    with acting_for(owner.pk):
        assert not Message.objects.exists()


def chunks(site: Site, secret: str, body: bytes) -> Answer:
    """The answer to a body without a length."""
    pieces = (body[at : at + 65536] for at in range(0, len(body), 65536))
    return send(site, secret, pieces, Transfer_Encoding="chunked")


def test_a_body_that_never_comes(
    asgi_site: Site, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryapp.api.mcp.app.PATIENCE", 0.2)
    answer = send(asgi_site, key(owner), b"{", Content_Length="1000")
    refused(answer, 408, "too-slow")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"null", 400),
        (b"[" * 100_000, 400),
        (b'{"jsonrpc": "2.0"}', 400),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}', 400),
        (json.dumps([LIST, LIST]).encode(), 400),
        (b'{"jsonrpc": "2.0", "id": 1, "result": {}}', 202),
        (b"\xff\xfe", 400),
    ],
)
def test_what_is_no_message(asgi_site: Site, owner: User, body: bytes, status: int) -> None:
    assert send(asgi_site, key(owner), body)[0] == status


def test_messages_that_ask_for_nothing_there_is(asgi_site: Site, owner: User) -> None:
    secret = key(owner)
    for method, params, code in (
        ("no/such", {}, -32601),
        ("logging/setLevel", {"level": "debug"}, -32601),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": "recall", "arguments": "x"}, -32602),
        ("resources/read", {"uri": "file:///etc/passwd"}, -32602),
        ("prompts/get", {"name": "x"}, -32602),
    ):
        answer = told(send(asgi_site, secret, message(method, params)))
        assert answer["error"]["code"] == code, method
    assert send(asgi_site, secret, Content_Type="text/plain")[0] == 400
    assert send(asgi_site, secret, Accept="text/html")[0] == 406


def test_the_keys_limit(asgi_site: Site, owner: User, settings: Any) -> None:
    settings.RATE_LIMIT_KEY = 2
    secret = key(owner)
    answer = send(asgi_site, secret)
    assert told(answer)["result"]["tools"]
    assert answer[1]["ratelimit-policy"] == '"key";q=2;w=60'
    assert answer[1]["ratelimit"].startswith('"key";r=1;')
    send(asgi_site, secret)
    answer = send(asgi_site, secret)
    refused(answer, 429, "too-many-requests")
    assert 1 <= int(answer[1]["retry-after"]) <= 30


def test_a_database_that_is_away(
    asgi_site: Site, owner: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = key(owner)

    def away(**arguments: Any) -> Any:
        raise OperationalError("connection to 10.1.2.3 failed")

    monkeypatch.setattr(limits, "take", away)
    answer = send(asgi_site, secret)
    refused(answer, 503, "unavailable")
    assert answer[1]["retry-after"] == "5"
    assert "10.1.2.3" not in caplog.text + answer[2].decode()


def test_the_user_is_named_once(asgi_site: Site, owner: User) -> None:
    """Two names, or one with an underscore, must not make one user's memory another's."""
    made, _frontend = application(owner)
    secret = key(owner, application=made)
    address = urlsplit(asgi_site.url)
    call = json.dumps(message("tools/call", {"name": "list_memories", "arguments": {}}))
    for names, fits in (
        ([("X-Memory-User", "u1")], True),
        ([("X-Memory-User", "u1"), ("X-Memory-User", "u2")], False),
        ([("X_Memory_User", "u1")], False),
        ([("X-Memory-User", "\xff")], False),
    ):
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
        connection.putrequest("POST", "/mcp")
        for name, value in (
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Authorization", f"Bearer {secret}"),
            ("Content-Length", str(len(call))),
            *names,
        ):
            connection.putheader(name, value.encode("latin-1"))
        connection.endheaders(call.encode())
        response = connection.getresponse()
        answer = response.status, dict(response.headers), response.read()
        connection.close()
        headers = {name.lower(): value for name, value in answer[1].items()}
        result = told((answer[0], headers, answer[2]))["result"]
        assert result.get("isError", False) is not fits
