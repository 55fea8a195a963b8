"""Where things were learnt: messages, and the proofs that an erasure of them takes along."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memoryapp.audit import Actor
from memoryapp.models import AuditEvent, Conversation, Evidence, Import, Message
from memoryapp.store import NotFound

# Entries of the log by which an application's edit is known.
_WRITTEN = ("fact.add", "fact.supersede", "fact.corroborate")


@dataclass(frozen=True, slots=True)
class Source:
    """Messages whose text goes, and proofs that go: what these alone had proven goes too.
    ``talks`` are conversations that go whole."""

    messages: QuerySet[Message]
    proofs: QuerySet[Evidence]
    talks: Collection[UUID] = ()


def of_messages(user_id: UUID, ids: Collection[UUID]) -> Source:
    """The messages that are there, and what they prove."""
    return Source(
        Message.objects.filter(user_id=user_id, id__in=ids),
        Evidence.objects.filter(user_id=user_id, message_id__in=ids),
    )


def of_conversation(user_id: UUID, conversation_id: UUID) -> Source:
    """Raises store.NotFound."""
    if not Conversation.objects.filter(user_id=user_id, id=conversation_id).exists():
        raise NotFound("no such conversation")
    said = Q(conversation_id=conversation_id)
    return _in(user_id, said, said, [conversation_id])


def of_import(user_id: UUID, import_id: UUID) -> Source:
    """What the import brought; it is locked. Raises store.NotFound."""
    if not Import.objects.select_for_update().filter(user_id=user_id, id=import_id).exists():
        raise NotFound("no such import")
    brought = Q(source_import_id=import_id)
    return _in(user_id, brought, brought)


def of_application(user_id: UUID, application_id: UUID) -> Source:
    """Its conversations, its imports, and what it wrote itself. Empty for an application that
    brought nothing."""
    talks, imports = (
        list(
            model._base_manager.filter(user_id=user_id, application_id=application_id).values_list(
                "id", flat=True
            )
        )
        for model in (Conversation, Import)
    )
    brought = Q(conversation_id__in=talks) | Q(source_import_id__in=imports)
    written = _written_by(user_id, Actor.application(application_id))
    return _in(user_id, brought, brought | Q(id__in=written), talks)


def of_range(user_id: UUID, since: datetime, until: datetime) -> Source:
    """What was said from ``since`` until before ``until``."""
    said = Q(sent_at__gte=since, sent_at__lt=until)
    return _in(user_id, said, said)


def _in(user_id: UUID, messages: Q, proofs: Q, talks: Collection[UUID] = ()) -> Source:
    found = Message.objects.filter(messages, user_id=user_id)
    return Source(
        found,
        Evidence.objects.filter(proofs | Q(message_id__in=found.values("id")), user_id=user_id),
        talks,
    )


def _written_by(user_id: UUID, actor: Actor) -> list[UUID]:
    """Proofs that are an edit of this actor's: the log has the fact and the very time."""
    written = {
        (str(object_).removeprefix("fact:"), at)
        for object_, at in AuditEvent.objects.filter(
            user_id=user_id, actor=str(actor), action__in=_WRITTEN
        ).values_list("object", "at")
    }
    edits = Evidence.objects.filter(user_id=user_id, source=Evidence.Source.EDIT)
    return [
        id
        for id, fact_id, at in edits.values_list("id", "fact_id", "recorded_at")
        if (str(fact_id), at) in written
    ]
