"""Deliveries: claimed, sent, tried again, given up; listed, replayed, tidied away."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from uuid_utils.compat import uuid7

from accounts.models import EndUser
from memoryapp import audit, broker, events
from memoryapp.context import acting_for, relaying
from memoryapp.models import MemoryEvent, WebhookDelivery, WebhookEndpoint

from . import endpoints, message, signing
from .sending import Answer, post

State = WebhookDelivery.State
BY = audit.Actor.system("webhooks")
# 5 s, 20 s, 80 s, … up to six hours between two: twelve attempts in 31 to 40 hours.
ATTEMPTS = 12
FIRST_WAIT, FACTOR, LONGEST_WAIT = 5.0, 4.0, 6 * 3600.0
JITTER = 0.25
MOST_RETRY_AFTER = 24 * 3600.0
# How long the sweep leaves new work to the fast path, and a worker has one claimed.
FAST_PATH = timedelta(seconds=15)
CLAIM = timedelta(seconds=120)
MOST_REPLAYED = 1000
# At a time to one endpoint: one that is slow must not keep every worker waiting.
MOST_AT_ONCE, MOST_AT_ONCE_FAILING = 4, 1


@dataclass(frozen=True, slots=True)
class Replayed:
    """``queued`` are sent again; ``more`` is where to go on, when a range had too many."""

    queued: int
    more: datetime | None = None


def deliver(*, user_id: UUID, delivery_id: UUID, now: datetime) -> Answer | None:
    """Send one that is due. None when it isn't, somebody else has it, or there is nobody to
    send it to any more."""
    claimed = _claim(user_id, delivery_id, now)
    if claimed is None:
        return None
    row, endpoint = claimed
    with acting_for(user_id):
        event = MemoryEvent.objects.get(user_id=user_id, id=row.event_id)
        person = EndUser.objects.filter(
            user_id=user_id, application_id=endpoint.application_id, may_read=True
        ).first()
        keys = endpoints.keys(endpoint, now)
        if person is None:
            _end(row, State.FAILED, now, error="denied_by_user")
        elif not keys:
            _end(row, State.FAILED, now, error="key_changed")
    if person is None:
        return None
    if not keys:
        endpoints.disable(row=endpoint, by=BY, now=now, reason="key_changed")
        return None
    body = json.dumps(
        message.of_event(event, user=person.external_id),
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()
    answer = post(
        endpoint.url,
        body,
        {**message.HEADERS, **signing.headers(message.message_id(event.id), now, body, keys)},
    )
    _settle(row, endpoint, answer, now)
    return answer


def _claim(
    user_id: UUID, delivery_id: UUID, now: datetime
) -> tuple[WebhookDelivery, WebhookEndpoint] | None:
    """Hold the delivery for a while; the attempt is counted before it is made."""
    with acting_for(user_id):
        due = WebhookDelivery.objects.filter(
            Q(claimed_until=None) | Q(claimed_until__lt=now),
            user_id=user_id,
            id=delivery_id,
            state=State.PENDING,
            not_before__lte=now,
        )
        wanted = due.values_list("endpoint", flat=True).first()
    if wanted is None:
        return None
    endpoint = (
        WebhookEndpoint.objects.select_related("application__owner")
        .filter(id=wanted, disabled_at=None, application__revoked_at=None)
        .first()
    )
    full = endpoint is not None and _is_full(endpoint, now)
    with acting_for(user_id):
        if full:
            due.update(not_before=now + timedelta(seconds=random.uniform(2, 10)))  # noqa: S311
            return None
        if not due.update(claimed_until=now + CLAIM, attempts=F("attempts") + 1):
            return None
        row = WebhookDelivery.objects.get(user_id=user_id, id=delivery_id)
        if endpoint is None:
            _end(row, State.FAILED, now, error="endpoint_disabled")
            return None
        if row.attempts > ATTEMPTS:
            _end(row, State.FAILED, now, error="worker_lost")
            return None
        return row, endpoint


def _is_full(endpoint: WebhookEndpoint, now: datetime) -> bool:
    most = MOST_AT_ONCE if endpoint.failing_since is None else MOST_AT_ONCE_FAILING
    with relaying():
        return listed(endpoint).filter(claimed_until__gte=now).count() >= most


def _settle(row: WebhookDelivery, endpoint: WebhookEndpoint, answer: Answer, now: datetime) -> None:
    mine = WebhookEndpoint.objects.filter(pk=endpoint.pk)
    with acting_for(row.user_id):
        row.log = [
            *row.log,
            {
                "at": now.isoformat(),
                "status": answer.status,
                "error": answer.error,
                "milliseconds": answer.milliseconds,
            },
        ]
        row.status, row.error, row.claimed_until = answer.status or None, answer.error, None
        if answer.delivered:
            _end(row, State.DELIVERED, now)
            mine.update(last_success_at=now, failing_since=None)
            return
        if row.attempts >= ATTEMPTS:
            _end(row, State.FAILED, now, error=answer.error)
        else:
            row.not_before = now + wait(row.attempts, answer.retry_after)
            _save(row, "log", "status", "error", "claimed_until", "not_before")
        mine.filter(failing_since=None).update(failing_since=now)
    endpoint.refresh_from_db(fields=["failing_since"])
    patience = timedelta(days=settings.WEBHOOK_DISABLE_DAYS)
    if answer.status == 410:
        endpoints.disable(row=endpoint, by=BY, now=now, reason="gone")
    elif endpoint.failing_since is not None and now - endpoint.failing_since >= patience:
        endpoints.disable(row=endpoint, by=BY, now=now, reason="failing")


def wait(attempts: int, retry_after: float | None = None) -> timedelta:
    """How long to wait after so many attempts: longer each time, never the same for all that
    failed together, and never shorter than the receiver asked for."""
    seconds = min(FIRST_WAIT * FACTOR ** (attempts - 1), LONGEST_WAIT)
    seconds *= 1 + random.uniform(0, JITTER)  # noqa: S311  (no secret)
    return timedelta(seconds=max(seconds, min(retry_after or 0.0, MOST_RETRY_AFTER)))


def _end(row: WebhookDelivery, state: State, now: datetime, *, error: str = "") -> None:
    row.state, row.ended_at, row.error, row.claimed_until = state, now, error, None
    _save(row, "state", "ended_at", "error", "claimed_until", "log", "status")


def _save(row: WebhookDelivery, *names: str) -> None:
    # Not ``save``, which raises when the user erased the account while it was sent.
    WebhookDelivery.objects.filter(user_id=row.user_id, id=row.id).update(
        **{name: getattr(row, name) for name in names}
    )


def sweep(*, now: datetime, limit: int = 500) -> int:
    """Send to the workers what is due and nobody holds: what waited for its time, and what a
    lost broker or worker left behind."""
    with relaying():
        due = list(
            WebhookDelivery.objects.filter(
                Q(claimed_until=None) | Q(claimed_until__lt=now),
                Q(attempts__gt=0) | Q(created_at__lte=now - FAST_PATH),
                state=State.PENDING,
                not_before__lte=now,
            )
            .order_by("not_before")
            .values_list("user_id", "id")[:limit]
        )
    return sum(broker.send(events.DELIVER, str(user), str(id)) for user, id in due)


def listed(endpoint: WebhookEndpoint) -> QuerySet[WebhookDelivery]:
    """What was sent to the endpoint, for all users. Needs ``relaying``, and shows ids, times
    and outcomes."""
    return WebhookDelivery.objects.filter(endpoint=endpoint.pk)


def types(rows: Collection[WebhookDelivery]) -> dict[UUID, str]:
    """What each of them tells, by the event's id. Needs ``relaying``."""
    # Not by a join: events are found by their user and id.
    found = MemoryEvent.objects.filter(
        user_id__in={row.user_id for row in rows}, id__in=[row.event_id for row in rows]
    )
    return dict(found.values_list("id", "type"))


