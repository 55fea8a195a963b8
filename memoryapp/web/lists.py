"""Several things in one sentence, as the reader's language lists them."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import pgettext


def listed(items: Iterable[str]) -> str:
    """ "one", "one and two", "one, two and three"; empty when there is nothing."""
    *others, last = [*items] or [""]
    if not others:
        return last
    text = others[0]
    for one in others[1:]:
        text = pgettext("list", "%(so_far)s, %(next)s") % {"so_far": text, "next": one}
    return pgettext("list", "%(so_far)s and %(last)s") % {"so_far": text, "last": last}
