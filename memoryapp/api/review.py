"""The review inbox: facts that wait for the user's word, and wishes to forget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router

from memoryapp import erase, pipeline, store
from memoryapp.api import cursors
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.facts import unfit, unwanted
from memoryapp.api.headers import IfMatch, IfNoneMatch, expected, stale
from memoryapp.api.once import IdempotencyKeyHeader, Keep, Kept, once
from memoryapp.api.problems import Problem
from memoryapp.api.rendering import fact, note_reading, one_fact, proofs
from memoryapp.api.schemas import (
    FactHeldOut,
    PageQuery,
    ReviewChange,
    ReviewItemOut,
    ReviewOut,
    SettleIn,
    UserQuery,
    WishesOut,
    WishHeldOut,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import Decision, ErasureRequest, Fact

if TYPE_CHECKING:
    from memoryapp.store.common import RevisedFact

router = Router()
SETTLED = answers(200, FactHeldOut, 400, 404, 409, 411, 412, 413, 415, 428)


@router.get(
    "/review",
    auth=BearerKey("facts:read"),
    response=answers(200, ReviewOut),
    operation_id="listReview",
    summary="What waits for the user's word",
)
def list_review(request: HttpRequest, query: Query[PageQuery]) -> Any:
    """Sensitive, contradicting or unclear facts, the newest first. They take part in nothing
    until they are kept."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        page = cursors.page(
            store.revised(_pending(who)), cursors.by_id(), cursor=query.cursor, limit=query.limit
        )
        items = _items(who.user_id, page.items)
        note_reading(who, "facts.read", "review", {"count": len(items)})
    return {"items": items, "next_cursor": page.next_cursor}


@router.get(
    "/review/{uuid:fact_id}",
    auth=BearerKey("facts:read"),
    response=answers(200, ReviewItemOut, 404) | {304: None},
    operation_id="getReviewItem",
    summary="One thing that waits",
)
def get_item(
    request: HttpRequest,
    response: HttpResponse,
    fact_id: UUID,
    query: Query[UserQuery],
    if_none_match: IfNoneMatch = None,
) -> Any:
    """Its ETag is for If-Match."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        items = _items(who.user_id, list(store.revised(_pending(who).filter(id=fact_id))))
        if items:
            note_reading(who, "facts.read", f"fact:{fact_id}")
    if not items:
        raise who.not_found(f"fact:{fact_id}")
    response["ETag"] = items[0]["fact"]["etag"]
    return items[0]


@router.post(
    "/review/{uuid:fact_id}/keep",
    auth=BearerKey("facts:write"),
    response=SETTLED,
    operation_id="keepReviewItem",
    summary="Keep it",
)
def keep_item(
    request: HttpRequest,
    response: HttpResponse,
    fact_id: UUID,
    body: SettleIn,
    if_match: IfMatch = None,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """Takes it in. The answer is the fact that carries it, which may have another id."""
    who = party(request, body.user)
    work = _approval(who, fact_id, if_match)
    return _settle(request, response, who, fact_id, idempotency_key, work)


@router.post(
    "/review/{uuid:fact_id}/change",
    auth=BearerKey("facts:write"),
    response=SETTLED,
    operation_id="changeReviewItem",
    summary="Keep it with another value",
)
def change_item(
    request: HttpRequest,
    response: HttpResponse,
    fact_id: UUID,
    body: ReviewChange,
    if_match: IfMatch = None,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """Takes it in as the user puts it. The answer is the fact that is current now."""
    who = party(request, body.user)
    change = {"value": body.value, "supersession": body.supersession}
    work = _approval(who, fact_id, if_match, **change)
    return _settle(request, response, who, fact_id, idempotency_key, work)


@router.post(
    "/review/{uuid:fact_id}/reject",
    auth=BearerKey("facts:write"),
    response=SETTLED,
    operation_id="rejectReviewItem",
    summary="Leave it out",
)
def reject_item(
    request: HttpRequest,
    response: HttpResponse,
    fact_id: UUID,
    body: SettleIn,
    if_match: IfMatch = None,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """Refuses it; the same isn't asked again. `DELETE /facts/{fact_id}` erases it."""
    who = party(request, body.user)

    def work(keep: Keep) -> Kept:
        kept = {"fact": str(fact_id)}
        with acting_for(who.user_id):
            pipeline.reject(
                user_id=who.user_id, fact_id=fact_id, by=who.by, seen=expected(if_match)
            )
            keep(kept)
        return kept

    return _settle(request, response, who, fact_id, idempotency_key, work)


