"""Conversations: listed, read back, erased."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router

from memoryapp import ingest, pipeline, providers, rules, store
from memoryapp.api import cursors
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.problems import Problem
from memoryapp.api.rendering import note_reading
from memoryapp.api.schemas import (
    ConversationChange,
    ConversationOut,
    ConversationsOut,
    MessagesOut,
    MessagesQuery,
    PageQuery,
    ReceiptOut,
    UserQuery,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.conversations import told
from memoryapp.models import Evidence, Message

router = Router()
_STRICT = ingest.STRICTNESS.index
NAME = (
    "A conversation is named by your own id of it; one whose id ends in `/status` or "
    "`/messages`, by ours."
)


@router.get(
    "/conversations",
    auth=BearerKey("messages:read"),
    response=answers(200, ConversationsOut),
    operation_id="listConversations",
    summary="What was talked about",
)
def list_conversations(request: HttpRequest, query: Query[PageQuery]) -> Any:
    """Those that still say or prove something, the latest first."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        page = cursors.page(
            told(who.user_id),
            cursors.by_time("last_message_at"),
            cursors.by_id(),
            cursor=query.cursor,
            limit=query.limit,
        )
        note_reading(who, "messages.read", "conversations", {"count": len(page.items)})
    return {
        "items": [_conversation(row) for row in page.items],
        "next_cursor": page.next_cursor,
    }


@router.get(
    "/conversations/{path:conversation}/messages",
    auth=BearerKey("messages:read"),
    response=answers(200, MessagesOut, 404),
    operation_id="listMessages",
    summary="What was said in a conversation",
)
def list_messages(request: HttpRequest, conversation: str, query: Query[MessagesQuery]) -> Any:
    """Its messages in the order of their telling, each with the facts that it proves. A
    message whose text is purged is still there, without it."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        row = _find(who, conversation)
        if row is not None:
            page = cursors.page(
                Message.objects.filter(user_id=who.user_id, conversation_id=row.id),
                cursors.by_time("sent_at"),
                cursors.by_id(),
                cursor=query.cursor,
                limit=query.limit,
                newest_first=query.order == "newest",
            )
            proven = _proven(who.user_id, page.items)
            object = f"conversation:{row.id}"
            note_reading(who, "messages.read", object, {"count": len(page.items)})
    if row is None:
        raise who.not_found("conversation")
    return {
        "items": [_message(each, proven[each.id]) for each in page.items],
        "next_cursor": page.next_cursor,
    }


@router.get(
    "/conversations/{path:conversation}",
    auth=BearerKey("messages:read"),
    response=answers(200, ConversationOut, 404),
    operation_id="getConversation",
    summary="One conversation",
    description=NAME,
)
def get_conversation(request: HttpRequest, conversation: str, query: Query[UserQuery]) -> Any:
    who = party(request, query.user)
    with acting_for(who.user_id):
        row = _find(who, conversation)
        if row is not None:
            note_reading(who, "messages.read", f"conversation:{row.id}")
    if row is None:
        raise who.not_found("conversation")
    return _conversation(row)


@router.patch(
    "/conversations/{path:conversation}",
    auth=BearerKey("messages:write"),
    response=answers(200, ConversationOut, 400, 404, 411, 413, 415),
    operation_id="changeConversation",
    summary="What a conversation leaves behind",
)
def change_conversation(request: HttpRequest, conversation: str, body: ConversationChange) -> Any:
    """Whether it is learned from, kept, or neither, from now on. What it has taught already
    stays. `POST /messages` takes `learning` too, for one that isn't there yet."""
    who = party(request, body.user)
    with acting_for(who.user_id):
        row = _find(who, conversation)
        looser = row is not None and _STRICT(body.learning) < _STRICT(row.learning)
        if row is not None and not (looser and who.by.kind != "user"):
            rules.set_learning(
                user_id=who.user_id,
                conversation_id=row.id,
                learning=body.learning,
                by=who.by,
                now=providers.clock().now(),
            )
            row.learning = body.learning
    if row is None:
        raise who.not_found("conversation")
    if row.learning != body.learning:
        raise Problem(
            "forbidden",
            _("Only the user has it learned from again: with their own key, or on their page."),
        )
    return _conversation(row)


@router.delete(
    "/conversations/{path:conversation}",
    auth=BearerKey("messages:write", "facts:write"),
    response=answers(200, ReceiptOut, 404),
    operation_id="eraseConversation",
    summary="Erase a conversation",
)
def erase_conversation(request: HttpRequest, conversation: str, query: Query[UserQuery]) -> Any:
    """Erases its text and all that was learned only from it. Sent again, it stays erased."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        row = _find(who, conversation)
    if row is None:
        raise who.not_found("conversation")
    try:
        receipt = pipeline.erase_conversation(
            user_id=who.user_id, conversation_id=row.id, by=who.by
        )
    except store.NotFound:
        raise who.not_found("conversation") from None
    return ReceiptOut.model_validate(receipt)


def _find(who: Party, name: str) -> Any:
    """The conversation by the frontend's id, else by ours; None when it isn't there."""
    rows = told(who.user_id)
    found = rows.filter(external_id=name).first()
    if found is None:
        try:
            found = rows.filter(id=UUID(name)).first()
        except ValueError:
            return None
    return found


def _proven(user_id: UUID, rows: Sequence[Message]) -> Mapping[UUID, set[UUID]]:
    found: dict[UUID, set[UUID]] = defaultdict(set)
    for message_id, fact_id in Evidence.objects.filter(
        user_id=user_id, message_id__in=[row.id for row in rows], fact__operation="state"
    ).values_list("message_id", "fact_id"):
        if message_id is not None:
            found[message_id].add(fact_id)
    return found


def _conversation(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "conversation": row.external_id,
        "title": row.title,
        "application": row.application_id,
        "created_at": row.created_at,
        "last_message_at": row.last_message_at,
        "learning": row.learning,
        "messages": row.messages_count,
        "readable": row.readable,
        "facts": row.learned,
    }


def _message(row: Message, proven: set[UUID]) -> dict[str, Any]:
    names = ("id", "external_id", "role", "content", "sent_at", "received_at", "state")
    return {
        **{name: getattr(row, name) for name in names},
        "purged_at": row.purged_at,
        "facts": sorted(proven),
    }
