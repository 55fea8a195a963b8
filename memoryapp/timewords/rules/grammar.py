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
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from .. import calendar as cal
from ..calendar import Span
from ..tokens import Token


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
    """``needs`` holds, for each token that the pattern can't do without, what it may
    mean: a row that lacks one is not looked at."""

    pattern: re.Pattern[str]
    build: Build
    needs: tuple[frozenset[str], ...]

    def may_match(self, present: set[str]) -> bool:
        return not any(need.isdisjoint(present) for need in self.needs)


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


def _needs(pattern: str) -> tuple[frozenset[str], ...]:
    """The tokens outside of groups and without a repeat; fewer than there are is safe."""
    text, before = re.sub("[{}$]", "", pattern), ""
    while text != before:
        text, before = re.sub(r"\([^()]*\)[?*]?", "", text), text
    pieces = re.findall(r"(?:\[([^\]]+)\]|([^\[\]]))([?*]?)", text)
    return tuple(
        frozenset("N1J" if one == "#" else several or one)
        for several, one, repeat in pieces
        if not repeat
    )


def collector(rules: list[Rule]) -> Callable[..., Callable[[Build], Build]]:
    """A decorator that adds a builder to the rules, once for each of its patterns."""

    def rule(*patterns: str) -> Callable[[Build], Build]:
        def keep(build: Build) -> Build:
            rules.extend(Rule(_compile(text), build, _needs(text)) for text in patterns)
            return build

        return keep

    return rule


ROMANCE = ("fr", "es", "it", "pt")
# Hour, minute and, when it is said, second.
Clock = tuple[int, ...]


def period(span: Span | None) -> tuple[str, Any] | None:
    return None if span is None else ("P", span)


def amounts(row: Row) -> tuple[float, str] | None:
    if row.has("J"):
        count, unit = row.get("J")
        return float(count), str(unit)
    count, unit = row.get("N", "1"), row.get("U") or ("day" if row.has("b") else "year")
    if count is None or not 0 < count < 10000 or count >= 1900:
        return None
    return float(count), unit


def year_of(value: Any) -> int | None:
    if not isinstance(value, int):
        return None
    if 1500 <= value <= 2199:
        return value
    return 1900 + value if 50 <= value <= 99 else None


def is_day(span: Span) -> bool:
    return span.kind == "date" and span.precision == "day" and span.begin is not None


def settled(row: Row, now: Now) -> Span:
    span: Span = row.get("P")
    return cal.settle(span, now.moment, now.prefer)


def on(day: datetime, clock: Clock) -> datetime:
    hour, minute, *second = clock
    return day + timedelta(hours=hour, minutes=minute, seconds=sum(second))


def hour_of(hour: Any, minute: Any, part: tuple[int, int] | None) -> Clock | None:
    if not isinstance(hour, int) or not isinstance(minute, int) or not 0 <= hour <= 24:
        return None
    if part is not None and part[0] >= 11 and 0 < hour < 12 and not (part[0] >= 20 and hour < 5):
        hour += 12
    elif part is not None and hour == 12 and (part[0] < 11 or part[0] >= 16):
        hour = 0
    return (hour, minute) if 0 <= minute < 60 else None
