"""The address itself: who may speak to it, and in what form. What is let in goes to the SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse
from django.utils import translation
from django.utils.http import is_same_domain
from django.utils.translation import gettext as _
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from ninja.errors import AuthenticationError

from memoryapp.api import problems
from memoryapp.api.auth import BearerKey
from memoryapp.api.headers import tell_limits
from memoryapp.api.mcp import quiet, server
from memoryapp.api.mcp.caller import SCOPE_KEY, USER_HEADER
from memoryapp.api.mcp.errors import Refusal, refusal_of, refuse
from memoryapp.api.mcp.threads import in_thread
from memoryapp.api.problems import Problem
from memoryapp.api.site import MOST_BYTES
from memoryapp.threads import PATIENCE, Disconnected, Message, Receive, Scope, Send

VERSION = "1.0.0"
PATHS = ("/mcp", "/mcp/")
METHODS = "POST, OPTIONS"
# What a client in a browser, on an origin that we trust, may send and see.
CORS = {
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": (
        f"Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, {USER_HEADER}"
    ),
    "Access-Control-Expose-Headers": "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate",
    "Access-Control-Max-Age": "600",
}

quiet.hush()
_server = server.build(VERSION)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """One HTTP request."""
    request = ASGIRequest(dict(scope), BytesIO())
    told = _Answer(request, send)
    with translation.override(translation.get_language_from_request(request)):
        try:
            _check(request)
            told.cors = bool(request.headers.get("Origin"))
            if request.method == "OPTIONS":
                await told.empty()
                return
            _check_form(request)
            request.auth = await in_thread(lambda: _key(request))  # type: ignore[attr-defined]
            body = await _body(receive)
        except Disconnected:
            return
        except Exception as error:
            await told.refusal(refusal_of(error))
            return
        # A manager for each request: nothing outlives one, so there is nothing to keep.
        manager = StreamableHTTPSessionManager(
            _server, stateless=True, max_request_body_size=MOST_BYTES
        )
        async with manager.run():
            await manager.handle_request(
                {**scope, SCOPE_KEY: request}, _again(body, receive), told.send
            )


async def _body(receive: Receive) -> bytes:
    """The request's body. Raises Problem when it is too large, Refused when it doesn't come,
    and Disconnected."""
    body, more = b"", True
    try:
        async with asyncio.timeout(PATIENCE):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Disconnected
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > MOST_BYTES:
                    raise _too_large()
    except TimeoutError:
        raise refuse(
            HTTPStatus.REQUEST_TIMEOUT,
            "too-slow",
            _("The message didn't come"),
            _("Send it again, at once and whole."),
        ) from None
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    """As if the body hadn't been read."""
    unread = [body]

    async def receive_again() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return receive_again


def _key(request: ASGIRequest) -> Any:
    """The API key. Raises AuthenticationError, and Problem when it has asked too often."""
    key = BearerKey()(request)
    if key is None:
        raise AuthenticationError
    return key


def _check(request: ASGIRequest) -> None:
    """Raises Refused for a host or an origin that isn't ours: a page of somebody else's,
    whose name was pointed at this machine (DNS rebinding), has one or the other."""
    try:
        host = request.get_host()
    except DisallowedHost:
        # Its text has the header's, which is the sender's.
        host = ""
    if not host:
        raise refuse(
            HTTPStatus.MISDIRECTED_REQUEST,
            "unknown-host",
            _("This server doesn't answer to that name"),
            _("Use a name that is in ALLOWED_HOSTS, or add this one there."),
        )
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        raise refuse(
            HTTPStatus.FORBIDDEN,
            "https-needed",
            _("Keys don't travel in the clear"),
            _("Use the https:// address. Behind a proxy, let it send X-Forwarded-Proto."),
        )
    origin = request.headers.get("Origin")
    if origin is not None and not _trusted(origin, f"{request.scheme}://{host}"):
        raise refuse(
            HTTPStatus.FORBIDDEN,
            "foreign-origin",
            _("Pages of this origin may not call the memory"),
            _("Add the origin to CSRF_TRUSTED_ORIGINS if it is yours."),
        )


def _trusted(origin: str, own: str) -> bool:
    if origin == own or origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        given = urlsplit(origin)
    except ValueError:
        return False
    patterns = [each.partition("://*") for each in settings.CSRF_TRUSTED_ORIGINS]
    return any(
        wild and given.scheme == scheme and is_same_domain(given.netloc, domain)
        for scheme, wild, domain in patterns
    )


def _check_form(request: ASGIRequest) -> None:
    """Raises Refused or Problem for what no message comes in."""
    if request.path not in PATHS:
        raise problems.not_found()
    if request.method != "POST":
        # No GET: without sessions there is no stream of our own to listen to. No DELETE.
        raise Problem(
            "method-not-allowed",
            _("Use one of: %(methods)s.") % {"methods": "POST"},
            headers={"Allow": METHODS},
        )
    modern = request.headers.get("MCP-Protocol-Version") in MODERN_PROTOCOL_VERSIONS
    if "Mcp-Session-Id" in request.headers and not modern:
        # The specification has a client that is told so begin anew.
        raise refuse(
            HTTPStatus.NOT_FOUND,
            "no-session",
            _("There is no such session"),
            _("This server keeps none. Send initialize, and then no Mcp-Session-Id."),
        )
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        raise _too_large()


def _too_large() -> Problem:
    return Problem(
        "too-large",
        _("A message has at most 1 MiB. Send less at once."),
        # The rest isn't read.
        headers={"Connection": "close"},
    )


class _Answer:
    """The answer on its way out, with the headers that each one has."""

    def __init__(self, request: ASGIRequest, send: Send) -> None:
        self._request = request
        self._send = send
        self.cors = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            ours = self._headers()
            kept = [pair for pair in message["headers"] if pair[0].lower() not in ours]
            message = {**message, "headers": [*kept, *ours.items()]}
        await self._send(message)

    async def refusal(self, refusal: Refusal) -> None:
        headers = {"Content-Type": "application/json", **refusal.headers}
        await self._whole(refusal.status, headers, refusal.body)

    async def empty(self) -> None:
        await self._whole(HTTPStatus.NO_CONTENT, {"Allow": METHODS}, b"")

    async def _whole(self, status: int, headers: dict[str, str], body: bytes) -> None:
        if body:
            headers["Content-Length"] = str(len(body))
        await self.send(
            {"type": "http.response.start", "status": status, "headers": [*_raw(headers).items()]}
        )
        await self._send({"type": "http.response.body", "body": body})

    def _headers(self) -> dict[bytes, bytes]:
        response = HttpResponse(headers={"X-Content-Type-Options": "nosniff", "Vary": "Origin"})
        # Answers are about a person: no cache between us and the caller keeps them. A proxy
        # that compressed a stream would hold it back.
        response["Cache-Control"] = "no-store, no-transform"
        tell_limits(self._request, response)
        if self.cors:
            response["Access-Control-Allow-Origin"] = self._request.headers["Origin"]
            for name, value in CORS.items():
                response[name] = value
        del response["Content-Type"]
        return _raw(dict(response.items()))


def _raw(headers: Mapping[str, str]) -> dict[bytes, bytes]:
    return {name.lower().encode(): value.encode() for name, value in headers.items()}
