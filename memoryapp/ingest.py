"""A request's messages to rows, once each, with secrets redacted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Count, Q
from uuid_utils.compat import uuid7

from memoryapp import audit, rules
from memoryapp.models import Conversation, ErasureRequest, Message
from memoryapp.records import Role
from memoryapp.redact import redact

TITLE = 200

Learning = Literal["on", "off", "temporary"]
STRICTNESS: Sequence[str] = ("on", "off", "temporary")

_OUTCOMES: Mapping[str, Literal["erased", "asked", "dismissed"]] = {
    ErasureRequest.State.OPEN: "asked",
    ErasureRequest.State.DONE: "erased",
    ErasureRequest.State.DISMISSED: "dismissed",
}


class NotFound(LookupError):
    """The conversation isn't this user's, or isn't there."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message as a frontend sends it; ``id`` is the frontend's own."""

    role: Role
    content: str
    sent_at: datetime
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """What was stored. ``paused`` is true when the user paused memory: then nothing was,
    and ``conversation_id`` is None. Of a ``temporary`` conversation nothing was either;
    ``learns`` is false when what was stored won't be learned from."""

    conversation_id: UUID | None
    accepted: int
    duplicates: int
    paused: bool = False
    temporary: bool = False
    learns: bool = True


@dataclass(frozen=True, slots=True)
class Wish:
    """What became of a "forget that …": ``erased`` at once, ``asked`` (the user is asked on
    the page, since nothing or several things matched), or settled there: ``dismissed``.
    ``message`` is the frontend's id of the message, empty when it gave none."""

    message: str
    outcome: Literal["erased", "asked", "dismissed"]


@dataclass(frozen=True, slots=True)
class Status:
    """A conversation's messages by state, and the wishes to forget that were among them."""

    pending: int
    processed: int
    failed: int
    forget: tuple[Wish, ...] = ()


def accept(
    *,
    user_id: UUID,
    conversation: str,
    messages: Sequence[Incoming],
    by: audit.Actor,
    now: datetime,
    application_id: UUID | None = None,
    title: str = "",
    began: datetime | None = None,
    source_import_id: UUID | None = None,
    learning: Learning = "on",
) -> Accepted:
    """Store what is new of ``messages``. Needs ``acting_for``.

    A message is known again by the frontend's id, else by role, time and content. Secrets
    are redacted here, before anything is written. ``title`` and ``began`` are of a
    conversation that isn't there yet: one that was erased gets no title back. ``learning``
    can only make the conversation stricter: what the user chose for it stands.
    """
    if rules.paused(user_id=user_id, now=now):
        return Accepted(None, 0, 0, paused=True)
    if learning == "temporary":
        title = ""
    talk = _conversation(user_id, conversation, application_id, began or now, title)
    if STRICTNESS.index(learning) > STRICTNESS.index(talk.learning):
        rules.set_learning(
            user_id=user_id, conversation_id=talk.id, learning=learning, by=by, now=now
        )
        talk.learning = learning
    if talk.learning == Conversation.Learning.TEMPORARY:
        return Accepted(talk.id, 0, 0, temporary=True, learns=False)
    learns = talk.learning == Conversation.Learning.ON
    user = get_user_model().objects.get(pk=user_id)
    rows: list[Message] = []
    for message in messages:
        clean = redact(message.content)
        rows.append(
            Message(
                id=uuid7(),
                user_id=user_id,
                conversation_id=talk.id,
                external_id=message.id or None,
                role=message.role,
                content=clean.text,
                content_hash=user.keyed_hash(
                    "message", message.role, message.sent_at.isoformat(), message.content
                ),
                sent_at=message.sent_at,
                received_at=now,
                redactions=len(clean.spans),
                source_import_id=source_import_id,
                state=Message.State.PENDING if learns else Message.State.PROCESSED,
                excerpt=Message.Excerpt.NEW if learns else Message.Excerpt.NO,
            )
        )
    fresh = _unknown(user_id, talk, rows)
    if not fresh:
        return Accepted(talk.id, 0, len(rows), learns=learns)
    Message.objects.bulk_create(fresh)
    last = max(m.sent_at for m in fresh)
    if last > talk.last_message_at:
        talk.last_message_at = last
        talk.save(update_fields=["last_message_at"])
    audit.record(
        user_id=user_id,
        by=by,
        events=[audit.Event("messages.add", f"conversation:{talk.id}", {"accepted": len(fresh)})],
        now=now,
    )
    return Accepted(talk.id, len(fresh), len(rows) - len(fresh), learns=learns)


def _conversation(
    user_id: UUID, external_id: str, application_id: UUID | None, began: datetime, title: str
) -> Conversation:
    """The conversation's row, made at first use and locked, so that two deliveries of
    the same messages come one after the other."""
    Conversation.objects.bulk_create(
        [
            Conversation(
                user_id=user_id,
                external_id=external_id,
                title=redact(title).text[:TITLE],
                application_id=application_id,
                created_at=began,
                last_message_at=datetime.min.replace(tzinfo=UTC),
            )
        ],
        ignore_conflicts=True,
    )
    return Conversation.objects.select_for_update().get(user_id=user_id, external_id=external_id)


def _unknown(user_id: UUID, talk: Conversation, rows: Sequence[Message]) -> list[Message]:
    ids = [m.external_id for m in rows if m.external_id]
    hashes = [m.content_hash for m in rows if not m.external_id]
    known: set[str | bytes] = set()
    for external_id, content_hash in Message.objects.filter(
        Q(external_id__in=ids) | Q(external_id__isnull=True, content_hash__in=hashes),
        user_id=user_id,
        conversation_id=talk.id,
    ).values_list("external_id", "content_hash"):
        known.add(external_id if external_id else bytes(content_hash))
    fresh: list[Message] = []
    for row in rows:
        mark: str | bytes = row.external_id or bytes(row.content_hash)
        if mark not in known:
            known.add(mark)
            fresh.append(row)
    return fresh


def status(*, user_id: UUID, conversation: str) -> Status:
    """How far a conversation has been read. Needs ``acting_for``; raises NotFound."""
    talk = Conversation.objects.filter(user_id=user_id, external_id=conversation).first()
    if talk is None:
        raise NotFound("no such conversation")
    counts = Message.objects.filter(user_id=user_id, conversation_id=talk.id).aggregate(
        **{state.value: Count("id", filter=Q(state=state)) for state in Message.State}
    )
    wishes = ErasureRequest.objects.filter(
        user_id=user_id, message__user_id=user_id, message__conversation_id=talk.id
    ).order_by("asked_at", "id")
    return Status(
        **counts,
        forget=tuple(
            Wish(message or "", _OUTCOMES[state])
            for message, state in wishes.values_list("message__external_id", "state")
        ),
    )


def pending(*, user_id: UUID) -> int:
    """How many of the user's messages wait to be read. Needs ``acting_for``."""
    return Message.objects.filter(user_id=user_id, state=Message.State.PENDING).count()
