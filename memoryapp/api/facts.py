"""What is remembered: read, correct, weigh, erase."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router

from memoryapp import pipeline, store
from memoryapp.api import cursors
from memoryapp.api.auth import BearerKey, party
from memoryapp.api.headers import IfMatch, IfNoneMatch, expected, stale
from memoryapp.api.problems import field_problem
from memoryapp.api.rendering import fact, no_longer_so, note_reading, one_fact, proofs
from memoryapp.api.schemas import (
    EraseQuery,
    FactChange,
    FactHeldOut,
    FactsOut,
    FactsQuery,
    HistoryOut,
    ReceiptOut,
    UserQuery,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Decision, Evidence, Fact
from memoryapp.web import cards

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
        "pinned": query.pinned,
        "recorded_at__gte": query.recorded_from,
        "recorded_at__lt": query.recorded_to,
        "importance__gte": query.importance_from,
    }
    with acting_for(who.user_id):
        rows = Fact.objects.filter(
            user_id=who.user_id,
            operation="state",
            **{name: value for name, value in given.items() if value is not None},
        )
        if query.conversation is not None:
            talks = Conversation.objects.filter(user_id=who.user_id, external_id=query.conversation)
            proven = Evidence.objects.filter(user_id=who.user_id, conversation_id__in=talks)
            rows = rows.filter(id__in=proven.values("fact_id"))
        # Ids are in the order of time, and the primary key's own order.
        page = cursors.page(
            store.revised(rows), cursors.by_id(), cursor=query.cursor, limit=query.limit
        )
        note_reading(who, "facts.read", "facts", {"count": len(page.items)})
    return {"items": [fact(row) for row in page.items], "next_cursor": page.next_cursor}


@router.get(
    "/facts/{uuid:fact_id}",
    auth=BearerKey("facts:read"),
    response=answers(200, FactHeldOut, 404) | {304: None},
    operation_id="getFact",
    summary="One fact",
)
def get_fact(
    request: HttpRequest,
    response: HttpResponse,
    fact_id: UUID,
    query: Query[UserQuery],
    if_none_match: IfNoneMatch = None,
) -> Any:
    """The fact in whatever state it is; its ETag is for If-Match."""
    found = one_fact(party(request, query.user), fact_id)
    response["ETag"] = found["etag"]
    return found


@router.get(
    "/facts/{uuid:fact_id}/history",
    auth=BearerKey("facts:read"),
    response=answers(200, HistoryOut, 404),
    operation_id="getFactHistory",
    summary="Why a fact is believed, and what was before",
)
def get_history(request: HttpRequest, fact_id: UUID, query: Query[UserQuery]) -> Any:
    """The fact, the values before and after it with their dates, the user's own words behind
    it, and each decision with its reason."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        mine = Fact.objects.filter(user_id=who.user_id)
        row = store.revised(mine.filter(id=fact_id, operation="state")).first()
        if row is not None:
            line = [one.id for one in cards.timeline_of(who.user_id, row)]
            rows = {one.id: one for one in store.revised(mine.filter(id__in=line))}
            answer = {
                "fact": fact(row),
                "timeline": [fact(rows[id]) for id in line],
                "evidence": proofs(who.user_id, [fact_id])[fact_id],
                "decisions": list(
                    Decision.objects.filter(user_id=who.user_id, fact_id=fact_id).order_by(
                        "at", "id"
                    )
                ),
            }
            note_reading(who, "facts.read", f"fact:{fact_id}")
    if row is None:
        raise who.not_found(f"fact:{fact_id}")
    return answer


@router.patch(
    "/facts/{uuid:fact_id}",
    auth=BearerKey("facts:write"),
    response=answers(200, FactHeldOut, 400, 404, 409, 411, 412, 413, 415, 428),
    operation_id="changeFact",
    summary="Correct, pin or weigh a fact",
)
def change_fact(
    request: HttpRequest,
    response: HttpResponse,
    fact_id: UUID,
    body: FactChange,
    if_match: IfMatch = None,
) -> Any:
    """A new value replaces the old one, which is kept as history; the answer is the fact that
    is current now, which may have another id. `pinned` and `importance` are of that one."""
    who = party(request, body.user)
    seen = expected(if_match)
    weights: store.Weights = {}
    if "pinned" in body.model_fields_set:
        weights["pinned"] = body.pinned
    if "importance" in body.model_fields_set:
        weights["importance"] = body.importance
    current = fact_id
    try:
        if "value" in body.model_fields_set:
            current = pipeline.edit_fact(
                user_id=who.user_id,
                fact_id=fact_id,
                value=body.value,
                supersession=body.supersession,
                by=who.by,
                seen=seen,
                weights=weights,
            )
        else:
            pipeline.weigh_fact(
                user_id=who.user_id, fact_id=fact_id, weights=weights, by=who.by, seen=seen
            )
    except store.NotFound:
        raise who.not_found(f"fact:{fact_id}") from None
    except store.Stale:
        raise stale() from None
    except store.Conflict:
        raise no_longer_so() from None
    except ValueError:
        raise unfit() from None
    found = one_fact(who, current)
    response["ETag"] = found["etag"]
    return found


@router.delete(
    "/facts/{uuid:fact_id}",
    auth=BearerKey("facts:write"),
    response=answers(200, ReceiptOut, 404, 412, 428),
    operation_id="eraseFact",
    summary="Erase a fact",
)
def erase_fact(
    request: HttpRequest, fact_id: UUID, query: Query[EraseQuery], if_match: IfMatch = None
) -> Any:
    """Erases the fact for good, with its proof, its vectors and all that was derived from it.
    The receipt holds ids and counts, never content. `POST /erasures` shows first what would
    go, and erases several at once."""
    who = party(request, query.user)
    seen = expected(if_match)
    try:
        with acting_for(who.user_id):
            store.locked_fact(who.user_id, fact_id, seen)
            receipt = pipeline.erase_facts(
                user_id=who.user_id,
                fact_ids=[fact_id],
                by=who.by,
                restore_previous=query.restore_previous,
            )
    except store.NotFound:
        raise who.not_found(f"fact:{fact_id}") from None
    except store.Stale:
        raise stale() from None
    return ReceiptOut.model_validate(receipt)


def unfit() -> Exception:
    """A value that leaves nothing to remember."""
    return field_problem(
        "value", "value", _("This can't be kept as a value."), _("Send a few plain words.")
    )
