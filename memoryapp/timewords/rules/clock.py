"""Times of day, and days and times together."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from .. import calendar as cal
from ..calendar import Span
from .grammar import Clock, Now, Row, Rule, amounts, collector, hour_of, is_day, on, period

RULES: list[Rule] = []
rule = collector(RULES)


@rule("do*#")
def led_duration(row: Row, now: Now) -> tuple[str, Any] | None:
    amount = amounts(row)
    if amount is None:
        return None
    return "u", timedelta(seconds=amount[0] * cal.SECONDS[amount[1]])


@rule("{l}(?=a?[NHt9])")
def weak_weekday(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.weekday_span(now.moment, row.get("l"), now.prefer))


@rule(
    "(?:To*)?fo*[NO]o*k?(?:[oI]*T)?",
    "To*a[NO](?![Uk])",
    "To*No*ko*No*3?",
    "No*kNo*3?(?:o*T)?",
    "(?:To*)?a?No*k(?:p|N3)?(?:o*T)?",
    "a?[NO1]o*p(?:[oI]*T)?",
    "(?:To*)?a[NO](?=k)",
    "a?[NO1]k?[oI]*T",
    "a[NO](?:&|,)?[N](?:3|U)",
    "9[NO1]&N",
    "a{H}(?:[oI]*T)?",
    "TN(?![UkNMmbjZ&-])",
    "To*aO",
    "Ta?H",
    "H[oI]*T",
)
def clock(row: Row, now: Now) -> tuple[str, Any] | None:
    part, rest = row.get("T"), []
    if row.has("H"):
        hour, minute, *rest = row.get("H")
    else:
        numbers = [
            value
            for token in row.tokens
            if not token.means.keys() & {"f", "p"}
            for value in Row([token]).all("N", "O", "1")
        ]
        if not numbers:
            return None
        hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else 0
        shift = row.get("f") if row.has("f") else row.get("p")
        if shift is not None and isinstance(hour, int):
            total = hour * 60 + minute + shift
            hour, minute = total // 60 % 24, total % 60
        elif not (part or row.has("k") or row.has("a") or row.has("9")) or (
            len(row.tokens) == 2 and "T" in row.tokens[0].means and now.language != "tr"
        ):
            return None
    time = hour_of(hour, minute, part)
    return None if time is None else ("t", (*time, *rest))


@rule("9{[NO1]}(?![UNkp&-])", "9{6}", "{6}[kT]", "6k")
def clock_said(row: Row, now: Now) -> tuple[str, Any] | None:
    hour, minute = row.get("6") or (row.get("N", "O", "1"), 0)
    time = hour_of(hour, minute, None)
    return None if time is None else ("t", time)


@rule("H")
def plain_clock(row: Row, now: Now) -> tuple[str, Any] | None:
    return "t", row.get("H")


@rule(
    "(?:To*)?F?a?o*[Nt]a?[\\-Z]a?o*tk?[h2]?",
    "(?:To*)?Ba?[Nt][&Z\\-]a?t2?",
    "(?:To*)?[Nt][&Z\\-]a?t2",
)
def clock_range(row: Row, now: Now) -> tuple[str, Any] | None:
    times: list[Clock] = []
    for token in row.tokens:
        if "t" in token.means:
            times.append(token.means["t"])
        elif isinstance(token.means.get("N"), int) and token.means["N"] <= 24:
            times.append((token.means["N"], 0))
    if len(times) != 2:
        return None
    part = row.get("T")
    first, last = ((hour_of(time[0], time[1], part) or time) if part else time for time in times)
    hour, minute = first[:2]
    if now.language in ("ja", "ko", "zh", "hi") and last[0] < first[0] < last[0] + 12 <= 24:
        last = (last[0] + 12, *last[1:])  # the part of the day was said once, for both
    said = any("t" in token.means for token in row.tokens[:-1])
    if hour < 12 <= last[0] and not said and (hour + 12, minute) < last:
        hour += 12  # "from 3 to 5pm": both in the afternoon when the order allows it
    return "r", ((hour, *first[1:]), last)


@rule("[GW]a?o*t", "ta?[sz]", "[Vh]a?o*t", "ta?[xh]", "Z{t}")
def clock_open(row: Row, now: Now) -> tuple[str, Any] | None:
    clock = row.get("t")
    if row.has("G") or row.has("W") or row.has("s") or row.has("z"):
        return "r", (clock, None)
    return ("r", (None, clock)) if len(row.tokens) > 1 else None


# Days and times together


@rule("n")
def at_present(row: Row, now: Now) -> tuple[str, Any] | None:
    return "P", Span(now.moment, None, "instant", "datetime")


@rule("Ro*T", "To*R", "R")
def near_day(row: Row, now: Now) -> tuple[str, Any] | None:
    away, part = row.get("R"), row.get("T")
    if isinstance(away, tuple):
        away, part = away
    day = cal.at(now.moment) + away * cal.DAY
    if part is None:
        return period(cal.day_span(day))
    return "P", Span(on(day, (part[0], 0)), on(day, (part[1], 0)), "instant", "range")


@rule("Xo*T", "TX")
def turned_part(row: Row, now: Now) -> tuple[str, Any] | None:
    part = row.get("T")
    day = cal.at(now.moment) + row.get("X") * cal.DAY
    return "P", Span(on(day, (part[0], 0)), on(day, (part[1], 0)), "instant", "range")


@rule("P[,oIa]*r", "r[,oI]*P")
def day_and_range(row: Row, now: Now) -> tuple[str, Any] | None:
    span, (first, last) = row.get("P"), row.get("r")
    if not is_day(span):
        # "Monday morning from 10 to 12": the part of a day stands for the day.
        if span.begin is None or span.finish is None or span.precision != "instant":
            return None
        if span.finish - span.begin > cal.DAY / 2:
            return None
    day = cal.at(span.begin)
    if not is_day(span) and span.begin.hour >= 12:
        # "tonight from 7 to 9"
        part = (span.begin.hour, 24)
        first = first and (hour_of(first[0], first[1], part) or first)
        last = last and (hour_of(last[0], last[1], part) or last)
    begin, finish = first and on(day, first), last and on(day, last)
    if begin and finish and finish <= begin:
        finish += cal.DAY
    return "P", Span(begin, finish, "instant", "range", span.yearless)


@rule("P[,oIa]*t", "t[,oIFa]*P", "P[a9][NO1](?!U)", "Pa6")
def day_and_clock(row: Row, now: Now) -> tuple[str, Any] | None:
    span, clock = row.get("P"), row.get("t", "6") or (row.get("N", "O", "1"), 0)
    if span.kind == "range" and span.precision == "instant" and span.begin is not None:
        # "tonight at 8": the part of the day says which half of the clock is meant.
        start = span.begin.hour
        made = hour_of(clock[0], clock[1], (start, start + 4))
        if made is None or span.finish is None or span.finish - span.begin > cal.DAY / 2:
            return None
        moment = on(cal.at(span.begin), made)
        return period(replace(span, begin=moment, finish=None, kind="datetime"))
    if not is_day(span) or not isinstance(clock[0], int) or clock[0] > 24:
        return None
    moment = on(span.begin, clock)
    return period(replace(span, begin=moment, finish=None, precision="instant", kind="datetime"))


@rule("P[,oIa]*T", "T[,oI]*P")
def day_and_part(row: Row, now: Now) -> tuple[str, Any] | None:
    span, part = row.get("P"), row.get("T")
    if not is_day(span):
        return None
    begin, finish = on(span.begin, (part[0], 0)), on(span.begin, (part[1], 0))
    return "P", Span(begin, finish, "instant", "range", span.yearless)


@rule("8[,oIa]*[tr]", "[tr][,oI]*8", "8[,oI]*T", "To*8")
def habit_at(row: Row, now: Now) -> tuple[str, Any] | None:
    return "8", None


@rule("#o*[Vx]o*P", "#o*[WzFG]o*P", "Po*#x", "Po*[zL]#")
def counted_from(row: Row, now: Now) -> tuple[str, Any] | None:
    amount, span = amounts(row), row.get("P")
    if amount is None or not is_day(span):
        return None
    back = row.has("V") or row.has("x")
    return period(cal.away(span.begin, amount[1], -amount[0] if back else amount[0]))
