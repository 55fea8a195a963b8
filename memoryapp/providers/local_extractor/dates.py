"""Dates in English (and the commonest elsewhere), resolved against the message's own
time in the user's time zone, never against today."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memoryapp.records import Precision

MONTHS = {
    name[:3]: number
    for number, name in enumerate(
        [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
        1,
    )
}
_NAMES = [
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
]
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS = {
    word: n
    for n, word in enumerate(
        ["a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
_NUMBERS |= {"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "eleven": 11, "twelve": 12}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

_M = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_N = (
    r"(?P<{0}>\d{{1,3}}|a couple of|couple of|an?|one|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|twelve)"
)
_WD = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
_DATE = re.compile(
    r"(?<![\w-])(?P<lead>(?:on|in|at|by|since|from|until|till|for|around"
    r"|this coming|back in)\s+)?(?:the\s+)?(?:"
    r"(?P<iso>\d{4}-\d\d-\d\d)"
    r"|(?P<d1>\d{1,2})(?:st|nd|rd|th)?(?: of)? "
    + _M.format("m1")
    + r"(?:,? (?P<y1>(?:19|20)\d\d))?"
    r"|"
    + _M.format("m2")
    + r" (?:the )?(?P<d2>\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y2>(?:19|20)\d\d))?"
    r"|(?P<rel>day after tomorrow|day before yesterday|tomorrow(?: morning"
    r"| afternoon| evening| night)?"
    r"|yesterday(?: morning| afternoon| evening)?|today|tonight|this morning|this afternoon"
    r"|this evening|last night)\b"
    r"|(?:(?P<which>next|last|this)\s+)?"
    + _WD
    + r"|(?P<span>next|last|this|this past|past)\s+(?P<unit>week|weekend|month|year"
    r"|spring|summer|autumn|fall|winter)\b"
    r"|in " + _N.format("n1") + r" (?P<u1>day|week|month|year)s?(?:' time)?\b"
    r"|" + _N.format("n2") + r" (?P<u2>day|week|month|year)s? ago\b"
    r"|(?:(?P<near>next|last|this)\s+|(?:early|late|mid|end of)[ -])?"
    + _M.format("m3")
    + r"(?: (?P<y3>(?:19|20)\d\d))?(?! \d)"
    r"|(?P<y4>(?:19|20)\d\d)(?![\d-])"
    r")(?P<time>(?:\s+at)?\s+(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d)"
    r")?\s?(?P<half>am|pm|a\.m\.?|p\.m\.?|o'clock)"
    r"|\s+at\s+(?P<hour2>\d{1,2}):(?P<minute2>\d\d)|\s+at\s+(?P<noon>noon|midnight))?"
)
_ZH = re.compile(
    r"(?P<day>前天|昨天|今天|明天|后天|大后天)(?P<part>凌晨|早上|上午|中午|下午|晚上)?"
    r"(?:(?P<hour>\d{1,2}|[一二两三四五六七八九十]{1,3})点(?P<half>半)?(?:(?P<minute>\d{1,2})分)?)?"
)
_ZH_DAYS = {"前天": -2, "昨天": -1, "今天": 0, "明天": 1, "后天": 2, "大后天": 3}
_ZH_DIGITS = {char: n for n, char in enumerate("零一二三四五六七八九十")} | {"两": 2}


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


def local(moment: datetime, zone: str) -> datetime:
    """The moment on the user's clock; on UTC's when the zone is unknown."""
    try:
        return moment.astimezone(ZoneInfo(zone or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        return moment.astimezone(UTC)


def _month_after(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def _back(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 - months
    return date(index // 12, index % 12 + 1, 1)


def _span(
    found: re.Match[str], today: date, *, future: bool
) -> tuple[date, date, Precision] | None:
    one = timedelta(days=1)
    if found["iso"]:
        day = date.fromisoformat(found["iso"])
        return day, day + one, "day"
    if found["m1"] or found["m2"]:
        month = MONTHS[(found["m1"] or found["m2"])[:3]]
        number = int(found["d1"] or found["d2"])
        year = found["y1"] or found["y2"]
        day = date(int(year) if year else today.year, month, number)
        if not year and future and day < today:
            day = day.replace(year=day.year + 1)
        if not year and not future and day > today:
            day = day.replace(year=day.year - 1)
        return day, day + one, "day"
    if word := found["rel"]:
        days = {"day after": 2, "day befor": -2, "tomorrow": 1, "yesterday": -1, "last nigh": -1}
        offset = next((n for start, n in days.items() if word.startswith(start)), 0)
        day = today + timedelta(days=offset)
        return day, day + one, "day"
    if found["weekday"]:
        number = _DAYS.index(found["weekday"][:3])
        ahead = (number - today.weekday()) % 7
        if found["which"] == "next":
            # The one in the coming week: on a Monday, next Tuesday is eight days away.
            ahead = 7 - today.weekday() + number
        elif found["which"] == "last" or not future:
            ahead = (ahead or 7) - 7 if found["which"] == "last" or ahead else 0
        elif ahead == 0 and found["which"] != "this":
            ahead = 7
        day = today + timedelta(days=ahead)
        return day, day + one, "day"
    if unit := found["unit"]:
        step = {"next": 1, "this": 0}.get(found["span"], -1)
        if unit in ("week", "weekend"):
            monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
            start = monday + timedelta(days=5) if unit == "weekend" else monday
            return start, monday + timedelta(days=7), "day"
        if unit == "month":
            first = _back(today, -step)
            return first, _month_after(first), "month"
        if unit == "year":
            return date(today.year + step, 1, 1), date(today.year + step + 1, 1, 1), "year"
        first = date(today.year, _SEASONS[unit], 1)
        if step == -1 and _back(first, -3) > today:
            first = first.replace(year=first.year - 1)
        if step >= 0 and _back(first, -3) <= today:
            first = first.replace(year=first.year + 1)
        return first, _back(first, -3), "month"
    if found["n1"] or found["n2"]:
        raw, unit = (found["n1"], found["u1"]) if found["n1"] else (found["n2"], found["u2"])
        count = int(raw) if raw.isdigit() else _NUMBERS[raw]
        count = count if found["n1"] else -count
        if unit in ("day", "week"):
            day = today + timedelta(days=count * (7 if unit == "week" else 1))
            return day, day + one, "day"
        if unit == "month":
            first = _back(today, -count)
            return first, _month_after(first), "month"
        return date(today.year + count, 1, 1), date(today.year + count + 1, 1, 1), "year"
    if found["m3"]:
        month = MONTHS[found["m3"][:3]]
        year = int(found["y3"]) if found["y3"] else today.year
        if not found["y3"] and (future and month < today.month):
            year += 1
        if not found["y3"] and not future and month > today.month:
            year -= 1
        first = date(year, month, 1)
        return first, _month_after(first), "month"
    year = int(found["y4"])
    return date(year, 1, 1), date(year + 1, 1, 1), "year"


def label(begin: datetime, precision: Precision) -> str:
    """A time as words: "14 March 2026 at 15:00", "March 2026", "2026"."""
    if precision == "year":
        return str(begin.year)
    if precision == "month":
        return f"{_NAMES[begin.month - 1]} {begin.year}"
    text = f"{begin.day} {_NAMES[begin.month - 1]} {begin.year}"
    return f"{text} at {begin:%H:%M}" if precision == "instant" else text


def find(text: str, sent_at: datetime, zone: str, *, future: bool) -> When | None:
    """The first date named in a folded text, or None. ``future`` decides which of two
    is meant by "Tuesday" or "in March"."""
    now = local(sent_at, zone)
    # A day of the month says more than a weekday beside it: "Sunday mass on March 19th".
    named = sorted(
        _DATE.finditer(text), key=lambda found: not (found["m1"] or found["m2"] or found["iso"])
    )
    for found in named:
        # "may" and a bare year are dates only behind a word that makes them one.
        bare = found["m3"] and not (found["lead"] or found["near"] or found["y3"])
        if bare or (found["y4"] and not found["lead"]):
            continue
        loose = found["weekday"] and not (found["lead"] or found["which"])
        if loose and found.start() and found.end() < len(text):
            continue  # "Sunday mass", "the Friday report"
        try:
            span = _span(found, now.date(), future=future)
        except ValueError:
            continue
        if span is None:
            continue
        first, last, precision = span
        begin = datetime(first.year, first.month, first.day, tzinfo=now.tzinfo)
        finish = datetime(last.year, last.month, last.day, tzinfo=now.tzinfo)
        week = found["unit"] in ("week", "weekend")
        if found["time"] and precision == "day":
            hour = {"noon": 12, "midnight": 0}.get(found["noon"] or "", -1)
            if hour < 0:
                hour = int(found["hour"] or found["hour2"])
            half = (found["half"] or "")[:1]
            hour += 12 if half == "p" and hour < 12 else -12 if half == "a" and hour == 12 else 0
            minute = int(found["minute"] or found["minute2"] or 0)
            if hour < 24 and minute < 60:
                begin = begin.replace(hour=hour, minute=minute)
                precision = "instant"
        words = label(begin, precision)
        if week:
            words = f"the {found['unit']} of {words}"
        if found["unit"] in _SEASONS:
            words = f"{found['unit']} {begin.year}"
        return When(
            found.start(),
            found.end(),
            begin.astimezone(UTC),
            finish.astimezone(UTC),
            precision,
            (found["lead"] or "").strip(),
            words,
        )
    return None


def find_chinese(text: str, sent_at: datetime, zone: str) -> When | None:
    """As ``find``, for 明天下午三点 and the like."""
    found = _ZH.search(text)
    if found is None:
        return None
    now = local(sent_at, zone)
    day = now.date() + timedelta(days=_ZH_DAYS[found["day"]])
    begin = datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)
    finish = begin + timedelta(days=1)
    precision: Precision = "day"
    if raw := found["hour"]:
        if raw.isdigit():
            hour = int(raw)
        else:
            tens, _, ones = raw.partition("十")
            hour = (
                _ZH_DIGITS.get(tens, 1) * 10 + _ZH_DIGITS.get(ones, 0)
                if "十" in raw
                else _ZH_DIGITS.get(raw, 0)
            )
        if found["part"] in ("下午", "晚上") and hour < 12:
            hour += 12
        minute = 30 if found["half"] else int(found["minute"] or 0)
        if hour < 24 and minute < 60:
            begin, precision = begin.replace(hour=hour, minute=minute), "instant"
    words = f"{begin:%Y-%m-%d %H:%M}" if precision == "instant" else f"{begin:%Y-%m-%d}"
    return When(
        found.start(),
        found.end(),
        begin.astimezone(UTC),
        finish.astimezone(UTC),
        precision,
        "",
        words,
    )
