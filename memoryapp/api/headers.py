"""Headers that any operation may speak: entity tags with their conditions, and rate limits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from http import HTTPStatus
from typing import Annotated

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from ninja import Header

from memoryapp.api.auth import standings
from memoryapp.api.problems import Problem
from memoryapp.limits import SECONDS, Standing

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="The `ETag` of what you have seen; `*` for whatever it is by now. Without "
        "it the answer is 428, and 412 when it has changed since.",
    ),
]
IfNoneMatch = Annotated[
    str | None,
    Header(
        alias="If-None-Match",
        description="The `ETag` that you have: the answer is 304, without a body, while it "
        "still holds.",
    ),
]


def etag(version: str) -> str:
    return f'"{version}"'


def expected(if_match: str | None) -> Collection[str] | None:
    """The versions that the caller would change, without their quotes; None for any. Raises
    Problem when the header is missing. Weak tags never match (RFC 9110, 13.1.1)."""
    if if_match is None:
        raise Problem(
            "precondition-required",
            _(
                "Send the header If-Match with the ETag of what you have seen, so that nobody's "
                "change is lost; or “*” if any version will do."
            ),
        )
    if if_match.strip() == "*":
        return None
    return [tag.strip('"') for tag in parse_etags(if_match) if not tag.startswith("W/")]


def stale() -> Problem:
    return Problem(
        "precondition-failed",
        _("Read it again, look at what has changed, and send the ETag that you got."),
    )


def unchanged(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether the caller has this very answer already."""
    return (
        request.method == "GET"
        and response.status_code == HTTPStatus.OK
        and "ETag" in response.headers
        and bool(
            {"*", response.headers["ETag"]}
            # Weakly compared here (RFC 9110, 13.1.2): proxies that compress weaken a tag.
            & {
                tag.removeprefix("W/")
                for tag in parse_etags(request.headers.get("If-None-Match", ""))
            }
        )
    )


def tell_limits(request: HttpRequest, response: HttpResponseBase) -> None:
    """``RateLimit-Policy`` and ``RateLimit`` (draft-ietf-httpapi-ratelimit-headers, 10 and
    11): for each limit how many requests a window of so many seconds has, how many are left,
    and in how many seconds all are there again."""
    found: Sequence[Standing] = standings(request)
    if found:
        response.headers["RateLimit-Policy"] = ", ".join(
            f'"{one.name}";q={one.limit};w={SECONDS}' for one in found
        )
        response.headers["RateLimit"] = ", ".join(
            f'"{one.name}";r={one.left};t={one.full_in}' for one in found
        )
