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
from memoryapp.api import problems
from memoryapp.api.problems import Problem
from memoryapp.api.schemas import ProblemOut

MOST_BYTES = 1024 * 1024
# Addresses that take a file as their body.
UPLOADS = frozenset({"upload_import"})
View = Callable[..., HttpResponseBase]


class Site(NinjaAPI):
    """An API whose every answer is JSON, unknown addresses and wrong methods included."""

    def _get_urls(self) -> list[Any]:
        patterns = super()._get_urls()
        for pattern in patterns:
            if isinstance(pattern, URLPattern):
                pattern.callback = _framed(pattern.callback, upload=pattern.name in UPLOADS)
        return [*patterns, re_path(r"^.*$", _framed(_unknown), name="unknown")]

    def get_openapi_schema(self, **arguments: Any) -> OpenAPISchema:
        schema = super().get_openapi_schema(**arguments)
        for path in schema["paths"].values():
            for operation in path.values():
                for status, response in operation["responses"].items():
                    if int(status) >= HTTPStatus.BAD_REQUEST:
                        [content] = response["content"].values()
                        response["content"] = {problems.CONTENT_TYPE: content}
        return schema


def answers(status: int, model: Any, *more: int) -> dict[int, Any]:
    """The answers that an operation documents: its own, the failures that every operation
    has, and ``more`` of them."""
    return {status: model, **dict.fromkeys(sorted({401, 403, 422, *more}), ProblemOut)}


def _framed(view: View, *, upload: bool = False) -> View:
    @wraps(view)
    def framed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            _check_body(request, upload=upload)
            response = view(request, *args, **kwargs)
        except (Problem, Http404) as error:
            return problems.answer(problems.problem_of(error))
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = response["Allow"]
            return problems.answer(
                Problem(
                    "method-not-allowed",
                    _("Use one of: %(methods)s.") % {"methods": allowed},
                    headers={"Allow": allowed},
                )
            )
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
