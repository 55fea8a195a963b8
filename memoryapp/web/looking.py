"""How somebody looks at the overview: filters, order, and the day that is looked back to.

A look holds words of ours and ids alone, so that it may stand in an address. A scope or a
person is named by the id of a memory that has it, never by its own words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from memoryapp.models import Evidence, Fact
from memoryapp.web.wording import GROUPS

NEWEST = "newest"
SORTS: Mapping[str, Promise] = {
    NEWEST: gettext_lazy("What changed last"),
    "oldest": gettext_lazy("What I have known longest"),
    "used": gettext_lazy("What is used most"),
    "surest": gettext_lazy("What I am surest of"),
    "alphabet": gettext_lazy("From A to Z"),
}
NOW = "now"
STATUSES: Mapping[str, Promise] = {
    NOW: pgettext_lazy("memories", "What holds now"),
    "past": pgettext_lazy("memories", "What was replaced or ended"),
    "away": pgettext_lazy("memories", "What ran out or lay unused"),
}
ORIGINS: Mapping[str, Promise] = {
    "said": gettext_lazy("You said it in a chat"),
    "edited": gettext_lazy("You wrote it here"),
    "brought": gettext_lazy("It was brought in from elsewhere"),
}
OF_STATUS: Mapping[str, tuple[Fact.Status, ...]] = {
    NOW: (Fact.Status.CURRENT,),
    "past": (Fact.Status.SUPERSEDED, Fact.Status.RETRACTED),
    "away": (Fact.Status.EXPIRED, Fact.Status.ARCHIVED),
}
SOURCES: Mapping[str, Evidence.Source] = {
    "said": Evidence.Source.MESSAGE,
    "edited": Evidence.Source.EDIT,
    "brought": Evidence.Source.IMPORT,
}
UNUSED_DAYS = 90
_FIRST_YEAR = 1900


@dataclass(frozen=True, slots=True)
class Look:
    """``scope`` and ``subject`` are ids of memories that have the scope or are about the one
    meant. ``day`` is looked back to its end; with ``told``, only to what I had been told by
    then. ``wrong_day`` says that a day was given that can't be looked back to."""

    group: str = ""
    origin: str = ""
    app: UUID | None = None
    scope: UUID | None = None
    subject: UUID | None = None
    pinned: bool = False
    unused: bool = False
    delicate: bool = False
    sort: str = NEWEST
    status: str = NOW
    day: date | None = None
    told: bool = False
    wrong_day: bool = False

    @property
    def as_of(self) -> datetime | None:
        """The end of the day, in the reader's time zone; None for the present."""
        if self.day is None:
            return None
        return timezone.make_aware(datetime.combine(self.day + timedelta(days=1), time.min))

    @property
    def plain(self) -> bool:
        """Whether this is the overview as it opens."""
        return self == Look()

    @property
    def parted(self) -> bool:
        """Whether what is shown stands under the parts of a life: not where one is chosen, nor
        in another order."""
        return not self.group and self.sort == NEWEST

    def items(self) -> Iterator[tuple[str, str]]:
        """What differs from the overview as it opens, as fields of an address or a form."""
        for field in fields(self):
            value: Any = getattr(self, field.name)
            if field.name == "wrong_day" or value == field.default:
                continue
            name = _NAMES.get(field.name, field.name)
            yield name, "1" if value is True else str(value)

    def query(self, **more: object) -> str:
        """An address's query, from "?" on; empty when there is nothing to say."""
        given = {
            name: "1" if value is True else str(value) for name, value in more.items() if value
        }
        pairs = [*self.items(), *given.items()]
        return "?" + urlencode(pairs) if pairs else ""

    @property
    def today(self) -> Look:
        """The same look at the present."""
        return replace(self, day=None, told=False)

    @property
    def otherwise_told(self) -> Look:
        """The same look at the same day: as I know today what was so then, or as I'd have
        known it then."""
        return replace(self, told=not self.told)

    def without(self, name: str) -> Look:
        """The same look without one filter."""
        cleared: dict[str, Any] = {name: getattr(Look(), name)}
        return replace(self, **cleared)


# Shorter in the address, where these read well.
_NAMES = {"day": "on"}


def parse(data: QueryDict) -> Look:
    """The look that an address or a form describes; what means nothing is left out."""
    day, wrong = _day(data.get("on", ""))
    status = _one_of(data.get("status", ""), STATUSES, NOW)
    return Look(
        group=_one_of(data.get("group", ""), GROUPS, ""),
        origin=_one_of(data.get("origin", ""), ORIGINS, ""),
        app=_id(data.get("app", "")),
        scope=_id(data.get("scope", "")),
        subject=_id(data.get("subject", "")),
        pinned="pinned" in data,
        unused="unused" in data,
        delicate="delicate" in data,
        sort=_one_of(data.get("sort", ""), SORTS, NEWEST),
        # A day has its own present and past.
        status=NOW if day else status,
        day=day,
        told=day is not None and "told" in data,
        wrong_day=wrong,
    )


def _one_of(text: str, known: Mapping[str, object], otherwise: str) -> str:
    return text if text in known else otherwise


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _day(text: str) -> tuple[date | None, bool]:
    """A day before today, and whether what was given is no day to look back to."""
    if not text:
        return None, False
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None, True
    today = timezone.localdate()
    if day > today or day.year < _FIRST_YEAR:
        return None, True
    return (None, False) if day == today else (day, False)
