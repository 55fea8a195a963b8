"""The four tools, and how a call of one becomes a result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent, ToolAnnotations
from mcp_types import Tool as Listing
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from memoryapp.api.mcp import forgetting, reading, remembering, schemas
from memoryapp.api.mcp.caller import Call
from memoryapp.api.mcp.errors import checked, tool_failed

# A call's result as data and as text.
Run = Callable[[Call, Any], Awaitable[tuple[BaseModel, str]]]


@cache
def _schema(model: type[BaseModel], mode: JsonSchemaMode) -> dict[str, Any]:
    """Made once: it takes longer than all else that a list of tools needs."""
    return model.model_json_schema(mode=mode)


@dataclass(frozen=True, slots=True)
class Tool:
    """``scopes`` are what the key needs for it at least."""

    name: str
    title: Promise
    description: str
    takes: type[BaseModel]
    gives: type[BaseModel]
    run: Run
    scopes: Sequence[str]
    reads: bool = False
    destroys: bool = False

    def listing(self) -> Listing:
        return Listing(
            name=self.name,
            title=str(self.title),
            description=self.description,
            input_schema=_schema(self.takes, "validation"),
            output_schema=_schema(self.gives, "serialization"),
            annotations=ToolAnnotations(
                title=str(self.title),
                read_only_hint=self.reads,
                destructive_hint=self.destroys,
                # Said twice, a statement counts twice; words may name another memory then.
                idempotent_hint=self.reads,
                open_world_hint=False,
            ),
        )


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            name="remember",
            title=gettext_lazy("Remember what I said"),
            description=(
                "Remember something lasting that the user said about themselves: who they are, "
                "what they like or avoid, decided or plan, people and projects of theirs, or a "
                "change of one of these. Pass their own words, verbatim: a memory needs them as "
                "its proof. Not for passing moods, questions, or what others wrote. It answers "
                "what was learned, or “pending” when that takes longer."
            ),
            takes=schemas.RememberIn,
            gives=schemas.RememberOut,
            run=remembering.remember,
            scopes=remembering.SCOPES,
        ),
        Tool(
            name="recall",
            title=gettext_lazy("Look up what you know about me"),
            description=(
                "Look up what is remembered about the user that matters for a question or a "
                "task. Call it before you answer anything that depends on who they are or on "
                "what they said before. The memories come with the user's own words as proof "
                "and with what they replaced; passages of past messages may come beside them. "
                "When nothing relevant is known, “abstained” is true: say that you don't have "
                "it, and don't guess."
            ),
            takes=schemas.RecallIn,
            gives=schemas.RecallOut,
            run=reading.recall,
            scopes=reading.RECALL,
            reads=True,
        ),
        Tool(
            name="list_memories",
            title=gettext_lazy("Show what you remember about me"),
            description=(
                "List what is remembered about the user, the newest first, page by page. Use it "
                "when they ask to see everything or to tidy up; for a question use recall."
            ),
            takes=schemas.ListIn,
            gives=schemas.ListOut,
            run=reading.list_memories,
            scopes=reading.LIST,
            reads=True,
        ),
        Tool(
            name="forget",
            title=gettext_lazy("Forget something for good"),
            description=(
                "Erase a memory for good, with its past and its proof. Only when the user asks "
                "for it. By id, or by words: what they name exactly and alone is erased; "
                "otherwise nothing is, and the candidates come back for the user to choose. "
                "When something merely changed, use remember instead: the past is kept then."
            ),
            takes=schemas.ForgetIn,
            gives=schemas.ForgetOut,
            run=forgetting.forget,
            scopes=forgetting.BY_ID,
            destroys=True,
        ),
    )
}


def listings(call: Call) -> list[Listing]:
    """The tools that the caller's key is good for."""
    return [tool.listing() for tool in TOOLS.values() if call.allows(*tool.scopes)]


async def run(call: Call, name: str, arguments: dict[str, Any] | None) -> CallToolResult:
    """The tool's result, a failure included. Raises MCPError when there is no such tool."""
    tool = TOOLS.get(name)
    if tool is None:
        raise MCPError(
            code=INVALID_PARAMS,
            message=_("There is no such tool. Use one of: %(names)s.")
            % {"names": ", ".join(TOOLS)},
        )
    try:
        data, text = await tool.run(call, checked(tool.takes, arguments))
    except Exception as error:
        # Everything: the SDK would log the exception with its text.
        return tool_failed(error)
    return CallToolResult(
        content=[TextContent(text=text)], structured_content=data.model_dump(mode="json")
    )
