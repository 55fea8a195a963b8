"""Erasing several things at once, with a look before; and the receipts of what was erased."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status

from memoryapp import erase, pipeline, store
from memoryapp.api import cursors
from memoryapp.api.auth import BearerKey, Party, demand, key_of, party
from memoryapp.api.once import IdempotencyKeyHeader, Keep, Kept, check, once
from memoryapp.api.problems import Problem
from memoryapp.api.rendering import note_reading
from memoryapp.api.schemas import (
    ErasureIn,
    ErasurePreviewOut,
    PageQuery,
    PlannedMessageOut,
    PlannedOut,
    ReceiptOut,
    ReceiptsOut,
    SearchIn,
    StayingOut,
    UserQuery,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import Conversation, ErasureReceipt, Evidence, Fact, Message
from memoryapp.recall import MOST
from memoryapp.records import RecallOptions

router = Router()
ERASES = ("facts:write", "messages:write")
# Facts that one request erases; the preview says when there are more.
MOST_FACTS = 1000


@router.post(
    "/erasures",
    auth=BearerKey(*ERASES),
    response=answers(201, ReceiptOut, 400, 404, 409, 411, 412, 413, 415, 428)
    | {200: ErasurePreviewOut},
    operation_id="erase",
    summary="Erase facts, a topic, messages, a time, what an application brought, or everything",
)
def erase_several(
    request: HttpRequest,
    response: HttpResponse,
    body: ErasureIn,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """With `dry_run` it answers 200 with exactly what would go, and erases nothing. Sent
    again with its `confirm`, it erases that for good and answers 201 with the receipt; when
    other things would go by now, 412. A dry run shows what is remembered, so that its key needs
    `facts:read`, too, and for a topic `messages:read`; not for `everything`, which is counted."""
    demand(request, key_of(request), (*ERASES, *_shown(body)))
    who = party(request, body.user)
    if "everything" in body.model_fields_set and who.application_id is None:
        raise Problem(
            "forbidden",
            _("A key can't close the account that made it. Sign in on the page to do it."),
        )
    if "application" in body.model_fields_set and who.application_id not in (
        None,
        body.application,
    ):
        raise who.not_found(f"application:{body.application}")
    try:
        if body.dry_run:
            check(idempotency_key)
            return Status(200, _preview(who, body))
        return Status(201, _carry_out(request, response, who, body, idempotency_key))
    except store.NotFound:
        # Noted here, where no transaction is left that would take the note back.
        raise who.not_found("facts or messages") from None


def _shown(body: ErasureIn) -> tuple[str, ...]:
    """The scopes for what the answer shows: a look is a way to read."""
    if not body.dry_run or "everything" in body.model_fields_set:
        return ()
    if "topic" in body.model_fields_set:
        return ("facts:read", "messages:read")
    return ("facts:read",)


def _preview(who: Party, body: ErasureIn) -> ErasurePreviewOut:
    found = _find(who, body)
    with acting_for(who.user_id):
        choice, more = _chosen(who, body, found)
        going = erase.look(user_id=who.user_id, choice=choice)
        said = _messages_of(who.user_id, choice)
        if facts := len(going.facts) + len(going.restorable):
            note_reading(who, "facts.read", "facts", {"count": facts})
        if said:
            note_reading(who, "messages.read", "messages", {"count": len(said)})
    return ErasurePreviewOut(
        confirm=going.confirm(who.user, *_options(body)),
        facts=[PlannedOut.model_validate(each) for each in going.facts],
        messages=said,
        restorable=[PlannedOut.model_validate(each) for each in going.restorable],
        stays=[StayingOut.model_validate(each) for each in going.stays],
        counts=dict(going.counts),
        more=more,
    )


def _carry_out(
    request: HttpRequest, response: HttpResponse, who: Party, body: ErasureIn, key: str | None
) -> ReceiptOut:
    receipts: dict[str, ErasureReceipt] = {}

    def work(keep: Keep) -> Kept:
        if body.confirm is None and "facts" not in body.model_fields_set:
            raise Problem(
                "precondition-required",
                _("Send it with dry_run first, look at what would go, and send its “confirm”."),
            )
        found = _find(who, body)
        with acting_for(who.user_id):
            choice, _more = _chosen(who, body, found)

        def inside(receipt: ErasureReceipt) -> None:
            receipts["made"] = receipt
            if choice.what != "account":  # the account's keys went along
                keep({"receipt": str(receipt.id)})

        _erase(who, body, choice, inside)
        return {"receipt": str(receipts["made"].id)}

    id = once(request, response, who, key, work, status=201)["receipt"]
    return ReceiptOut.model_validate(receipts.get("made") or _receipt(who, UUID(id)))


@router.get(
    "/erasures",
    auth=BearerKey("facts:read"),
    response=answers(200, ReceiptsOut),
    operation_id="listErasures",
    summary="What was erased",
)
def list_erasures(request: HttpRequest, query: Query[PageQuery]) -> Any:
    """The receipts, the newest first: ids and counts, never content."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        page = cursors.page(
            ErasureReceipt.objects.filter(user_id=who.user_id),
            cursors.by_id(),
            cursor=query.cursor,
            limit=query.limit,
        )
    return {
        "items": [ReceiptOut.model_validate(row) for row in page.items],
        "next_cursor": page.next_cursor,
    }


