"""One request: what it says, who sent it, and how it is answered."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from http import HTTPStatus
from io import BytesIO
from typing import Any, TypeVar

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import InterfaceError, OperationalError
from django.http import HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.models import ApiKey
from memoryapp.api.auth import BearerKey
from memoryapp.api.headers import tell_limits
from memoryapp.api.proxy.errors import Refused, invalid, unauthenticated
from memoryapp.threads import PATIENCE, Receive, Scope, Send, Threads

Result = TypeVar("Result")

# Images and sound travel in the body.
MOST_BYTES = 32 * 1024 * 1024
# A body larger than this is parsed away from the event loop.
QUICK_BYTES = 256 * 1024
DOWN = (TimeoutError, OperationalError, InterfaceError)

_THREADS = Threads(8, "chat")


async def in_thread(work: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
    """What ``work`` returns or raises, in the caller's language."""
    return await _THREADS.run(copy_context().run, work, *args, **kwargs)


class Patience:
    """How long a request may wait for its memory, all in all."""

    def __init__(self) -> None:
        self.left = settings.CHAT_MEMORY_MILLISECONDS / 1000

    async def wait(self, work: Awaitable[Result]) -> Result:
        """Raises TimeoutError when it is used up."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(max(self.left, 0)):
                return await work
        finally:
            self.left -= time.monotonic() - began


class _KnownKeys:
    """Keys that were good a while ago: with them the chat goes on when the database is down,
    without a memory. Digests only; each web process has its own."""

    SECONDS = 3600.0
    MOST = 10_000

    def __init__(self) -> None:
        self._good: dict[bytes, float] = {}

    def note(self, secret: str, *, good: bool) -> None:
        digest = self._digest(secret)
        self._good.pop(digest, None)
        if good:
            self._good[digest] = time.monotonic()
            if len(self._good) > self.MOST:
                del self._good[next(iter(self._good))]

    def good(self, secret: str) -> bool:
        noted = self._good.get(self._digest(secret))
        return noted is not None and time.monotonic() - noted < self.SECONDS

    @staticmethod
    def _digest(secret: str) -> bytes:
        # The secret has 256 random bits: no slow hash is needed.
        return hashlib.sha256(secret.encode()).digest()


known_keys = _KnownKeys()


class Call:
    """``started`` is true once a part of the answer is on its way."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Nothing here asks for a query, which may be anything.
        self.request = ASGIRequest({**scope, "query_string": b""}, BytesIO())
        self.patience = Patience()
        self.receive = receive
        self.started = False
        self._scope = scope
        self._send = send

    @property
    def language(self) -> str:
        return translation.get_language_from_request(self.request)

    @property
    def path(self) -> str:
        return str(self._scope["path"])

    @property
    def method(self) -> str:
        return str(self._scope["method"])

    def header(self, name: str) -> str | None:
        """Its value; None when there is none. Raises Refused when it comes twice or isn't
        UTF-8."""
        values = [v for n, v in self._scope["headers"] if n == name.lower().encode()]
        if len(values) > 1:
            raise invalid(name, _("Send this header once."))
        try:
            return values[0].decode().strip() or None if values else None
        except UnicodeDecodeError:
            pass  # the exception would hold the value
        raise invalid(name, _("The header isn't UTF-8."))

    async def admit(self) -> ApiKey | None:
        """The key; None when the database can't say but the key was good a while ago. Raises
        what the API raises, and Refused with 401."""
        _kind, _space, secret = self.request.headers.get("Authorization", "").partition(" ")
        try:
            key = await self.patience.wait(in_thread(BearerKey(), self.request))
        except DOWN as error:
            if not known_keys.good(secret):
                if isinstance(error, TimeoutError):
                    raise OperationalError("no answer in time") from None
                raise
            return None
        known_keys.note(secret, good=key is not None)
        if key is None:
            raise unauthenticated()
        self.request.auth = key  # type: ignore[attr-defined]  # for party()
        return key

    async def json(self) -> dict[str, Any]:
        """The body. Raises Refused when it is too large, doesn't come, or is no JSON object;
        ConnectionError when the caller has left."""
        if int(self.request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
            raise _too_large()
        body = bytearray()
        while True:
            try:
                async with asyncio.timeout(PATIENCE):
                    message = await self.receive()
            except TimeoutError:
                raise Refused(
                    HTTPStatus.REQUEST_TIMEOUT,
                    _("The rest of the request didn't come."),
                    headers={"Connection": "close"},
                ) from None
            if message["type"] == "http.disconnect":
                raise ConnectionResetError
            body += message.get("body", b"")
            if len(body) > MOST_BYTES:
                raise _too_large()
            if not message.get("more_body", False):
                break
        try:
            large = len(body) > QUICK_BYTES
            found = await asyncio.to_thread(json.loads, body) if large else json.loads(body)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise invalid(None, _("The body must be a JSON object in UTF-8."))
        return found

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        told = HttpResponse(headers={"Cache-Control": "no-store", **headers})
        tell_limits(self.request, told)
        if "Content-Type" not in headers:
            del told["Content-Type"]
        self.started = True
        await self._send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [
                    (name.lower().encode("latin-1"), value.encode("latin-1"))
                    for name, value in told.items()
                ],
            }
        )

    async def piece(self, body: bytes, *, last: bool = False) -> None:
        """Raises ConnectionError when the reader takes nothing for too long."""
        message = {"type": "http.response.body", "body": body, "more_body": not last}
        try:
            # Not wait_for: before Python 3.12 it forgets that it was cancelled.
            async with asyncio.timeout(PATIENCE):
                await self._send(message)
                # A fast server and a fast reader would keep everybody else waiting.
                await asyncio.sleep(0)
        except TimeoutError:
            raise ConnectionAbortedError from None

    async def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        await self.begin(status, {**headers, "Content-Length": str(len(body))})
        await self.piece(body, last=True)

    async def tell(
        self, body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """A JSON answer."""
        told = {"Content-Type": "application/json", **(headers or {})}
        await self.answer(status, json.dumps(body).encode(), told)


def _too_large() -> Refused:
    return Refused(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        _("A request has at most %(most)s MiB.") % {"most": MOST_BYTES // 1024**2},
        headers={"Connection": "close"},
    )
