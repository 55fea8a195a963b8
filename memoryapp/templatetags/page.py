"""What the page's templates need beyond Django's own tags."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from pathlib import Path

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from memoryapp.web import dates
from memoryapp.web.looking import Look

register = template.Library()
_ICONS = Path(settings.BASE_DIR) / "static" / "icons"
# What points the way of reading, and so the other way where one reads from right to left.
_POINTING = frozenset({"arrow-left", "arrow-right", "log-out", "send", "rotate-ccw"})


@cache
def _drawing(name: str) -> str:
    """The SVG's shapes. Raises TemplateSyntaxError for a name not in the set."""
    path = _ICONS / f"{name}.svg"
    if not re.fullmatch(r"[a-z-]+", name) or not path.is_file():
        raise template.TemplateSyntaxError(f"There is no icon named {name!r} in static/icons.")
    match = re.search(r"<svg[^>]*>(.*)</svg>", path.read_text(), re.DOTALL)
    if match is None:
        raise template.TemplateSyntaxError(f"The icon {name!r} is not an SVG drawing.")
    return re.sub(r"\s+", " ", match[1]).strip()


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the set, drawn in the text's colour. It says nothing to a screen
    reader: a word always stands beside it."""
    kind = "icon icon-way" if name in _POINTING else "icon"
    return mark_safe(  # noqa: S308  (our own files, read from disk)
        f'<svg class="{kind}" viewBox="0 0 24 24" width="18" height="18" fill="none" '
        'stroke="currentColor" stroke-width="1.75" stroke-linecap="round" '
        f'stroke-linejoin="round" aria-hidden="true" focusable="false">{_drawing(name)}</svg>'
    )


@register.simple_tag(takes_context=True)
def here(context: template.Context, *names: str) -> SafeString:
    """``aria-current`` for the entry of the page that is shown, by its address's name; empty
    on any other page, and on one without an address."""
    match = getattr(context.get("request"), "resolver_match", None)
    found = match is not None and match.url_name in names
    return SafeString(' aria-current="page"' if found else "")


@register.simple_tag
def look_query(look: Look, **more: object) -> str:
    """The query of the overview's address for a look, with more that isn't empty."""
    return look.query(**more)


def _time(moment: datetime, text: str) -> SafeString:
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', moment.isoformat(), dates.exact(moment), text
    )


@register.filter
def when(moment: datetime | None, precision: str = "instant") -> SafeString | str:
    """ "today", "last Tuesday", "3 March 2026"; the exact time in the title."""
    return _time(moment, dates.when(moment, precision)) if moment else ""


@register.filter
def on(moment: datetime | None, precision: str = "instant") -> SafeString | str:
    """As ``when``, to end a sentence: "on 3 March 2026", "in March 2026"."""
    return _time(moment, dates.on(moment, precision)) if moment else ""
