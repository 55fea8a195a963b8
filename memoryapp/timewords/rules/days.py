"""Numbers of two words, habits, days, months and weekdays."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from .. import calendar as cal
from ..calendar import Span
from .grammar import ROMANCE, Now, Row, Rule, amounts, collector, period, year_of

RULES: list[Rule] = []
rule = collector(RULES)


@rule("N-?N", "N&N")
def tens(row: Row, now: Now) -> tuple[str, Any] | None:
    high, low = row.all("N")
    if any(token.figures for token in row.tokens) or high < 20 or high % 10 or not 1 <= low <= 9:
        return None
    return "N", high + low


@rule(
    "E[NO1]?U", "E#", "v", "w([&,]*w)*", "EU", "NUE", "[DUm]E", "ED([&,][&,]?o*D)*", "E[MST]", "Ew"
)
def habit(row: Row, now: Now) -> tuple[str, Any] | None:
    return "8", None


# Dates


@rule(
    "[FB]o*[NO]a?o*[\\-Z&]o*[NO]o*[Mi](?:[,oI]*Y(?![Uk]))?",
    "[NO]a?o*[\\-Z]o*[NO]o*[Mi](?:[,oI]*Y(?![Uk]))?",
    "[FB]o*[Mi]o*[NO]o*[\\-Z&]o*[NO](?!U)(?:[,o]*Y)?",
    "[Mi]o*[NO]o*[\\-Z]o*[NO](?!U)(?:[,o]*Y)?",
)
def days_of_month(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.has("&") and not row.has("-") and not row.has("Z") and not row.has("B"):
        return None
    numbers = [n for n in row.all("N", "O") if isinstance(n, int) and 1 <= n <= 31]
    month, year = row.get("M", "i"), row.get("Y")
    if len(numbers) != 2:
        return None
    first = datetime(year or now.moment.year, month, numbers[0])
    last = datetime(year or now.moment.year, month, numbers[1]) + cal.DAY
    if last <= first:
        return None
    return "P", Span(first, last, "day", "range", year is None)


@rule("F?(?:[YN]jo*)?Nmo*Nb?o*[\\-Z&]o*Nb[h2]?")
def signs_range(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.has("&") and not (row.has("-") or row.has("Z") or row.has("2")):
        return None
    numbers = [n for n in row.all("N") if isinstance(n, int)]
    year = year_of(numbers.pop(0)) if row.has("j") and numbers else None
    if len(numbers) != 3 or (row.has("j") and year is None):
        return None
    first = datetime(year or now.moment.year, numbers[0], numbers[1])
    last = first.replace(day=numbers[2]) + cal.DAY
    return None if last <= first else ("P", Span(first, last, "day", "range", year is None))


@rule("[YN]jo*Nmo*Nb(?:[,o]*[Dl])?", "(?:Ko*)?Nmo*Nb(?:[,o]*[Dl])?", "[YN]jo*Nm", "(?:Ko*)?Nm")
def signs(row: Row, now: Now) -> tuple[str, Any] | None:
    numbers = [n for n in row.all("N") if isinstance(n, int)]
    year: int | None = None
    if row.has("j"):
        year = year_of(numbers[0]) or (2000 + numbers[0] if 0 < numbers[0] < 50 else None)
        numbers = numbers[1:]
        if year is None:
            return None
    if row.has("K"):
        turn, unit = row.get("K")
        if unit != "year":
            return None
        year = now.moment.year + turn
    if not numbers or not 1 <= numbers[0] <= 12:
        return None
    known = year if year is not None else now.moment.year
    if len(numbers) > 1:
        return period(cal.day_span(date(known, numbers[0], numbers[1]), yearless=year is None))
    return period(cal.month_span(known, numbers[0], yearless=year is None))


@rule("X[oI]*#", "XNb", "NXU", "NUo*X", "JX")
def turns(row: Row, now: Now) -> tuple[str, Any] | None:
    amount, turn = amounts(row), row.get("X")
    if amount is None:
        return None
    count, unit = amount
    if "X" in row.tokens[-1].means and now.language not in (*ROMANCE, "ar"):
        return None  # "15 minuten | volgende maandag"
    if "N" in row.tokens[0].means and "X" in row.tokens[1].means and now.language not in ROMANCE:
        return None  # "only 3 next week"
    if turn == 0:
        turn = -1
    return period(cal.turns_span(now.moment, unit, turn, count))


@rule("Ko*Nb", "[NO]oo*(?:XU|UX|K)", "O(?:XU|UX|K)", "o*X[Mi]o*[NO](?!U)", "XUo*Nb", "Xmo*Nb")
def day_of_turn(row: Row, now: Now) -> tuple[str, Any] | None:
    number = row.get("O", "N")
    turn, unit = row.get("K") or (row.get("X"), row.get("U") or "month")
    if not isinstance(number, int) or not 1 <= number <= 31 or unit != "month" or row.has("M"):
        return None
    month = cal.unit_span(now.moment, "month", turn)
    if month is None or month.begin is None:
        return None
    return period(cal.day_span(month.begin.replace(day=number)))


@rule("(?:[Dl][,oI]*)?C")
def full(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.day_span(row.get("C")))


@rule("(?:[NO]o*)?[Mi][,o]*N")
def short_year(row: Row, now: Now) -> tuple[str, Any] | None:
    """ "April of 87", "2 de outubro de 92": a number that is no day can be a year."""
    year = row.tokens[-1].means["N"]
    if not row.tokens[-1].figures or not isinstance(year, int) or not 32 <= year <= 99:
        return None
    month, number = row.get("M", "i"), row.tokens[0].means
    if number.keys().isdisjoint("NO"):
        return period(cal.month_span(1900 + year, month))
    return period(cal.day_span(date(1900 + year, month, number["O" if "O" in number else "N"])))


def _day(now: Now, year: int | None, month: int, day: int) -> Span:
    """A day of a month; without a year, the 29th of February is that of a leap year."""
    if year is None and (month, day) == (2, 29):
        step = 1 if now.prefer == "future" else -1
        year = now.moment.year
        while (
            year % 4
            or (year % 100 == 0 and year % 400)
            or (step < 0 and datetime(year, 2, 29) > now.moment)
        ):
            year += step
        return cal.day_span(date(year, 2, 29))
    return cal.day_span(date(year or now.moment.year, month, day), yearless=year is None)


@rule(
    "(?:[Dl][,oI]*)?[NO1][,-]?o*[Mi][-,oI]*Y",
    "[Mi]-[NO]-Y",
    "Y-[Mi]-[NO]",
    "(?:[Dl][,oI]*)?[NO1]o*[Mi]",
    "(?:[Dl][,oI]*)?[Mi]o*[NO](?![Uk])[,oI]*Y",
    "(?:[Dl][,oI]*)?[Mi]o*O",
    "Yo*[Mi]o*[NO]",
)
def day_and_month(row: Row, now: Now) -> tuple[str, Any] | None:
    year = row.get("Y")
    numbers = [
        n for n in row.all("O", "N", "1") if isinstance(n, int) and 1 <= n <= 31 and n != year
    ]
    if not numbers:
        return None
    return period(_day(now, year, row.get("M", "i"), numbers[0]))


@rule("(?:[Dl][,oI]*)?Mo*[N](?![NUk])", "(?:[Dl][,oI]*)?i[N](?![NUk])")
def month_and_day(row: Row, now: Now) -> tuple[str, Any] | None:
    number = row.get("N")
    if not isinstance(number, int) or not 1 <= number <= 31:
        return None
    if now.order != "mdy" and now.language != "hi":
        return None
    if now.language == "en" and not row.tokens[-1].figures:
        return None
    return period(_day(now, None, row.get("M", "i"), number))


@rule("(?:X?[Dl][,oI]*)c", "[oIaGFVWZBh]{c}", "{c}(?=[\\-Z][cCP])", "[PC][\\-Z]{c}")
def weak(row: Row, now: Now) -> tuple[str, Any] | None:
    month, day, _dots = row.get("c")
    return period(cal.day_span(date(now.moment.year, month, day), yearless=True))


@rule("{c}")
def dotted(row: Row, now: Now) -> tuple[str, Any] | None:
    month, day, dots = row.get("c")
    return period(cal.day_span(date(now.moment.year, month, day), yearless=True)) if dots else None


@rule("[Mi][-,oI]*Y(?![Uk])", "Yo*-?[Mi]", "7")
def month_of_year(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.has("7"):
        return period(cal.month_span(*row.get("7")))
    return period(cal.month_span(row.get("Y"), row.get("M", "i")))


@rule("Xo*[Mi]", "[Mi]o*X(?!U)", "[Mi][oI]*XU", "[Mi][oI]*UX", "Ko*[Mi]", "[Mi]o*K", "XU[oI]*[Mi]")
def month_turned(row: Row, now: Now) -> tuple[str, Any] | None:
    month, turn = row.get("M", "i"), row.get("X")
    year = now.moment.year
    unit = row.get("U")
    if row.has("K"):
        turn, unit = row.get("K")
    if unit is not None:
        return period(cal.month_span(year + turn, month)) if unit == "year" else None
    if turn < 0:
        return period(cal.month_span(year - (month >= now.moment.month), month))
    if turn > 0:
        return period(cal.month_span(year + (month <= now.moment.month), month))
    return None if row.has("i") else period(cal.month_span(year, month))


@rule("M", "[IGVWFZBeo]o*{i}", "{i}(?=[ZT-])")
def month(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.month_span(now.moment.year, row.get("M", "i"), yearless=True))


# Weeks and weekdays


@rule(
    "Ko*D",
    "K[NbU](?![kj3m])",
    "[Dl][,oI]*K",
    "XUo*[Dl]",
    "UXo*[Dl]",
    "[Dl][,oIF]*XU",
    "[Dl][,oIF]*UX",
    "Xo*[Dl]",
    "[Dl]X",
)
def weekday_turned(row: Row, now: Now) -> tuple[str, Any] | None:
    number, unit, turn = row.get("D", "l"), row.get("U"), row.get("X")
    if row.has("K"):
        turn, unit = row.get("K")
        sign = row.tokens[-1].means
        if number is None:
            if unit != "week":
                return None
            value = sign.get("N")
            if sign.get("b") is not None or sign.get("U") == "day":
                number = 6
            elif isinstance(value, int) and 1 <= value <= 6:
                number = value - 1
            else:
                return None
    if unit not in (None, "week"):
        return None
    today = cal.at(now.moment)
    if unit is None and row.has("5"):
        return period(cal.weekday_span(now.moment + cal.DAY, number, "future"))
    if unit is None and turn == -1:
        # The last one that there was, today not counted.
        return period(cal.day_span(today - ((today.weekday() - number - 1) % 7 + 1) * cal.DAY))
    if unit is None and turn == 0 and row.tokens[0].means.get("X") is None:
        return None
    monday = today - today.weekday() * cal.DAY
    return period(cal.day_span(monday + (7 * turn + number) * cal.DAY))


@rule("[OX]D[,oI]*[Mi](?:[,oI]*Y)?", "[OX]D[,oI]*P", "[OX]D[oI]*XU", "[OX]D[oI]*UX")
def nth_weekday(row: Row, now: Now) -> tuple[str, Any] | None:
    number, weekday = row.tokens[0].means.get("O"), row.get("D")
    turns = row.all("X")
    if row.has("U"):
        month_is = cal.unit_span(now.moment, row.get("U"), turns[-1])
        if row.get("U") != "month":
            return None
    elif row.has("P"):
        month_is = row.get("P")
        if month_is.precision != "month" or month_is.kind != "range":
            return None
        month_is = cal.settle(month_is, now.moment, now.prefer)
    else:
        year = row.get("Y")
        month_is = cal.month_span(year or now.moment.year, row.get("M", "i"))
        if year is None:
            month_is = cal.settle(replace(month_is, yearless=True), now.moment, now.prefer)
    if month_is is None or month_is.begin is None or month_is.finish is None:
        return None
    if number is None:
        if turns[0] != -1:
            return None
        last = month_is.finish - cal.DAY
        return period(cal.day_span(last - (last.weekday() - weekday) % 7 * cal.DAY))
    day = month_is.begin + (weekday - month_is.begin.weekday()) % 7 * cal.DAY
    return period(cal.day_span(day + 7 * (number - 1) * cal.DAY))


@rule("Do*O", "D[o,]*N(?![UkNmpTjZ-])")
def weekday_of_month(row: Row, now: Now) -> tuple[str, Any] | None:
    number, weekday = row.get("O", "N"), row.get("D")
    if not isinstance(number, int) or not 1 <= number <= 31:
        return None
    if not row.tokens[-1].figures or (now.order == "mdy" and not row.has("O")):
        return None
    month = cal.at(now.moment).replace(day=1)
    best: datetime | None = None
    for turn in (0, -1, 1, -2, 2):
        first = cal.add(month, turn, "month")
        try:
            day = first.replace(day=number)
        except ValueError:
            continue
        if day.weekday() == weekday:
            best = day
            break
    return period(cal.day_span(best or month.replace(day=number)))


@rule(
    "[oIB]{O}$",
    "[oIB]{O}(?=[aHT\\-])",
    "oo{O}(?=[,Id&](?!o*[ONUP]))",
    "oo{O}(?=,(?!Y)No*(?:\\.|$))",  # "on the 3rd, four of us"
)
def day_alone(row: Row, now: Now) -> tuple[str, Any] | None:
    token = row.tokens[0]
    if not token.figures:
        return None  # "the first"
    month = cal.at(now.moment).replace(day=1)
    day = month.replace(day=token.means["O"])
    if now.prefer == "past" and day > now.moment:
        day = cal.add(month, -1, "month").replace(day=token.means["O"])
    if now.prefer == "future" and day + cal.DAY <= now.moment:
        day = cal.add(month, 1, "month").replace(day=token.means["O"])
    return period(cal.day_span(day))


@rule("D")
def weekday(row: Row, now: Now) -> tuple[str, Any] | None:
    return period(cal.weekday_span(now.moment, row.get("D"), now.prefer))
