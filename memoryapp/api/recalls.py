"""A question to the facts that matter, as data or as a block for a prompt."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from memoryapp import pipeline
from memoryapp.api.auth import BearerKey, party
from memoryapp.api.schemas import ContextIn, ContextOut, RecallIn, RecallOut
from memoryapp.api.site import answers
from memoryapp.records import RecallOptions

router = Router()


def _options(body: RecallIn | ContextIn) -> RecallOptions:
    return RecallOptions(
        k=body.k,
        as_of=body.as_of,
        known_at=body.known_at,
        kinds=tuple(body.kinds),
        scopes=None if body.scopes is None else tuple(body.scopes),
        subjects=tuple(body.subjects),
        time_weight=body.time_weight,
        half_life_days=body.half_life_days,
        floor=body.floor,
        token_budget=body.token_budget,
        attributes=tuple(body.attributes),
        since=body.since,
        until=body.until,
        excerpts=body.excerpts,
        depth=body.depth,
    )


@router.post(
    "/recall",
    auth=BearerKey("recall:read"),
    response=answers(200, RecallOut, 400, 411, 413, 415),
    operation_id="recall",
    summary="The facts that matter for a question",
)
def recall(request: HttpRequest, response: HttpResponse, body: RecallIn) -> Any:
    """Current facts, best first, each with its score explained, the user's own words as proof,
    what it replaced and what hangs together with it. Beside them passages of past messages,
    the user's and the assistant's, for what was said but is no fact about the user.
    `abstained` when nothing relevant is known. A time that the query names ("last spring",
    "before I moved") brings up what held then. The header Server-Timing says how long the
    parts took."""
    who = party(request, body.user)
    result = pipeline.recall(
        user_id=who.user_id, query=body.query, options=_options(body), by=who.by
    )
    response["Server-Timing"] = ", ".join(
        f"{name};dur={milliseconds:.2f}" for name, milliseconds in result.milliseconds.items()
    )
    return RecallOut.model_validate(result)


@router.post(
    "/context",
    auth=BearerKey("recall:read"),
    response=answers(200, ContextOut, 400, 411, 413, 415),
    operation_id="context",
    summary="The same as a block for a system prompt",
)
def context(request: HttpRequest, body: ContextIn) -> Any:
    """The facts and passages as a fenced block with the rules for using them, and its
    citations, never over the token budget. Blocks of this kind are recognised in messages and
    never learned from."""
    who = party(request, body.user)
    grounding = pipeline.context(
        user_id=who.user_id, query=body.query, options=_options(body), by=who.by
    )
    return ContextOut.model_validate(grounding)
