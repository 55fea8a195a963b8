"""What the writers of facts share."""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from memoryapp.models import Fact

# Rows whose evidence takes no part in a timeline: not yet approved, or refused.
ASIDE = (Fact.Status.PENDING, Fact.Status.REJECTED)


class NotFound(LookupError):
    """The fact isn't this user's, or isn't there."""


class Conflict(RuntimeError):
    """The fact changed meanwhile: it no longer is what the caller saw."""


def lock(user_id: UUID) -> None:
    """Take the user's lock until the transaction ends. With the partial unique index
    it gives one current row and no errors among concurrent writers (FINDINGS)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(1835364706, hashtext(%s))", [str(user_id)])


def locked_fact(user_id: UUID, fact_id: UUID) -> Fact:
    """The user's fact, with the user's lock taken. Raises NotFound."""
    lock(user_id)
    fact = Fact.objects.filter(user_id=user_id, id=fact_id, operation="state").first()
    if fact is None:
        raise NotFound("no such fact")
    return fact
