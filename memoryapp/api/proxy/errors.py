"""What isn't a success, in OpenAI's form: ``{"error": {message, type, param, code}}``."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext as _
from ninja.errors import AuthenticationError

from memoryapp.api import problems
from memoryapp.ports import ProviderError

# The API's problems under the names that clients of this protocol know.
_TYPES: Mapping[int, tuple[str, str | None]] = {
    HTTPStatus.UNAUTHORIZED: ("invalid_request_error", "invalid_api_key"),
    HTTPStatus.FORBIDDEN: ("permission_error", None),
    HTTPStatus.TOO_MANY_REQUESTS: ("requests", "rate_limit_exceeded"),
}


class Refused(Exception):
    """Becomes the answer. ``message`` never holds content."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        type: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status)
        self.status = status
        self.body: dict[str, Any] = {
            "error": {"message": message, "type": type, "param": param, "code": code}
        }
        self.headers = headers or {}


def invalid(param: str | None, message: str, code: str | None = None) -> Refused:
    return Refused(HTTPStatus.BAD_REQUEST, message, param=param, code=code)


def refusal_of(error: Exception) -> Refused:
    """What an exception says to the caller."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, ProviderError):
        return of_server(error)
    problem = problems.problem_of(error)
    status, _title = problems.PROBLEMS[problem.code]
    message, param = problem.detail, None
    if problem.errors:
        [first, *_more] = problem.errors
        message, param = f"{first['detail']} {first['hint']}", first["field"]
    if status == HTTPStatus.UNPROCESSABLE_ENTITY:
        status = HTTPStatus.BAD_REQUEST
    server = ("server_error", None) if status >= HTTPStatus.INTERNAL_SERVER_ERROR else None
    kind, code = server or _TYPES.get(status, ("invalid_request_error", None))
    return Refused(
        status,
        message,
        type=kind,
        code=code or problem.code.replace("-", "_"),
        param=param,
        headers=problem.headers,
    )


def unauthenticated() -> Refused:
    return refusal_of(AuthenticationError())


def of_server(error: ProviderError) -> Refused:
    """The model server gave no answer."""
    if error.code == "timeout":
        return Refused(
            HTTPStatus.GATEWAY_TIMEOUT,
            _("The model server behind this address has been silent for too long."),
            type="server_error",
            code="upstream_timeout",
        )
    if error.code == "unauthorised":
        return Refused(
            HTTPStatus.BAD_GATEWAY,
            _(
                "The model server behind this address refuses our key. It isn't yours that is "
                "wrong: whoever runs this server sets OPENAI_API_KEY."
            ),
            type="server_error",
            code="upstream_unauthorised",
        )
    if error.code == "malformed":
        return Refused(
            HTTPStatus.BAD_GATEWAY,
            _("The model server behind this address answered with something else than JSON."),
            type="server_error",
            code="upstream_malformed",
        )
    return Refused(
        HTTPStatus.BAD_GATEWAY,
        _("The model server behind this address can't be reached."),
        type="server_error",
        code="upstream_unavailable",
    )