@router.get(
    "/wishes",
    auth=BearerKey("facts:read"),
    response=answers(200, WishesOut),
    operation_id="listWishes",
    summary='Each "forget that …" that needs the user',
)
def list_wishes(request: HttpRequest, query: Query[PageQuery]) -> Any:
    """What was asked in a chat and matched nothing, or several things, the newest first.
    `POST /erasures` erases what was meant, which settles the wish too."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        page = cursors.page(
            ErasureRequest.objects.filter(user_id=who.user_id, state=ErasureRequest.State.OPEN),
            cursors.by_id(),
            cursor=query.cursor,
            limit=query.limit,
        )
        note_reading(who, "facts.read", "wishes", {"count": len(page.items)})
    return {"items": [_wish(row) for row in page.items], "next_cursor": page.next_cursor}


@router.post(
    "/wishes/{uuid:wish_id}/dismiss",
    auth=BearerKey("facts:write"),
    response=answers(200, WishHeldOut, 400, 404, 409, 411, 413, 415),
    operation_id="dismissWish",
    summary="Take a wish to forget back",
)
def dismiss_wish(
    request: HttpRequest,
    response: HttpResponse,
    wish_id: UUID,
    body: SettleIn,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """Nothing is forgotten, and the wish's own words go."""
    who = party(request, body.user)

    def work(keep: Keep) -> Kept:
        kept = {"wish": str(wish_id)}
        with acting_for(who.user_id):
            erase.dismiss(user_id=who.user_id, request_id=wish_id, by=who.by)
            keep(kept)
        return kept

    try:
        once(request, response, who, idempotency_key, work, status=200)
    except store.NotFound:
        raise who.not_found(f"request:{wish_id}") from None
    with acting_for(who.user_id):
        row = ErasureRequest.objects.filter(user_id=who.user_id, id=wish_id).first()
    if row is None:
        raise who.not_found(f"request:{wish_id}")
    return _wish(row)


def _approval(
    who: Party, fact_id: UUID, if_match: str | None, **change: Any
) -> Callable[[Keep], Kept]:
    """Takes the fact in, ``change``d as ``pipeline.approve`` has it."""

    def work(keep: Keep) -> Kept:
        carrier = pipeline.approve(
            user_id=who.user_id,
            fact_id=fact_id,
            by=who.by,
            seen=expected(if_match),
            inside=lambda id: keep({"fact": str(id)}),
            **change,
        )
        return {"fact": str(carrier)}

    return work


def _settle(
    request: HttpRequest,
    response: HttpResponse,
    who: Party,
    fact_id: UUID,
    key: str | None,
    work: Callable[[Keep], Kept],
) -> dict[str, Any]:
    try:
        kept = once(request, response, who, key, work, status=200)
    except store.NotFound:
        raise who.not_found(f"fact:{fact_id}") from None
    except store.Stale:
        raise stale() from None
    except store.Conflict:
        raise Problem(
            "conflict", _("It no longer waits: read the review inbox again, then decide.")
        ) from None
    except store.Unwanted:
        raise unwanted() from None
    except ValueError:
        raise unfit() from None
    found = one_fact(who, UUID(kept["fact"]))
    response["ETag"] = found["etag"]
    return found


def _pending(who: Party) -> Any:
    return Fact.objects.filter(user_id=who.user_id, status=Fact.Status.PENDING)


def _items(user_id: UUID, rows: Sequence[RevisedFact]) -> list[dict[str, Any]]:
    """Needs ``acting_for(user_id)``."""
    ids = [row.id for row in rows]
    evidence = proofs(user_id, ids)
    decided: dict[UUID | None, Decision] = {}
    for decision in Decision.objects.filter(user_id=user_id, fact_id__in=ids).order_by(
        "-at", "-id"
    ):
        decided[decision.fact_id] = decision
    against = _against(user_id, decided)
    return [
        {
            "fact": fact(row),
            "reason": decided[row.id].reason if row.id in decided else "",
            "against": against.get(row.id),
            "evidence": evidence[row.id],
        }
        for row in rows
    ]


def _against(
    user_id: UUID, decided: Mapping[UUID | None, Decision]
) -> dict[UUID | None, dict[str, Any]]:
    """What each contradicts, while that is current."""
    wanted = {
        id: UUID(decision.scores["against"])
        for id, decision in decided.items()
        if decision.outcome == "conflict" and "against" in decision.scores
    }
    rows = Fact.objects.filter(
        user_id=user_id, id__in=set(wanted.values()), status=Fact.Status.CURRENT
    )
    held = {row.id: {"id": row.id, "statement": row.statement} for row in rows}
    return {id: held[other] for id, other in wanted.items() if other in held}


def _wish(row: ErasureRequest) -> dict[str, Any]:
    return {
        "id": row.id,
        "what": row.what,
        "state": row.state,
        "asked_at": row.asked_at,
        "settled_at": row.settled_at,
        "message": row.message_id,
    }
