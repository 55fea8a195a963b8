"""What an entry of the log is about: its kind, what it touched, and its details in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Q
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryapp.models import AuditEvent, Conversation, Fact, Import
from memoryapp.web import cards, import_wording, logbook, wording
from memoryapp.web.lists import listed

# In the order of the filter.
KINDS: Mapping[str, Promise] = {
    "read": gettext_lazy("Read"),
    "used": gettext_lazy("Used for an answer"),
    "changed": gettext_lazy("Noted or changed"),
    "forgotten": gettext_lazy("Forgotten"),
    "signed_in": gettext_lazy("Signed in"),
    "settings": gettext_lazy("Settings, apps and keys"),
}
_READ = ("facts.read", "messages.read", "audit.read", "export", "admin.view", "admin.reveal",
         "access.denied", "access.refused")  # fmt: skip
_FORGOTTEN = ("message.purge", "request.dismiss", "fact.expire")
_SETTINGS = ("settings.", "app.", "application.", "key.", "webhook.", "conversation.learning",
             "facts.reexpire", "topic.left_out")  # fmt: skip
# Facts named in one entry; the others are counted.
_NAMED = 10

_SETTINGS_CHANGED: Mapping[str, Promise] = {
    "language": gettext_lazy("the language"),
    "time_zone": gettext_lazy("the time zone"),
    "paused": gettext_lazy("whether memory is paused"),
    "paused_until": gettext_lazy("how long memory is paused"),
    "retention_days": gettext_lazy("how long messages are kept"),
    "sensitive_opt_in": gettext_lazy("which delicate things may be remembered"),
    "expiry": gettext_lazy("how long memories are kept"),
    "never_remember": gettext_lazy("what is never to be remembered"),
    "review_keys": gettext_lazy("the keys of the review"),
    "applications": gettext_lazy("what applications may do"),
}
_DETAILS: Mapping[str, Promise] = {
    "accepted": gettext_lazy("Messages"),
    "count": gettext_lazy("How many"),
    "reason": gettext_lazy("The reason given"),
    "format": gettext_lazy("From"),
    "code": gettext_lazy("What went wrong"),
    "conversations": gettext_lazy("Conversations"),
    "memories": gettext_lazy("Memories"),
    "notes": gettext_lazy("Not understood"),
    "duplicates": gettext_lazy("Messages I had before"),
    "memory_duplicates": gettext_lazy("Memories I had before"),
    "forgotten": gettext_lazy("Forgotten here before, and left out"),
    "receipt": gettext_lazy("Receipt"),
    "learning": gettext_lazy("What was chosen"),
}


def kind_of(action: str) -> str:
    """One of ``KINDS``."""
    if action in _READ:
        return "read"
    if action in ("recall", "check"):
        return "used"
    if action in _FORGOTTEN or action.endswith(".erase"):
        return "forgotten"
    if action.startswith(("account.", "link.")):
        return "signed_in"
    return "settings" if action.startswith(_SETTINGS) else "changed"


def of_kind(kind: str) -> Q:
    """Entries of a kind. What has no words yet counts as a change."""
    named = {action: kind_of(action) for action in logbook.actions()}
    if kind == "changed":
        return ~Q(action__in=[action for action, its in named.items() if its != kind])
    return Q(action__in=[action for action, its in named.items() if its == kind])


@dataclass(frozen=True, slots=True)
class Touched:
    """Something an entry names. ``url`` is empty when there is nothing to lead to."""

    words: str
    url: str = ""


class Things:
    """What the entries of a page name, looked up together. Needs ``acting_for(user_id)``."""

    def __init__(self, user_id: UUID, events: Sequence[AuditEvent]) -> None:
        named = {one for event in events for one in _named(event)}
        facts = Fact.objects.filter(user_id=user_id, id__in=_ids(named, "fact"))
        known = cards.registry() if facts else {}
        self._facts = {
            row.id: wording.covered(row.sensitivity) or wording.sentence(row, known)
            for row in facts
        }
        self._talks = dict(
            Conversation.objects.filter(
                user_id=user_id, id__in=_ids(named, "conversation")
            ).values_list("id", "title")
        )
        self._imports = dict(
            Import.objects.filter(user_id=user_id, id__in=_ids(named, "import")).values_list(
                "id", "format"
            )
        )

    def touched(self, event: AuditEvent) -> list[Touched]:
        """What the entry is about, each with where it leads."""
        names = _named(event)
        found = [one for name in names[:_NAMED] if (one := self._touched(*name)) is not None]
        if (more := len(names) - _NAMED) > 0:
            found.append(Touched(ngettext("%(n)s more", "%(n)s more", more) % {"n": more}))
        return found

    def _touched(self, kind: str, id: UUID) -> Touched | None:
        if kind == "fact":
            if id in self._facts:
                return Touched(self._facts[id], reverse("fact", args=[id]))
            return Touched(_("A memory that isn’t here any more"))
        if kind == "conversation":
            if id in self._talks:
                words = self._talks[id] or _("A conversation without a title")
                return Touched(words, reverse("conversation", args=[id]))
            return Touched(_("A conversation that isn’t here any more"))
        if kind == "import":
            if id in self._imports:
                words = _("The import from %(product)s") % {
                    "product": import_wording.product(self._imports[id])
                }
                return Touched(words, reverse("import", args=[id]))
            return Touched(_("An import that isn’t here any more"))
        if kind == "receipt":
            return Touched(_("The receipt"), reverse("receipt", args=[id]))
        return None


def details(event: AuditEvent) -> list[tuple[str, str]]:
    """The entry's details as labels and words. Ids of what it touched are left to
    ``Things``."""
    found: list[tuple[str, str]] = []
    given: Mapping[str, Any] = event.details
    for key, value in given.items():
        if key == "changed" and isinstance(value, list):
            words = listed(str(_SETTINGS_CHANGED.get(one, one)) for one in value)
            found.append((_("What changed"), words))
        elif key == "messages" and isinstance(value, list):
            found.append((_("Passages of past messages"), intcomma(len(value))))
        elif key == "facts" and isinstance(value, list):
            if not value:
                found.append((_("Memories"), _("none fitted")))
        elif key == "receipt":
            continue
        elif key == "format":
            found.append((str(_DETAILS[key]), import_wording.product(str(value))))
        elif isinstance(value, int) and not isinstance(value, bool):
            found.append((_label(key), intcomma(value)))
        elif isinstance(value, str) and value:
            found.append((_label(key), value))
    return found


def _label(key: str) -> str:
    return str(_DETAILS[key]) if key in _DETAILS else key.replace("_", " ").capitalize()


def _named(event: AuditEvent) -> list[tuple[str, UUID]]:
    """What the entry names by id, in order and once each."""
    names = [event.object]
    given = event.details.get("facts")
    if isinstance(given, list):
        names += [f"fact:{one}" for one in given]
    if receipt := event.details.get("receipt"):
        names.append(f"receipt:{receipt}")
    found: dict[tuple[str, UUID], None] = {}
    for name in names:
        kind, _colon, id = name.partition(":")
        try:
            found[kind, UUID(id)] = None
        except ValueError:
            continue
    return list(found)


def _ids(named: Collection[tuple[str, UUID]], kind: str) -> list[UUID]:
    return [id for its, id in named if its == kind]
