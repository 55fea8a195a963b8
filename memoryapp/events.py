"""What happened in a memory, told to those who wait to hear of it: ids, never content.

Events are made from the log's entries, in their transaction: the log is the one place that
every change goes by, so no change is told that didn't happen, and none happens untold. Each
event is also a delivery to every webhook that wants it, sent after the commit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Protocol
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q
from uuid_utils.compat import uuid7

from memoryapp import broker, wakeups
from memoryapp.models import (
    Conversation,
    Decision,
    Extraction,
    Fact,
    MemoryEvent,
    WebhookDelivery,
    WebhookEndpoint,
)

Type = MemoryEvent.Type
DELIVER = "memoryapp.tasks.deliver_webhook"
MOST_FACTS = 100

# What an entry about a fact tells: the event's type, and what changed. A memory that was
# added or that contradicts another may have to wait for its user: then it tells of that.
FACTS: Mapping[str, tuple[str, str]] = {
    "fact.add": (Type.CREATED, ""),
    "fact.conflict": (Type.CREATED, ""),
    "fact.supersede": (Type.UPDATED, "superseded"),
    "fact.retract": (Type.UPDATED, "ended"),
    "fact.expire": (Type.UPDATED, "expired"),
    "fact.archive": (Type.UPDATED, "archived"),
    "fact.weigh": (Type.UPDATED, "weighed"),
    "fact.rename": (Type.UPDATED, "renamed"),
    "fact.undo": (Type.UPDATED, "undone"),
    "fact.restore": (Type.UPDATED, "restored"),
    "hand.undo": (Type.UPDATED, "undone"),
    "fact.erase": (Type.ERASED, ""),
}
IMPORTS: Mapping[str, str] = {"import.end": "done", "import.fail": "failed"}


class Entry(Protocol):
    """An entry of the log, as ``audit.Event`` has it."""

    @property
    def action(self) -> str: ...

    @property
    def object(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _Told:
    type: str
    data: dict[str, Any] = field(default_factory=dict)


def note(*, user_id: UUID, entries: Sequence[Entry], at: datetime) -> None:
    """Tell what the entries say has happened, in their transaction. Needs
    ``acting_for(user_id)``, and the log's lock: the entries are written."""
    about: dict[str, list[UUID]] = defaultdict(list)
    told: list[_Told] = []
    conversation = None
    for entry in entries:
        kind, _colon, id = entry.object.partition(":")
        if entry.action in FACTS and kind == "fact":
            about[entry.action].append(UUID(id))
        elif entry.action in IMPORTS:
            told.append(_Told(Type.IMPORTED, {"import": id, "outcome": IMPORTS[entry.action]}))
        elif entry.action == "conversation.erase":
            conversation = _name(user_id, UUID(id))
    erased = about.pop("fact.erase", [])
    told += [
        _Told(Type.ERASED, {"facts": _texts(ids), "conversation": conversation})
        for ids in _parts(erased)
    ]
    if about:
        told += _changes(user_id, about, at)
    _write(user_id, told, at)


def conversation_read(*, user_id: UUID, conversation_id: UUID, at: datetime) -> None:
    """Tell that all that was said in a conversation is read. Needs ``acting_for(user_id)``,
    and comes last in its transaction."""
    with connection.cursor() as cursor:
        # The log's lock (sql/audit.sql): it keeps the numbers in the order of the commits.
        cursor.execute("SELECT pg_advisory_xact_lock(1835364705, hashtext(%s))", [str(user_id)])
    data = {"conversation": _name(user_id, conversation_id)}
    _write(user_id, [_Told(Type.READ, data)], at)


def _changes(user_id: UUID, about: Mapping[str, list[UUID]], at: datetime) -> list[_Told]:
    ids = {id for some in about.values() for id in some}
    rows = {row.id: row for row in Fact.objects.filter(user_id=user_id, id__in=ids)}
    heirs: dict[UUID, list[Fact]] = defaultdict(list)
    for row in Fact.objects.filter(user_id=user_id, superseded_by__in=ids):
        if row.superseded_by_id is not None:
            heirs[row.superseded_by_id].append(row)
    groups: dict[tuple[str, str], list[UUID]] = defaultdict(list)
    for action, some in about.items():
        for id in some:
            if id not in rows:
                continue
            type_, change = FACTS[action]
            if type_ == Type.CREATED and rows[id].status == Fact.Status.PENDING:
                type_ = Type.WAITING
            if action == "fact.supersede" and any(r.retired_at is not None for r in heirs[id]):
                change = "corrected"
            if rows[id].operation == "end":
                groups[type_, change] += _ended(user_id, rows[id], at)
            else:
                groups[type_, change].append(id)
    source = _Source.of(user_id, ids, at)
    return [
        _Told(
            type_,
            {
                "facts": _texts(some),
                **({"change": change} if change else {}),
                "replaced": _texts(r.id for id in some for r in heirs[id]),
                "conversation": source.conversation,
                "extraction": source.extraction and str(source.extraction),
                "decisions": _texts(d for id in some for d in source.decisions[id]),
            },
        )
        for (type_, change), found in groups.items()
        for some in _parts(list(dict.fromkeys(found)))
    ]


