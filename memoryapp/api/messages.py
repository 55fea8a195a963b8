"""Conversation turns in, and how far they have been read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from ninja import Header, Query, Router, Status

from memoryapp import ingest, pipeline, providers
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.problems import Problem, field_problem
from memoryapp.api.schemas import AcceptedOut, MessagesIn, StatusOut, UserQuery
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import IdempotencyKey

router = Router()
KEPT = timedelta(hours=24)
KEY_LENGTH = 255


@router.post(
    "/messages",
    auth=BearerKey("messages:write"),
    response=answers(202, AcceptedOut, 400, 411, 413, 415),
    operation_id="addMessages",
    summary="Send conversation turns",
)
def add_messages(
    request: HttpRequest,
    response: HttpResponse,
    body: MessagesIn,
    idempotency_key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            description="Up to 255 characters. The same key with the same body gives the same "
            "answer for 24 hours.",
        ),
    ] = None,
) -> Any:
    """Stores the turns and queues their reading, in one transaction. A turn that was sent
    before, by its id or else by its role, time and content, is counted as a duplicate and
    stored once."""
    who = party(request, body.user)
    counts, replayed = _carry_out(who, body, _once(request, who, idempotency_key))
    if replayed:
        response["Idempotency-Replayed"] = "true"
    return Status(
        202,
        {
            "conversation": body.conversation,
            **counts,
            "status_url": _status_url(request, body),
        },
    )


@router.get(
    "/conversations/{path:conversation}/status",
    auth=BearerKey("messages:write"),
    response=answers(200, StatusOut, 404),
    operation_id="getConversationStatus",
    summary="How far a conversation has been read",
)
def conversation_status(request: HttpRequest, conversation: str, query: Query[UserQuery]) -> Any:
    """How many of its messages wait, have been read, or were set aside after too many
    failures; and what became of each "forget that …" among them."""
    who = party(request, query.user)
    try:
        with acting_for(who.user_id):
            status = ingest.status(user_id=who.user_id, conversation=conversation)
    except ingest.NotFound:
        raise who.not_found("conversation") from None
    return {
        "pending": status.pending,
        "processed": status.processed,
        "failed": status.failed,
        "forget": [{"message": w.message, "outcome": w.outcome} for w in status.forget],
    }


def _status_url(request: HttpRequest, body: MessagesIn) -> str:
    path = reverse("api-v1:conversation_status", kwargs={"conversation": body.conversation})
    query = f"?{urlencode({'user': body.user})}" if body.user is not None else ""
    return request.build_absolute_uri(path + query)


Counts = Mapping[str, Any]


def _carry_out(who: Party, body: MessagesIn, once: _Once | None) -> tuple[Counts, bool]:
    """What was stored, and whether that is the answer to an earlier request."""
    if once is None:
        return _accept(who, body, None), False
    if (counts := once.found()) is not None:
        return counts, True
    try:
        return _accept(who, body, once.keep), False
    except _Taken:
        # A request with the same key was faster: its transaction is over by now.
        if (counts := once.found()) is not None:
            return counts, True
        raise Problem("conflict", _("Send the request again.")) from None


def _accept(who: Party, body: MessagesIn, keep: Callable[[Counts], None] | None) -> Counts:
    def counts(accepted: ingest.Accepted) -> Counts:
        return {
            "accepted": accepted.accepted,
            "duplicates": accepted.duplicates,
            "paused": accepted.paused,
        }

    return counts(
        pipeline.accept(
            user_id=who.user_id,
            conversation=body.conversation,
            messages=[
                ingest.Incoming(role=m.role, content=m.content, sent_at=m.sent_at, id=m.id)
                for m in body.messages
            ],
            by=who.by,
            application_id=who.application_id,
            inside=(lambda accepted: keep(counts(accepted))) if keep else None,
        )
    )


class _Taken(Exception):
    """Another request has just been accepted under the same key."""


@dataclass(frozen=True, slots=True)
class _Once:
    """A request that is to be carried out once. Its key and body are kept as hashes under
    the user's own key; its answer as counts, without a word of content."""

    who: Party
    key: bytes
    request: bytes
    now: datetime

    def found(self) -> Counts | None:
        """The answer that was given before; None when there is none. Raises Problem when it
        was given to another request."""
        with acting_for(self.who.user_id):
            row = IdempotencyKey.objects.filter(
                user_id=self.who.user_id, key_hash=self.key, created_at__gt=self.now - KEPT
            ).first()
        if row is None:
            return None
        if bytes(row.request_hash) != self.request:
            raise Problem(
                "key-reused",
                _("Use a new Idempotency-Key for a new request; this one has another body."),
            )
        counts: Counts = row.body
        return counts

    def keep(self, counts: Counts) -> None:
        """Keep the answer, in the transaction that carries the request out. Raises _Taken."""
        owned = IdempotencyKey.objects.filter(user_id=self.who.user_id)
        owned.filter(created_at__lte=self.now - KEPT).delete()
        try:
            IdempotencyKey.objects.create(
                user_id=self.who.user_id,
                key_hash=self.key,
                request_hash=self.request,
                status=202,
                body=dict(counts),
                created_at=self.now,
            )
        except IntegrityError:
            raise _Taken from None


def _once(request: HttpRequest, who: Party, key: str | None) -> _Once | None:
    if key is None:
        return None
    if not key.strip() or len(key) > KEY_LENGTH or not key.isprintable():
        raise field_problem(
            "Idempotency-Key",
            "idempotency_key",
            _("The header Idempotency-Key can't be used."),
            _("Send 1 to 255 visible characters, for instance a UUID."),
        )
    body = hashlib.sha256(request.body).hexdigest()
    return _Once(
        who=who,
        key=who.user.keyed_hash("idempotency", str(who.by), key),
        request=who.user.keyed_hash("request", request.path, body),
        now=providers.clock().now(),
    )
