"""Dates as the rules use them: the one that a clause hangs on, and since and until when a
statement holds. The reading of the words is ``memoryapp.timewords``'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memoryapp.records import Precision
from memoryapp.timewords import Found
from memoryapp.timewords import find as find_times

_NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
MONTHS = {name[:3].lower(): number for number, name in enumerate(_NAMES, 1)}
_SEASONS = ("winter", "spring", "summer", "autumn")
_DAY = timedelta(days=1)

# May is a verb too.
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in map(str.lower, _NAMES) if name != "may")
_WEEKS = r"(?:(?:in|for|over) )?(?:the )?(?:first|last) (?:two|three|few) weeks of"
# The word that a date leans on; the rules ask for it, so the dates are read without it.
_LEAD = re.compile(
    rf"(?<![\w-])(?P<lead>{_WEEKS}|on|in|at|by|since|from|until|till|for|around|this coming"
    r"|back in)\s+(?:the\s+)?$"
)
_OPEN = re.compile(
    rf"(?<![\w-])(?:since|until|till|by|from|{_WEEKS}"
    rf"|for(?= (?:{_MONTH}|sept|may(?! (?:i|we|not)\b))\b))(?= )"
)
_WEEKDAY = re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?")
_BARE = re.compile(rf"(?:{_WEEKDAY.pattern}|[a-z]{{3,9}})\.?")


@dataclass(frozen=True, slots=True)
class When:
    """A time named at ``[start, end)`` of a text: ``[begin, finish)`` in UTC."""

    start: int
    end: int
    begin: datetime
    finish: datetime
    precision: Precision
    lead: str
    label: str  # the same time in words that stay true: "14 March 2026"


def _day_label(day: datetime) -> str:
    return f"{day.day} {_NAMES[day.month - 1]} {day.year}"


def label(begin: datetime, precision: Precision, finish: datetime | None = None) -> str:
    """A time as words: "14 March 2026 at 15:00", "March 2026", "2026", "12 March 2026 to
    15 March 2026"."""
    last = None if finish is None else finish - timedelta(seconds=1)
    if precision == "year":
        if last is not None and last.year > begin.year:
            return f"{begin.year} to {last.year}"
        return str(begin.year)
    if precision == "month":
        first = f"{_NAMES[begin.month - 1]} {begin.year}"
        if last is None or (last.year, last.month) == (begin.year, begin.month):
            return first
        return f"{first} to {_NAMES[last.month - 1]} {last.year}"
    if precision == "instant":
        return f"{_day_label(begin)} at {begin:%H:%M}"
    if last is not None and last.date() > begin.date():
        return f"{_day_label(begin)} to {_day_label(last)}"
    return _day_label(begin)


def _label_of(found: Found, begin: datetime, finish: datetime, precision: Precision) -> str:
    for word in ("weekend", "week"):
        if word in found.text and finish - begin > _DAY:
            return f"the {word} of {label(begin, precision)}"
    season = re.search("spring|summer|autumn|fall|winter", found.text)
    if season:
        return f"{_SEASONS[begin.month // 3 % 4]} {begin.year}"
    return label(begin, precision, finish)


def _closed(found: Found) -> tuple[datetime, datetime, Precision] | None:
    """A day, a period or a moment with both its ends; None for what has no date."""
    if found.kind not in ("date", "datetime", "range") or found.from_ is None:
        return None
    begin, finish, precision = found.from_, found.to, found.precision
    day = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    if precision == "instant" and finish is not None and finish - begin <= _DAY / 2:
        # "Tomorrow morning" is a day: its hours are a guess.
        if not any(char.isdigit() for char in found.text):
            return day, day + _DAY, "day"
        return begin, day + _DAY, "instant"
    if finish is None:
        finish = day + _DAY
    return begin, finish, precision