def _ended(user_id: UUID, mark: Fact, at: datetime) -> list[UUID]:
    """The facts that the mark of a "no longer" has just closed."""
    closed = Fact.objects.filter(
        Q(closed_at=at) | Q(retired_at=at),
        user_id=user_id,
        subject=mark.subject,
        attribute=mark.attribute,
        scope=mark.scope,
        operation="state",
        supersession__in=("end", "correction"),
    )
    if not mark.single:
        closed = closed.filter(value_key=mark.value_key)
    return list(closed.values_list("id", flat=True))


@dataclass(frozen=True, slots=True)
class _Source:
    """Where changes of one moment come from: the extraction, when one alone made them, its
    conversation, and the decisions on each fact."""

    extraction: UUID | None
    conversation: str | None
    decisions: Mapping[UUID, list[UUID]]

    @classmethod
    def of(cls, user_id: UUID, ids: Collection[UUID], at: datetime) -> _Source:
        decisions: dict[UUID, list[UUID]] = defaultdict(list)
        extractions: set[UUID | None] = set()
        for id, fact_id, extraction_id in (
            Decision.objects.filter(user_id=user_id, fact_id__in=ids, at=at)
            .exclude(outcome__in=("ignore", "corroborate"))
            .values_list("id", "fact_id", "extraction_id")
        ):
            if fact_id is not None:
                decisions[fact_id].append(id)
            extractions.add(extraction_id)
        extraction = extractions.pop() if len(extractions) == 1 else None
        talk = None
        if extraction is not None:
            talk = (
                Extraction.objects.filter(user_id=user_id, id=extraction)
                .values_list("conversation_id", flat=True)
                .first()
            )
        return cls(extraction, _name(user_id, talk), decisions)


def _name(user_id: UUID, conversation_id: UUID | None) -> str | None:
    """The frontend's own id of the conversation."""
    if conversation_id is None:
        return None
    return (
        Conversation.objects.filter(user_id=user_id, id=conversation_id)
        .values_list("external_id", flat=True)
        .first()
    )


def _parts(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    for start in range(0, len(ids), MOST_FACTS):
        yield ids[start : start + MOST_FACTS]


def _texts(ids: Iterable[UUID]) -> list[str]:
    return [str(id) for id in ids]


def _write(user_id: UUID, told: Sequence[_Told], at: datetime) -> None:
    if not told:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval('memoryapp_memoryevent_seq') FROM generate_series(1, %s)", [len(told)]
        )
        numbers = sorted(number for (number,) in cursor.fetchall())
    rows = MemoryEvent.objects.bulk_create(
        MemoryEvent(id=uuid7(), user_id=user_id, seq=number, type=one.type, data=one.data, at=at)
        for number, one in zip(numbers, told, strict=True)
    )
    _queue(user_id, rows, at)
    transaction.on_commit(partial(wakeups.publish, user_id))


def listening(user_id: UUID) -> list[WebhookEndpoint]:
    """The endpoints that may hear of the user: of the application whose user it is, while
    the user lets it read."""
    return list(
        WebhookEndpoint.objects.filter(
            disabled_at=None,
            application__revoked_at=None,
            application__end_users__user_id=user_id,
            application__end_users__may_read=True,
        )
    )


def _queue(user_id: UUID, rows: Sequence[MemoryEvent], at: datetime) -> None:
    deliveries = WebhookDelivery.objects.bulk_create(
        WebhookDelivery(
            id=uuid7(),
            user_id=user_id,
            event_id=row.id,
            endpoint=endpoint.id,
            created_at=at,
            not_before=at,
        )
        for endpoint in listening(user_id)
        for row in rows
        if not endpoint.events or row.type in endpoint.events
    )
    for delivery in deliveries:
        broker.on_commit(DELIVER, str(user_id), str(delivery.id))
