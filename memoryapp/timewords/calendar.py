"""Spans of time on one clock: naive datetimes, half-open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Literal

Precision = Literal["instant", "day", "month", "year"]
Kind = Literal["date", "datetime", "range", "time", "duration", "recurring", "none"]

DAY = timedelta(days=1)
# Seconds of a unit, as the length of a duration: a month is 30 days, a year 365.
SECONDS: dict[str, float] = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "workday": 86400,
    "weekend": 2 * 86400,
    "week": 7 * 86400,
    "fortnight": 14 * 86400,
    "month": 30 * 86400,
    "quarter": 90 * 86400,
    "year": 365 * 86400,
    "decade": 3650 * 86400,
    "century": 36500 * 86400,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}


@dataclass(frozen=True, slots=True)
class Span:
    """``[begin, finish)``; None at an end that is open."""

    begin: datetime | None
    finish: datetime | None
    precision: Precision
    kind: Kind
    # The year was not said, so that the year before or after may be meant.
    yearless: bool = False
    # A weekday alone: the one a week on may be meant.
    weekly: bool = False

    def shift(self, years: int) -> Span:
        return replace(
            self,
            begin=self.begin and add(self.begin, years, "year"),
            finish=self.finish and add(self.finish, years, "year"),
        )


def at(day: date | datetime) -> datetime:
    return datetime(day.year, day.month, day.day)


def add(moment: datetime, count: float, unit: str) -> datetime:
    """The moment that many units on; the last of the month where the day has no like.
    Raises OverflowError or ValueError outside the years 1 to 9999."""
    if unit == "workday":
        step, left = (1 if count > 0 else -1), abs(int(count))
        if left > 2000:
            raise OverflowError("too many working days")
        while left:
            moment += step * DAY
            left -= moment.weekday() < 5
        return moment
    if unit not in _MONTHS or (count != int(count) and _MONTHS[unit] * count % 1):
        return moment + timedelta(seconds=SECONDS[unit] * count)
    index = moment.year * 12 + moment.month - 1 + int(_MONTHS[unit] * count)
    year, month = index // 12, index % 12 + 1
    for day in range(moment.day, 27, -1):
        try:
            return moment.replace(year=year, month=month, day=day)
        except ValueError:
            if day == 28:
                raise
    return moment.replace(year=year, month=month)


def day_span(day: date | datetime, *, yearless: bool = False) -> Span:
    return Span(at(day), at(day) + DAY, "day", "date", yearless)


def month_span(year: int, month: int, *, yearless: bool = False) -> Span:
    first = datetime(year, month, 1)
    return Span(first, add(first, 1, "month"), "month", "range", yearless)


def year_span(year: int, years: int = 1) -> Span:
    return Span(datetime(year, 1, 1), datetime(year + years, 1, 1), "year", "range")


def unit_span(now: datetime, unit: str, turn: int) -> Span | None:
    """The week, month, … that ``turn`` counts from now's: -1 the last, 1 the next."""
    today = at(now)
    monday = today - today.weekday() * DAY
    if unit == "day":
        return day_span(today + turn * DAY)
    if unit == "week":
        first = monday + 7 * turn * DAY
        return Span(first, first + 7 * DAY, "day", "range")
    if unit == "workday":
        first = monday + 7 * turn * DAY
        return Span(first, first + 5 * DAY, "day", "range")
    if unit == "weekend":
        first = monday + (7 * turn + 5) * DAY
        return Span(first, first + 2 * DAY, "day", "range")
    if unit == "month":
        first = add(today.replace(day=1), turn, "month")
        return month_span(first.year, first.month)
    if unit == "quarter":
        first = add(today.replace(day=1, month=(today.month - 1) // 3 * 3 + 1), turn, "quarter")
        return Span(first, add(first, 1, "quarter"), "month", "range")
    if unit == "year":
        return year_span(today.year + turn)
    if unit == "decade":
        return year_span(today.year // 10 * 10 + 10 * turn, 10)
    if unit == "century":
        return year_span(today.year // 100 * 100 + 100 * turn, 100)
    if unit in ("hour", "minute"):
        first = now.replace(minute=0 if unit == "hour" else now.minute, second=0, microsecond=0)
        first = add(first, turn, unit)
        return Span(first, add(first, 1, unit), "instant", "range")
    return None


def turns_span(now: datetime, unit: str, turn: int, count: float) -> Span:
    """ "The last three weeks", up to today; "the next three weeks", from tomorrow."""
    if unit in ("hour", "minute", "second"):
        if turn < 0:
            return Span(add(now, -count, unit), now, "instant", "range")
        return Span(now, add(now, count, unit), "instant", "range")
    today = at(now)
    if turn < 0:
        return Span(add(today, -count, unit), today, "day", "range")
    first = today + DAY
    return Span(first, add(first, count, unit), "day", "range")


def away(now: datetime, unit: str, count: float) -> Span | None:
    """ "Three years ago", as exact as its unit says: a year, a month, a day, a moment."""
    if unit in ("hour", "minute", "second"):
        moment = add(now, count, unit)
        return Span(moment, None, "instant", "datetime")
    if unit == "weekend":
        return unit_span(now, unit, int(count))
    if unit in ("day", "workday", "week", "fortnight"):
        return day_span(add(at(now), count, unit))
    point = add(at(now), count, unit)
    if count != int(count) or unit in ("month", "quarter"):
        return replace(month_span(point.year, point.month), kind="date")
    return replace(year_span(point.year), kind="date")


def weekday_span(now: datetime, number: int, prefer: str) -> Span:
    """The nearest such day on the side that is meant; today when it is one."""
    today = at(now)
    ahead = (number - today.weekday()) % 7
    days = ahead if prefer == "future" else -(-ahead % 7)
    return replace(day_span(today + days * DAY), weekly=True)


def season_span(year: int, season: int, *, yearless: bool = False) -> Span:
    """Spring begins in March: the northern year's seasons; winter ends in the next year."""
    first = datetime(year, 3 + 3 * season, 1)
    return Span(first, add(first, 3, "month"), "month", "range", yearless)


def settle(span: Span, now: datetime, prefer: str) -> Span:
    """A span of no said year in the year that is meant: the last that has begun, or the
    first that has not ended."""
    if not span.yearless or span.begin is None:
        return span
    span = replace(span, yearless=False)
    if prefer == "future":
        while span.finish is not None and span.finish <= now:
            span = span.shift(1)
        return span
    while span.begin is not None and span.begin > now:
        span = span.shift(-1)
    return span


def part_of(span: Span, part: str) -> Span | None:
    """The first, middle or last third of a span that is longer than a day."""
    if span.begin is None or span.finish is None or span.finish - span.begin <= DAY:
        return None
    length = (span.finish - span.begin) / 2
    begin, finish = span.begin, span.finish
    if span.precision == "year" and (finish - begin).days < 370:
        half = add(begin, 6, "month")
    elif (finish - begin).days in (28, 29, 30, 31):
        half = begin + 15 * DAY
    else:
        half = at(begin + length)
    bounds = {
        "early": (begin, half),
        "late": (half, finish),
        "middle": (at(begin + length / 2), at(finish - length / 2)),
    }[part]
    if part == "middle" and (finish - begin).days in (28, 29, 30, 31):
        bounds = (begin + 9 * DAY, begin + 20 * DAY)
    precision: Precision = "month" if span.precision == "year" else "day"
    return replace(span, begin=bounds[0], finish=bounds[1], precision=precision)
