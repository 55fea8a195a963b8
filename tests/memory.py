"""Memories for tests: things said in a conversation, and what was learnt from them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from accounts.models import User
from memoryapp import registry, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Fact, Message
from memoryapp.records import Candidate, Quote
from memoryapp.store import Decided

TESTER = Actor.system("test")
START = datetime(2026, 1, 1, 12, tzinfo=UTC)
NOW = START + timedelta(days=60)


def day(number: float) -> datetime:
    """Noon of the given day; day 60 is ``NOW``."""
    return START + timedelta(days=number)


def heard(
    user: User, text: str, *, on: float, conversation: str = "chat", **fields: Any
) -> Message:
    """A message, stored and read."""
    with acting_for(user.pk):
        chat, _ = Conversation.objects.get_or_create(
            user_id=user.pk,
            external_id=conversation,
            defaults={"created_at": day(on), "last_message_at": day(on)},
        )
        return Message.objects.create(
            **{
                "user_id": user.pk,
                "conversation": chat,
                "external_id": uuid4().hex,
                "role": "user",
                "content": text,
                "content_hash": user.keyed_hash(text),
                "sent_at": day(on),
                "received_at": day(on),
                "state": Message.State.PROCESSED,
                **fields,
            }
        )


def candidate(
    message: Message, attribute: str, value: str, *, quote: str = "", **fields: Any
) -> Candidate:
    """What an extractor finds in the message; the quote is all of it unless given."""
    text = quote or message.content
    start = message.content.index(text)
    return Candidate(
        **{
            "subject": "user",
            "attribute": attribute,
            "value": value,
            "quote": Quote(message.id, start, start + len(text), text),
            "sent_at": message.sent_at,
            **fields,
        }
    )


def apply(user: User, *candidates: Candidate, now: datetime = NOW, **options: Any) -> list[Decided]:
    with acting_for(user.pk):
        return store.apply(
            user_id=user.pk,
            candidates=candidates,
            registry=registry.load(),
            by=TESTER,
            now=now,
            **options,
        )


def learn(
    user: User,
    attribute: str,
    value: str,
    *,
    on: float,
    text: str = "",
    conversation: str = "chat",
    quote: str = "",
    now: datetime = NOW,
    **fields: Any,
) -> Decided:
    """One message said and one candidate taken from it."""
    message = heard(user, text or f"{attribute}: {value}", on=on, conversation=conversation)
    (decided,) = apply(user, candidate(message, attribute, value, quote=quote, **fields), now=now)
    return decided


def facts(user: User, attribute: str = "", **conditions: Any) -> list[Fact]:
    """The user's facts of an attribute, oldest first, without the marks of "no longer"."""
    if attribute:
        conditions["attribute"] = attribute
    with acting_for(user.pk):
        return list(
            Fact.objects.filter(user_id=user.pk, operation="state", **conditions).order_by(
                "valid_from", "value"
            )
        )


def told(user: User, attribute: str) -> list[tuple[str, str]]:
    """Value and status of each of an attribute's facts, oldest first."""
    return [(fact.value, fact.status) for fact in facts(user, attribute)]
