"""Durations, ranges and open ends."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from .. import calendar as cal
from ..calendar import Span
from .grammar import Now, Row, Rule, amounts, collector, on, period, settled

RULES: list[Rule] = []
rule = collector(RULES)


@rule("[N1]&1?NU", "#&1?N(?![UN])", "[dI]?[oI]*#(?:[&,]*#)*")
def duration(row: Row, now: Now) -> tuple[str, Any] | None:
    seconds, found = 0.0, 0
    numbers = row.all("N", "1")
    if 0.5 in numbers and row.has("&") and len(row.all("U")) == 1 and len(numbers) < 4:
        # "one and a half hours", "an hour and a half"
        return "u", timedelta(seconds=(numbers[0] + 0.5) * cal.SECONDS[row.get("U")])
    for index in range(len(row.tokens)):
        for size in (2, 1):
            piece = row.tokens[index : index + size]
            row_of = Row(piece)
            whole = size == 2 and ("U" in piece[-1].means or "j" in piece[-1].means)
            if (
                (whole and row_of.has("N"))
                or (whole and row.has("d") and row_of.has("1"))
                or (size == 1 and "J" in piece[0].means)
            ):
                amount = amounts(row_of)
                if amount is None:
                    return None
                seconds += amount[0] * cal.SECONDS[amount[1]]
                found += 1
                break
    if not found:
        return None
    if row.get("U") == "century" and len(row.tokens) == 2 and row.tokens[0].figures:
        return period(cal.year_span((row.get("N") - 1) * 100, 100))
    return "u", timedelta(seconds=seconds)


def _joined(first: Span, last: Span, now: Now) -> Span | None:
    if first.yearless and not last.yearless and first.begin and last.begin:
        year = last.begin.year
        first = replace(first.shift(year - first.begin.year), yearless=False)
        if first.begin and first.begin > last.begin:
            first = first.shift(-1)
    elif last.yearless and not first.yearless and first.begin and last.begin:
        last = replace(last.shift(first.begin.year - last.begin.year), yearless=False)
        if last.begin and last.begin < first.begin:
            last = last.shift(1)
    elif last.yearless and first.begin and last.begin and last.begin < first.begin:
        last = last.shift(1)
    begin = first.begin
    finish = last.begin if last.precision == "instant" and last.finish is None else last.finish
    if begin is None or finish is None:
        return None
    if last.weekly and finish <= begin:
        weeks = (begin - finish) // (7 * cal.DAY) + 1
        finish += 7 * weeks * cal.DAY
    if finish <= begin:
        return None
    return Span(begin, finish, last.precision, "range", first.yearless and last.yearless)


@rule(
    "F?o*Po*[\\-Z]o*Ph?",
    "B?o*Po*[&Z\\-]o*P2",
    "Bo*Po*[&Z\\-]o*P",
    "Po*[FZs]o*P2?h",
    "F?Pa?Z[aoI]*P",
)
def range_of(row: Row, now: Now) -> tuple[str, Any] | None:
    first, last = row.all("P")
    return period(_joined(first, last, now))


@rule("F?o*Po*[\\-Z]a?o*[tr]", "Po*Za?th")
def range_to_clock(row: Row, now: Now) -> tuple[str, Any] | None:
    span, clock = row.get("P"), row.get("t")
    if span.begin is None or span.precision != "instant" or clock is None:
        return None
    finish = on(cal.at(span.begin), clock)
    if finish <= span.begin:
        return None
    return "P", Span(span.begin, finish, "instant", "range", span.yearless)


@rule("Go*P", "Po*s")
def since(row: Row, now: Now) -> tuple[str, Any] | None:
    span: Span = cal.settle(row.get("P"), now.moment, "past")
    if span.begin is None or (span.kind == "range" and span.finish is None):
        return None
    return "P", Span(span.begin, None, span.precision, "range")


@rule("Vo*P", "Po*x")
def before(row: Row, now: Now) -> tuple[str, Any] | None:
    span = settled(row, now)
    return None if span.begin is None else ("P", Span(None, span.begin, span.precision, "range"))


@rule("ho*P", "Po*h")
def until(row: Row, now: Now) -> tuple[str, Any] | None:
    span = settled(row, now)
    finish = span.begin if span.finish is None else span.finish
    return None if finish is None else ("P", Span(None, finish, span.precision, "range"))


@rule("Wo*P", "Po*z")
def after(row: Row, now: Now) -> tuple[str, Any] | None:
    span = settled(row, now)
    begin = span.begin if span.finish is None else span.finish
    return None if begin is None else ("P", Span(begin, None, span.precision, "range"))
