"""The ASGI entry point, which `make run` serves.

The page, the API and static files are Django in a few threads (which a view that streams for
long doesn't hold: see ``threads``). What waits for other servers is mounted beside it, as an
ASGI application of its own that takes a thread only for its work with the database
(``threads.Threads.run``).
"""

from __future__ import annotations

import contextlib
import logging
import os
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
# First of all: it sets Django up, and what is mounted imports models.
_django = get_wsgi_application()

from memoryapp.api import mcp, proxy  # noqa: E402
from memoryapp.threads import App, Message, Receive, Scope, Send, Threaded, Threads  # noqa: E402

logger = logging.getLogger(__name__)

THREADS = 8
_FAILED: Sequence[Message] = (
    {
        "type": "http.response.start",
        "status": 500,
        "headers": [(b"content-type", b"text/plain"), (b"connection", b"close")],
    },
    {"type": "http.response.body", "body": b"Internal Server Error"},
)


@dataclass(frozen=True)
class Mount:
    """An ASGI application for ``prefix`` and all below it, handed whole paths. ``lifespan``
    is entered as the server starts and left as it stops."""

    prefix: str
    app: App
    lifespan: Callable[[], AbstractAsyncContextManager[None]] | None = None

    def takes(self, path: str) -> bool:
        return path == self.prefix or path.startswith(self.prefix + "/")


class Dispatcher:
    """The first mount that takes the path, else ``default``. What they raise is logged
    without its text, which may quote what people wrote."""

    def __init__(self, default: App, mounts: Sequence[Mount]) -> None:
        self._default = default
        self._mounts = mounts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        app = next((mount.app for mount in self._mounts if mount.takes(path)), self._default)
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await app(scope, receive, noted)
        except Exception as error:
            frames = "".join(traceback.format_tb(error.__traceback__))
            logger.error("a request failed: %s\n%s", type(error).__name__, frames)
            if not begun:
                for message in _FAILED:
                    await send(message)
            # Else it ends here, incomplete, and the server closes the connection.

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with contextlib.AsyncExitStack() as stack:
            for mount in self._mounts:
                if mount.lifespan is not None:
                    await stack.enter_async_context(mount.lifespan())
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


MOUNTS: Sequence[Mount] = (
    Mount("/mcp", mcp.application),
    Mount("/v1", proxy.application, proxy.lifespan),
)

application = Dispatcher(Threaded(_django, Threads(THREADS, "web")), MOUNTS)
