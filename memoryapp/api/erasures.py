"""Erasing several things at once, with a look before; and the receipts of what was erased."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status

from memoryapp import erase, pipeline, store
from memoryapp.api import cursors
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.once import IdempotencyKeyHeader, Keep, Kept, check, once
from memoryapp.api.problems import Problem
from memoryapp.api.schemas import (
    ErasureIn,
    ErasurePreviewOut,
    PageQuery,
    PlannedOut,
    ReceiptOut,
    ReceiptsOut,
    SearchIn,
    UserQuery,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import Conversation, ErasureReceipt, Evidence, Fact, Message
from memoryapp.recall import MOST
from memoryapp.records import RecallOptions

router = Router()
# Facts that one request erases; the preview says when there are more.
MOST_FACTS = 1000


@dataclass(frozen=True, slots=True)
class Going:
    """What a request would erase. ``targets`` are the ids that it named or found."""

    what: str
    targets: Sequence[UUID]
    facts: Sequence[erase.PlannedFact] = ()
    restorable: Sequence[erase.PlannedFact] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    more: bool = False

    def confirm(self, who: Party, body: ErasureIn) -> str:
        """Another one when anything else would go. Under the user's own key, so that nobody
        makes it up and it tells nothing."""
        ids = sorted({*map(str, self.targets), *(str(fact.id) for fact in self.facts)})
        options = [str(body.restore_previous), str(body.forever)]
        return who.user.keyed_hash("erasure", self.what, *options, *ids).hex()[:32]


@router.post(
    "/erasures",
    auth=BearerKey("facts:write", "messages:write"),
    response=answers(201, ReceiptOut, 400, 404, 409, 411, 412, 413, 415, 428)
    | {200: ErasurePreviewOut},
    operation_id="erase",
    summary="Erase facts, what a search finds, messages, or everything",
)
def erase_several(
    request: HttpRequest,
    response: HttpResponse,
    body: ErasureIn,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """With `dry_run` it answers 200 with exactly what would go, and erases nothing. Sent
    again with its `confirm`, it erases that for good and answers 201 with the receipt; when
    other things would go by now, 412."""
    who = party(request, body.user)
    if "everything" in body.model_fields_set and who.application_id is None:
        raise Problem(
            "forbidden",
            _("A key can't close the account that made it. Sign in on the page to do it."),
        )
    try:
        if body.dry_run:
            check(idempotency_key)
            return Status(200, _preview(who, body))
        return Status(201, _carry_out(request, response, who, body, idempotency_key))
    except store.NotFound:
        # Noted here, where no transaction is left that would take the note back.
        raise who.not_found("facts or messages") from None


def _preview(who: Party, body: ErasureIn) -> ErasurePreviewOut:
    with_words = _found(who, body)
    with acting_for(who.user_id):
        going = _going(who, body, with_words)
    return ErasurePreviewOut(
        confirm=going.confirm(who, body),
        facts=[PlannedOut.model_validate(each) for each in going.facts],
        restorable=[PlannedOut.model_validate(each) for each in going.restorable],
        counts=dict(going.counts),
        more=going.more,
    )


def _carry_out(
    request: HttpRequest, response: HttpResponse, who: Party, body: ErasureIn, key: str | None
) -> ReceiptOut:
    receipts: dict[str, ErasureReceipt] = {}

    def work(keep: Keep) -> Kept:
        with_words = _found(who, body)
        with acting_for(who.user_id):
            store.lock(who.user_id)
            going = _going(who, body, with_words)
            _check(who, body, going)
            receipt = _erase(who, body, going)
            kept = {"receipt": str(receipt.id)}
            if going.what != "everything":  # the account's keys went along
                keep(kept)
        receipts[kept["receipt"]] = receipt
        return kept

    id = once(request, response, who, key, work, status=201)["receipt"]
    return ReceiptOut.model_validate(receipts.get(id) or _receipt(who, UUID(id)))


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


def _going(who: Party, body: ErasureIn, found: Collection[UUID] | None) -> Going:
    """What the request would erase; ``found`` is what the search's words found. Needs
    ``acting_for``. Raises store.NotFound when it names what isn't there."""
    given = body.model_fields_set
    if "everything" in given:
        counts = erase.holdings(user_id=who.user_id)
        return Going("everything", [who.user_id], counts=counts)
    if "messages" in given:
        return _messages_going(who, body.messages)
    if "facts" in given:
        return _facts_going(who, body, sorted(set(body.facts)))
    ids = list(
        _matching(who.user_id, body.search, found)
        .order_by("-id")
        .values_list("id", flat=True)[: MOST_FACTS + 1]
    )
    return _facts_going(who, body, ids[:MOST_FACTS], more=len(ids) > MOST_FACTS)


