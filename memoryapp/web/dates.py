"""Dates as a person says them, in the reader's own time zone and language. Their formats are
in ``memoryapp/locale/*/formats.py``."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from django.utils import formats, timezone
from django.utils.dates import WEEKDAYS
from django.utils.translation import get_language
from django.utils.translation import gettext as _


@lru_cache(maxsize=4096)
def _formatted(local: datetime, name: str, _language: str | None) -> str:
    return formats.date_format(local, name)


def _day(local: datetime, name: str) -> str:
    """The day in a format that says nothing of its hours, which are many times slower to
    format than to look up: a page has a hundred of them, and most of them again and again."""
    return _formatted(datetime(local.year, local.month, local.day), name, get_language())


def exact(moment: datetime) -> str:
    """The whole date and the time of day, with the time zone."""
    local = timezone.localtime(moment)
    # Without its zone: two moments of different zones may be equal, and look different.
    text = _formatted(local.replace(tzinfo=None), "DATETIME_FORMAT", get_language())
    return f"{text} {local:%Z}"


def _recent(local: datetime, precision: str) -> str:
    """A word for the last seven days, else an empty string."""
    if precision in {"month", "year"}:
        return ""
    days = (timezone.localtime().date() - local.date()).days
    if days == 0:
        return _("today")
    if days == 1:
        return _("yesterday")
    if 1 < days < 7:
        return _("last %(weekday)s") % {"weekday": WEEKDAYS[local.weekday()]}
    return ""


def _fixed(local: datetime, precision: str) -> str:
    """The day, the month or the year, however near it is."""
    if precision == "year":
        return _day(local, "Y")
    if precision == "month":
        return _day(local, "YEAR_MONTH_FORMAT")
    return _day(local, "DATE_FORMAT")


def when(moment: datetime, precision: str = "instant") -> str:
    """ "today", "yesterday", "last Tuesday", "3 March 2026", "March 2026" or "2026"."""
    local = timezone.localtime(moment)
    return _recent(local, precision) or _fixed(local, precision)


def on(moment: datetime, precision: str = "instant") -> str:
    """``when`` with the preposition that it needs inside a sentence."""
    local = timezone.localtime(moment)
    if recent := _recent(local, precision):
        return recent
    text = _fixed(local, precision)
    if precision == "year":
        return _("in %(year)s") % {"year": text}
    if precision == "month":
        return _("in %(month)s") % {"month": text}
    return _("on %(date)s") % {"date": text}
