"""The figures: charts as shapes, a sentence that reads each of them, and its table.

The charts are drawn here, by a template, and not by a library. The kept ones (uPlot, Chart.js,
Frappe Charts, D3) draw in the browser and leave nothing without scripts; those that draw on the
server (pygal, matplotlib) write style attributes, which the site's policy refuses, and fix
colours and direction. Four plain charts need rectangles only: as SVG without any text they
stretch to every width, are turned round by one rule where one reads from right to left, and
take their colours from the page, dark and forced ones included. All words are HTML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryapp import counts
from memoryapp.web import cards, wording
from memoryapp.web.timeline import name_of

LATELY = timedelta(days=30)
# Of more months than these, only the years are shown.
MOST_MONTHS = 36
# A column is 10 wide and stands in 14; the tallest is 100 high.
_STEP, _WIDE, _HIGH = 14, 10, 100

_USED: Mapping[str, Promise] = {
    "lately": gettext_lazy("In the last 30 days"),
    "earlier": gettext_lazy("Earlier"),
    "never": gettext_lazy("Not yet"),
}
_ORIGINS: Mapping[str, Promise] = {
    "chat": gettext_lazy("Said in a chat"),
    "edit": gettext_lazy("Written here by you"),
    "import": gettext_lazy("Brought in from elsewhere"),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One number of a chart. ``x``, ``y``, ``wide`` and ``high`` are its rectangle, in the
    units of the chart's own drawing. ``pale`` sets one apart by its filling, beside its
    label."""

    label: str
    count: int
    x: int = 0
    y: float = 0
    wide: float = 0
    high: float = 0
    pale: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: ``columns`` stand side by side in the order of time, ``bars`` lie below each
    other. ``reading`` says in a sentence what is to be seen."""

    key: str
    title: str
    reading: str
    heading: str
    shape: str
    marks: Sequence[Mark] = field(default_factory=tuple)

    @property
    def width(self) -> int:
        return _STEP * len(self.marks)

    @property
    def most(self) -> int:
        return max((mark.count for mark in self.marks), default=0)

    @property
    def ticks(self) -> Sequence[str]:
        """The labels under columns: of the first, the middle and the last."""
        labels = [mark.label for mark in self.marks]
        if len(labels) < 3:
            return labels
        return [labels[0], labels[len(labels) // 2], labels[-1]]


def charts(user_id: UUID, *, now: datetime) -> list[Chart]:
    """The charts, none while nothing is remembered. Three queries. Needs
    ``acting_for(user_id)``."""
    found = counts.count(
        user_id=user_id, zone=timezone.get_current_timezone_name(), lately=now - LATELY
    )
    if not found.months:
        return []
    drawn = [_over_time(found.months)]
    if found.used:
        drawn += [_by_area(found.attributes), _by_use(found.used), _by_origin(found.origins)]
    return drawn


def _columns(rows: Sequence[tuple[str, int]]) -> list[Mark]:
    most = max(count for _label, count in rows)
    marks = []
    for number, (label, count) in enumerate(rows):
        high = round(_HIGH * count / most, 2)
        marks.append(Mark(label, count, _STEP * number + 2, round(_HIGH - high, 2), _WIDE, high))
    return marks


def _bars(rows: Sequence[tuple[str, int]], pale: Sequence[str] = ()) -> list[Mark]:
    most = max(count for _label, count in rows)
    return [
        Mark(label, count, wide=round(100 * count / most, 2), high=10, pale=label in pale)
        for label, count in rows
    ]


def _over_time(months: Mapping[str, int]) -> Chart:
    rows = _months(months)
    by_month = len(rows) <= MOST_MONTHS
    if not by_month:
        rows = _years(months)
    label, most = max(rows, key=lambda row: row[1])
    total = sum(months.values())
    reading = ngettext(
        "All that you told me was new in %(when)s: one memory.",
        "Most was new in %(when)s: %(most)s of %(total)s memories, those that are past now "
        "included.",
        total,
    ) % {"when": label, "most": intcomma(most), "total": intcomma(total)}
    return Chart(
        key="time",
        title=_("New memories over time"),
        reading=reading,
        heading=_("Month") if by_month else _("Year"),
        shape="columns",
        marks=_columns(rows),
    )


def _months(found: Mapping[str, int]) -> list[tuple[str, int]]:
    """Every month from the first to the last, those without anything too."""
    year, month = (int(part) for part in min(found).split("-"))
    last = max(found)
    rows = []
    while (key := f"{year:04}-{month:02}") <= last:
        rows.append((name_of(year, month), found.get(key, 0)))
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return rows


def _years(found: Mapping[str, int]) -> list[tuple[str, int]]:
    years: Counter[int] = Counter()
    for key, number in found.items():
        years[int(key[:4])] += number
    return [(str(year), years[year]) for year in range(min(years), max(years) + 1)]


def _by_area(attributes: Mapping[tuple[str, str], int]) -> Chart:
    known = cards.registry()
    areas: Counter[str] = Counter()
    for (attribute, kind), number in attributes.items():
        other = kind == "people"
        areas[wording.group_of("somebody" if other else "user", attribute, kind, known)] += number
    rows = [
        (str(name), areas[key])
        for key, name in sorted(wording.GROUPS.items(), key=lambda one: -areas[one[0]])
        if areas[key]
    ]
    return Chart(
        key="area",
        title=_("By part of your life"),
        reading=_("Most is kept under “%(area)s”: %(most)s of %(total)s memories that hold now.")
        % {"area": rows[0][0], "most": intcomma(rows[0][1]), "total": intcomma(areas.total())},
        heading=_("Part of your life"),
        shape="bars",
        marks=_bars(rows),
    )


def _by_use(used: Mapping[str, int]) -> Chart:
    total = sum(used.values())
    never = used.get("never", 0)
    rows = [(str(name), used.get(key, 0)) for key, name in _USED.items()]
    if never == total:
        reading = _("No answer has used any of them yet.")
    else:
        reading = ngettext(
            "Answers have used %(used)s of the one memory that holds now.",
            "Answers have used %(used)s of the %(total)s memories that hold now, %(lately)s of "
            "them in the last 30 days.",
            total,
        ) % {
            "used": intcomma(total - never),
            "total": intcomma(total),
            "lately": intcomma(used.get("lately", 0)),
        }
    return Chart(
        key="use",
        title=_("Used in answers"),
        reading=reading,
        heading=_("Last used"),
        shape="bars",
        marks=_bars(rows, pale=[str(_USED["never"])]),
    )


def _by_origin(origins: Mapping[str, int]) -> Chart:
    ids = {UUID(key) for key in origins if key not in _ORIGINS}
    names = cards.names_of(ids)
    rows: Counter[str] = Counter()
    for key, number in origins.items():
        if key in _ORIGINS:
            rows[str(_ORIGINS[key])] += number
        else:
            name = names.get(UUID(key))
            label = _("Said through %(app)s") % {"app": name} if name else _ORIGINS["chat"]
            rows[str(label)] += number
    ordered = rows.most_common()
    reading = (
        _("All have the same origin: %(origin)s.")
        if len(ordered) == 1
        else _("Most have this origin: %(origin)s (%(most)s of %(total)s).")
    )
    return Chart(
        key="origin",
        title=_("Where they came from"),
        reading=reading
        % {
            "origin": ordered[0][0],
            "most": intcomma(ordered[0][1]),
            "total": intcomma(rows.total()),
        },
        heading=_("Origin"),
        shape="bars",
        marks=_bars(ordered),
    )