def _facts_going(who: Party, body: ErasureIn, ids: Sequence[UUID], *, more: bool = False) -> Going:
    if not ids:
        return Going("facts", [])
    plan = erase.plan(user_id=who.user_id, fact_ids=ids, restore_previous=body.restore_previous)
    counts = {
        "facts": plan.facts,
        "evidence": plan.evidence,
        "quotes": plan.quotes,
        "decisions": plan.decisions,
    }
    return Going("facts", ids, plan.chain, plan.restorable, counts, more)


def _messages_going(who: Party, ids: Sequence[UUID]) -> Going:
    mine = Message.objects.filter(user_id=who.user_id, id__in=ids)
    if mine.count() != len(set(ids)):
        raise store.NotFound("no such message")
    proofs = Evidence.objects.filter(user_id=who.user_id)
    taught = proofs.filter(message_id__in=ids).values("fact_id")
    kept = proofs.filter(fact_id__in=taught).exclude(message_id__in=ids).values("fact_id")
    facts = Fact.objects.filter(user_id=who.user_id, id__in=taught, operation="state").exclude(
        id__in=kept
    )
    chain = [
        erase.PlannedFact(id=row.id, statement=row.statement, value=row.value, status=row.status)
        for row in facts.order_by("valid_from", "id")
    ]
    counts = {
        "messages": mine.exclude(content="").count(),
        "facts": len(chain),
        "evidence": proofs.filter(message_id__in=ids).count(),
    }
    return Going("messages", sorted(set(ids)), chain, counts=counts)


def _found(who: Party, body: ErasureIn) -> list[UUID] | None:
    """The current facts that are about the search's words; None when there are no words. Not
    inside a transaction: asking takes a model."""
    if "search" not in body.model_fields_set or "query" not in body.search.model_fields_set:
        return None
    result = pipeline.recall(
        user_id=who.user_id,
        query=body.search.query,
        options=RecallOptions(k=MOST),
        by=who.by,
        via=None,
    )
    return [UUID(str(hit.fact["id"])) for hit in result.hits]


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


def _check(who: Party, body: ErasureIn, going: Going) -> None:
    """Raises Problem unless what goes is what the caller has seen."""
    if body.confirm is None:
        if "facts" in body.model_fields_set:
            return
        raise Problem(
            "precondition-required",
            _("Send it with dry_run first, look at what would go, and send its “confirm”."),
        )
    if not hmac.compare_digest(body.confirm.encode(), going.confirm(who, body).encode()):
        raise Problem(
            "precondition-failed",
            _("Other things would go than you have seen. Send it with dry_run again."),
        )


def _erase(who: Party, body: ErasureIn, going: Going) -> ErasureReceipt:
    """Needs ``acting_for``. Raises Problem when nothing was found, or the account can't go."""
    if going.what == "everything":
        try:
            return erase.erase_account(user_id=who.user_id, by=who.by)
        except store.Conflict:
            raise Problem(
                "conflict",
                _("The account owns an application with users. Revoke and empty that first."),
            ) from None
    if not going.targets:
        raise Problem("not-found", _("Nothing was found, so nothing was erased."))
    if going.what == "messages":
        return erase.erase_messages(user_id=who.user_id, message_ids=going.targets, by=who.by)
    return pipeline.erase_facts(
        user_id=who.user_id,
        fact_ids=going.targets,
        by=who.by,
        restore_previous=body.restore_previous,
        forever=body.forever,
    )
