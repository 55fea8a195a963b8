"""What isn't a success, in the protocol's three ways: a tool's error that the model reads, a
JSON-RPC error, and an HTTP answer before there is a message to answer. Each carries the
API's problem, which names the cure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext as _
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    CallToolResult,
    TextContent,
)
from pydantic import BaseModel, ValidationError

from memoryapp.api import problems
from memoryapp.api.problems import Problem

# Where a failed tool's result has the problem as data.
PROBLEM = "memoryapp/problem"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP answer that isn't a success. ``problem`` is RFC 9457's object."""

    status: int
    problem: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        """A JSON-RPC error: clients show its message, where of another body they show
        nothing but the status."""
        error = {"code": INVALID_REQUEST, "message": said(self.problem), "data": self.problem}
        if self.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            error["code"] = INTERNAL_ERROR
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


class Refused(Exception):
    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal


def refuse(status: int, code: str, title: str, detail: str) -> Refused:
    """A refusal that only this address knows."""
    problem = {
        "type": f"urn:memoryapp:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
    }
    return Refused(Refusal(status, problem))


def refusal_of(error: Exception) -> Refusal:
    """What an exception says over HTTP."""
    if isinstance(error, Refused):
        return error.refusal
    response = problems.answer(problems.problem_of(error))
    return Refusal(
        response.status_code,
        json.loads(response.content),
        {name: value for name, value in response.items() if name != "Content-Type"},
    )


def said(problem: Mapping[str, Any]) -> str:
    """The problem in sentences: what is wrong, where, and the cure."""
    lines = [f"{problem['title']}. {problem['detail']}"]
    lines += [f"- {e['field']}: {e['detail']} {e['hint']}" for e in problem.get("errors", ())]
    return "\n".join(lines)


def tool_failed(error: Exception) -> CallToolResult:
    """A tool's error as the model reads it, so that it can do better or tell the user."""
    problem = refusal_of(error).problem
    return CallToolResult(
        content=[TextContent(text=said(problem))], is_error=True, _meta={PROBLEM: problem}
    )


def protocol_error(error: Exception) -> MCPError:
    """A JSON-RPC error: for resources and prompts, whose results can't be errors."""
    if isinstance(error, MCPError):
        return error
    problem = refusal_of(error).problem
    code = {
        HTTPStatus.NOT_FOUND: INVALID_PARAMS,
        HTTPStatus.UNPROCESSABLE_ENTITY: INVALID_PARAMS,
    }.get(problem["status"], INVALID_REQUEST)
    if problem["status"] >= HTTPStatus.INTERNAL_SERVER_ERROR:
        code = INTERNAL_ERROR
    return MCPError(code=code, message=said(problem), data=problem)


def checked(model: type[BaseModel], arguments: Mapping[str, Any] | None) -> Any:
    """The arguments as ``model``. Raises Problem that names each wrong one and its cure,
    without the value that was sent."""
    try:
        return model.model_validate(dict(arguments or {}))
    except ValidationError as error:
        # Outside of the handler: the exception holds what was sent.
        found = [_field_error(item) for item in error.errors(include_input=False)]
    raise Problem("invalid", _("Correct these arguments and call it again."), errors=found)


def _field_error(item: Mapping[str, Any]) -> dict[str, str]:
    kind, context = str(item["type"]), item.get("ctx") or {}
    hints = {
        "missing": _("Add it."),
        "extra_forbidden": _("Remove it, or check its spelling in the input schema."),
    }
    return {
        "field": ".".join(map(str, item["loc"])) or "arguments",
        "code": kind,
        "detail": f"{item['msg']}".rstrip(".") + ".",
        "hint": str(context.get("hint") or hints.get(kind) or _("See the input schema.")),
    }
