"""Conversation turns in, and how far they have been read."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from ninja import Query, Router, Status

from memoryapp import ingest, pipeline
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.once import IdempotencyKeyHeader, Keep, Kept, once
from memoryapp.api.schemas import AcceptedOut, MessagesIn, StatusOut, UserQuery
from memoryapp.api.site import answers
from memoryapp.context import acting_for

router = Router()


@router.post(
    "/messages",
    auth=BearerKey("messages:write"),
    response=answers(202, AcceptedOut, 400, 409, 411, 413, 415),
    operation_id="addMessages",
    summary="Send conversation turns",
)
def add_messages(
    request: HttpRequest,
    response: HttpResponse,
    body: MessagesIn,
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """Stores the turns and queues their reading, in one transaction. A turn that was sent
    before, by its id or else by its role, time and content, is counted as a duplicate and
    stored once."""
    who = party(request, body.user)
    counts = once(
        request, response, who, idempotency_key, lambda keep: _accept(who, body, keep), status=202
    )
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


def _accept(who: Party, body: MessagesIn, keep: Keep) -> Kept:
    def counts(accepted: ingest.Accepted) -> Kept:
        return {
            "accepted": accepted.accepted,
            "duplicates": accepted.duplicates,
            "paused": accepted.paused,
            "temporary": accepted.temporary,
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
            learning=body.learning,
            inside=lambda accepted: keep(counts(accepted)),
        )
    )
