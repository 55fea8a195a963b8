"""The timeline in words: what began, changed, ended, ran out or was forgotten, by month."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.utils import formats, timezone
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryapp import changes
from memoryapp.changes import Area, Change, ChangeKind, Month, Wanted
from memoryapp.models import Evidence, Fact
from memoryapp.records import KINDS as RECORD_KINDS
from memoryapp.web import cards, dates, wording

KINDS: Mapping[ChangeKind, Promise] = {
    "new": gettext_lazy("New"),
    "changed": gettext_lazy("Changed"),
    "corrected": gettext_lazy("Corrected"),
    "ended": gettext_lazy("No longer so"),
    "expired": gettext_lazy("Ran out"),
    "forgotten": gettext_lazy("Forgotten"),
}
ICONS: Mapping[ChangeKind, str] = {
    "new": "plus",
    "changed": "arrow-right",
    "corrected": "pencil",
    "ended": "x",
    "expired": "hourglass",
    "forgotten": "eraser",
}
ORDERS: Mapping[str, Promise] = {
    "": gettext_lazy("When it was so"),
    "learned": gettext_lazy("When I learned it"),
}
_LATER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the timeline as it stands on the page. ``learned_at`` is None where it would
    say no more than ``said_at``; for what was forgotten nothing but ``facts`` is known."""

    kind: ChangeKind
    at: datetime
    facts: int = 0
    id: UUID | None = None
    sentence: str = ""
    covered: str = ""
    before: str = ""
    before_covered: str = ""
    before_from: datetime | None = None
    before_precision: str = "instant"
    precision: str = "instant"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    never: bool = False
    event: bool = False
    stated: bool = False
    source: str = ""
    said_at: datetime | None = None
    learned_at: datetime | None = None

    @property
    def name(self) -> str:
        return str(KINDS[self.kind])

    @property
    def icon(self) -> str:
        return ICONS[self.kind]

    @property
    def since_then(self) -> bool:
        """Whether a change that still holds was told on the day from which it is so."""
        return (
            self.kind in ("changed", "corrected")
            and self.source == Evidence.Source.MESSAGE
            and self.precision in ("instant", "day")
            and self.valid_to is None
            and self.valid_from is not None
            and self.said_at is not None
            and timezone.localdate(self.valid_from) == timezone.localdate(self.said_at)
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    """A month of the page, or what of a year has no month."""

    year: int
    month: int
    entries: Sequence[Entry]

    @property
    def name(self) -> str:
        return name_of(self.year, self.month)

    @property
    def anchor(self) -> str:
        return anchor_of(self.year, self.month)


@dataclass(frozen=True, slots=True)
class Jump:
    """A link to a year, or to a month of the year shown: the page that it begins on."""

    name: str
    count: int
    page: int
    anchor: str
    here: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for: words of ours only, and anything else counts as unsaid."""

    area: str = ""
    kind: ChangeKind | None = None
    order: str = ""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Asked:
        area, kind, order = (given.get(name, "") for name in ("area", "kind", "order"))
        return cls(
            area=area if area in wording.GROUPS else "",
            kind=kind if kind in KINDS else None,
            order=order if order in ORDERS else "",
        )

    @property
    def query(self) -> str:
        """The same for an address, to which a page's number is added."""
        said = {"area": self.area, "kind": self.kind or "", "order": self.order}
        return urlencode({name: value for name, value in said.items() if value})

    def wanted(self, known: wording.Registry) -> Wanted:
        return Wanted(
            area=area_of(self.area, known) if self.area else None,
            kind=self.kind,
            learned=self.order == "learned",
            zone=timezone.get_current_timezone_name(),
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """One page of the timeline."""

    number: int
    pages: int
    total: int
    first_year: int | None
    stretches: Sequence[Stretch] = field(default_factory=tuple)
    years: Sequence[Jump] = field(default_factory=tuple)
    months: Sequence[Jump] = field(default_factory=tuple)

    @property
    def previous(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def next(self) -> int | None:
        return self.number + 1 if self.number < self.pages else None


def area_of(group: str, known: wording.Registry) -> Area:
    """A group of the page as the database can tell it."""
    return Area(
        key=group,
        attributes=[key for key, one in known.items() if one.group == group],
        kinds=[kind for kind in RECORD_KINDS if wording.group_of("user", "", kind, {}) == group],
        known=[key for key, one in known.items() if one.group in wording.GROUPS],
    )


def name_of(year: int, month: int) -> str:
    """ "March 2026"; "Some time in 2026"."""
    if not month:
        return _("Some time in %(year)s") % {"year": year}
    middle = timezone.make_aware(datetime(year, month, 15, 12))
    return str(capfirst(dates.when(middle, "month")))


def anchor_of(year: int, month: int) -> str:
    return f"m-{year}-{month:02}" if month else f"m-{year}"


def page_at(user_id: UUID, asked: Asked, *, number: int, size: int) -> Shown:
    """Page ``number``, from 1 on, or the last one for a number behind it. Needs
    ``acting_for(user_id)``. Four queries at most, however much there is."""
    known = cards.registry()
    read = changes.page(user_id, asked.wanted(known), number=number, size=size)
    found, rows = read.months, read.changes
    total = sum(month.count for month in found)
    pages = max(1, -(-total // size))
    entries = _entries(user_id, rows, known)
    stretches = [
        Stretch(year, month, [entry for _row, entry in group])
        for (year, month), group in groupby(
            zip(rows, entries, strict=True), key=lambda pair: (pair[0].year, pair[0].month)
        )
    ]
    here = rows[0].year if rows else None
    return Shown(
        number=min(number, pages),
        pages=pages,
        total=total,
        first_year=found[-1].year if found else None,
        stretches=stretches,
        years=_years(found, size, here),
        months=_months(found, size, here),
    )


def _years(found: Sequence[Month], size: int, here: int | None) -> list[Jump]:
    jumps = []
    before = 0
    for year, group in groupby(found, key=lambda month: month.year):
        months = list(group)
        count = sum(month.count for month in months)
        anchor = anchor_of(year, months[0].month)
        jumps.append(Jump(str(year), count, before // size + 1, anchor, year == here))
        before += count
    return jumps


def _months(found: Sequence[Month], size: int, here: int | None) -> list[Jump]:
    """The months of one year, in the order of the page."""
    jumps = []
    before = 0
    for month in found:
        if month.year == here:
            name = (
                str(capfirst(formats.date_format(date(month.year, month.month, 1), "M")))
                if month.month
                else _("no month")
            )
            anchor = anchor_of(month.year, month.month)
            jumps.append(Jump(name, month.count, before // size + 1, anchor))
        before += month.count
    return jumps


def _entries(user_id: UUID, rows: Sequence[Change], known: wording.Registry) -> list[Entry]:
    ids = {one for row in rows for one in (row.fact_id, row.before_id) if one is not None}
    facts = {fact.id: fact for fact in Fact.objects.filter(user_id=user_id, id__in=ids)}
    proofs = {
        proof.fact_id: proof
        for proof in Evidence.objects.filter(user_id=user_id, fact_id__in=ids)
        .order_by("fact_id", "sent_at", "id")
        .distinct("fact_id")
    }
    return [
        _entry(row, facts, proofs.get(row.fact_id) if row.fact_id else None, known) for row in rows
    ]


def _entry(
    row: Change, facts: Mapping[UUID, Fact], proof: Evidence | None, known: wording.Registry
) -> Entry:
    fact = facts.get(row.fact_id) if row.fact_id else None
    if fact is None:
        return Entry(kind=row.kind, at=row.at, facts=row.facts)
    before = facts.get(row.before_id) if row.before_id else None
    said_at = proof.sent_at if proof else None
    ended = row.kind in ("ended", "expired")
    return Entry(
        kind=row.kind,
        at=row.at,
        id=fact.id,
        sentence=wording.sentence(fact, known),
        covered=wording.covered(fact.sensitivity),
        before=wording.sentence(before, known) if before else "",
        before_covered=wording.covered(before.sensitivity) if before else "",
        before_from=before.valid_from if before else None,
        before_precision=before.precision if before else "instant",
        precision=fact.precision,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        never=fact.retired_at is not None,
        event=fact.kind == "event",
        stated=proof is not None and proof.valid_from is not None,
        source=proof.source if proof else "",
        said_at=said_at,
        learned_at=(
            row.learned_at
            if ended or said_at is None or row.learned_at - said_at >= _LATER
            else None
        ),
    )
