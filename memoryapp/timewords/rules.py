"""The grammar: patterns over symbols, and what each one builds.

A pattern is a regular expression in which each letter stands for a token that may mean
it (see ``memoryapp.timewords.words``), ``#`` for an amount with its unit and ``{…}`` for
the part that is kept when the words around it only allow the reading. Results are
symbols too: ``P`` a date or period, ``t`` a time of day, ``r`` a range of those, ``u`` a
duration, ``8`` a habit. Rules run in order, each over the whole row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from . import calendar as cal
from .calendar import Span
from .tokens import Token


@dataclass(frozen=True, slots=True)
class Now:
    """What the words are held against: the moment on the user's clock, which side an
    unsaid year or week falls on, and the order of figures in a date."""

    moment: datetime
    prefer: str
    order: str
    language: str
    future: bool = False  # the text speaks of what is to come


@dataclass(frozen=True, slots=True)
class Row:
    """The tokens that a pattern matched."""

    tokens: Sequence[Token]

    def get(self, *symbols: str) -> Any:
        for token in self.tokens:
            for symbol in symbols:
                if symbol in token.means:
                    return token.means[symbol]
        return None

    def all(self, *symbols: str) -> list[Any]:
        out = []
        for token in self.tokens:
            for symbol in symbols:
                if symbol in token.means:
                    out.append(token.means[symbol])
                    break
        return out

    def has(self, symbol: str) -> bool:
        return any(symbol in token.means for token in self.tokens)


Build = Callable[[Row, Now], "tuple[str, Any] | None"]


@dataclass(frozen=True, slots=True)
class Rule:
    pattern: re.Pattern[str]
    build: Build


_SYMBOL = re.compile(r"\[(\^?)([^\]]+)\]|\(\?[:!=<]+|[{}#]|[A-Za-z0-9&,\-.+]|.")


def _compile(pattern: str) -> re.Pattern[str]:
    def token(letters: str) -> str:
        return f"(?:<[^<>]*[{re.escape(letters)}][^<>]*>)"

    def one(found: re.Match[str]) -> str:
        text = found[0]
        if found[2]:
            return token(found[2])
        if text == "#":
            return f"(?:{token('N1')}{token('U')}|{token('J')}|{token('N')}{token('j')})"
        if text == "{":
            return "(?P<x>"
        if text == "}":
            return ")"
        if text.startswith("(?") or text in "()|?*^$":
            return text
        return token(text)

    return re.compile(_SYMBOL.sub(one, pattern))


RULES: list[Rule] = []


def rule(*patterns: str) -> Callable[[Build], Build]:
    def keep(build: Build) -> Build:
        RULES.extend(Rule(_compile(pattern), build) for pattern in patterns)
        return build

    return keep


def _span(span: Span | None) -> tuple[str, Any] | None:
    return None if span is None else ("P", span)


_ROMANCE = ("fr", "es", "it", "pt")


def _amounts(row: Row) -> tuple[float, str] | None:
    if row.has("J"):
        count, unit = row.get("J")
        return float(count), str(unit)
    count, unit = row.get("N", "1"), row.get("U") or "year"
    if count is None or not 0 < count < 10000 or count >= 1900:
        return None
    return float(count), unit


def _year(value: Any) -> int | None:
    if not isinstance(value, int):
        return None
    if 1500 <= value <= 2199:
        return value
    return 1900 + value if 50 <= value <= 99 else None


# Numbers of two words, habits


@rule("N-?N", "N&N")
def tens(row: Row, now: Now) -> tuple[str, Any] | None:
    high, low = row.all("N")
    if any(token.figures for token in row.tokens) or high < 20 or high % 10 or not 1 <= low <= 9:
        return None
    return "N", high + low


@rule("E[NO1]?U", "E#", "v", "w([&,]*w)*", "EU", "NUE", "[DUm]E", "ED([&,][&,]?o*D)*", "E[MST]", "Ew")
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
    year = _year(numbers.pop(0)) if row.has("j") and numbers else None
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
        year = _year(numbers[0]) or (2000 + numbers[0] if 0 < numbers[0] < 50 else None)
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
        return _span(cal.day_span(date(known, numbers[0], numbers[1]), yearless=year is None))
    return _span(cal.month_span(known, numbers[0], yearless=year is None))


@rule("X[oI]*#", "XNb", "NXU", "NUo*X", "JX")
def turns(row: Row, now: Now) -> tuple[str, Any] | None:
    amount, turn = _amounts(row), row.get("X")
    if amount is None:
        return None
    count, unit = amount
    if row.has("b"):
        unit = "day"
    if "N" in row.tokens[0].means and "X" in row.tokens[1].means and now.language not in _ROMANCE:
        return None  # "only 3 next week"
    if turn == 0:
        turn = -1
    return _span(cal.turns_span(now.moment, unit, turn, count))


@rule("Ko*Nb", "[NO]oo*(?:XU|UX|K)", "O(?:XU|UX|K)", "o*X[Mi]o*[NO](?!U)", "XUo*Nb", "Xmo*Nb")
def day_of_turn(row: Row, now: Now) -> tuple[str, Any] | None:
    number = row.get("O", "N")
    turn, unit = row.get("K") or (row.get("X"), row.get("U") or "month")
    if not isinstance(number, int) or not 1 <= number <= 31 or unit != "month" or row.has("M"):
        return None
    month = cal.unit_span(now.moment, "month", turn)
    if month is None or month.begin is None:
        return None
    return _span(cal.day_span(month.begin.replace(day=number)))


@rule("(?:[Dl][,oI]*)?C")
def full(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.day_span(row.get("C")))


def _day(now: Now, year: int | None, month: int, day: int) -> Span:
    """A day of a month; without a year, the 29th of February is that of a leap year."""
    if year is None and (month, day) == (2, 29):
        step = 1 if now.prefer == "future" else -1
        year = now.moment.year
        while year % 4 or (year % 100 == 0 and year % 400) or (
            step < 0 and datetime(year, 2, 29) > now.moment
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
        n
        for n in row.all("O", "N", "1")
        if isinstance(n, int) and 1 <= n <= 31 and n != year
    ]
    if not numbers:
        return None
    return _span(_day(now, year, row.get("M", "i"), numbers[0]))


@rule("(?:[Dl][,oI]*)?Mo*[N](?![NUk])", "(?:[Dl][,oI]*)?i[N](?![NUk])")
def month_and_day(row: Row, now: Now) -> tuple[str, Any] | None:
    number = row.get("N")
    if not isinstance(number, int) or not 1 <= number <= 31:
        return None
    if now.order != "mdy" and now.language != "hi":
        return None
    if now.language == "en" and not row.tokens[-1].figures:
        return None
    return _span(_day(now, None, row.get("M", "i"), number))


@rule("(?:X?[Dl][,oI]*)c", "[oIaGFVWZBh]{c}", "{c}(?=[\\-Z][cCP])", "[PC][\\-Z]{c}")
def weak(row: Row, now: Now) -> tuple[str, Any] | None:
    month, day, _dots = row.get("c")
    return _span(cal.day_span(date(now.moment.year, month, day), yearless=True))


@rule("{c}")
def dotted(row: Row, now: Now) -> tuple[str, Any] | None:
    month, day, dots = row.get("c")
    return _span(cal.day_span(date(now.moment.year, month, day), yearless=True)) if dots else None


@rule("[Mi][-,oI]*Y(?![Uk])", "Yo*-?[Mi]", "7")
def month_of_year(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.has("7"):
        return _span(cal.month_span(*row.get("7")))
    return _span(cal.month_span(row.get("Y"), row.get("M", "i")))


@rule("Xo*[Mi]", "[Mi]o*X(?!U)", "[Mi][oI]*XU", "[Mi][oI]*UX", "Ko*[Mi]", "[Mi]o*K", "XU[oI]*[Mi]")
def month_turned(row: Row, now: Now) -> tuple[str, Any] | None:
    month, turn = row.get("M", "i"), row.get("X")
    year = now.moment.year
    unit = row.get("U")
    if row.has("K"):
        turn, unit = row.get("K")
    if unit is not None:
        return _span(cal.month_span(year + turn, month)) if unit == "year" else None
    if turn < 0:
        return _span(cal.month_span(year - (month >= now.moment.month), month))
    if turn > 0:
        return _span(cal.month_span(year + (month <= now.moment.month), month))
    return None if row.has("i") else _span(cal.month_span(year, month))


@rule("M", "[IGVWFZBeo]o*{i}", "{i}(?=[ZT-])")
def month(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.month_span(now.moment.year, row.get("M", "i"), yearless=True))


# Weeks and weekdays


@rule(
    "Ko*[DNbU]",
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
        return _span(cal.weekday_span(now.moment + cal.DAY, number, "future"))
    if unit is None and turn == -1:
        # The last one that there was, today not counted.
        return _span(cal.day_span(today - ((today.weekday() - number - 1) % 7 + 1) * cal.DAY))
    if unit is None and turn == 0 and row.tokens[0].means.get("X") is None:
        return None
    monday = today - today.weekday() * cal.DAY
    return _span(cal.day_span(monday + (7 * turn + number) * cal.DAY))


@rule("[OX]D[,oI]*[Mi](?:[,oI]*Y)?", "[OX]D[oI]*XU", "[OX]D[oI]*UX")
def nth_weekday(row: Row, now: Now) -> tuple[str, Any] | None:
    number, weekday = row.tokens[0].means.get("O"), row.get("D")
    turns = row.all("X")
    if row.has("U"):
        month_is = cal.unit_span(now.moment, row.get("U"), turns[-1])
        if row.get("U") != "month":
            return None
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
        return _span(cal.day_span(last - (last.weekday() - weekday) % 7 * cal.DAY))
    day = month_is.begin + (weekday - month_is.begin.weekday()) % 7 * cal.DAY
    return _span(cal.day_span(day + 7 * (number - 1) * cal.DAY))


@rule("Do*O", "D[o,]*N(?![UkNmpTjZ-])")
def weekday_of_month(row: Row, now: Now) -> tuple[str, Any] | None:
    number, weekday = row.get("O", "N"), row.get("D")
    if not isinstance(number, int) or not 1 <= number <= 31:
        return None
    if not row.tokens[-1].figures or now.order == "mdy" and not row.has("O"):
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
    return _span(cal.day_span(best or month.replace(day=number)))


@rule("[oIB]{O}$", "[oIB]{O}(?=[aHT\\-])")
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
    return _span(cal.day_span(day))


@rule("D")
def weekday(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.weekday_span(now.moment, row.get("D"), now.prefer))


# Amounts of time, past and to come


@rule("#[&,]?#A", "qo*#[&,]*#")
def ago_two(row: Row, now: Now) -> tuple[str, Any] | None:
    half = len(row.tokens) // 2
    first, second = _amounts(Row(row.tokens[:half])), _amounts(Row(row.tokens[half:]))
    if first is None or second is None:
        return None
    point = cal.add(cal.add(now.moment, -first[0], first[1]), -second[0], second[1])
    if second[1] in ("minute", "second"):
        return "P", Span(point, None, "instant", "datetime")
    return _span(cal.day_span(point))


@rule("#o*A", "qo*#", "No*U[oI]*A")
def ago(row: Row, now: Now) -> tuple[str, Any] | None:
    amount = _amounts(row)
    return None if amount is None else _span(cal.away(now.moment, amount[1], -amount[0]))


@rule("#o*[Vx]o*R", "#o*[WzFG]o*R", "Ro*[VW]o*#", "Rs?#L", "#o*Wn")
def counted(row: Row, now: Now) -> tuple[str, Any] | None:
    amount, day = _amounts(row), row.get("R")
    if amount is None or isinstance(day, tuple):
        return None
    back = row.has("V") or row.has("x")
    count = -amount[0] if back else amount[0]
    return _span(cal.away(now.moment + (day or 0) * cal.DAY, amount[1], count))


@rule("Go*#", "#s")
def since_amount(row: Row, now: Now) -> tuple[str, Any] | None:
    """Seit drei Jahren: it began then and goes on."""
    amount = _amounts(row)
    start = None if amount is None else cal.away(now.moment, amount[1], -amount[0])
    if start is None:
        return None
    return "P", Span(start.begin, None, start.precision, "range")


@rule("#o*L", "Io*{#}(?![LAXVGFW])")
def later(row: Row, now: Now) -> tuple[str, Any] | None:
    amount = _amounts(row)
    return None if amount is None else _span(cal.away(now.moment, amount[1], amount[0]))


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
        return _span(cal.season_span(year, number))
    turn = row.get("X")
    if row.has("K"):
        turn, unit = row.get("K")
        return _span(cal.season_span(now.moment.year + turn, number)) if unit == "year" else None
    if row.has("U"):
        if row.get("U") != "year":
            return None
        return _span(cal.season_span(now.moment.year + turn, number))
    this = cal.season_span(now.moment.year, number)
    if turn == 0:
        return _span(this)
    if turn < 0:
        over = this.finish is not None and this.finish <= now.moment
        return _span(this if over else this.shift(-1))
    begun = this.begin is not None and this.begin <= now.moment
    return _span(this.shift(1) if begun else this)


@rule("I[oI]*{S}", "[GVW]o*{S}")
def bare_season(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.season_span(now.moment.year, row.get("S"), yearless=True))


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
        return _span(cal.day_span(date(year, month, day)))
    return _span(cal.day_span(date(now.moment.year, month, day), yearless=True))


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
            return _span(_week(datetime(now.moment.year, 1, 1), number))
        if year is None or not (row.has("O") or row.has("X")):
            return None
        span = cal.year_span(year)
    if span.begin is None or span.finish is None:
        return None
    if number is None:
        monday = cal.at(span.begin) - span.begin.weekday() * cal.DAY
        week = Span(monday, monday + 7 * cal.DAY, "day", "range")
        return _span(replace(week, yearless=False)) if _is_day(span) else None
    if span.precision not in ("month", "year"):
        return None
    span = cal.settle(span, now.moment, now.prefer)
    if row.has("X"):
        if number != -1 or span.finish is None:
            return None
        return _span(_week(span.finish, 0))
    return None if span.begin is None else _span(_week(span.begin, number))


@rule("OU(?![oI]*[PY])")
def century(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.get("U") != "century":
        return None
    return _span(cal.year_span((row.get("O") - 1) * 100, 100)) if row.get("O") > 1 else None


@rule("Xo*U(?!U)", "UX(?!U)", "Uo*X", "K")
def turned(row: Row, now: Now) -> tuple[str, Any] | None:
    turn, unit = row.get("K") or (row.get("X"), row.get("U"))
    if unit == "day":
        return None if turn == 0 and not row.has("K") else _span(cal.unit_span(now.moment, unit, turn))
    return _span(cal.unit_span(now.moment, unit, turn))


@rule("X[jm]")
def turned_sign(row: Row, now: Now) -> tuple[str, Any] | None:
    unit = "year" if row.has("j") else "month"
    return _span(cal.unit_span(now.moment, unit, row.get("X")))


@rule("[Yj]j", "Nj(?![AL2])", "Uo*Y")
def said_year(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.has("U") and row.get("U") != "year":
        return None
    year = _year(row.get("Y", "N"))
    return None if year is None else _span(cal.year_span(year))


@rule(
    "[IGVWFZBeha]o*{Y}(?![Uk])",
    "{Y}(?=[\\-Z]o*Y)",
    "P-{Y}",
    "{Y}(?=[sxhz])",
)
def bare_year(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.year_span(row.get("Y")))


@rule("Po*[\\-Z&]o*{Y}(?![Uk])")
def closing_year(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.year_span(row.get("Y")))


@rule("+")
def decade(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.year_span(row.get("+"), 10))


@rule("[oIa]o*{U}(?![oI]*[PXYN])")
def this_weekend(row: Row, now: Now) -> tuple[str, Any] | None:
    if row.get("U") != "weekend":
        return None
    return _span(cal.unit_span(now.moment, "weekend", 0))


@rule("eo*U(?![oI]*[PXYN])")
def part_of_this(row: Row, now: Now) -> tuple[str, Any] | None:
    unit = row.get("U")
    if unit not in ("week", "month", "quarter", "year", "decade"):
        return None
    whole = cal.unit_span(now.moment, unit, 0)
    return None if whole is None else _span(cal.part_of(whole, row.get("e")))


@rule("[Vh]o*eo*P")
def by_the_end(row: Row, now: Now) -> tuple[str, Any] | None:
    span = _settled(row, now)
    if row.get("e") != "late" or span.finish is None:
        return None
    return "P", Span(None, span.finish, "day", "range")


@rule("e-?o*P", "Po*e")
def part(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.part_of(row.get("P"), row.get("e")))


# Times of day


Clock = tuple[int, ...]


def _hour(hour: Any, minute: Any, part: tuple[int, int] | None) -> Clock | None:
    if not isinstance(hour, int) or not isinstance(minute, int) or not 0 <= hour <= 24:
        return None
    if part is not None and part[0] >= 11 and 0 < hour < 12 and not (part[0] >= 20 and hour < 5):
        hour += 12
    elif part is not None and hour == 12 and (part[0] < 11 or part[0] >= 16):
        hour = 0
    return (hour, minute) if 0 <= minute < 60 else None


@rule("do*#")
def led_duration(row: Row, now: Now) -> tuple[str, Any] | None:
    amount = _amounts(row)
    if amount is None:
        return None
    return "u", timedelta(seconds=amount[0] * cal.SECONDS[amount[1]])


@rule("{l}(?=a?[NHt9])")
def weak_weekday(row: Row, now: Now) -> tuple[str, Any] | None:
    return _span(cal.weekday_span(now.moment, row.get("l"), now.prefer))


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
        numbers = row.all("N", "O", "1")
        hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else 0
        shift = row.get("f") if row.has("f") else row.get("p")
        if shift is not None and isinstance(hour, int):
            total = hour * 60 + minute + shift
            hour, minute = total // 60 % 24, total % 60
        elif not (part or row.has("k") or row.has("a")):
            return None
        elif len(row.tokens) == 2 and "T" in row.tokens[0].means and now.language != "tr":
            return None
    time = _hour(hour, minute, part)
    return None if time is None else ("t", (*time, *rest))


@rule("9{[NO1]}(?![UNkp&-])", "9{6}", "{6}[kT]", "6k")
def clock_said(row: Row, now: Now) -> tuple[str, Any] | None:
    hour, minute = row.get("6") or (row.get("N", "O", "1"), 0)
    time = _hour(hour, minute, None)
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
    first, last = ((_hour(*time[:2], part) or time) if part else time for time in times)
    hour, minute = first[:2]
    if hour < 12 <= last[0] and not any("t" in token.means for token in row.tokens[:-1]):
        # "from 3 to 5pm": both in the afternoon when the order allows it.
        if (hour + 12, minute) < last:
            hour += 12
    return "r", ((hour, *first[1:]), last)


@rule("[GW]a?o*t", "ta?[sz]", "[Vh]a?o*t", "ta?[xh]", "Z{t}")
def clock_open(row: Row, now: Now) -> tuple[str, Any] | None:
    clock = row.get("t")
    if row.has("G") or row.has("W") or row.has("s") or row.has("z"):
        return "r", (clock, None)
    return ("r", (None, clock)) if len(row.tokens) > 1 else None


# Days and times together


def on(day: datetime, clock: Clock) -> datetime:
    hour, minute, *second = clock
    return day + timedelta(hours=hour, minutes=minute, seconds=sum(second))


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
        return _span(cal.day_span(day))
    return "P", Span(on(day, (part[0], 0)), on(day, (part[1], 0)), "instant", "range")


@rule("Xo*T", "TX")
def turned_part(row: Row, now: Now) -> tuple[str, Any] | None:
    part = row.get("T")
    day = cal.at(now.moment) + row.get("X") * cal.DAY
    return "P", Span(on(day, (part[0], 0)), on(day, (part[1], 0)), "instant", "range")


def _is_day(span: Span) -> bool:
    return span.kind == "date" and span.precision == "day" and span.begin is not None


@rule("P[,oIa]*r", "r[,oI]*P")
def day_and_range(row: Row, now: Now) -> tuple[str, Any] | None:
    span, (first, last) = row.get("P"), row.get("r")
    if not _is_day(span):
        # "Monday morning from 10 to 12": the part of a day stands for the day.
        if span.begin is None or span.finish is None or span.precision != "instant":
            return None
        if span.finish - span.begin > cal.DAY / 2:
            return None
    day = cal.at(span.begin)
    if not _is_day(span) and span.begin.hour >= 12:
        # "tonight from 7 to 9"
        part = (span.begin.hour, 24)
        first = first and (_hour(first[0], first[1], part) or first)
        last = last and (_hour(last[0], last[1], part) or last)
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
        made = _hour(clock[0], clock[1], (start, start + 4))
        if made is None or span.finish is None or span.finish - span.begin > cal.DAY / 2:
            return None
        moment = on(cal.at(span.begin), made)
        return _span(replace(span, begin=moment, finish=None, kind="datetime"))
    if not _is_day(span) or not isinstance(clock[0], int) or clock[0] > 24:
        return None
    moment = on(span.begin, clock)
    return _span(replace(span, begin=moment, finish=None, precision="instant", kind="datetime"))


@rule("P[,oIa]*T", "T[,oI]*P")
def day_and_part(row: Row, now: Now) -> tuple[str, Any] | None:
    span, part = row.get("P"), row.get("T")
    if not _is_day(span):
        return None
    begin, finish = on(span.begin, (part[0], 0)), on(span.begin, (part[1], 0))
    return "P", Span(begin, finish, "instant", "range", span.yearless)


@rule("8[,oIa]*[tr]", "[tr][,oI]*8", "8[,oI]*T", "To*8")
def habit_at(row: Row, now: Now) -> tuple[str, Any] | None:
    return "8", None


@rule("#o*[Vx]o*P", "#o*[WzFG]o*P", "Po*#x", "Po*[zL]#")
def counted_from(row: Row, now: Now) -> tuple[str, Any] | None:
    amount, span = _amounts(row), row.get("P")
    if amount is None or not _is_day(span):
        return None
    back = row.has("V") or row.has("x")
    return _span(cal.away(span.begin, amount[1], -amount[0] if back else amount[0]))


# Durations, ranges, open ends


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
            if (whole and row_of.has("N")) or (whole and row.has("d") and row_of.has("1")) or (
                size == 1 and "J" in piece[0].means
            ):
                amount = _amounts(row_of)
                if amount is None:
                    return None
                seconds += amount[0] * cal.SECONDS[amount[1]]
                found += 1
                break
    if not found:
        return None
    if row.get("U") == "century" and len(row.tokens) == 2 and row.tokens[0].figures:
        return _span(cal.year_span((row.get("N") - 1) * 100, 100))
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
    elif last.yearless and first.yearless and first.begin and last.begin:
        if last.begin < first.begin:
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


@rule("F?o*Po*[\\-Z]o*Ph?", "B?o*Po*[&Z\\-]o*P2", "Bo*Po*[&Z\\-]o*P", "Po*[FZs]o*P2?h", "F?Pa?Z[aoI]*P")
def range_of(row: Row, now: Now) -> tuple[str, Any] | None:
    first, last = row.all("P")
    return _span(_joined(first, last, now))


@rule("F?o*Po*[\\-Z]a?o*[tr]", "Po*Za?th")
def range_to_clock(row: Row, now: Now) -> tuple[str, Any] | None:
    span, clock = row.get("P"), row.get("t")
    if span.begin is None or span.precision != "instant" or clock is None:
        return None
    finish = on(cal.at(span.begin), clock)
    if finish <= span.begin:
        return None
    return "P", Span(span.begin, finish, "instant", "range", span.yearless)


def _settled(row: Row, now: Now) -> Span:
    span: Span = row.get("P")
    return cal.settle(span, now.moment, now.prefer)


@rule("Go*P", "Po*s")
def since(row: Row, now: Now) -> tuple[str, Any] | None:
    span: Span = cal.settle(row.get("P"), now.moment, "past")
    if span.begin is None or span.kind == "range" and span.finish is None:
        return None
    return "P", Span(span.begin, None, span.precision, "range")


@rule("Vo*P", "Po*x")
def before(row: Row, now: Now) -> tuple[str, Any] | None:
    span = _settled(row, now)
    return None if span.begin is None else ("P", Span(None, span.begin, span.precision, "range"))


@rule("ho*P", "Po*h")
def until(row: Row, now: Now) -> tuple[str, Any] | None:
    span = _settled(row, now)
    finish = span.begin if span.finish is None else span.finish
    return None if finish is None else ("P", Span(None, finish, span.precision, "range"))


@rule("Wo*P", "Po*z")
def after(row: Row, now: Now) -> tuple[str, Any] | None:
    span = _settled(row, now)
    begin = span.begin if span.finish is None else span.finish
    return None if begin is None else ("P", Span(begin, None, span.precision, "range"))
