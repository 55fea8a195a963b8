"""What applications have to do with a user: what they may do, and what they did lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Q

from accounts.models import EndUser, User
from memoryapp.models import AuditEvent, Evidence, Fact, Message

LATELY = timedelta(days=30)
# What the log calls an application's looks into the memory.
READS = ("recall", "facts.read", "messages.read", "check", "export", "audit.read")


@dataclass(frozen=True, slots=True)
class Connection:
    """One application and the user. The counts are of the last ``LATELY``, but for
    ``taught``: memories that hold now and rest on what it brought. ``last_used`` is None when
    it never did anything."""

    id: UUID
    name: str
    may_read: bool
    may_write: bool
    closed: bool
    since: datetime
    brought: int
    taught: int
    looks: int
    last_used: datetime | None

    @property
    def connected(self) -> bool:
        return self.may_read or self.may_write


def connections(*, user: User, now: datetime) -> Sequence[Connection]:
    """By name. Needs ``acting_for(user)``."""
    links = EndUser.objects.filter(user=user).select_related("application")
    return sorted(
        (_connection(user.pk, link, now) for link in links), key=lambda one: one.name.casefold()
    )


def _connection(user_id: UUID, link: EndUser, now: datetime) -> Connection:
    application = link.application
    mine = {"user_id": user_id}
    log: dict[str, Any] = AuditEvent.objects.filter(
        **mine, actor=f"app:{application.pk}"
    ).aggregate(last=Max("at"), looks=Count("id", filter=Q(action__in=READS, at__gte=now - LATELY)))
    return Connection(
        id=application.pk,
        name=application.name,
        may_read=link.may_read,
        may_write=link.may_write,
        closed=application.revoked_at is not None,
        since=link.created_at,
        brought=Message.objects.filter(
            **mine,
            conversation__application_id=application.pk,
            conversation__user_id=user_id,
            received_at__gte=now - LATELY,
        ).count(),
        taught=Evidence.objects.filter(
            **mine,
            conversation__application_id=application.pk,
            conversation__user_id=user_id,
            fact__user_id=user_id,
            fact__status=Fact.Status.CURRENT,
        )
        .values("fact_id")
        .distinct()
        .count(),
        looks=log["looks"],
        last_used=log["last"],
    )
