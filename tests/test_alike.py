"""What is drawn once for all cards: each card still has its own ids, language and state."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.utils import translation

FIRST, SECOND = UUID(int=7), UUID(int=8)
CARD = Template(
    "{% load i18n alike %}{% alike id=id place=place open=open %}"
    "{% url 'fact' id %} {{ place }}{% if open %} {% translate 'Edit' %}{% endif %}{{ secret }}"
    "{% endalike %}"
)


def drawn(fact_id: UUID, *, place: str = "1", open: bool = True) -> str:
    context = {"id": fact_id, "place": place, "open": open, "secret": "of one card"}
    return CARD.render(Context(context))


def test_each_has_its_own_ids_and_state() -> None:
    assert drawn(FIRST) == f"/memories/{FIRST}/ 1 Edit"
    assert drawn(SECOND, place="2") == f"/memories/{SECOND}/ 2 Edit"
    assert drawn(FIRST, open=False) == f"/memories/{FIRST}/ 1"


def test_each_language_has_its_own() -> None:
    english = drawn(FIRST)
    with translation.override("de"):
        assert drawn(FIRST) != english
    assert drawn(FIRST) == english


def test_what_is_filled_in_is_escaped() -> None:
    assert drawn(FIRST, place="<b>") == f"/memories/{FIRST}/ &lt;b&gt; Edit"


@pytest.mark.parametrize("given", ["", "card.id", "id=card.id open"])
def test_what_is_given_has_a_name(given: str) -> None:
    with pytest.raises(TemplateSyntaxError):
        Template("{% load alike %}{% alike " + given + " %}{% endalike %}")
