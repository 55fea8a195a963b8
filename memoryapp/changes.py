"""What changed when, of everything that is remembered: the timeline's lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast
from uuid import UUID

from django.db import connection

from memoryapp import sql

ChangeKind = Literal["new", "changed", "corrected", "ended", "expired", "forgotten"]
KINDS: Sequence[ChangeKind] = ("new", "changed", "corrected", "ended", "expired", "forgotten")


@dataclass(frozen=True, slots=True)
class Area:
    """A part of a life, as the database can tell it: the registry's attributes of it, and,
    for attributes that the registry doesn't know (not in ``known``), their kinds."""

    key: str
    attributes: Collection[str] = ()
    kinds: Collection[str] = ()
    known: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines, and by which time: when it was so, or (``learned``) when it was learned.
    Months are those of the time zone ``zone``."""

    area: Area | None = None
    kind: ChangeKind | None = None
    learned: bool = False
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Month:
    """How many lines a month has; ``month`` is 0 for those of which only the year is known."""

    year: int
    month: int
    count: int


@dataclass(frozen=True, slots=True)
class Change:
    """One line. ``fact_id`` is the fact that it is about, and None for what was forgotten, of
    which only the number of ``facts`` is known; ``before_id`` is what the fact replaced."""

    fact_id: UUID | None
    before_id: UUID | None
    kind: ChangeKind
    facts: int
    at: datetime
    learned_at: datetime
    precision: str
    year: int
    month: int


def months(user_id: UUID, wanted: Wanted) -> list[Month]:
    """The months that have lines, newest first, each year's lines without a month last. Needs
    ``acting_for(user_id)``."""
    rows = _rows(
        user_id,
        wanted,
        "SELECT year, month, count(*) FROM placed GROUP BY year, month"
        " ORDER BY year DESC, month DESC",
    )
    return [Month(*row) for row in rows]


def changes(user_id: UUID, wanted: Wanted, *, first: int, count: int) -> list[Change]:
    """``count`` lines from number ``first`` on, counted from 0, newest first: in the order of
    ``months``. Needs ``acting_for(user_id)``."""
    rows = _rows(
        user_id,
        wanted,
        "SELECT fact_id, before_id, kind, facts, at, learned_at, precision, year, month"
        " FROM placed ORDER BY year DESC, month DESC, stands DESC, learned_at DESC, fact_id DESC,"
        " kind LIMIT %(count)s OFFSET %(first)s",
        first=first,
        count=count,
    )
    return [
        Change(None if kind == "forgotten" else fact_id, before_id, kind, *rest)
        for fact_id, before_id, kind, *rest in rows
    ]


def _rows(user_id: UUID, wanted: Wanted, select: str, **more: int) -> list[Any]:
    area = wanted.area or Area("")
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("changes") + select,
            {
                "user_id": user_id,
                "area": area.key,
                "attributes": list(area.attributes),
                "kinds": list(area.kinds),
                "known": list(area.known),
                "kind": wanted.kind or "",
                "learned": wanted.learned,
                "zone": wanted.zone,
                **more,
            },
        )
        return cast(list[Any], cursor.fetchall())
