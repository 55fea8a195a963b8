"""Facts with proof and real vectors, for tests of the read path."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from accounts.models import User
from memoryapp import audit, pipeline, providers, recall, registry, store
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Message
from memoryapp.pipeline.vectors import attributes_asked
from memoryapp.records import Candidate, Quote, RecallOptions, RecallResult

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def remember(
    user: User,
    attribute: str,
    value: str,
    when: str | datetime = "2026-05-29",
    *,
    words: str = "",
    known: datetime | None = None,
    conversation: str = "talk",
    vector: bool = True,
    **candidate: Any,
) -> UUID:
    """The fact that ``user`` said in ``words`` at ``when``, taken in at ``known``."""
    at = day(when) if isinstance(when, str) else when
    words = words or f"For the record: {attribute} is {value}."
    with acting_for(user.pk):
        attributes = registry.load()
        talk, _made = Conversation.objects.get_or_create(
            user_id=user.pk,
            external_id=conversation,
            defaults={"created_at": at, "last_message_at": at},
        )
        message = Message.objects.create(
            user_id=user.pk,
            conversation=talk,
            role="user",
            content=words,
            content_hash=user.keyed_hash("message", words, at.isoformat()),
            sent_at=at,
            received_at=at,
            state=Message.State.PROCESSED,
        )
    said = Candidate(
        subject=candidate.pop("subject", "user"),
        attribute=attribute,
        value=value,
        quote=Quote(message.pk, 0, len(words), words),
        sent_at=at,
        kind=candidate.pop("kind", attributes.get(attribute).kind),
        **candidate,
    )
    statement = attributes.get(attribute, kind=said.kind).statement(said)
    vectors = pipeline.embed(user_id=user.pk, texts=[statement]) if vector else {}
    with acting_for(user.pk):
        [decided] = store.apply(
            user_id=user.pk,
            candidates=[said],
            registry=attributes,
            by=audit.Actor.system("test"),
            now=known or at,
            vectors=vectors,
        )
    assert decided.fact_id is not None
    return decided.fact_id


def spoke(
    user: User,
    role: str,
    words: str,
    when: str | datetime = "2026-05-29",
    *,
    conversation: str = "talk",
    known: datetime | None = None,
) -> UUID:
    """A message, read and made findable."""
    at = day(when) if isinstance(when, str) else when
    with acting_for(user.pk):
        talk, _made = Conversation.objects.get_or_create(
            user_id=user.pk,
            external_id=conversation,
            defaults={"created_at": at, "last_message_at": at},
        )
        message = Message.objects.create(
            user_id=user.pk,
            conversation=talk,
            role=role,
            content=words,
            content_hash=user.keyed_hash("message", role, words, at.isoformat()),
            sent_at=at,
            received_at=known or providers.clock().now(),
            state=Message.State.PROCESSED,
        )
    pipeline.index_messages(user_id=user.pk)
    return message.pk


def ask(
    user: User,
    question: str,
    *,
    now: datetime = NOW,
    named: Any = (None, None),
    **options: Any,
) -> RecallResult:
    """The facts for the question, which names the time ``named``."""
    since, until = named
    embedder = providers.embedder()
    vector = embedder.query(question)
    with acting_for(user.pk):
        return recall.recall(
            user_id=user.pk,
            asked=recall.Asked(question, vector, *attributes_asked(question, vector), since, until),
            embedder=embedder,
            options=RecallOptions(**options),
            now=now,
        )


def found(result: RecallResult) -> list[str]:
    return [hit.fact["value"] for hit in result.hits]
