"""What the README tells of MCP is held against the server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from accounts.models import EndUser, User
from memoryapp.api.mcp.caller import USER_HEADER
from memoryapp.api.mcp.tools import TOOLS
from tests import loops
from tests.api import application
from tests.conftest import Site
from tests.mcp_client import key
from tests.serving import asgi_site

__all__ = ["asgi_site"]

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SECTION = README.split("## Connect an MCP client")[1].split("\n## ")[0]
CONFIGURATIONS = [
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL)
]


def connect(site: Site, server: dict[str, Any], secret: str) -> tuple[list[str], list[str]]:
    """The names of the tools and the addresses of the resources that a client of this
    configuration finds; it also calls a tool."""
    assert server["type"] == "http"
    assert server["headers"]["Authorization"] == "Bearer mem_…"
    headers = {**server["headers"], "Authorization": f"Bearer {secret}"}
    url = server["url"].replace("http://127.0.0.1:8000", site.url)

    async def run() -> tuple[list[str], list[str]]:
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as made,
        ):
            assert not (await made.call_tool("list_memories", {})).is_error
            tools = [tool.name for tool in (await made.list_tools()).tools]
            uris = [each.uri for each in (await made.list_resources()).resources]
            templates = (await made.list_resource_templates()).resource_templates
            prompts = [prompt.name for prompt in (await made.list_prompts()).prompts]
            return tools, [*uris, *(each.uri_template for each in templates), *prompts]

    return loops.run(run)


def test_the_configurations_connect(asgi_site: Site, owner: User) -> None:
    file, server = CONFIGURATIONS
    [personal] = file["mcpServers"].values()
    tools, named = connect(asgi_site, personal, key(owner))
    assert re.findall(r"^\| `(\w+)` \|", SECTION, re.MULTILINE) == tools
    assert all(f"`{name}`" in SECTION for name in named)
    made, _frontend = application(owner)
    assert connect(asgi_site, server, key(owner, application=made)) == (tools, named)
    assert EndUser.objects.get().external_id == server["headers"][USER_HEADER]


def test_the_scopes_and_versions_are_the_servers() -> None:
    for name, scopes in re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", SECTION, re.MULTILINE):
        assert [*re.findall(r"`([a-z:]+)`", scopes)][: len(TOOLS[name].scopes)] == [
            *TOOLS[name].scopes
        ]
    assert f"{KNOWN_PROTOCOL_VERSIONS[0]} to {KNOWN_PROTOCOL_VERSIONS[-1]}" in SECTION
