"""The SDK's server with our handlers."""

from __future__ import annotations

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from memoryapp.api.mcp import prompts, resources, tools
from memoryapp.api.mcp.caller import SCOPE_KEY, Call

Context = ServerRequestContext[Any, Any]
Paged = PaginatedRequestParams | None


def _call(context: Context) -> Call:
    async def progress(done: float, of: float, word: str) -> None:
        await context.session.report_progress(done, of, word)

    # Each message comes by HTTP, so there is a request.
    return Call(context.request.scope[SCOPE_KEY], progress)  # type: ignore[union-attr]


async def _list_tools(context: Context, params: Paged) -> ListToolsResult:
    return ListToolsResult(tools=tools.listings(_call(context)))


async def _call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
    return await tools.run(_call(context), params.name, params.arguments)


async def _list_resources(context: Context, params: Paged) -> ListResourcesResult:
    return ListResourcesResult(resources=resources.listings())


async def _list_templates(context: Context, params: Paged) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=resources.templates())


async def _read_resource(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    return await resources.read(_call(context), str(params.uri))


async def _list_prompts(context: Context, params: Paged) -> ListPromptsResult:
    return ListPromptsResult(prompts=prompts.listings())


async def _get_prompt(context: Context, params: GetPromptRequestParams) -> GetPromptResult:
    return await prompts.get(_call(context), params.name, params.arguments)


def build(version: str) -> Server[Any]:
    server: Server[Any] = Server(
        "memoryapp",
        title="memoryapp",
        version=version,
        instructions=prompts.HOW,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )
    # The SDK's only one traces each message, its failures' texts with it.
    server.middleware.clear()
    return server
