"""Requests passed on to the model server as they are, and its answers passed back.

Nothing is retried here: the caller is a client of this protocol itself, and does so.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import httpx2
from django.conf import settings

from memoryapp.ports import ProviderError
from memoryapp.providers.openai_api import OPENAI_URL

CONNECT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: ``headers`` by their lower-case names, and the body piece by piece,
    as it comes. Reading it raises ProviderError when the server falls silent or breaks off."""

    status: int
    headers: Mapping[str, str]
    pieces: AsyncIterator[bytes]


class Upstream:
    """One model server. Connections are kept for each event loop."""

    def __init__(self, *, api_key: str, base_url: str, silence: float) -> None:
        """``silence`` is how many seconds the server may say nothing."""
        self._base_url = (base_url or OPENAI_URL).rstrip("/")
        self._headers = {"Accept-Encoding": "identity"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._timeout = httpx2.Timeout(silence, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS)
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx2.AsyncClient] = (
            WeakKeyDictionary()
        )

    @asynccontextmanager
    async def exchange(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] = {}
    ) -> AsyncIterator[Reply]:
        """One request. Raises ProviderError (``unavailable``, ``timeout``) when there is no
        answer; an answer that says no is an answer. Leaving early ends it there too."""
        client = self._client()
        sent = {**self._headers, **headers}
        if body is not None:
            sent["Content-Type"] = "application/json"
        request = client.build_request(method, self._base_url + path, content=body, headers=sent)
        try:
            response = await client.send(request, stream=True)
        except httpx2.TimeoutException:
            raise ProviderError("timeout") from None
        except httpx2.HTTPError:
            raise ProviderError("unavailable") from None
        try:
            found = {name.lower(): value for name, value in response.headers.items()}
            yield Reply(response.status_code, found, _pieces(response))
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Closes this event loop's connections."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _client(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = httpx2.AsyncClient(
                timeout=self._timeout,
                # A redirect would send the user's words to a host that nobody named.
                follow_redirects=False,
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
            )
        return self._clients[loop]


async def _pieces(response: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in response.aiter_raw():
            yield piece
    except httpx2.TimeoutException:
        raise ProviderError("timeout") from None
    except httpx2.HTTPError:
        raise ProviderError("unavailable") from None


_made: dict[tuple[str, str, float], Upstream] = {}


def upstream() -> Upstream | None:
    """The server that OPENAI_BASE_URL and OPENAI_API_KEY name, or None when they name none."""
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return None
    chosen = (settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL, settings.CHAT_SILENCE_SECONDS)
    if chosen not in _made:
        key, url, silence = chosen
        _made[chosen] = Upstream(api_key=key, base_url=url, silence=silence)
    return _made[chosen]


async def close() -> None:
    """Closes this event loop's connections to every server that was asked."""
    for server in list(_made.values()):
        await server.close()
