"""Clients of the memory's MCP address."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ReadResourceResult, TextResourceContents

from accounts.models import SCOPES, ApiKey, Application, User
from tests import loops

Result = TypeVar("Result")


def key(owner: User, *scopes: str, application: Application | None = None) -> str:
    _row, secret = ApiKey.objects.issue(
        owner=owner, name="mcp", application=application, scopes=scopes or SCOPES
    )
    return secret


@asynccontextmanager
async def client(
    url: str, secret: str, *, user: str | None = None, mode: str = "auto"
) -> AsyncIterator[Client]:
    """The SDK's own. ``mode="legacy"`` speaks the protocol that begins with initialize."""
    headers = {b"Authorization": f"Bearer {secret}".encode()}
    if user is not None:
        headers[b"X-Memory-User"] = user.encode()
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as made,
    ):
        yield made


def ask(
    url: str,
    secret: str,
    work: Callable[[Client], Awaitable[Result]],
    *,
    user: str | None = None,
    mode: str = "auto",
) -> Result:
    """What ``work`` returns or raises, done with a client of its own."""

    async def run() -> Result:
        async with client(url, secret, user=user, mode=mode) as made:
            try:
                return await work(made)
            except MCPError as error:
                refused = error
        # Outside of the client's task groups, which would wrap it.
        raise refused

    return loops.run(run)


def text(read: ReadResourceResult) -> str:
    """A resource's one text."""
    [contents] = read.contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


def call(url: str, secret: str, tool: str, arguments: Any, **how: Any) -> Any:
    """The tool's result."""
    return ask(url, secret, lambda made: made.call_tool(tool, arguments), **how)


def message(method: str, params: Any = None, id: int | None = 1) -> dict[str, Any]:
    """A JSON-RPC message; a notification without an id."""
    made = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    return made if id is None else {**made, "id": id}
