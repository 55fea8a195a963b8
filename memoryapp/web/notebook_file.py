"""All that is remembered as one HTML file to read, print and keep: styles inside, no scripts,
nothing from anywhere else. It is made in pieces, each read in a short transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.template.loader import render_to_string
from django.utils import formats, timezone, translation
from django.utils.translation import gettext as _

from accounts.models import User
from memoryapp import audit, preferences
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Fact, Message
from memoryapp.web import cards, wording
from memoryapp.web.lists import listed

BATCH = 200
BEFORE = (
    Fact.Status.SUPERSEDED,
    Fact.Status.RETRACTED,
    Fact.Status.EXPIRED,
    Fact.Status.ARCHIVED,
)


@dataclass(frozen=True, slots=True)
class Line:
    """A fact as it stands in the file; ``about`` and ``note`` are whole sentences."""

    sentence: str
    quote: str
    about: str
    note: str = ""


def notebook(*, user: User, by: audit.Actor, now: datetime) -> Iterator[str]:
    """The file's text. The user's log notes it before the first piece."""
    with acting_for(user.pk):
        audit.record(user_id=user.pk, by=by, events=[audit.Event("export", "page")], now=now)
        held = preferences.load(user=user)
        known = cards.registry()
        facts = Fact.objects.filter(user_id=user.pk, operation="state")
        current = facts.filter(status=Fact.Status.CURRENT)
        groups: dict[str, list[UUID]] = {}
        for row in current.order_by("-recorded_at", "-id").values_list(
            "id", "subject", "attribute", "kind"
        ):
            group = wording.group_of(row[1], row[2], row[3], known)
            groups.setdefault(group, []).append(row[0])
        others = list(
            current.exclude(subject="user").order_by("subject", "-recorded_at", "-id")
            .values_list("subject", "id")
        )  # fmt: skip
        waiting = _ids(facts.filter(status=Fact.Status.PENDING).order_by("-recorded_at", "-id"))
        before = _ids(facts.filter(status__in=BEFORE).order_by("-valid_from", "-id"))
        talks = Conversation.objects.filter(user_id=user.pk).count()
    names = {subject: wording.who(subject) for subject, _id in others}
    sections = [(key, str(name), len(groups.get(key, ()))) for key, name in wording.GROUPS.items()]
    sections += [
        ("waiting", _("Waiting for your word"), len(waiting)),
        ("before", _("Before"), len(before)),
        ("conversations", _("Conversations"), talks),
    ]
    yield render_to_string(
        "web/notebook/head.html",
        {
            "language": translation.get_language() or "en",
            "rtl": translation.get_language_bidi(),
            "whose": user.display_name or user.email or "",
            "day": day(now),
            "total": sum(len(ids) for ids in groups.values()),
            "sections": [one for one in sections if one[2]],
        },
    )
    for key, name in wording.GROUPS.items():
        if key != "people" and groups.get(key):
            yield from _section(key, str(name), [("", groups[key])], user.pk, _current)
    if others:
        people = [
            (names[subject], [id for _subject, id in rows])
            for subject, rows in groupby(others, key=lambda one: one[0])
        ]
        yield from _section("people", str(wording.GROUPS["people"]), people, user.pk, _current)
    if waiting:
        yield from _section(
            "waiting", _("Waiting for your word"), [("", waiting)], user.pk, _current
        )
    if before:
        yield from _section("before", _("Before"), [("", before)], user.pk, _past)
    if talks:
        yield from _conversations(user.pk)
    yield render_to_string("web/notebook/foot.html", {"settings": _settings(held)})


def _ids(rows: Any) -> list[UUID]:
    return list(rows.values_list("id", flat=True))


def _section(
    key: str, name: str, parts: Iterable[tuple[str, Sequence[UUID]]], user_id: UUID, lines: Any
) -> Iterator[str]:
    yield render_to_string("web/notebook/section.html", {"key": key, "name": name})
    for title, ids in parts:
        yield render_to_string("web/notebook/part.html", {"title": title})
        for some in _batches(ids):
            with acting_for(user_id):
                found = lines(user_id, some)
            yield render_to_string("web/notebook/lines.html", {"lines": found})
        yield "</ul>\n"
    yield "</section>\n"


def _batches(ids: Sequence[UUID]) -> Iterator[list[UUID]]:
    left = iter(ids)
    while some := list(islice(left, BATCH)):
        yield some


def _current(user_id: UUID, ids: Sequence[UUID]) -> list[Line]:
    return [
        Line(card.sentence, card.quote, _about(card), _kept(card))
        for card in cards.cards(user_id, ids)
    ]


def _about(card: cards.Card) -> str:
    if card.said_at is None:
        return ""
    when = {"date": day(card.said_at)}
    if card.source == "edit":
        return _("You wrote this on the page: %(date)s.") % when
    if card.source == "import":
        return _("Brought in, from %(date)s.") % when
    return _("You said so: %(date)s.") % when


def _kept(card: cards.Card) -> str:
    if card.expires_at is None:
        return ""
    return _("Kept until %(date)s.") % {"date": day(card.expires_at)}


def _past(user_id: UUID, ids: Sequence[UUID]) -> list[Line]:
    rows = {row.id: row for row in Fact.objects.filter(user_id=user_id, id__in=ids)}
    known = cards.registry()
    quotes = {card.id: card.quote for card in cards.cards(user_id, ids)}
    return [
        Line(wording.sentence(row, known), quotes.get(row.id, ""), _until(row))
        for id in ids
        if (row := rows.get(id)) is not None
    ]


def _until(row: Fact) -> str:
    """When it held, as a sentence."""
    since = day(row.valid_from, row.precision)
    if row.retired_at is not None:
        return _("Noted for %(date)s, and corrected later: it was never so.") % {"date": since}
    if row.valid_to is None:
        return _("Since %(date)s; I no longer use it.") % {"date": since}
    return _("From %(start)s to %(end)s.") % {"start": since, "end": day(row.valid_to)}


def _conversations(user_id: UUID) -> Iterator[str]:
    yield render_to_string(
        "web/notebook/section.html", {"key": "conversations", "name": _("Conversations")}
    )
    yield render_to_string("web/notebook/part.html", {"title": ""})
    last: UUID | None = None
    while True:
        with acting_for(user_id):
            rows = Conversation.objects.filter(user_id=user_id)
            if last is not None:
                rows = rows.filter(id__lt=last)
            some = list(rows.order_by("-id")[:BATCH])
            said = dict(
                Message.objects.filter(
                    user_id=user_id, conversation_id__in=[row.id for row in some]
                )
                .values_list("conversation_id")
                .annotate(n=Count("id"))
            )
        if not some:
            break
        last = some[-1].id
        yield render_to_string(
            "web/notebook/talks.html",
            {
                "talks": [
                    {
                        "title": row.title or _("A conversation without a title"),
                        "began": day(row.created_at),
                        "said": said.get(row.id, 0),
                    }
                    for row in some
                ]
            },
        )
    yield "</ul>\n</section>\n"


def _settings(held: preferences.Preferences) -> list[str]:
    """What was chosen, in sentences."""
    found = [
        _("I speak %(language)s to you, and use the time of %(zone)s.")
        % {
            "language": translation.get_language_info(held.language or "en")["name_translated"],
            "zone": held.time_zone,
        },
        _("Memory is paused.") if held.paused else _("Memory is on."),
    ]
    if held.retention_days is not None:
        found.append(_("Messages are kept for %(days)s days.") % {"days": held.retention_days})
    if held.sensitive_opt_in:
        about = [str(wording.SENSITIVE.get(one, one)) for one in held.sensitive_opt_in]
        found.append(
            _("I may remember these delicate things without asking: %(list)s.")
            % {"list": listed(about)}
        )
    found += [
        _("Never to be remembered: %(topic)s.") % {"topic": _topic(one)}
        for one in held.never_remember
    ]
    found += [_access(one) for one in held.applications]
    return found


def _topic(one: preferences.TopicHeld) -> str:
    named = wording.GROUPS.get(one.area) or wording.SENSITIVE.get(one.sensitivity)
    return one.words or str(named or one.attribute.replace("_", " "))


def _access(one: preferences.Access) -> str:
    name = {"name": one.name}
    if one.may_read and one.may_write:
        return _("“%(name)s” may look things up and tell me things.") % name
    if one.may_read:
        return _("“%(name)s” may look things up, and tell me nothing.") % name
    if one.may_write:
        return _("“%(name)s” may tell me things, and look nothing up.") % name
    return _("“%(name)s” may neither look things up nor tell me anything.") % name


def day(moment: datetime, precision: str = "instant") -> str:
    """The whole date, since "yesterday" means nothing in a file; a month or a year where no
    more is known."""
    named = {"year": "Y", "month": "YEAR_MONTH_FORMAT"}.get(precision, "DATE_FORMAT")
    return formats.date_format(timezone.localtime(moment), named)
