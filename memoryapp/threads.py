"""Work that blocks, from an event loop: in threads of which there are only so many.

``Threads`` runs a function; whatever it did with the database, its connection goes back to the
pool when it returns. ``Threaded`` serves a WSGI application to an ASGI server that way: each
request in one thread from its first query to its last, so that a transaction stays whole. A
small body is read before a thread is taken, so that a slow sender holds none; a large one is
read by the application itself, piece by piece, and is never in memory.

A Django view that streams for long answers ``StreamingHttpResponse`` with an *asynchronous*
iterator: the view itself runs in a thread as any other, and while it streams it holds neither
that nor a connection to the database.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes
from wsgiref.util import FileWrapper

from django.db import connections

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
Result = TypeVar("Result")

READ_AHEAD = 1024 * 1024
FILE_BLOCK = 64 * 1024
# Nobody waits longer for the next piece of a body, or for a reader to take one.
PATIENCE = 60.0
NO_LENGTH = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}


class Disconnected(OSError):
    """The caller has gone, or has been silent for too long."""


class Threads:
    """At most ``most`` at a time; what comes on top waits its turn."""

    def __init__(self, most: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix=name)

    async def run(self, work: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
        """What ``work`` returns or raises. When the caller is cancelled, work that has not
        begun never does; work that has goes on to its end."""
        call = partial(_released, work, args, kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    def close(self) -> None:
        """What has begun ends; nothing new begins."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _released(work: Callable[..., Result], args: Any, kwargs: Any) -> Result:
    try:
        return work(*args, **kwargs)
    finally:
        connections.close_all()


class Threaded:
    """A WSGI application as an ASGI one."""

    def __init__(self, application: Callable[..., Iterable[bytes]], threads: Threads) -> None:
        self._application = application
        self._threads = threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        length = int(headers.get(b"content-length", b"0"))
        body: _Body
        try:
            # A body without a length isn't read at all (PEP 3333 has none).
            body = _Read(await _whole(receive)) if 0 < length <= READ_AHEAD else _Read(b"")
        except TimeoutError:
            await _answer(send, HTTPStatus.REQUEST_TIMEOUT)
            return
        except Disconnected:
            return
        loop = asyncio.get_running_loop()
        if length > READ_AHEAD:
            body = _Body(receive, loop)
        exchange = _Exchange(self._application, environ(scope, body), send, loop)
        work: asyncio.Future[Any] = asyncio.ensure_future(self._threads.run(exchange.run))
        begun: asyncio.Future[Any] = exchange.reply
        await asyncio.wait({work, begun}, return_when=asyncio.FIRST_COMPLETED)
        if not begun.done():
            begun.cancel()
            await work  # raises: it ended without a reply
            return
        reply = exchange.reply.result()
        if isinstance(reply, bytes):
            await send(exchange.start)
            await send({"type": "http.response.body", "body": reply})
        elif reply is not None:
            await work
            try:
                await _flow(exchange.start, reply, receive, send)
            finally:
                await self._threads.run(reply.close)
        elif length <= READ_AHEAD:
            await self._watch(receive, exchange, work)
        # Its connection is on its way back to the pool.
        await work

    async def _watch(
        self, receive: Receive, exchange: _Exchange, work: asyncio.Future[Any]
    ) -> None:
        """Until the work ends; tells it when the reader has gone."""

        async def done() -> bool:
            await asyncio.wait({work})
            return True

        exchange.gone = await unless_gone(done(), receive) is None


async def _flow(start: Message, response: Any, receive: Receive, send: Send) -> None:
    """Sends what the asynchronous iterator gives, until it ends or the reader leaves."""

    async def flow() -> None:
        await send(start)
        async with contextlib.aclosing(aiter(response)) as pieces:
            async for piece in pieces:
                # Not wait_for: before Python 3.12 it forgets that it was cancelled.
                async with asyncio.timeout(PATIENCE):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    await unless_gone(flow(), receive)


