"""Facts, decisions and log entries in the words of the page.

Sentences come from the registry of attributes, in the second person; a fact whose
attribute is unknown, or whose template can't be filled, keeps its own statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext_lazy, pgettext, pgettext_lazy
from django.utils.translation import gettext as _

from memoryapp.registry import OPPOSITES
from memoryapp.web import relations


class Worded(Protocol):
    """What of a Fact its sentence needs; a recalled mapping is wrapped to it."""

    subject: str
    attribute: str
    scope: str
    value: str
    polarity: str
    statement: str


class Template(Protocol):
    """What of a registry's Attribute the page needs."""

    group: str
    sentence: str
    negated: str
    other: str


Registry = Mapping[str, Template]

# The context of the registry's sentences in the catalogues. What an admin wrote is in none,
# and so stays as it is.
FACT = "fact"
# As shipped. A known relation is said with its "your", which other languages inflect with it.
_IS_YOUR = "{subject} is your {value}."

# In the order of the page. The keys are the registry's.
GROUPS: Mapping[str, Promise] = {
    "about": gettext_lazy("About you"),
    "home": gettext_lazy("Home"),
    "work": gettext_lazy("Work"),
    "people": gettext_lazy("People and pets"),
    "food_health": gettext_lazy("Food and health"),
    "preferences": gettext_lazy("Preferences"),
    "plans": gettext_lazy("Plans"),
    "projects": gettext_lazy("Projects"),
    "answers": gettext_lazy("How you like answers"),
}

GROUP_OF_KIND = {
    "personal": "about",
    "preference": "preferences",
    "constraint": "food_health",
    "decision": "plans",
    "entity": "people",
    "project": "projects",
    "event": "plans",
}

SENSITIVE: Mapping[str, Promise] = {
    "health": gettext_lazy("your health"),
    "religion": gettext_lazy("your beliefs"),
    "politics": gettext_lazy("your politics"),
    "sexuality": gettext_lazy("your love life"),
    "union": gettext_lazy("your trade union"),
    "biometrics": gettext_lazy("your body’s data"),
    "ethnicity": gettext_lazy("your origin"),
    "criminal_record": gettext_lazy("your record with the law"),
}

SCOPES: Mapping[str, Promise] = {
    "ide": pgettext_lazy("scope", "In your IDE"),
    "editor": pgettext_lazy("scope", "In your editor"),
    "terminal": pgettext_lazy("scope", "In your terminal"),
    "browser": pgettext_lazy("scope", "In your browser"),
    "phone": pgettext_lazy("scope", "On your phone"),
    "laptop": pgettext_lazy("scope", "On your laptop"),
    "work": pgettext_lazy("scope", "At work"),
    "home": pgettext_lazy("scope", "At home"),
    "travel": pgettext_lazy("scope", "When you travel"),
    "flights": pgettext_lazy("scope", "On flights"),
    "email": pgettext_lazy("scope", "In e-mail"),
    "code": pgettext_lazy("scope", "In code"),
}


def group_of(subject: str, attribute: str, kind: str, registry: Registry) -> str:
    """The part of the user's life that a fact belongs to, one of ``GROUPS``."""
    if subject != "user":
        return "people"
    known = registry.get(attribute)
    if known and known.group in GROUPS:
        return known.group
    return GROUP_OF_KIND.get(kind, "about")


def who(subject: str) -> str:
    """ "person:mira" is Mira, "pet:pim" is Pim, "person:sister" is "Your sister"."""
    kind, _colon, name = subject.partition(":")
    if phrase := relations.called(kind, name):
        return capfirst(phrase)
    name = name or subject
    return name if any(letter.isupper() for letter in name) else re.sub(r"[-_]", " ", name).title()


def where(scope: str) -> str:
    if scope in SCOPES:
        return str(SCOPES[scope])
    kind, found, name = scope.partition(":")
    if found and kind == "project":
        return _("For your project “%(name)s”") % {"name": name}
    return _("For %(scope)s") % {"scope": (name or scope).replace("_", " ")}


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """The template with its names replaced once, so that braces in a value stay
    as they are; empty when it names something unknown."""
    if not set(re.findall(r"\{(\w+)\}", template)) <= set(parts):
        return ""
    return re.sub(r"\{(\w+)\}", lambda match: parts[match[1]], template)


def sentence(fact: Worded, registry: Registry) -> str:
    """ "You live in Lisbon." "In your IDE, you use dark mode." """
    known = registry.get(fact.attribute)
    text = ""
    if known:
        if fact.subject != "user":
            template = (
                known.other if fact.polarity == "affirmed" else _denied(fact.attribute, registry)
            )
        else:
            template = known.sentence if fact.polarity == "affirmed" else known.negated
        if template:
            text = _said(fact, template)
    if not text:
        return _ended(fact.statement or fact.value)
    if fact.scope and "{scope}" not in text:
        text = _("%(where)s, %(sentence)s") % {
            "where": where(fact.scope),
            "sentence": _inside(text, fact),
        }
    return _ended(text)


def _said(fact: Worded, template: str) -> str:
    """The registry's sentence in the reader's language, filled."""
    kind, _colon, name = fact.subject.partition(":")
    relation = relations.called(kind, fact.value) if template == _IS_YOUR else ""
    known = pgettext("fact", "{subject} is {relation}.") if relation else pgettext(FACT, template)
    whom = relations.called(kind, name) or who(fact.subject)
    text = _filled(known, {"value": fact.value, "subject": whom, "relation": relation})
    return capfirst(text) if text.startswith(whom) else text


def _inside(text: str, fact: Worded) -> str:
    """The sentence as it goes on after where it holds: in small letters, unless it begins
    with a name or the user's own word. German begins anew after its colon."""
    kind, _colon, name = fact.subject.partition(":")
    own = fact.subject != "user" and not relations.called(kind, name)
    if own or text.startswith(fact.value) or (get_language() or "en").startswith("de"):
        return text
    return text[:1].lower() + text[1:]


def _denied(key: str, registry: Registry) -> str:
    """How it is said of somebody else that it isn't so: by the attribute's opposite."""
    opposite = next((n for n, p in OPPOSITES.items() if p == key), "")
    known = registry.get(opposite)
    return known.other if known else ""


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "。", "؟", "…", "۔", "।")) else text + "."


def covered(sensitivity: str) -> str:
    """What is said of a sensitive fact before it is touched; empty for others."""
    if not sensitivity:
        return ""
    about = SENSITIVE.get(sensitivity)
    if about is None:
        return _("Something private")
    return _("Something about %(subject)s") % {"subject": about}
