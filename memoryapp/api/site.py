"""The API's frame: what holds for every address of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, re_path
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from memoryapp import uploads
from memoryapp.api import headers, once, problems
from memoryapp.api.auth import BearerKey
from memoryapp.api.problems import Problem
from memoryapp.api.schemas import ProblemOut

MOST_BYTES = 1024 * 1024
# Addresses that take a file as their body.
UPLOADS = frozenset({"upload_import"})
# What a 304 says of the answer that the caller has.
UNCHANGED = ("ETag", "RateLimit-Policy", "RateLimit")
View = Callable[..., HttpResponseBase]


class Site(NinjaAPI):
    """An API whose every answer is JSON, unknown addresses and wrong methods included."""

    def _get_urls(self) -> list[Any]:
        patterns = super()._get_urls()
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                pattern.callback = _framed(pattern.callback, upload=pattern.name in UPLOADS)
        return [*patterns, re_path(r"^", _framed(_unknown), name="unknown")]

    def get_openapi_schema(self, **arguments: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**arguments)
        scopes = self._scopes()
        for path in schema["paths"].values():
            for operation in path.values():
                # OpenAPI 3.1 takes the roles that a bearer needs here.
                for parameter in operation["parameters"]:
                    _describe(parameter)
                operation["security"] = [{"BearerKey": list(scopes[operation["operationId"]])}]
                for status, response in operation["responses"].items():
                    if int(status) >= HTTPStatus.BAD_REQUEST:
                        [content] = response["content"].values()
                        response["content"] = {problems.CONTENT_TYPE: content}
                    response["headers"] = {
                        name: {"$ref": f"#/components/headers/{name}"}
                        for name in _headers(int(status), operation)
                    }
        schema["components"]["headers"] = HEADERS
        return schema

    def _scopes(self) -> dict[str, tuple[str, ...]]:
        """The scopes that each operation asks a key for."""
        return {
            operation.operation_id or "": auth.scopes
            for bound in self._get_bound_routers()
            for view in bound.path_operations.values()
            for operation in view.operations
            for auth in operation.auth_callbacks
            if isinstance(auth, BearerKey)
        }


HEADERS: dict[str, Any] = {
    "RateLimit-Policy": {
        "description": "The limits: `q` requests in `w` seconds, by key and by user.",
        "schema": {"type": "string", "examples": ['"key";q=6000;w=60, "user";q=1200;w=60']},
    },
    "RateLimit": {
        "description": "How many requests are left (`r`), and in how many seconds all are "
        "there again (`t`).",
        "schema": {"type": "string", "examples": ['"key";r=5998;t=1, "user";r=1199;t=1']},
    },
    "Retry-After": {
        "description": "In how many seconds to ask again.",
        "schema": {"type": "string", "examples": ["2"]},
    },
    "ETag": {
        "description": "The version, for If-Match and If-None-Match.",
        "schema": {"type": "string", "examples": ['"7351"']},
    },
    "Idempotency-Replayed": {
        "description": "`true` when this is the answer to an earlier request with the key.",
        "schema": {"type": "string", "examples": ["true"]},
    },
}


def _describe(parameter: dict[str, Any]) -> None:
    """What the models can't say: a parameter is left out, never null; and what is refused in
    words of our own: an edit without If-Match, an Idempotency-Key that is none."""
    schema = parameter["schema"]
    if "anyOf" in schema:
        kinds = [kind for kind in schema.pop("anyOf") if kind != {"type": "null"}]
        parameter["schema"] = schema = {**schema, **kinds[0]} if len(kinds) == 1 else schema
    if schema.get("default", "") is None:
        del schema["default"]
    if parameter["name"] == "If-Match":
        parameter["required"] = True
    if parameter["name"] == "Idempotency-Key":
        schema |= {"minLength": 1, "maxLength": once.KEY_LENGTH, "pattern": once.KEY.pattern}


def _headers(status: int, operation: dict[str, Any]) -> list[str]:
    """The headers that an operation's answer of this status may have."""
    asked = {each["name"] for each in operation["parameters"]}
    names = [] if status == HTTPStatus.UNAUTHORIZED else ["RateLimit-Policy", "RateLimit"]
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        names.append("Retry-After")
    if status < HTTPStatus.BAD_REQUEST:
        names += ["ETag"] if "If-None-Match" in asked else []
        names += ["Idempotency-Replayed"] if "Idempotency-Key" in asked else []
    return names


def answers(status: int, model: Any, *more: int) -> dict[int, Any]:
    """The answers that an operation documents: its own, the failures that every operation
    has, and ``more`` of them."""
    return {status: model, **dict.fromkeys(sorted({401, 403, 422, 429, *more}), ProblemOut)}


def _framed(view: View, *, upload: bool = False) -> View:
    @wraps(view)
    def framed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            _check_body(request, upload=upload)
            response = view(request, *args, **kwargs)
        except (Problem, Http404) as error:
            return problems.answer(problems.problem_of(error))
        headers.tell_limits(request, response)
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = response["Allow"]
            return problems.answer(
                Problem(
                    "method-not-allowed",
                    _("Use one of: %(methods)s.") % {"methods": allowed},
                    headers={"Allow": allowed},
                )
            )
        if headers.unchanged(request, response):
            told = {name: response.headers[name] for name in UNCHANGED if name in response.headers}
            response = HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers=told)
        # Answers are about a person: no cache between us and the caller keeps them.
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    framed.csrf_exempt = True  # type: ignore[attr-defined]  # a key in a header, no cookies
    return framed


def _check_body(request: HttpRequest, *, upload: bool) -> None:
    """Raises Problem for a body that will not be read: before any of it is."""
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        return
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        raise Problem(
            "length-required",
            _("Send the body with the header Content-Length, not in chunks."),
        )
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if upload:
        if length > uploads.most_bytes():
            raise problems.upload_too_large()
        return
    if length > MOST_BYTES:
        raise problems.too_large()
    if length and request.content_type != "application/json":
        raise Problem("media-type", _("Send the header “Content-Type: application/json”."))


def _unknown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    raise Http404
