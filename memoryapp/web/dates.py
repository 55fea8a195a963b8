"""Dates as a person says them, in the reader's own time zone and language. Their formats are
in ``memoryapp/locale/*/formats.py``."""

from __future__ import annotations

from datetime import datetime

from django.utils import formats, timezone
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _


def exact(moment: datetime) -> str:
    """The whole date and the time of day, with the time zone."""
    local = timezone.localtime(moment)
    return f"{formats.date_format(local, 'DATETIME_FORMAT')} {local:%Z}"


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


def when(moment: datetime, precision: str = "instant") -> str:
    """ "today", "yesterday", "last Tuesday", "3 March 2026", "March 2026" or "2026"."""
    local = timezone.localtime(moment)
    if precision == "year":
        return formats.date_format(local, "Y")
    if precision == "month":
        return formats.date_format(local, "YEAR_MONTH_FORMAT")
    return _recent(local, precision) or formats.date_format(local, "DATE_FORMAT")


def on(moment: datetime, precision: str = "instant") -> str:
    """``when`` with the preposition that it needs inside a sentence."""
    text = when(moment, precision)
    if precision == "year":
        return _("in %(year)s") % {"year": text}
    if precision == "month":
        return _("in %(month)s") % {"month": text}
    if _recent(timezone.localtime(moment), precision):
        return text
    return _("on %(date)s") % {"date": text}
