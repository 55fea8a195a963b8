"""Which answers used a fact, in words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from memoryapp.uses import Use, Via
from memoryapp.web import dates

_BY_APP: Mapping[Via, Promise] = {
    "chat": gettext_lazy("%(app)s used this for an answer %(on)s."),
    "context": gettext_lazy("%(app)s took this along for an answer %(on)s."),
    "recall": gettext_lazy("%(app)s looked this up %(on)s."),
    "mcp": gettext_lazy("%(app)s looked this up for an answer %(on)s."),
    "check": gettext_lazy("%(app)s held an answer against this %(on)s."),
}
_BY_GONE: Mapping[Via, Promise] = {
    "chat": gettext_lazy("An app that is gone by now used this for an answer %(on)s."),
    "context": gettext_lazy("An app that is gone by now took this along for an answer %(on)s."),
    "recall": gettext_lazy("An app that is gone by now looked this up %(on)s."),
    "mcp": gettext_lazy("An app that is gone by now looked this up for an answer %(on)s."),
    "check": gettext_lazy("An app that is gone by now held an answer against this %(on)s."),
}
_OWN: Mapping[Via, Promise] = {
    "chat": gettext_lazy("A chat of yours used this for an answer %(on)s."),
    "context": gettext_lazy("A chat of yours took this along for an answer %(on)s."),
    "recall": gettext_lazy("It was looked up with a key of yours %(on)s."),
    "mcp": gettext_lazy("An assistant of yours looked this up %(on)s."),
    "check": gettext_lazy("An answer was held against this with a key of yours %(on)s."),
    "try": gettext_lazy("An answer on the page “Try it” used this %(on)s."),
}


def use(one: Use) -> str:
    """Who used a fact, for what and when, in a sentence."""
    if one.application is None:
        words = _OWN[one.via]
    elif one.application:
        words = _BY_APP[one.via]
    else:
        words = _BY_GONE[one.via]
    return str(words) % {"app": one.application, "on": dates.on(one.at)}
