"""What changed when, of everything that is remembered: the timeline's lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import connection

from memoryapp import sql

ChangeKind = Literal["new", "changed", "corrected", "ended", "expired", "forgotten"]


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


@dataclass(frozen=True, slots=True)
class Page:
    """The months that have lines, newest first, each year's lines without a month last; and
    one page of the lines, in the same order."""

    months: Sequence[Month]
    changes: Sequence[Change]


def page(user_id: UUID, wanted: Wanted, *, number: int, size: int) -> Page:
    """Page ``number``, from 1 on, of ``size`` lines each; the last one for a number behind it.
    Needs ``acting_for(user_id)``."""
    area = wanted.area or Area("")
    with connection.cursor() as cursor:
        cursor.execute(
            sql.load("changes"),
            {
                "user_id": user_id,
                "area": area.key,
                "attributes": list(area.attributes),
                "kinds": list(area.kinds),
                "known": list(area.known),
                "kind": wanted.kind or "",
                "learned": wanted.learned,
                "zone": wanted.zone,
                "first": (number - 1) * size,
                "size": size,
            },
        )
        rows = cursor.fetchall()
    return Page(
        months=[Month(year, month, n) for n, *_line, year, month in rows if n is not None],
        changes=[
            Change(None if kind == "forgotten" else fact_id, before_id, kind, *rest)
            for n, fact_id, before_id, kind, *rest in rows
            if n is None
        ],
    )
