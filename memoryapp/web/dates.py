"""Dates as a person says them, in the reader's own time zone."""

from __future__ import annotations

from datetime import datetime

from django.utils import formats, timezone, translation
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _


def _format(moment: datetime, english: str, name: str) -> str:
    """English has the day first ("3 March 2026"); other languages use their own order."""
    language = translation.get_language() or "en"
    return formats.date_format(moment, english if language.startswith("en") else name)


def exact(moment: datetime) -> str:
    """The whole date and the time of day, with the time zone."""
    local = timezone.localtime(moment)
    return f"{_format(local, 'l j F Y, H:i', 'DATETIME_FORMAT')} {local:%Z}"


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
        return _format(local, "Y", "Y")
    if precision == "month":
        return _format(local, "F Y", "YEAR_MONTH_FORMAT")
    return _recent(local, precision) or _format(local, "j F Y", "DATE_FORMAT")


def on(moment: datetime, precision: str = "instant") -> str:
    """``when`` with the preposition that it needs inside a sentence."""
    text = when(moment, precision)
    if _recent(timezone.localtime(moment), precision):
        return text
    if precision in {"month", "year"}:
        return _("in %(date)s") % {"date": text}
    return _("on %(date)s") % {"date": text}
