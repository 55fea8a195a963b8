"""What the overview shows of ten or ten thousand memories: the parts of a life with their
first memories, or one list a page at a time; and what it can be narrowed to."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryapp import sql
from memoryapp.models import Conversation, Fact
from memoryapp.web import cards, wording
from memoryapp.web.looking import (
    NEWEST,
    NOW,
    OF_STATUS,
    ORIGINS,
    SORTS,
    SOURCES,
    STATUSES,
    UNUSED_DAYS,
    Look,
)

PER_GROUP = 5
PER_PAGE = 50
MOST_CHOICES = 50
MOST_WORDS = 12
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a life, or "" for a list that isn't parted: how many memories it has, and the
    ids of those that are shown."""

    key: str
    total: int
    ids: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class Pages:
    """Where one is in a long list. ``last`` is 1 for one that fits."""

    number: int
    last: int

    @property
    def before(self) -> int:
        """The page before, 0 on the first."""
        return self.number - 1

    @property
    def after(self) -> int:
        """The page after, 0 on the last."""
        return self.number + 1 if self.number < self.last else 0


@dataclass(frozen=True, slots=True)
class Shown:
    """``pages`` is None where the parts of a life are shown."""

    parts: Sequence[Part]
    pages: Pages | None

    @property
    def total(self) -> int:
        return sum(part.total for part in self.parts)

    @property
    def ids(self) -> list[UUID]:
        return [one for part in self.parts for one in part.ids]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search looks for: the ids that it found by meaning, the closest first, and the
    words that a memory may hold instead."""

    ids: Sequence[UUID]
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to narrow the overview to. ``value`` is an id or a word of ours."""

    value: str
    words: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is on, in words, and the same look without it."""

    words: str
    look: Look

    @property
    def remove(self) -> str:
        """What touching it does, for who can't see the cross."""
        return _("Without “%(filter)s”") % {"filter": self.words}


def own(user_id: UUID, look: Look) -> Look:
    """The look without ids that name nothing of the user's, so that a page never repeats what
    somebody else wrote into its address. Needs ``acting_for(user_id)``."""
    for name in ("scope", "subject"):
        if getattr(look, name) and not _named(user_id, getattr(look, name), name):
            look = look.without(name)
    came = Conversation.objects.filter(user_id=user_id, application_id=look.app)
    if look.app and not came.exists():
        look = look.without("app")
    return look


def words_of(query: str) -> list[str]:
    """The words of a search, all of which a memory must hold to be found by them; empty when
    there are none."""
    return _WORD.findall(query)[:MOST_WORDS]


