"""The one shape of every answer that isn't a success: ``application/problem+json``
(RFC 9457), with ``errors`` that name the field, what is wrong and the cure."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from memoryapp import uploads
from memoryapp.ports import ProviderError

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
# code -> (status, title). The code ends the problem's type, which clients may compare.
PROBLEMS: Mapping[str, tuple[int, Any]] = {
    "malformed": (400, gettext_lazy("The request can't be read")),
    "unauthenticated": (401, gettext_lazy("A valid API key is needed")),
    "forbidden": (403, gettext_lazy("This key may not do that")),
    "denied-by-user": (403, gettext_lazy("The user hasn't allowed this")),
    "not-found": (404, gettext_lazy("There is no such thing here")),
    "method-not-allowed": (405, gettext_lazy("This address doesn't take that method")),
    "conflict": (409, gettext_lazy("It changed meanwhile")),
    "length-required": (411, gettext_lazy("The request's length is needed")),
    "precondition-failed": (412, gettext_lazy("It isn't as you saw it any more")),
    "too-large": (413, gettext_lazy("The request is too large")),
    "media-type": (415, gettext_lazy("The request must be JSON")),
    "invalid": (422, gettext_lazy("Some fields need a correction")),
    "key-reused": (422, gettext_lazy("The idempotency key was used for another request")),
    "precondition-required": (428, gettext_lazy("Say which version you have seen")),
    "too-many-requests": (429, gettext_lazy("Too many requests")),
    "internal": (500, gettext_lazy("Something went wrong on our side")),
    "unavailable": (503, gettext_lazy("The service can't answer just now")),
}


class Problem(Exception):
    """Raised anywhere in the API; becomes the answer. ``detail`` never holds content."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        errors: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.errors = errors
        self.headers = headers or {}


def field_problem(field: str, code: str, detail: str, hint: str) -> Problem:
    """One field is wrong, in a way that only shows beyond the schema."""
    error = {"field": field, "code": code, "detail": detail, "hint": hint}
    return Problem("invalid", detail, errors=[error])


def answer(problem: Problem) -> HttpResponse:
    status, title = PROBLEMS[problem.code]
    body: dict[str, Any] = {
        "type": f"urn:memoryapp:problem:{problem.code}",
        "title": str(title),
        "status": status,
        "detail": problem.detail,
    }
    if problem.errors:
        body["errors"] = list(problem.errors)
    return HttpResponse(
        json.dumps(body),
        status=status,
        content_type=CONTENT_TYPE,
        headers={"Cache-Control": "no-store", **problem.headers},
    )


def _from_validation(error: ValidationError) -> Problem:
    errors = [_field_error(item) for item in error.errors]
    return Problem(
        "invalid",
        _("Correct the fields named in “errors” and send the request again."),
        errors=errors,
    )


def _field_error(item: Mapping[str, Any]) -> dict[str, str]:
    kind, context = str(item["type"]), item.get("ctx") or {}
    return {
        "field": _field(item["loc"]),
        "code": kind,
        "detail": _("This field is missing.") if kind == "missing" else str(item["msg"]),
        "hint": str(context.get("hint") or _hint(kind, context)),
    }


def _field(location: Sequence[str | int]) -> str:
    # ninja puts the source first, and for a body the name of the function's parameter.
    source, *path = location
    if source == "body":
        path = path[1:]
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or str(source)


def _hint(kind: str, context: Mapping[str, Any]) -> str:
    match kind:
        case "missing":
            return _("Add it to the request.")
        case "extra_forbidden":
            return _("Remove it, or check its spelling against /api/v1/openapi.json.")
        case "string_too_long":
            return _("Send at most %(most)s characters.") % {"most": context["max_length"]}
        case "too_long":
            return _("Send at most %(most)s in one request.") % {"most": context["max_length"]}
        case "too_short" | "string_too_short":
            return _("It may not be empty.")
        case "literal_error":
            return _("Use one of %(allowed)s.") % {"allowed": context["expected"]}
        case "model_attributes_type" | "model_type" | "dict_type":
            return _("Send a JSON object.")
        case "list_type":
            return _("Send a JSON list.")
    return _("The API's description is at /api/v1/openapi.json.")


def _from_http_error(error: HttpError) -> Problem:
    if isinstance(error, AuthenticationError):
        return Problem(
            "unauthenticated",
            _("Send the header “Authorization: Bearer mem_…” with a key that is in use."),
            headers={"WWW-Authenticate": 'Bearer realm="memoryapp"'},
        )
    if isinstance(error.__cause__, Problem):
        return error.__cause__  # raised by our parser, and wrapped by ninja
    return Problem("malformed", _("The body must be valid JSON in UTF-8."))


def _from_anything(error: Exception) -> Problem:
    if isinstance(error, OperationalError | InterfaceError | ProviderError):
        logger.error("the API couldn't answer: %s", type(error).__name__)
        return Problem(
            "unavailable", _("Try again in a few seconds."), headers={"Retry-After": "5"}
        )
    # Where it happened, without the exception's text: that may quote what people wrote.
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger.error("the API failed: %s\n%s", type(error).__name__, frames)
    return Problem("internal", _("It has been noted. Try again later."))


def problem_of(error: Exception) -> Problem:
    """What an exception says to the caller."""
    match error:
        case Problem():
            return error
        case ValidationError():
            return _from_validation(error)
        case HttpError():
            return _from_http_error(error)
        case RequestDataTooBig():
            return too_large()
        case Http404():
            return not_found()
    return _from_anything(error)


def too_large() -> Problem:
    return Problem(
        "too-large",
        _("A request has at most 1 MiB. Send the messages in several requests."),
        # The rest of the body isn't read.
        headers={"Connection": "close"},
    )


def upload_too_large() -> Problem:
    return Problem(
        "too-large",
        _("A file has at most %(most)s MB. Nothing of it was kept.")
        % {"most": uploads.most_bytes() // uploads.MIB},
        headers={"Connection": "close"},
    )


def not_found() -> Problem:
    return Problem(
        "not-found", _("Check the address and the id: it isn't there, or not this user's.")
    )


def register(api: NinjaAPI) -> None:
    """Make every exception raised in an operation such an answer."""

    def handle(request: HttpRequest, error: Exception) -> HttpResponse:
        return answer(problem_of(error))

    for kind in (Exception, Problem, ValidationError, HttpError, Http404):
        api.add_exception_handler(kind, handle)  # type: ignore[arg-type]
