"""Taking back what was just learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import Router

from memoryapp import pipeline, store
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.once import IdempotencyKeyHeader, Keep, Kept, once
from memoryapp.api.problems import Problem
from memoryapp.api.schemas import SettleIn, TakenBackOut
from memoryapp.api.site import answers

router = Router(auth=BearerKey("facts:write"))
UNDONE = answers(200, TakenBackOut, 400, 404, 409, 411, 413, 415)

WHY: Mapping[str, Promise] = {
    "nothing": gettext_lazy("Nothing was learned there."),
    "by_hand": gettext_lazy("The user did this by hand: change it back with PATCH /facts."),
    "erased": gettext_lazy("What was learned there is erased already."),
    "undone": gettext_lazy("It was taken back before."),
    "kept": gettext_lazy("The user has decided on it since, in the review or by a change."),
    "weighed": gettext_lazy("The user has pinned it or said how much it counts."),
    "said_again": gettext_lazy("The user has said it again, in other words too."),
    "changed": gettext_lazy("Something later was said under the same key."),
    "built_on": gettext_lazy("Other memories were made from it."),
}


@router.post(
    "/extractions/{uuid:extraction_id}/undo",
    response=UNDONE,
    operation_id="undoExtraction",
    summary="Take back what one reading learned",
)
def undo_extraction(
    request: HttpRequest,
    response: HttpResponse,
    extraction_id: UUID,
    body: SettleIn,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """`extraction` is in the events of what it learned. What it added is refused, and what
    that had replaced holds again. 409 once something later rests on it; `errors` says what."""
    who = party(request, body.user)
    object = f"extraction:{extraction_id}"
    return _undo(request, response, who, idempotency_key, object, extraction_id=extraction_id)


@router.post(
    "/decisions/{uuid:decision_id}/undo",
    response=UNDONE,
    operation_id="undoDecision",
    summary="Take back one thing that was learned",
)
def undo_decision(
    request: HttpRequest,
    response: HttpResponse,
    decision_id: UUID,
    body: SettleIn,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """As for a whole reading, of one of its `decisions` alone."""
    who = party(request, body.user)
    object = f"decision:{decision_id}"
    return _undo(request, response, who, idempotency_key, object, decision_id=decision_id)


def _undo(
    request: HttpRequest,
    response: HttpResponse,
    who: Party,
    key: str | None,
    object: str,
    **which: UUID,
) -> Kept:
    def work(keep: Keep) -> Kept:
        done = pipeline.undo(
            user_id=who.user_id, by=who.by, inside=lambda undone: keep(_kept(undone)), **which
        )
        return _kept(done)

    try:
        return once(request, response, who, key, work, status=200)
    except store.NotFound:
        raise who.not_found(object) from None
    except store.NotUndoable as error:
        detail = str(WHY[error.code])
        what = object.partition(":")[0]
        hint = _("Change or erase the facts themselves instead.")
        raise Problem(
            "conflict",
            detail,
            errors=[{"field": what, "code": error.code, "detail": detail, "hint": hint}],
        ) from None


def _kept(undone: store.Undone) -> Kept:
    return {
        "undone": [str(id) for id in undone.undone],
        "restored": [str(id) for id in undone.restored],
    }