def replay(*, endpoint: WebhookEndpoint, delivery_ids: Collection[UUID], now: datetime) -> Replayed:
    """Send these again, delivered or not, with the ids they had."""
    with relaying():
        found = listed(endpoint).filter(id__in=delivery_ids).values_list("user_id", "event_id")
        wanted = list(found)
    return Replayed(_again(endpoint, wanted, now))


def replay_range(
    *, endpoint: WebhookEndpoint, since: datetime, until: datetime, now: datetime
) -> Replayed:
    """Send again all events that happened from ``since`` to before ``until`` and that the
    endpoint wants, those among them that it missed while it was disabled. The oldest first,
    and at most a thousand at a time."""
    users = EndUser.objects.filter(
        application_id=endpoint.application_id, may_read=True
    ).values_list("user_id", flat=True)
    with relaying():
        rows = MemoryEvent.objects.filter(user_id__in=users, at__gte=since, at__lt=until)
        if endpoint.events:
            rows = rows.filter(type__in=endpoint.events)
        ordered = rows.order_by("at", "id").values_list("user_id", "id", "at")
        found = list(ordered[: MOST_REPLAYED + 1])
    more = found[MOST_REPLAYED][2] if len(found) > MOST_REPLAYED else None
    if more is not None and found[0][2] < more:
        # Whole moments, so that the next range can begin where this one ended.
        found = [each for each in found if each[2] < more]
    return Replayed(_again(endpoint, [(user, id) for user, id, _ in found], now), more)


def _again(endpoint: WebhookEndpoint, wanted: Sequence[tuple[Any, Any]], now: datetime) -> int:
    by_user: dict[UUID, list[UUID]] = defaultdict(list)
    for user_id, event_id in wanted:
        by_user[user_id].append(event_id)
    queued = 0
    for user_id, ids in by_user.items():
        with acting_for(user_id):
            rows = WebhookDelivery.objects.bulk_create(
                [
                    WebhookDelivery(
                        id=uuid7(),
                        user_id=user_id,
                        event_id=event_id,
                        endpoint=endpoint.pk,
                        created_at=now,
                        not_before=now,
                    )
                    for event_id in ids
                ],
                ignore_conflicts=True,
            )
            mine = WebhookDelivery.objects.filter(
                Q(claimed_until=None) | Q(claimed_until__lt=now),
                user_id=user_id,
                endpoint=endpoint.pk,
                event_id__in=[row.event_id for row in rows],
            )
            due = list(mine.values_list("id", flat=True))
            mine.update(
                state=State.PENDING, attempts=0, not_before=now, ended_at=None, error="",
                claimed_until=None,
            )  # fmt: skip
            for id in due:
                broker.on_commit(events.DELIVER, str(user_id), str(id))
            queued += len(due)
    return queued


def tidy(*, user_id: UUID, now: datetime) -> int:
    """Remove the user's events, and with them their deliveries, once they are old; returns how
    many. One that is still on its way is not old."""
    with transaction.atomic(), acting_for(user_id):
        old = MemoryEvent.objects.filter(
            user_id=user_id, at__lte=now - timedelta(days=settings.EVENT_RETENTION_DAYS)
        ).exclude(deliveries__user_id=user_id, deliveries__state=State.PENDING)
        ids = list(old.values_list("id", flat=True))
        MemoryEvent.objects.filter(user_id=user_id, id__in=ids).delete()
    return len(ids)
