"""Many rows in one statement."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import connection
from django.db.models.expressions import RawSQL


def among(ids: Iterable[UUID]) -> RawSQL:
    """The ids for an ``__in``, as one parameter: thousands of parameters take longer to send
    than to look up."""
    return RawSQL("SELECT unnest(%s::uuid[])", [list(ids)])


def plan_once() -> None:
    """Until the transaction ends, what the database does for each row (its foreign keys, a
    trigger) is planned once and not for every row: with partitions the planning takes many
    times longer than the work."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
