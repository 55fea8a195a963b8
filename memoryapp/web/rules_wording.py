"""The user's rules in words: topics, kinds of memories and how long they keep, pauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryapp.models import Attribute
from memoryapp.registry import TTL_DAYS
from memoryapp.web.wording import GROUPS, SENSITIVE

# In the order of the page. The keys are the registry's kinds.
KINDS: Mapping[str, Promise] = {
    "personal": gettext_lazy("Who you are: name, home, work, family"),
    "preference": gettext_lazy("What you like and how you like it"),
    "constraint": gettext_lazy("What you must heed: diet, allergies, a budget"),
    "decision": gettext_lazy("What you decided"),
    "entity": gettext_lazy("Things you mentioned"),
    "project": gettext_lazy("What you are working on"),
    "event": gettext_lazy("Plans and things with a date"),
}
# For ever, as far as a person is concerned: the longest that the settings take.
ALWAYS = 36_500
EXPIRY = (30, 90, 180, 365)


class Topical(Protocol):
    """What of a topic its words need."""

    @property
    def words(self) -> str: ...
    @property
    def attribute(self) -> str: ...
    @property
    def area(self) -> str: ...
    @property
    def sensitivity(self) -> str: ...


def topic(one: Topical) -> str:
    """A topic as it stands in the list: the user's words, or the name of what they chose."""
    if one.words:
        return one.words
    if one.area:
        return _("Everything in “%(area)s”") % {"area": GROUPS.get(one.area, one.area)}
    if one.sensitivity:
        return capfirst(str(SENSITIVE.get(one.sensitivity, one.sensitivity)))
    return capfirst(one.attribute.replace("_", " "))


def sought(one: Topical) -> str:
    """The words by which what is held about a topic is looked for."""
    if one.area:
        return str(GROUPS.get(one.area, one.area))
    return topic(one)


def left_out(count: int) -> str:
    if not count:
        return _("Nothing was left out for it yet.")
    return ngettext(
        "One thing was left out because of it.",
        "%(n)s things were left out because of it.",
        count,
    ) % {"n": count}


def days(count: int) -> str:
    """So many days, as a person says them."""
    if count >= ALWAYS:
        return _("Until I delete them")
    if count == 365:
        return _("A year")
    return ngettext("%(n)s day", "%(n)s days", count) % {"n": count}


def usual(kind: str) -> str:
    """What happens to memories of a kind when nothing is chosen."""
    ttl = TTL_DAYS[kind]
    if ttl is None:
        return _("As usual: always")
    return ngettext("As usual: %(n)s day", "As usual: %(n)s days", ttl) % {"n": ttl}


def attributes() -> list[tuple[str, str]]:
    """What can be chosen of the registry: keys and names, in the order of the names."""
    keys = Attribute.objects.values_list("key", flat=True)
    return sorted(((key, capfirst(key.replace("_", " "))) for key in keys), key=lambda one: one[1])
