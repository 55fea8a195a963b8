"""Amounts of time before and after now, and periods: weeks, seasons, years, their parts."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from .. import calendar as cal
from ..calendar import Span
from .grammar import Now, Row, Rule, amounts, collector, is_day, period, settled, year_of

RULES: list[Rule] = []
rule = collector(RULES)


@rule("#[&,]?#A", "qo*#[&,]*#")
def ago_two(row: Row, now: Now) -> tuple[str, Any] | None:
    half = len(row.tokens) // 2
    first, second = amounts(Row(row.tokens[:half])), amounts(Row(row.tokens[half:]))
    if first is None or second is None:
        return None
    point = cal.add(cal.add(now.moment, -first[0], first[1]), -second[0], second[1])
    if second[1] in ("minute", "second"):
        return "P", Span(point, None, "instant", "datetime")
    return period(cal.day_span(point))


@rule("[N1]U&1?NA", "[N1]&1?NUA")
def ago_and_half(row: Row, now: Now) -> tuple[str, Any] | None:
    numbers = row.all("N", "1")
    if 0.5 not in numbers:
        return None
    return period(cal.away(now.moment, row.get("U"), -numbers[0] - 0.5))


@rule("#o*A", "Nbo*A", "qo*#", "No*U[oI]*A")
def ago(row: Row, now: Now) -> tuple[str, Any] | None:
    amount = amounts(row)
    return None if amount is None else period(cal.away(now.moment, amount[1], -amount[0]))


@rule("#o*[Vx]o*R", "#o*[WzFG]o*R", "Ro*[VW]o*#", "Rs?#L", "#o*Wn")
def counted(row: Row, now: Now) -> tuple[str, Any] | None:
    amount, day = amounts(row), row.get("R")
    if amount is None or isinstance(day, tuple):
        return None
    back = row.has("V") or row.has("x")
    count = -amount[0] if back else amount[0]
    return period(cal.away(now.moment + (day or 0) * cal.DAY, amount[1], count))


@rule("Go*#", "#s")
def since_amount(row: Row, now: Now) -> tuple[str, Any] | None:
    """Seit drei Jahren: it began then and goes on."""
    amount = amounts(row)
    start = None if amount is None else cal.away(now.moment, amount[1], -amount[0])
    if start is None:
        return None
    return "P", Span(start.begin, None, start.precision, "range")


@rule("#o*L", "Nbo*L", "Io*{#}(?![LAXVGFW])")
def later(row: Row, now: Now) -> tuple[str, Any] | None:
    amount = amounts(row)
    return None if amount is None else period(cal.away(now.moment, amount[1], amount[0]))


@rule("4(?!L)", "4")
def kal(row: Row, now: Now) -> tuple[str, Any] | None:
    away = row.get("4")
    return "R", away if now.future or now.prefer == "future" else -away


# Periods


@rule("(?:[QO]|[NO]U)[,oI]*[YK](?!U)", "Yj?o*(?:Q|[NO]U)(?!A)", "Ko*NU(?!A)", "Q", "OUo*(?:XU|UX)")
def quarter(row: Row, now: Now) -> tuple[str, Any] | None:
    number = row.get("Q")
    if number is None:
        if row.all("U")[:1] != ["quarter"]:
            return None
        number = next((n for n in row.all("O", "N") if n != row.get("Y")), None)
    if not isinstance(number, int) or not 1 <= number <= 4:
        return None
    year = row.get("Y")
    if row.has("K"):
        turn, unit = row.get("K")
        if unit != "year":
            return None
        year = now.moment.year + turn
    elif row.has("X"):
        year = now.moment.year + row.get("X")
    first = datetime(year or now.moment.year, 3 * number - 2, 1)
    return "P", Span(first, cal.add(first, 3, "month"), "month", "range", year is None)


@rule("So*X", "Xo*S", "S[oI]*XU", "S[oI]*UX", "Ko*S", "So*K", "S[,oI]*Y(?![Uk])", "Yj?o*S")
def season(row: Row, now: Now) -> tuple[str, Any] | None:
    number, year = row.get("S"), row.get("Y")
    if year is not None:
        return period(cal.season_span(year, number))
    turn = row.get("X")
    if row.has("K"):
        turn, unit = row.get("K")
        return period(cal.season_span(now.moment.year + turn, number)) if unit == "year" else None
    if row.has("U"):
        if row.get("U") != "year":
            return None
        return period(cal.season_span(now.moment.year + turn, number))
    this = cal.season_span(now.moment.year, number)
    if turn == 0:
        return period(this)
    if turn < 0:
        over = this.finish is not None and this.finish <= now.moment
        return period(this if over else this.shift(-1))
    begun = this.begin is not None and this.begin <= now.moment
    return period(this.shift(1) if begun else this)


@rule("No*So*A")
def seasons_ago(row: Row, now: Now) -> tuple[str, Any] | None:
    """Two summers ago: the one before the last that is over or has begun."""
    count = row.get("N")
    if not isinstance(count, int) or not 1 <= count < 200:
        return None
    last = cal.season_span(now.moment.year, row.get("S"), yearless=True)
    return period(replace(cal.settle(last, now.moment, "past").shift(1 - count), kind="date"))


@rule("I[oI]*{S}", "[GVW]o*{S}")
def bare_season(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.season_span(now.moment.year, row.get("S"), yearless=True))


@rule("Xo*y", "yo*X(?!U)", "y[,oI]*Y", "Yo*y", "yo*XU", "yo*UX", "Ko*y", "y")
def holiday(row: Row, now: Now) -> tuple[str, Any] | None:
    (month, day), year, turn = row.get("y"), row.get("Y"), row.get("X")
    if row.has("K"):
        turn, unit = row.get("K")
        if unit != "year":
            return None
        year = now.moment.year + turn
    elif row.has("U"):
        year = now.moment.year + turn
    elif turn is not None and year is None:
        year = now.moment.year
        this = datetime(year, month, day)
        if turn < 0 and this + cal.DAY > now.moment:
            year -= 1
        if turn > 0 and this <= now.moment:
            year += 1
    if year is not None:
        return period(cal.day_span(date(year, month, day)))
    return period(cal.day_span(date(now.moment.year, month, day), yearless=True))


def _week(first: datetime, number: int) -> Span:
    """The week with the month's or year's first Thursday is its first, as in ISO 8601."""
    monday = first + (3 - first.weekday()) % 7 * cal.DAY - 3 * cal.DAY
    monday += 7 * (number - 1) * cal.DAY
    return Span(monday, monday + 7 * cal.DAY, "day", "range")


@rule("[OX]U[oI]*[PY]", "Po*[OX]U", "Uo*N(?![UkN])", "Uoo*P")
def nth_week(row: Row, now: Now) -> tuple[str, Any] | None:
    unit, number, span = row.get("U"), row.get("O", "X", "N"), row.get("P")
    if unit != "week":
        return None
    if span is None:
        year = row.get("Y")
        if row.has("N") and year is None:
            if not row.tokens[-1].figures or not 1 <= number <= 53:
                return None
            return period(_week(datetime(now.moment.year, 1, 1), number))
        if year is None or not (row.has("O") or row.has("X")):
            return None
        span = cal.year_span(year)
    if span.begin is None or span.finish is None:
        return None
    if number is None:
        monday = cal.at(span.begin) - span.begin.weekday() * cal.DAY
        week = Span(monday, monday + 7 * cal.DAY, "day", "range")
        return period(replace(week, yearless=False)) if is_day(span) else None
    if span.precision not in ("month", "year"):
        return None
    span = cal.settle(span, now.moment, now.prefer)
    if row.has("X"):
        if number != -1 or span.finish is None:
            return None
        return period(_week(span.finish, 0))
    return None if span.begin is None else period(_week(span.begin, number))


@rule("OU(?![oI]*[PY])")
def century(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.get("U") != "century":
        return None
    return period(cal.year_span((row.get("O") - 1) * 100, 100)) if row.get("O") > 1 else None


@rule("Xo*U(?!U)", "UX(?!U)", "Uo*X", "K")
def turned(row: Row, now: Now) -> tuple[str, Any] | None:
    turn, unit = row.get("K") or (row.get("X"), row.get("U"))
    if unit == "day" and turn == 0 and not row.has("K"):
        return None  # "this day" says little
    return period(cal.unit_span(now.moment, unit, turn))


@rule("X[jm]")
def turned_sign(row: Row, now: Now) -> tuple[str, Any] | None:
    unit = "year" if row.has("j") else "month"
    return period(cal.unit_span(now.moment, unit, row.get("X")))


@rule("[Yj]j", "Nj(?![AL2])", "Uo*Y")
def said_year(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.has("U") and row.get("U") != "year":
        return None
    year = year_of(row.get("Y", "N"))
    return None if year is None else period(cal.year_span(year))


@rule(
    "[IGVWFZBeha]o*{Y}(?![Uk])",
    "e-?{Y}",
    "{Y}(?=[\\-Z]o*Y)",
    "P-{Y}",
    "{Y}(?=[sxhz])",
)
def bare_year(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.year_span(row.get("Y")))


@rule("Po*[\\-Z&]o*{Y}(?![Uk])")
def closing_year(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.year_span(row.get("Y")))


@rule("+")
def decade(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.year_span(row.get("+"), 10))


@rule("[oIa]o*{U}(?![oI]*[PXYN])")
def this_weekend(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.get("U") != "weekend":
        return None
    weekend = cal.unit_span(now.moment, "weekend", 0)
    if weekend is not None and weekend.begin is not None:
        to_come = weekend.begin > now.moment
        if to_come and now.prefer == "past" and not now.future:
            return period(cal.unit_span(now.moment, "weekend", -1))
    return period(weekend)


@rule("eo*U(?![oI]*[PXYN])")
def part_of_this(row: Row, now: Now) -> tuple[str, Any] | None:
    unit = row.get("U")
    if unit not in ("week", "month", "quarter", "year", "decade"):
        return None
    whole = cal.unit_span(now.moment, unit, 0)
    return None if whole is None else period(cal.part_of(whole, row.get("e")))


@rule("[Vh]o*eo*P")
def by_the_end(row: Row, now: Now) -> tuple[str, Any] | None:
    span = settled(row, now)
    if row.get("e") != "late" or span.finish is None:
        return None
    return "P", Span(None, span.finish, "day", "range")


@rule("0o*P")
def later_in(row: Row, now: Now) -> tuple[str, Any] | None:
    """Later this year, earlier this month: the half of it."""
    span: Span = row.get("P")
    if span.kind != "range" or span.finish is None:
        return None
    return period(cal.part_of(span, row.get("0")))


@rule("e-?o*P", "Po*e")
def part(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.part_of(row.get("P"), row.get("e")))
