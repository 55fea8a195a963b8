"""The log: who did what to whose memory, when. Append-only, chained per user by the
database (``sql/audit.sql``). Ids, counts and words of ours; never content."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone
from uuid_utils.compat import uuid7

from memoryapp import events as happenings
from memoryapp.models import AuditEvent

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: ``user:<id>``, ``app:<id>``, ``admin:<id>``, ``system:<name>``."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"

    @classmethod
    def user(cls, user: Any) -> Actor:
        return cls("user", str(user.pk))

    @classmethod
    def application(cls, application_id: UUID) -> Actor:
        return cls("app", str(application_id))

    @classmethod
    def admin(cls, user: Any) -> Actor:
        return cls("admin", str(user.pk))

    @classmethod
    def system(cls, name: str) -> Actor:
        return cls("system", name)


@dataclass(frozen=True, slots=True)
class Event:
    action: str
    object: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


def record(
    *, user_id: UUID, by: Actor, events: Sequence[Event], now: datetime | None = None
) -> None:
    """Append events to the user's log, in order. Call it last in the transaction: the
    chain's lock is held from here to the commit. Who waits to hear of what they tell hears
    of it after that. Needs ``acting_for(user_id)``."""
    at = now or timezone.now()
    with connection.cursor() as cursor:
        # By hand: Django sends rows with binary columns value by value, and forgetting all
        # may be ten thousand entries. The trigger gives them their places and hashes.
        cursor.execute(
            """
            INSERT INTO memoryapp_auditevent (id, user_id, at, actor, action, object, details)
            SELECT id, %s, %s, %s, action, object, details
            FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::jsonb[])
                WITH ORDINALITY AS entry (id, action, object, details, place)
            ORDER BY place
            """,
            [
                *(user_id, at, str(by)),
                [uuid7() for _ in events],
                [event.action for event in events],
                [event.object for event in events],
                [json.dumps(dict(event.details)) for event in events],
            ],
        )
    happenings.note(user_id=user_id, entries=events, at=at)


def refused(*, user_id: UUID, by: Actor, object: str, action: str = "access.refused") -> None:
    """Log that somebody acting for ``user_id`` reached for something that isn't this
    user's or isn't there: which of the two can't be seen from here, by design."""
    logger.warning("access refused: %s reached for %s", by, object)
    record(user_id=user_id, by=by, events=[Event(action, object)])


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a log at some time."""

    seq: int
    hash: bytes


def head(*, user_id: UUID) -> Head | None:
    """The log's last entry, None for an empty one. Needs ``acting_for(user_id)``."""
    rows = AuditEvent.objects.filter(user_id=user_id).order_by("-seq")
    found = rows.values_list("seq", "hash").first()
    return Head(found[0], bytes(found[1])) if found else None


def lacking(*, user_id: UUID, heads: Sequence[Head]) -> int | None:
    """The first number of ``heads``, noted elsewhere at their time, that the log doesn't have
    as it was: since then its end was cut off, or it was written anew. None when it has them
    all. Needs ``acting_for(user_id)``."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT min(noted.seq) FROM unnest(%s::bigint[], %s::bytea[]) AS noted (seq, hash)
            WHERE NOT EXISTS (
                SELECT FROM memoryapp_auditevent e
                WHERE e.user_id = %s AND e.seq = noted.seq AND e.hash = noted.hash)
            """,
            [[one.seq for one in heads], [one.hash for one in heads], user_id],
        )
        (first,) = cursor.fetchone()
    return None if first is None else int(first)


@dataclass(frozen=True, slots=True)
class ChainReport:
    """``first_bad`` is the sequence number of the first event that was changed, or that
    follows a gap; None when the chain is whole."""

    events: int
    first_bad: int | None
    head: bytes

    @property
    def whole(self) -> bool:
        return self.first_bad is None


def verify_chain(*, user_id: UUID) -> ChainReport:
    """Recompute the user's chain in the database. Needs ``acting_for(user_id)``.

    Finds any edit, gap or fork. A lost tail can be seen only against a head that was
    noted elsewhere (``lacking``), which is why the report returns it.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH chain AS (
                SELECT seq, hash,
                    hash = memoryapp_audit_hash(user_id, seq, at, actor, action, object,
                        details, previous_hash)
                    AND previous_hash = coalesce(lag(hash) OVER w, ''::bytea)
                    AND seq = coalesce(lag(seq) OVER w, 0) + 1 AS good
                FROM memoryapp_auditevent WHERE user_id = %s
                WINDOW w AS (ORDER BY seq)
            )
            SELECT count(*), min(seq) FILTER (WHERE NOT good),
                (SELECT hash FROM chain ORDER BY seq DESC LIMIT 1)
            FROM chain
            """,
            [user_id],
        )
        events, first_bad, head = cursor.fetchone()
    return ChainReport(events=events, first_bad=first_bad, head=bytes(head or b""))
