"""When waiting messages may be read: in the hours set for it, and once a conversation has
paused. Pure; times are UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Reason = Literal["", "debounce", "hours", "budget", "paused"]
# A conversation without a pause is read after so many times the pause.
LONGEST = 10

_HOURS = re.compile(r"(\d{1,2})\s*[-–]\s*(\d{1,2})")


@dataclass(frozen=True, slots=True)
class Hours:
    """Whole hours of a day, ``[start, end)``, over midnight when start is the later."""

    start: int
    end: int

    @classmethod
    def parse(cls, text: str) -> Hours | None:
        """ "22-6"; None for an empty text, which means always. Raises ValueError."""
        if not text:
            return None
        found = _HOURS.fullmatch(text)
        start, end = (int(found[1]), int(found[2])) if found else (0, 0)
        if start == end or start > 23 or end > 24:
            raise ValueError("not two hours")
        return cls(start, end % 24)

    def opens(self, moment: datetime) -> datetime:
        """The moment itself inside the hours, else when they next begin."""
        hour = moment.hour
        if self.start < self.end:
            inside = self.start <= hour < self.end
        else:
            inside = hour >= self.start or hour < self.end
        if inside:
            return moment
        start = moment.replace(hour=self.start, minute=0, second=0, microsecond=0)
        return start if start > moment else start + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Due:
    """When work may begin, and what holds it up until then; nothing when it may at once."""

    at: datetime
    reason: Reason = ""


def due(
    *,
    now: datetime,
    first: datetime | None,
    last: datetime | None,
    pause: timedelta,
    hours: Hours | None,
) -> Due:
    """``first`` and ``last`` are when the oldest and the newest waiting message came in,
    None when none waits."""
    at, reason = now, ""
    if pause and first is not None and last is not None:
        paused = min(last + pause, first + LONGEST * pause)
        if paused > now:
            at, reason = paused, "debounce"
    if hours is not None and (opening := hours.opens(at)) > at:
        return Due(opening, "hours")
    return Due(at, "debounce" if reason else "")