@router.get(
    "/erasures/{uuid:receipt_id}",
    auth=BearerKey("facts:read"),
    response=answers(200, ReceiptOut, 404),
    operation_id="getErasure",
    summary="One receipt",
)
def get_erasure(request: HttpRequest, receipt_id: UUID, query: Query[UserQuery]) -> Any:
    """`storage_completed_at` is filled in when the storage was cleaned too."""
    return ReceiptOut.model_validate(_receipt(party(request, query.user), receipt_id))


def _receipt(who: Party, receipt_id: UUID) -> ErasureReceipt:
    with acting_for(who.user_id):
        row = ErasureReceipt.objects.filter(user_id=who.user_id, id=receipt_id).first()
    if row is None:
        raise who.not_found(f"receipt:{receipt_id}")
    return row


def _options(body: ErasureIn) -> list[str]:
    return [str(body.restore_previous), str(body.forever)]


def _chosen(who: Party, body: ErasureIn, found: pipeline.Found | None) -> tuple[erase.Choice, bool]:
    """What the request would erase, and whether more was found than it takes; ``found`` is
    what its words found. Needs ``acting_for``."""
    given = body.model_fields_set
    plain = erase.Choice("facts", restore_previous=body.restore_previous, forever=body.forever)
    if "everything" in given:
        return replace(plain, what="account"), False
    if "memory" in given:
        return replace(plain, what="everything"), False
    if "messages" in given:
        return erase.Choice("messages", messages=body.messages, restore_previous=True), False
    if "application" in given:
        return replace(
            plain, what="application", application=body.application, restore_previous=True
        ), False
    if "said" in given:
        since, until = body.said.bounds()
        return replace(plain, what="range", since=since, until=until, restore_previous=True), False
    if "facts" in given:
        return replace(plain, facts=sorted(set(body.facts))), False
    if "topic" in given and found is not None:
        kept = set(body.topic.keep)
        facts = [id for id in found.facts if id not in kept]
        messages = [id for id in found.messages if id not in kept]
        return replace(plain, what="topic", facts=facts, messages=messages), found.more
    ids = list(
        _matching(who.user_id, body.search, found.facts if found else None)
        .order_by("-id")
        .values_list("id", flat=True)[: MOST_FACTS + 1]
    )
    return replace(plain, facts=ids[:MOST_FACTS]), len(ids) > MOST_FACTS


def _messages_of(user_id: UUID, choice: erase.Choice) -> list[PlannedMessageOut]:
    """The messages that a topic's erasure empties: those are found, not named."""
    if choice.what != "topic":
        return []
    rows = Message.objects.filter(user_id=user_id, id__in=choice.messages)
    return [PlannedMessageOut.model_validate(row) for row in rows.order_by("sent_at", "id")]


def _find(who: Party, body: ErasureIn) -> pipeline.Found | None:
    """What is about the request's words; None when it has none. Not inside a transaction:
    asking takes a model."""
    given = body.model_fields_set
    if "topic" in given:
        return pipeline.find_topic(user_id=who.user_id, words=body.topic.words, by=who.by)
    if "search" not in given or "query" not in body.search.model_fields_set:
        return None
    result = pipeline.recall(
        user_id=who.user_id,
        query=body.search.query,
        options=RecallOptions(k=MOST),
        by=who.by,
    )
    return pipeline.Found([UUID(str(hit.fact["id"])) for hit in result.hits], ())


def _matching(user_id: UUID, search: SearchIn, found: Collection[UUID] | None) -> QuerySet[Fact]:
    given = search.model_fields_set
    rows = Fact.objects.filter(user_id=user_id, operation="state")
    rows = rows.filter(
        **{
            name: getattr(search, name)
            for name in ("attribute", "kind", "subject", "scope")
            if name in given
        }
    )
    if found is not None:
        rows = rows.filter(id__in=found)
    proofs = Evidence.objects.filter(user_id=user_id)
    if "conversation" in given:
        talks = Conversation.objects.filter(user_id=user_id, external_id=search.conversation)
        rows = rows.filter(id__in=proofs.filter(conversation_id__in=talks).values("fact_id"))
    said = {"sent_at__gte": search.said_from, "sent_at__lt": search.said_to}
    said = {name: time for name, time in said.items() if time is not None}
    if said:
        rows = rows.filter(id__in=proofs.filter(**said).values("fact_id"))
    return rows


def _erase(
    who: Party,
    body: ErasureIn,
    choice: erase.Choice,
    inside: Callable[[ErasureReceipt], None],
) -> None:
    """Raises Problem when other things would go than were seen, nothing was found, or the
    account can't go."""
    empty = choice.what in ("facts", "topic") and not (choice.facts or choice.messages)
    try:
        if empty:
            raise Problem("not-found", _("Nothing was found, so nothing was erased."))
        pipeline.forget(
            user=who.user,
            choice=choice,
            by=who.by,
            word=body.confirm,
            options=_options(body),
            inside=inside,
        )
    except pipeline.Changed:
        raise Problem(
            "precondition-failed",
            _("Other things would go than you have seen. Send it with dry_run again."),
        ) from None
    except store.Conflict:
        raise Problem(
            "conflict",
            _("The account owns an application with users. Revoke and empty that first."),
        ) from None