def shown(user_id: UUID, look: Look, *, page: int = 1, found: Found | None = None) -> Shown:
    """What a look shows. A page that isn't there is the nearest one. Needs
    ``acting_for(user_id)``."""
    parted = look.parted and found is None
    most = PER_GROUP if parted else PER_PAGE
    values = _parameters(user_id, look, parted, found)
    parts = _parts(values, skip=0 if parted else (page - 1) * most, most=most)
    if parted:
        return Shown(parts=parts, pages=None)
    last = max(1, -(-sum(part.total for part in parts) // PER_PAGE))
    if page > last:
        page = last
        parts = _parts(values, skip=(page - 1) * most, most=most)
    return Shown(parts=parts, pages=Pages(number=page, last=last))


def _parts(values: dict[str, Any], *, skip: int, most: int) -> list[Part]:
    with connection.cursor() as cursor:
        cursor.execute(sql.load("overview"), {**values, "skip": skip, "most": most})
        rows = cursor.fetchall()
    keys = ("", *wording.GROUPS)
    return [Part(keys[place], total, ids) for place, total, ids in rows]


def _parameters(user_id: UUID, look: Look, parted: bool, found: Found | None) -> dict[str, Any]:
    now = timezone.now()
    return {
        "user_id": user_id,
        "parts": list(wording.GROUPS),
        "of_kind": json.dumps(dict(wording.GROUP_OF_KIND)),
        "part": look.group,
        "parted": parted,
        "sort": look.sort,
        "statuses": list(OF_STATUS[look.status]),
        "as_of": look.as_of,
        "told": look.told,
        "scope": _named(user_id, look.scope, "scope"),
        "subject": _named(user_id, look.subject, "subject"),
        "pinned": look.pinned,
        "delicate": look.delicate,
        "unused_since": now - timedelta(days=UNUSED_DAYS) if look.unused else None,
        "source": SOURCES.get(look.origin),
        "application": look.app,
        "first": list(found.ids) if found else [],
        "words": [f"%{_plain(one)}%" for one in found.words] or [""] if found else None,
    }


def _plain(word: str) -> str:
    """The word as LIKE takes it for itself."""
    return re.sub(r"([%_\\])", r"\\\1", word)


def _named(user_id: UUID, fact_id: UUID | None, field: str) -> str | None:
    """The scope or the subject of a memory; None when none is asked for, or that one is gone."""
    if fact_id is None:
        return None
    return Fact.objects.filter(user_id=user_id, id=fact_id).values_list(field, flat=True).first()


def recall_filters(user_id: UUID, look: Look) -> dict[str, Any]:
    """What of a look recall filters by itself, as fields of its options."""
    options: dict[str, Any] = {"as_of": look.as_of}
    if look.told:
        options["known_at"] = look.as_of
    if scope := _named(user_id, look.scope, "scope"):
        options["scopes"] = (scope,)
    if subject := _named(user_id, look.subject, "subject"):
        options["subjects"] = (subject,)
    return options


def choices(user_id: UUID, look: Look) -> dict[str, list[Choice]]:
    """What can be chosen in each filter; one that has nothing to choose from is empty. Needs
    ``acting_for(user_id)``."""
    with connection.cursor() as cursor:
        cursor.execute(sql.load("overview_choices"), {"user_id": user_id, "most": MOST_CHOICES})
        rows = cursor.fetchall()
    held = {name: _named(user_id, getattr(look, name), name) for name in ("scope", "subject")}
    apps = cards.names_of([fact_id for what, _text, fact_id, _n in rows if what == "app"])
    found: dict[str, list[Choice]] = {
        "group": _words(wording.GROUPS, look.group),
        "origin": _words(ORIGINS, look.origin),
        "sort": _words(SORTS, look.sort),
        "status": _words(STATUSES, look.status),
        "app": [Choice(str(one), name, one == look.app) for one, name in apps.items()],
        "scope": [],
        "subject": [],
    }
    for what, text, fact_id, _n in rows:
        if what in held:
            words = wording.where(text) if what == "scope" else wording.who(text)
            found[what].append(Choice(str(fact_id), words, text == held[what]))
    return found


def _words(known: Any, chosen: str) -> list[Choice]:
    return [Choice(key, str(words), key == chosen) for key, words in known.items()]


def chips(user_id: UUID, look: Look) -> list[Chip]:
    """The filters that are on, in the order of the form; the day has a banner of its own."""
    words: dict[str, str] = {}
    if look.group:
        words["group"] = str(wording.GROUPS[look.group])
    if look.status != NOW:
        words["status"] = str(STATUSES[look.status])
    if look.origin:
        words["origin"] = str(ORIGINS[look.origin])
    if look.app and (name := cards.names_of([look.app]).get(look.app)):
        words["app"] = _("From %(app)s") % {"app": name}
    if scope := _named(user_id, look.scope, "scope"):
        words["scope"] = wording.where(scope)
    if subject := _named(user_id, look.subject, "subject"):
        words["subject"] = wording.who(subject)
    if look.pinned:
        words["pinned"] = _("Pinned")
    if look.delicate:
        words["delicate"] = _("Private")
    if look.unused:
        words["unused"] = _("Not used for %(n)s days") % {"n": UNUSED_DAYS}
    if look.sort != NEWEST:
        words["sort"] = str(SORTS[look.sort])
    return [Chip(text, look.without(name)) for name, text in words.items()]


def counted(total: int, look: Look, *, searched: bool) -> str:
    """How many are shown, in words; empty for the overview as it opens, whose first line
    says it."""
    if look.wrong_day:
        return _("I can’t look back to that day. Choose one up to today.")
    if look.plain and not searched:
        return ""
    if not total:
        return _("Nothing fits.")
    if searched:
        return ngettext("One memory fits.", "%(n)s memories fit, the closest first.", total) % {
            "n": intcomma(total)
        }
    return ngettext("One memory.", "%(n)s memories.", total) % {"n": intcomma(total)}
