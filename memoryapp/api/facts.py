"""What is remembered: read, correct, erase."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router

from memoryapp import audit, pipeline, store
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.problems import Problem, field_problem
from memoryapp.api.schemas import (
    EraseQuery,
    FactChange,
    FactOut,
    FactsOut,
    FactsQuery,
    ReceiptOut,
    UserQuery,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import Fact
from memoryapp.recall import FACT_FIELDS

router = Router()


@router.get(
    "/facts",
    auth=BearerKey("facts:read"),
    response=answers(200, FactsOut),
    operation_id="listFacts",
    summary="What is remembered",
)
def list_facts(request: HttpRequest, query: Query[FactsQuery]) -> Any:
    """The newest first, current ones unless `status` says otherwise, page by page: ask again
    with `cursor` until `next_cursor` is null."""
    who = party(request, query.user)
    given = {
        "status": None if query.status == "all" else query.status,
        "attribute": query.attribute,
        "kind": query.kind,
        "subject": query.subject,
        "scope": query.scope,
        "id__lt": None if query.cursor is None else _after(query.cursor),
    }
    with acting_for(who.user_id):
        # Ids are in the order of time, and the primary key's own order.
        rows = list(
            Fact.objects.filter(
                user_id=who.user_id,
                operation="state",
                **{name: value for name, value in given.items() if value is not None},
            ).order_by("-id")[: query.limit + 1]
        )
        page = rows[: query.limit]
        _note_reading(who, "facts", {"count": len(page)})
    return {
        "items": [_fact(row) for row in page],
        "next_cursor": _cursor(page[-1].id) if len(rows) > len(page) else None,
    }


@router.get(
    "/facts/{uuid:fact_id}",
    auth=BearerKey("facts:read"),
    response=answers(200, FactOut, 404),
    operation_id="getFact",
    summary="One fact",
)
def get_fact(request: HttpRequest, fact_id: UUID, query: Query[UserQuery]) -> Any:
    return _read(party(request, query.user), fact_id)


@router.patch(
    "/facts/{uuid:fact_id}",
    auth=BearerKey("facts:write"),
    response=answers(200, FactOut, 400, 404, 409, 411, 413, 415),
    operation_id="changeFact",
    summary="Correct a fact",
)
def change_fact(request: HttpRequest, fact_id: UUID, body: FactChange) -> Any:
    """Replaces the value and keeps the old one as history. Answers with the fact that is
    current now, which may have another id."""
    who = party(request, body.user)
    try:
        current = pipeline.edit_fact(
            user_id=who.user_id,
            fact_id=fact_id,
            value=body.value,
            supersession=body.supersession,
            by=who.by,
        )
    except store.NotFound:
        raise who.not_found(f"fact:{fact_id}") from None
    except store.Conflict:
        raise Problem(
            "conflict", _("The fact is no longer current. Read it again, then decide.")
        ) from None
    return _read(who, current)


@router.delete(
    "/facts/{uuid:fact_id}",
    auth=BearerKey("facts:write"),
    response=answers(200, ReceiptOut, 404),
    operation_id="eraseFact",
    summary="Erase a fact",
)
def erase_fact(request: HttpRequest, fact_id: UUID, query: Query[EraseQuery]) -> Any:
    """Erases the fact for good, with its proof, its vectors and all that was derived from it.
    The receipt holds ids and counts, never content."""
    who = party(request, query.user)
    try:
        receipt = pipeline.erase_facts(
            user_id=who.user_id,
            fact_ids=[fact_id],
            by=who.by,
            restore_previous=query.restore_previous,
        )
    except store.NotFound:
        raise who.not_found(f"fact:{fact_id}") from None
    return ReceiptOut.model_validate(receipt)


def _read(who: Party, fact_id: UUID) -> dict[str, Any]:
    with acting_for(who.user_id):
        row = Fact.objects.filter(user_id=who.user_id, id=fact_id, operation="state").first()
        if row is not None:
            _note_reading(who, f"fact:{fact_id}", {})
    if row is None:
        raise who.not_found(f"fact:{fact_id}")
    return _fact(row)


def _note_reading(who: Party, object: str, details: dict[str, Any]) -> None:
    """Others' reading is in the user's log; their own isn't."""
    if who.by.kind != "user":
        event = audit.Event("facts.read", object, details)
        audit.record(user_id=who.user_id, by=who.by, events=[event])


def _fact(row: Fact) -> dict[str, Any]:
    return {
        name: getattr(row, "superseded_by_id" if name == "superseded_by" else name)
        for name in FACT_FIELDS
    }


def _cursor(fact_id: UUID) -> str:
    return base64.urlsafe_b64encode(fact_id.bytes).rstrip(b"=").decode()


def _after(cursor: str) -> UUID:
    try:
        return UUID(bytes=base64.b64decode(cursor + "==", altchars=b"-_", validate=True))
    except (ValueError, binascii.Error):
        raise field_problem(
            "cursor",
            "cursor",
            _("This cursor wasn't made here."),
            _("Send “next_cursor” of the page before as it is, or leave it out."),
        ) from None
