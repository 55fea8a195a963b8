"""Fills a user's notebook through the real write path, for tests of the page."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.models import User
from memoryapp import audit, registry, store
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent, Conversation, Fact, Message
from memoryapp.records import Candidate, Quote

BEGAN = datetime(2026, 3, 3, 9, tzinfo=UTC)


def learn(
    user: User,
    text: str,
    quote: str,
    attribute: str,
    value: str,
    *,
    days: int = 0,
    conversation: str = "talk",
    **candidate: Any,
) -> UUID | None:
    """``user`` says ``text``, ``days`` after the first day; the fact that it proves."""
    at = BEGAN + timedelta(days=days)
    start = text.index(quote)
    with acting_for(user.pk):
        talk, _made = Conversation.objects.get_or_create(
            user_id=user.pk,
            external_id=conversation,
            defaults={"created_at": at, "last_message_at": at},
        )
        message = Message.objects.create(
            user_id=user.pk,
            conversation=talk,
            role="user",
            content=text,
            content_hash=user.keyed_hash("message", conversation, text),
            sent_at=at,
            received_at=at,
            state=Message.State.PROCESSED,
        )
        [decided] = store.apply(
            user_id=user.pk,
            candidates=[
                Candidate(
                    subject=candidate.pop("subject", "user"),
                    attribute=attribute,
                    value=value,
                    quote=Quote(message.pk, start, start + len(quote), quote),
                    sent_at=at,
                    **candidate,
                )
            ],
            registry=registry.load(),
            by=audit.Actor.system("extractor:test"),
            now=at,
        )
    return decided.fact_id


def many(user: User, count: int, *, gap: timedelta = timedelta(days=1), **changed: Any) -> None:
    """``count`` languages, one each ``gap``, the latest on the first day, unless ``changed``
    says otherwise; put straight into the table, without any words that prove them."""
    values: dict[str, Any] = {
        "attribute": "language",
        "statement": "",
        "kind": "personal",
        "single": False,
        "confidence": 0.9,
        "importance": 0.5,
        "status": Fact.Status.CURRENT,
        **changed,
    }
    with acting_for(user.pk):
        Fact.objects.bulk_create(
            Fact(
                user_id=user.pk,
                value=f"tongue {n:05}",
                value_key=f"tongue {n:05}",
                valid_from=BEGAN - n * gap,
                recorded_at=BEGAN - n * gap,
                last_stated_at=BEGAN - n * gap,
                **values,
            )
            for n in range(count)
        )


def moved(user: User) -> UUID:
    """Porto, then Lisbon: one current value with a past."""
    learn(user, "I live in Porto, by the river.", "I live in Porto", "city", "Porto")
    fact_id = learn(
        user, "News: I moved to Lisbon!", "I moved to Lisbon", "city", "Lisbon", days=30
    )
    assert fact_id is not None
    return fact_id


def delicate(user: User, *, conversation: str = "talk") -> UUID:
    """A fact about health, which waits for a yes."""
    fact_id = learn(
        user,
        "I was told that I have asthma.",
        "I have asthma",
        "health_condition",
        "asthma",
        days=31,
        conversation=conversation,
    )
    assert fact_id is not None
    return fact_id


def text(response: Any) -> str:
    """A page's HTML."""
    return str(response.content.decode())


def word(page: str) -> str:
    """What binds a form to what it has shown before something is forgotten."""
    found = re.search(r'name="word" value="(\w+)"', page)
    assert found is not None
    return found[1]


def facts(user: User, **filters: Any) -> list[Fact]:
    with acting_for(user.pk):
        return list(Fact.objects.filter(user_id=user.pk, **filters))


def log(user: User, action: str) -> list[AuditEvent]:
    with acting_for(user.pk):
        return list(AuditEvent.objects.filter(user_id=user.pk, action=action))


def talk_of(user: User) -> UUID:
    """The conversation in which ``learn`` has things said unless it is told otherwise."""
    with acting_for(user.pk):
        return Conversation.objects.get(user_id=user.pk, external_id="talk").pk
