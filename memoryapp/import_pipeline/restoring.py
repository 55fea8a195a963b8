"""Taking in what an own export holds: conversations with messages that were read already,
facts with their history, what links them, and the settings when the user wants them."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model

from memoryapp import audit, extract, importing, pipeline, preferences, providers, rules, store
from memoryapp import registry as registries
from memoryapp.brought import (
    Brought,
    BroughtConversation,
    BroughtFact,
    BroughtLink,
    BroughtMessage,
    BroughtName,
    BroughtSettings,
)
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Import, Message
from memoryapp.redact import redact
from memoryapp.store import restoring
from memoryapp.store.timelines import Vector

BY = audit.Actor.system("import")
LINKS_AT_ONCE = 200
TITLE = 200
MINE = "mine"


class Paused(Exception):
    """The user paused the memory while an import ran."""


def together(items: Iterator[Any]) -> Iterator[Any]:
    """The brought items in lists that one transaction takes in: a conversation, the facts of
    one key, some links. Anything else as it is."""
    waiting: list[Any] = []
    for item in items:
        if waiting and not _goes_with(waiting, item):
            yield waiting
            waiting = []
        if isinstance(item, Brought):
            waiting.append(item)
        else:
            yield item
    if waiting:
        yield waiting


def _goes_with(waiting: Sequence[Any], item: Any) -> bool:
    first = waiting[0]
    if isinstance(first, BroughtFact):
        return isinstance(item, BroughtFact) and item.key == first.key
    if isinstance(first, BroughtLink):
        return isinstance(item, BroughtLink) and len(waiting) < LINKS_AT_ONCE
    return False


def take_in(claim: importing.Claim, row: Import, group: Sequence[Any], position: int) -> None:
    """Store one group, and note how far the import came, in one transaction. Raises
    importing.Stopped, Paused."""
    user = get_user_model().objects.get(pk=claim.user_id)
    now = providers.clock().now()
    prepared = None
    if isinstance(group[0], BroughtFact):
        group = _under_their_names(claim.user_id, group)
        prepared = _prepared(claim.user_id, group)
    with acting_for(claim.user_id):
        importing.hold(claim=claim, state=Import.State.STORING, now=now)
        if rules.paused(user_id=claim.user_id, now=now):
            raise Paused
        first = group[0]
        if isinstance(first, BroughtConversation):
            counts = _conversation(user, row, first, now)
        elif prepared is not None:
            counts = _facts(row, group, *prepared, now)
        elif isinstance(first, BroughtLink):
            counts = {
                "links": restoring.restore_links(
                    user_id=claim.user_id, links=group, import_id=row.id, now=now
                )
            }
        elif isinstance(first, BroughtName):
            mine = bool(row.preview.get(MINE))
            made = mine and restoring.restore_name(user_id=claim.user_id, name=first, now=now)
            counts = {"names": int(made)}
        else:
            counts = _settings(user, row, first, now)
        importing.advance(claim=claim, position=position, counts=counts)


# -- Conversations ----------------------------------------------------------------------------


def _conversation(
    user: Any, row: Import, item: BroughtConversation, now: datetime
) -> Mapping[str, int]:
    ids = restoring.identity(user, Message, [message.id for message in item.messages])
    talk = _talk(user, item)
    fresh = [message for message in item.messages if not ids.known(message.id)]
    if talk is not None and fresh:
        fresh = _unknown(user, talk, fresh)
    counts = {"duplicates": len(item.messages) - len(fresh)}
    if talk is not None and not fresh:
        return counts
    if talk is not None and not _brought(user, talk):
        # It is another's to add to: what is new stands beside it.
        talk = _talk_beside(user, item)
        fresh = fresh if talk is None else _unknown(user, talk, fresh)
        if talk is not None and not fresh:
            return counts
        name = _beside(user, item)
    else:
        name = item.external_id
    if talk is None:
        talk = _made(user, row, item, name, now)
    rows = [_message(user, row, talk, one, ids.ids[one.id], now) for one in fresh]
    Message.objects.bulk_create(rows)
    if rows and (last := max(one.sent_at for one in rows)) > talk.last_message_at:
        talk.last_message_at = last
        talk.save(update_fields=["last_message_at"])
    if any(one.state == Message.State.PENDING for one in rows):
        importing.queue_reading(row=row, conversation_id=talk.id, began=talk.created_at, now=now)
    event = audit.Event("messages.add", f"conversation:{talk.id}", {"accepted": len(rows)})
    audit.record(user_id=user.pk, by=BY, events=[event], now=now)
    return {**counts, "conversations": 1, "messages": len(rows)}


def _talk(user: Any, item: BroughtConversation) -> Conversation | None:
    mine = Conversation.objects.select_for_update().filter(user_id=user.pk)
    id = restoring.identity(user, Conversation, [item.id]).ids[item.id]
    return mine.filter(id=id).first() or mine.filter(external_id=item.external_id).first()


def _talk_beside(user: Any, item: BroughtConversation) -> Conversation | None:
    name = _beside(user, item)
    mine = Conversation.objects.select_for_update().filter(user_id=user.pk)
    return mine.filter(external_id=name).first()


def _beside(user: Any, item: BroughtConversation) -> str:
    return f"memoryapp:{user.keyed_hash('import', 'memoryapp', item.external_id).hex()[:48]}"


def _brought(user: Any, talk: Conversation) -> bool:
    """Whether all that was said there came in with imports."""
    said = Message.objects.filter(user_id=user.pk, conversation_id=talk.id)
    return said.exists() and not said.filter(source_import=None).exists()


def _made(
    user: Any, row: Import, item: BroughtConversation, name: str, now: datetime
) -> Conversation:
    id = restoring.identity(user, Conversation, [item.id])
    began = min(item.created_at, now)
    return Conversation.objects.create(
        **({} if id.known(item.id) else {"id": id.ids[item.id]}),
        user_id=user.pk,
        external_id=name,
        title=redact(item.title).text[:TITLE],
        application_id=row.application_id,
        created_at=began,
        last_message_at=min(item.last_message_at, now),
        learning=item.learning,
    )


def _unknown(
    user: Any, talk: Conversation, messages: Sequence[BroughtMessage]
) -> list[BroughtMessage]:
    """Those that the conversation doesn't hold by the frontend's id or by their words."""
    said = Message.objects.filter(user_id=user.pk, conversation_id=talk.id)
    names = set(said.exclude(external_id=None).values_list("external_id", flat=True))
    hashes = {bytes(one) for one in said.values_list("content_hash", flat=True)}
    return [
        one
        for one in messages
        if not (one.external_id and one.external_id in names) and _hash(user, one) not in hashes
    ]


def _hash(user: Any, one: BroughtMessage) -> bytes:
    """As a delivery of the same words would have it. What was cleared away has no words left:
    there, its id stands for them."""
    words = one.content or one.id.hex
    sent_at = one.sent_at.astimezone(UTC).isoformat()
    return bytes(user.keyed_hash("message", one.role, sent_at, words))


def _message(
    user: Any, row: Import, talk: Conversation, one: BroughtMessage, id: UUID, now: datetime
) -> Message:
    clean = redact(one.content)
    waits = one.pending and bool(one.content)
    return Message(
        id=id,
        user_id=user.pk,
        conversation_id=talk.id,
        external_id=one.external_id or None,
        role=one.role,
        content=clean.text,
        content_hash=_hash(user, one),
        sent_at=min(one.sent_at, now),
        received_at=min(one.received_at, now),
        state=Message.State.PENDING if waits else Message.State.PROCESSED,
        redactions=max(one.redactions, len(clean.spans)),
        purged_at=None if one.content else min(one.purged_at or now, now),
        source_import_id=row.id,
    )


# -- Facts ------------------------------------------------------------------------------------


def _under_their_names(user_id: UUID, facts: Sequence[BroughtFact]) -> list[BroughtFact]:
    """The facts about whom their names mean here."""
    with acting_for(user_id):
        names = store.Names(user_id)
        return [replace(fact, subject=names.meant(fact.subject)) for fact in facts]


def _prepared(
    user_id: UUID, facts: Sequence[BroughtFact]
) -> tuple[registries.Registry, rules.Topics, Mapping[str, Vector]]:
    """What models have to say of the facts, before their transaction."""
    with acting_for(user_id):
        registry = registries.load()
        topics = rules.load(user_id=user_id, names=registry.names())
    candidates = [
        restoring.candidate_of(fact, registry, proof)
        for fact in facts
        for proof in fact.proofs[-1:]
    ]
    topics.learn(pipeline.told(candidates, registry))
    said = [fact for fact in facts if fact.operation == "state"]
    vectors = pipeline.embed(
        user_id=user_id, texts=[restoring.statement_of(fact, registry) for fact in said]
    )
    return registry, topics, vectors


def _facts(
    row: Import,
    facts: Sequence[BroughtFact],
    registry: registries.Registry,
    topics: rules.Topics,
    vectors: Mapping[str, Vector],
    now: datetime,
) -> Mapping[str, int]:
    clean = [fact for fact in facts if not _secret(fact)]
    found = restoring.restore(
        user_id=row.user_id,
        facts=clean,
        registry=registry,
        by=BY,
        now=now,
        import_id=row.id,
        vectors=vectors,
        consented=bool(row.preview.get(MINE)),
        topics=topics,
        instructs=extract.looks_like_instruction,
    )
    return {
        "memories": found.added,
        "memory_duplicates": found.known,
        "forgotten": found.erased,
        "unproven": found.unproven,
        "withheld": found.withheld,
        "secrets": len(facts) - len(clean),
    }


def _secret(fact: BroughtFact) -> bool:
    texts = [fact.value, fact.statement, fact.scope, *(proof.quote for proof in fact.proofs)]
    return any(redact(text).spans for text in texts)


# -- Settings -----------------------------------------------------------------------------------


def _settings(user: Any, row: Import, given: BroughtSettings, now: datetime) -> Mapping[str, int]:
    """How I speak, how long messages and kinds of facts are kept, what delicate things may be
    remembered, and what never; not a pause, and never what applications may do."""
    if not row.preview.get(MINE):
        return {}
    known = {hint.sensitive for hint in registries.load().hints()} - {""}
    held = preferences.load(user=user)
    topics = [one.key for one in held.never_remember]
    topics += [preferences.TopicKey(*one) for one in given.topics]
    changes: preferences.Changes = {
        "retention_days": given.retention_days,
        "sensitive_opt_in": sorted({*held.sensitive_opt_in, *(known & set(given.sensitive))}),
        "expiry": {**held.expiry, **given.expiry},
        "never_remember": topics[: preferences.MOST_TOPICS],
    }
    if given.review_keys is not None:
        changes["review_keys"] = given.review_keys
    if given.language in dict(settings.LANGUAGES):
        changes["language"] = str(given.language)
    if given.time_zone in zoneinfo.available_timezones():
        changes["time_zone"] = str(given.time_zone)
    preferences.change(user=user, changes=changes, by=BY, now=now)
    return {"settings": 1}