def find(text: str, sent_at: datetime, zone: str, *, future: bool) -> When | None:
    """The date that a folded English text hangs on, or None. ``future`` decides which of
    two is meant by "Tuesday" or "in March"."""
    # "Since 2019" is an open span; the rules want the year, and the word in ``lead``. Of "the
    # first two weeks of March" they get the month.
    closed = _OPEN.sub(lambda word: "in".ljust(len(word[0])), text)
    named = find_times(
        closed,
        now=sent_at,
        time_zone=zone,
        language="en",
        prefer="future" if future else "past",
    )
    # A day of the month says more than a weekday beside it: "Sunday mass on March 19th".
    for found in sorted(named, key=lambda found: not any(map(str.isdigit, found.text))):
        span = _closed(found)
        if span is None or found.text in ("now", "right now", "at the moment"):
            continue
        before = _LEAD.search(text[: found.start])
        bare = before is None and _BARE.fullmatch(found.text) is not None
        if bare and found.precision == "month":
            continue  # "March" may be a verb
        if bare and found.text not in ("today", "tonight", "tomorrow", "yesterday"):
            weekday = _WEEKDAY.match(found.text) is not None
            if weekday and found.start and found.end < len(text):
                continue  # "Sunday mass", "the Friday report"
        begin, finish, precision = span
        if future and begin <= sent_at < finish and _WEEKDAY.fullmatch(found.text):
            # Of today one says "today": on a Thursday, "on Thursday" is in a week.
            begin, finish = begin + 7 * _DAY, finish + 7 * _DAY
        return When(
            before.start() if before else found.start,
            found.end,
            begin.astimezone(UTC),
            finish.astimezone(UTC),
            precision,
            before["lead"] if before else "",
            _label_of(found, begin, finish, precision),
        )
    return None


def find_chinese(text: str, sent_at: datetime, zone: str) -> When | None:
    """As ``find``, for 明天下午三点 and the like."""
    for found in find_times(text, now=sent_at, time_zone=zone, language="zh", prefer="future"):
        span = _closed(found)
        if span is None or (found.kind == "datetime" and found.from_ == sent_at):
            continue
        begin, finish, precision = span
        return When(
            found.start,
            found.end,
            begin.astimezone(UTC),
            finish.astimezone(UTC),
            precision,
            "",
            f"{begin:%Y-%m-%d %H:%M}" if precision == "instant" else f"{begin:%Y-%m-%d}",
        )
    return None


@dataclass(frozen=True, slots=True)
class Validity:
    """Since when and until when a statement says that it holds, and the places in the
    text where it says so. The precision is that of ``valid_from`` when it is set."""

    valid_from: datetime | None
    valid_to: datetime | None
    precision: Precision
    spans: tuple[tuple[int, int], ...]


def validity(text: str, sent_at: datetime, zone: str, language: str = "") -> Validity | None:
    """When the statement holds, by its own words and in any language that
    ``memoryapp.timewords`` reads: "desde 2019", "seit drei Jahren", "depuis mars", "in
    2021", "until May". None when it doesn't say; a date to come begins nothing."""
    valid_from = valid_to = None
    precision: Precision = "instant"
    spans: list[tuple[int, int]] = []
    for found in find_times(text, now=sent_at, time_zone=zone, language=language):
        if found.kind not in ("date", "datetime", "range") or found.from_ == sent_at:
            continue
        begins, ends = _ends(found, sent_at)
        if begins is not None and valid_from is None:
            valid_from, precision = begins.astimezone(UTC), found.precision
        if ends is not None and valid_to is None:
            valid_to = ends.astimezone(UTC)
            precision = found.precision if valid_from is None else precision
        if begins is not None or ends is not None:
            spans.append((found.start, found.end))
    if valid_from is None and valid_to is None:
        return None
    return Validity(valid_from, valid_to, precision, tuple(spans))


_UNTIL = re.compile(r"\b(?:until|till|up to|through)\b")


def until(text: str, sent_at: datetime, zone: str) -> datetime | None:
    """The end that a folded English statement gives itself: "I worked there until 2020"."""
    if _UNTIL.search(text) is None:
        return None
    valid = validity(text, sent_at, zone, "en")
    return None if valid is None else valid.valid_to


def _ends(found: Found, sent_at: datetime) -> tuple[datetime | None, datetime | None]:
    """Where the statement begins and where it ends, as far as one date says so."""
    if found.from_ is None or (found.to is None and found.kind == "range"):
        # "Until May", "since 2019": the one end is said.
        begins = found.from_ if found.from_ is not None and found.from_ <= sent_at else None
        return begins, found.to
    # "In 2021 I moved": from then on.
    return (found.from_, None) if found.from_ <= sent_at else (None, None)
