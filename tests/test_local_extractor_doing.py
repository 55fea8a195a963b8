"""Jobs that a verb tells are worded as the page's sentence needs them, and a noun that looks
like a verb stays one."""

from __future__ import annotations

import pytest

from memoryapp.providers.local_extractor.doing import doing, is_told


def span(text: str, value: str) -> tuple[int, int]:
    start = text.index(value)
    return start, start + len(value)


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        ("i teach yoga on mondays", "teach yoga", "teaching yoga"),
        ("my dad drives trams", "drives trams", "driving trams"),
        ("divorced, drive a lorry for a living", "drive a lorry", "driving a lorry"),
        ("i do payroll for a cruise line", "do payroll", "doing payroll"),
        ("she runs a bakery with two shifts", "runs a bakery", "running a bakery"),
        ("my aunt sews gowns for brides", "sews gowns", "sewing gowns"),
        ("he teaches", "teaches", "teaching"),
        ("we fix bikes, customers queue up", "fix bikes", "fixing bikes"),
    ],
)
def test_a_verb_takes_the_form_of_the_sentence(text: str, value: str, told: str) -> None:
    assert is_told(text, span(text, value))
    assert doing(text, span(text, value)) == told


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("i drive an old volvo estate", "drive an old volvo estate"),
        ("he is the cook and i do the dishes", "do the dishes"),
        ("i bake a lot of bread", "bake a lot of bread"),
        ("i drive", "drive"),
    ],
)
def test_what_is_no_job_is_none(text: str, value: str) -> None:
    assert is_told(text, span(text, value))
    assert doing(text, span(text, value)) == ""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("i'm lead developer", "lead developer"),
        ("test engineer here", "test engineer"),
        ("i work as a program manager", "program manager"),
        ("i'm the works manager", "works manager"),
        ("he's a cook", "cook"),
    ],
)
def test_a_noun_is_no_verb(text: str, value: str) -> None:
    assert not is_told(text, span(text, value))


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        ("i guide treks near kathmandu", "guide treks", "guiding treks"),
        ("i look after horses", "look after horses", "looking after horses"),
        ("he trims trees for the council", "trims trees", "trimming trees"),
    ],
)
def test_where_it_is_certain_any_verb_may_tell_a_job(text: str, value: str, told: str) -> None:
    assert not is_told(text, span(text, value))
    assert is_told(text, span(text, value), certain=True)
    assert doing(text, span(text, value), paid=True, certain=True) == told


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("i like cabinet making", "like cabinet making"),
        ("i am head gardener", "am head gardener"),
        ("i roofed houses", "roofed houses"),
        ("my job: guide treks", "guide treks"),
    ],
)
def test_even_so_not_every_word_is_a_verb(text: str, value: str) -> None:
    assert not is_told(text, span(text, value), certain=True)
