"""Times as exports write them, as aware UTC datetimes."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from itertools import chain

# Nothing was said to a chat assistant before; an epoch of 0 means "not set".
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
_LATEST = datetime(2100, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?")
_FRACTION = re.compile(r"(\.\d{6})\d+")


def moment(value: object) -> datetime | None:
    """A time from an epoch (seconds, milliseconds, microseconds or nanoseconds, a number or
    digits) or ISO 8601; without a zone it is UTC. None when it is neither, or when it is
    outside 2000 to 2100."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _epoch(float(value)) if abs(value) < 1e20 else None
    if not isinstance(value, str) or len(value) > 64:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _epoch(float(text))
    try:
        parsed = datetime.fromisoformat(_FRACTION.sub(r"\1", text))
    except ValueError:
        return None
    return _within(_aware(parsed))


def _aware(parsed: datetime) -> datetime:
    if parsed.tzinfo is None:
        return parsed.replace(tzinfo=UTC)
    try:
        return parsed.astimezone(UTC)
    except OverflowError:
        return _LATEST


def _epoch(seconds: float) -> datetime | None:
    if not math.isfinite(seconds):
        return None
    for _ in range(3):
        if seconds < 1e11:
            break
        seconds /= 1000
    try:
        return _within(datetime.fromtimestamp(seconds, UTC))
    except (OverflowError, ValueError, OSError):
        return None


def _within(time: datetime) -> datetime | None:
    return time if _EARLIEST <= time < _LATEST else None


# The first letters of the months that tell them apart, in the languages of Takeout that
# write them in Latin letters.
_MONTHS = (
    "jan ene gen janv",
    "feb fev fév febr",
    "mar mär mrt mars mrz",
    "apr abr avr",
    "may mai mag mei maj",
    "jun jui giu juin",
    "jul juil lug",
    "aug ago aoû août",
    "sep set sept",
    "oct okt out ott",
    "nov",
    "dec dez dic déc",
)
_MONTH = dict(
    chain.from_iterable(
        ((name, number) for name in names.split()) for number, names in enumerate(_MONTHS, 1)
    )
)
_ZONES = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "MEZ": 1,
    "MESZ": 2, "MEWZ": 1, "EET": 2, "EEST": 3, "MSK": 3, "EST": -5, "EDT": -4, "CST": -6,
    "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
    "BRT": -3, "JST": 9, "KST": 9, "SGT": 8, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}  # fmt: skip
_CLOCK = (
    r"(?P<h>\d{1,2})[:.](?P<mi>\d\d)[:.](?P<s>\d\d) ?(?P<half>[AaPp]\.? ?[Mm]\.?)?"
    r" ?(?P<zone>[A-Za-z]{0,5}(?:[+\-−]\d{1,2}(?::?\d\d)?)?)"
)
_DATES = (
    r"(?P<month>[^\W\d_]{3,10})\.? (?P<d>\d{1,2}), (?P<y>\d{4}),? (?:at )?",
    r"(?P<d>\d{1,2})\.? (?:de )?(?P<month>[^\W\d_]{3,10})\.? (?:de )?(?P<y>\d{4}),? "
    r"(?:à |at |um )?",
    r"(?P<d>\d{1,2})[./-](?P<m>\d{1,2})[./-](?P<y>\d{4}),? ",
    r"(?P<y>\d{4})[./-](?P<m>\d{1,2})[./-](?P<d>\d{1,2}),? ",
)
_WRITTEN = tuple(re.compile(date + _CLOCK) for date in _DATES)


def written(text: str) -> tuple[datetime, bool] | None:
    """A time as a page writes it for people ("Jan 2, 2025, 3:04:05 PM EDT"), and whether
    its zone was understood (if not, the clock was read as UTC). None when the whole text
    is no time."""
    text = " ".join(text.split())  # no-break and narrow spaces too
    if len(text) > 60:
        return None
    for pattern in _WRITTEN:
        match = pattern.fullmatch(text)
        if match:
            return _from(match)
    return None


def _from(match: re.Match[str]) -> tuple[datetime, bool] | None:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else _month(parts["month"])
    hour = int(parts["h"])
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"][0] in "pP" else 0)
    offset = _offset(parts["zone"])
    try:
        time = datetime(
            int(parts["y"]), month, int(parts["d"]), hour, int(parts["mi"]), int(parts["s"]),
            tzinfo=UTC if offset is None else timezone(offset),
        )  # fmt: skip
    except ValueError:
        return None
    within = _within(time.astimezone(UTC))
    return (within, offset is not None) if within else None


def _month(word: str) -> int:
    """The month's number, 0 when the word names none."""
    word = word.casefold()
    return next((_MONTH[word[:size]] for size in (4, 3) if word[:size] in _MONTH), 0)


def _offset(zone: str) -> timedelta | None:
    match = re.fullmatch(r"(?:GMT|UTC)?([+\-−])(\d{1,2})(?::?(\d\d))?", zone)
    if match:
        offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        if offset >= timedelta(hours=24):
            return None
        return offset if match[1] == "+" else -offset
    hours = _ZONES.get(zone.upper())
    return None if hours is None else timedelta(hours=hours)
