"""What is remembered: read, correct, weigh, erase."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import MINYEAR, datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Query, Router

from memoryapp import pipeline, store, uses
from memoryapp.api import cursors
from memoryapp.api.auth import BearerKey, party
from memoryapp.api.headers import IfMatch, IfNoneMatch, expected, stale
from memoryapp.api.problems import field_problem
from memoryapp.api.rendering import (
    conversation_names,
    fact,
    no_longer_so,
    note_reading,
    one_fact,
    proofs,
)
from memoryapp.api.schemas import (
    EraseQuery,
    FactChange,
    FactHeldOut,
    FactsOut,
    FactsQuery,
    HistoryOut,
    PageQuery,
    ReceiptOut,
    UserQuery,
    UsesOut,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Decision, Evidence, Fact, MemoryUse
from memoryapp.records import Precision
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


@router.get(
    "/facts/{uuid:fact_id}/uses",
    auth=BearerKey("facts:read"),
    response=answers(200, UsesOut, 404),
    operation_id="listFactUses",
    summary="Which answers used a fact",
)
def list_uses(request: HttpRequest, fact_id: UUID, query: Query[PageQuery]) -> Any:
    """Each answer and look-up that used the fact, by which application and where it is kept;
    for as long as messages are kept."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        here = Fact.objects.filter(user_id=who.user_id, id=fact_id, operation="state").exists()
        rows = MemoryUse.objects.filter(user_id=who.user_id, fact_id=fact_id)
        page = cursors.page(rows, cursors.by_id(), cursor=query.cursor, limit=query.limit)
        names = conversation_names(who.user_id, (row.conversation_id for row in page.items))
        items = [
            {
                "id": one.id,
                "at": one.at,
                "via": one.via,
                "application": one.application,
                "conversation": names.get(one.conversation_id),
                "message": one.message_id,
            }
            for one in uses.named(page.items)
        ]
        if here:
            note_reading(who, "facts.read", f"fact:{fact_id}", {"count": len(items)})
    if not here:
        raise who.not_found(f"fact:{fact_id}")
    return {"items": items, "next_cursor": page.next_cursor}


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
    is current now, which may have another id. `pinned`, `importance` and `expires_at` are of
    that one. The user can take the change back on their page."""
    who = party(request, body.user)
    seen = expected(if_match)
    given = body.model_fields_set
    weights: store.Weights = {}
    if "pinned" in given:
        weights["pinned"] = body.pinned
    if "importance" in given:
        weights["importance"] = body.importance
    if "expires_at" in given:
        if body.expires_at is not None and body.expires_at <= timezone.now():
            raise field_problem(
                "expires_at", "past", _("This time has passed."), _("Send a time to come.")
            )
        weights["expires_at"] = body.expires_at
    current = fact_id
    try:
        if {"value", "since", "scope"} & given:
            current = pipeline.edit_fact(
                user_id=who.user_id,
                fact_id=fact_id,
                value=body.value if "value" in given else None,
                supersession=body.supersession,
                since=_since(body.since, who.user.time_zone) if "since" in given else None,
                scope=" ".join(body.scope.split()) if "scope" in given else None,
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
    except store.TooEarly:
        raise field_problem(
            "since",
            "too_early",
            _("The old value was said to hold after that."),
            _("Send a later day, or the supersession “correction”."),
        ) from None
    except store.Occupied:
        raise field_problem(
            "scope",
            "occupied",
            _("Another fact holds in that scope."),
            _("Change that one, or send another scope."),
        ) from None
    except store.Conflict:
        raise no_longer_so() from None
    except store.Unwanted:
        raise unwanted() from None
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


def _since(text: str, time_zone: str) -> store.Since:
    """The day, month or year, where the user is. Raises Problem."""
    precisions: Sequence[Precision] = ("year", "month", "day")
    wrong = field_problem(
        "since", "date", _("There was no such day yet."), _("Send a day up to today.")
    )
    try:
        day = datetime.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        raise wrong from None
    start = day.replace(tzinfo=ZoneInfo(time_zone))
    # The first of all years isn't a time in every zone.
    if start > timezone.now() or day.year == MINYEAR:
        raise wrong
    return store.Since(start, precisions[text.count("-")])


def unwanted() -> Exception:
    """A value about a topic that the user asked never to remember."""
    return field_problem(
        "value",
        "never_remember",
        _("The user asked never to remember this."),
        _("They can change their rules in the settings: never_remember."),
    )


def unfit() -> Exception:
    """A value that leaves nothing to remember."""
    return field_problem(
        "value", "value", _("This can't be kept as a value."), _("Send a few plain words.")
    )
