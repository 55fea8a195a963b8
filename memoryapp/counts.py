"""How many memories a user has, counted for the page of figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memoryapp import sql


@dataclass(frozen=True, slots=True)
class Counts:
    """``months`` counts what was ever remembered, by the month (``2026-03``) in which it was
    first said. The others count what holds now: ``attributes`` by attribute and kind, where
    the kind is ``people`` for what is about somebody else; ``used`` by ``lately``,
    ``earlier`` and ``never``; ``origins`` by ``edit``, ``import``, ``chat`` or the id of the
    application that brought it."""

    months: Mapping[str, int]
    attributes: Mapping[tuple[str, str], int]
    used: Mapping[str, int]
    origins: Mapping[str, int]


def count(*, user_id: UUID, zone: str, lately: datetime) -> Counts:
    """One query. Months are those of the time zone; an answer since ``lately`` used a fact
    lately. Needs ``acting_for(user_id)``."""
    months: Counter[str] = Counter()
    attributes: Counter[tuple[str, str]] = Counter()
    used: Counter[str] = Counter()
    origins: Counter[str] = Counter()
    with connection.cursor() as cursor:
        cursor.execute(sql.load("figures"), {"user_id": user_id, "zone": zone, "lately": lately})
        for what, key, more, number in cursor.fetchall():
            if what == "area":
                attributes[key, more] += number
            else:
                {"month": months, "used": used, "origin": origins}[what][key] += number
    return Counts(months, attributes, used, origins)
