"""What stands on every card of a list alike, but for ids: drawn once, then filled in."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token, token_kwargs
from django.urls import get_script_prefix
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

register = template.Library()
_FILLED = {"id": str(UUID(int=0)), "place": str(UUID(int=1))}


class _Alike(template.Node):
    def __init__(self, nodelist: NodeList, given: Mapping[str, FilterExpression]) -> None:
        self.nodelist = nodelist
        self._given = given
        # By language, the address's beginning and a few words of ours: never many.
        self._drawn: dict[object, str] = {}

    def render(self, context: template.Context) -> SafeString:
        values = {name: value.resolve(context) for name, value in self._given.items()}
        others = tuple((name, values[name]) for name in values if name not in _FILLED)
        key = (get_language(), get_script_prefix(), others)
        text = self._drawn.get(key)
        if text is None:
            # The body sees nothing else of the page: what is drawn for one can't reach another.
            marks = {name: mark for name, mark in _FILLED.items() if name in values}
            text = self.nodelist.render(context.new({**marks, **dict(others)}))
            self._drawn[key] = text
        for name, mark in _FILLED.items():
            if name in values:
                text = text.replace(mark, conditional_escape(str(values[name])))
        return mark_safe(text)  # noqa: S308  (a template's text, and what was escaped above)


@register.tag
def alike(parser: Parser, token: Token) -> _Alike:
    """``{% alike id=card.id open=card.open %}…{% endalike %}``: what is between is drawn once
    for each language and for each value of what is given, and sees that alone. ``id`` (a UUID)
    and ``place`` differ every time: they are filled in, and no condition may ask for them."""
    name, *words = token.split_contents()
    given = token_kwargs(words, parser)
    if words or not given:
        raise template.TemplateSyntaxError(f"{name} takes name=value, and at least one.")
    nodelist = parser.parse(("endalike",))
    parser.delete_first_token()
    return _Alike(nodelist, given)