async def unless_gone(work: Coroutine[Any, Any, Result], receive: Receive) -> Result | None:
    """What ``work`` returns or raises; cancels it when the caller leaves, and returns None
    then. The request's body has been read."""

    async def leaves() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(leaves())
    tasks: set[asyncio.Future[Any]] = {working, leaving}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        return None
    finally:
        # Also when we are cancelled ourselves, as the server stops.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Exchange:
    """One request in its thread. ``reply`` becomes the whole answer's body, a response whose
    iterator is asynchronous, or None for one that is sent from the thread piece by piece;
    by then ``start`` is there."""

    def __init__(
        self,
        application: Callable[..., Iterable[bytes]],
        environ: dict[str, Any],
        send: Send,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._application = application
        self._environ = environ
        self._send = send
        self._loop = loop
        self.start: Message = {}
        self.reply: asyncio.Future[Any] = loop.create_future()
        self.gone = False

    def run(self) -> None:
        response: Any = self._application(self._environ, self._start_response)
        if getattr(response, "is_async", False):
            self._resolve(response)
            return
        try:
            if getattr(response, "streaming", True):
                self._resolve(None)
                self._stream(response)
            else:
                content = b"".join(response)
                if self.start["status"] not in NO_LENGTH:
                    _set_length(self.start["headers"], len(content))
                self._resolve(content)
        finally:
            if hasattr(response, "close"):
                response.close()

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> None:
        self.start = {
            "type": "http.response.start",
            "status": int(status[:3]),
            "headers": [
                (name.lower().encode("latin-1"), value.strip().encode("latin-1"))
                for name, value in headers
            ],
        }

    def _resolve(self, reply: Any) -> None:
        def resolve() -> None:
            if not self.reply.done():  # cancelled, as the server stops
                self.reply.set_result(reply)

        self._loop.call_soon_threadsafe(resolve)

    def _stream(self, response: Iterable[bytes]) -> None:
        self._put(self.start)
        for piece in response:
            if self.gone:
                return
            self._put({"type": "http.response.body", "body": piece, "more_body": True})
        self._put({"type": "http.response.body", "body": b""})

    def _put(self, message: Message) -> None:
        async def patiently() -> None:
            async with asyncio.timeout(PATIENCE):
                await self._send(message)

        _from_loop(patiently(), self._loop)


class _Body:
    """A body that its reader pulls from the connection: ``read`` and ``readline``."""

    def __init__(self, receive: Receive | None, loop: asyncio.AbstractEventLoop | None) -> None:
        self._receive, self._loop = receive, loop
        self._held = b""
        self._more = receive is not None

    def read(self, size: int = -1) -> bytes:
        while self._more and (size < 0 or len(self._held) < size):
            self._pull(READ_AHEAD if size < 0 else size - len(self._held))
        size = len(self._held) if size < 0 else size
        taken, self._held = self._held[:size], self._held[size:]
        return taken

    def readline(self, size: int = -1) -> bytes:
        while self._more and b"\n" not in self._held and (size < 0 or len(self._held) < size):
            self._pull(1)
        end = self._held.find(b"\n") + 1 or len(self._held)
        return self.read(end if size < 0 else min(end, size))

    def _pull(self, wanted: int) -> None:
        assert self._loop is not None  # noqa: S101  # there is more only with one
        self._held += _from_loop(self._pieces(wanted), self._loop)

    async def _pieces(self, wanted: int) -> bytes:
        """At least so many bytes, unless the body ends: one crossing for all of them."""
        assert self._receive is not None  # noqa: S101
        pieces: list[bytes] = []
        while self._more and wanted > 0:
            async with asyncio.timeout(PATIENCE):
                message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            pieces.append(message.get("body", b""))
            wanted -= len(pieces[-1])
            self._more = message.get("more_body", False)
        return b"".join(pieces)


class _Read(_Body):
    """A body that is there."""

    def __init__(self, body: bytes) -> None:
        super().__init__(None, None)
        self._held = body


def _from_loop(work: Coroutine[Any, Any, Result], loop: asyncio.AbstractEventLoop) -> Result:
    """What the loop's work gives to this thread. Raises Disconnected when it has waited for
    too long."""
    try:
        return asyncio.run_coroutine_threadsafe(work, loop).result()
    except TimeoutError:
        raise Disconnected from None


async def _whole(receive: Receive) -> bytes:
    """The body. Raises TimeoutError when it doesn't come, and Disconnected."""
    pieces: list[bytes] = []
    async with asyncio.timeout(PATIENCE):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                return b"".join(pieces)


async def _answer(send: Send, status: HTTPStatus) -> None:
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": status.phrase.encode()})


def _set_length(headers: Headers, length: int) -> None:
    if not any(name == b"content-length" for name, _value in headers):
        headers.append((b"content-length", str(length).encode()))


def _file_wrapper(file: Any, _size: int) -> FileWrapper:
    # Django's 4 KiB would cross from thread to loop once for each.
    return FileWrapper(file, FILE_BLOCK)


def environ(scope: Scope, body: Any) -> dict[str, Any]:
    """PEP 3333's environment of an HTTP scope."""
    server, port = scope.get("server") or ("localhost", 0)
    made: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": scope.get("root_path", ""),
        # The bytes as they came: scope["path"] has lost those that aren't UTF-8.
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": _file_wrapper,
    }
    if client := scope.get("client"):
        made["REMOTE_ADDR"] = client[0]
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        if "_" in name:
            continue  # one could pass for another with a hyphen
        name = name.upper().replace("-", "_")
        if name not in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
            name = f"HTTP_{name}"
        if name in made:
            value = f"{made[name]}{'; ' if name == 'HTTP_COOKIE' else ','}{value}"
        made[name] = value
    return made
