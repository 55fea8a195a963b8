"""What the reader is trained on: every label is where the words are."""

from __future__ import annotations

import random
import re

import pytest

from memoryapp.providers.local_extractor import glance
from memoryapp.providers.local_extractor.attributes import registry
from memoryapp.records import Candidate
from memoryapp.training import data
from memoryapp.training.score import matches, rows_of

LINE = "I (moved|went) from {!home=Ghent} to {home=Lyon}, my {relation=son} eats no {-o.eats=soup}."


def test_a_line_says_where_its_values_are() -> None:
    text, labels = data.labelled(data.chosen(LINE, random.Random(4)))
    assert [(text[lab.start : lab.end], lab.attribute, lab.sign, lab.other) for lab in labels] == [
        ("Ghent", "home", 2, False),
        ("Lyon", "home", 0, False),
        ("son", "relation", 0, False),
        ("soup", "eats", 1, True),
    ]
    assert not set("(){}|") & set(text)


def test_every_line_can_be_read() -> None:
    rng = random.Random(1)
    known = set(registry()) | data.AROUND | {data.OPEN}
    found = data.lines()
    assert len(found) > 10_000
    assert len(set(found)) == len(found)
    marked = 0
    for line in found:
        text, labels = data.labelled(data.chosen(line, rng))
        assert not set("{}") & set(text), line
        marked += bool(labels)
        for label in labels:
            assert label.attribute in known, line
            assert text[label.start : label.end].strip(), line
    assert 0.4 < marked / len(found) < 0.7


def test_labels_keep_to_their_words_through_swapping_typing_and_joining() -> None:
    rng = random.Random(3)
    values = data.Values([LINE, "Back in {home=Turin}, where {home=Oslo} is far."])
    texts: set[str] = set()
    for _ in range(300):
        first = data.labelled(values.swapped(data.chosen(LINE, rng), rng, 0.5))
        text, labels = data.typed(*data.joined(first, ("yes", []), " "), rng)
        assert [lab.attribute for lab in labels] == ["home", "home", "relation", "eats"]
        places = [text[lab.start : lab.end].lower() for lab in labels]
        texts |= set(places[:2])
        # One letter may be amiss, no more.
        assert re.fullmatch(r"s?o+n+|so|on|sn|sson", places[2]), places
    assert {"turin", "oslo", "ghent", "lyon"} <= texts


def test_a_glance_learns_words_and_their_order() -> None:
    texts = ["i live in ghent", "i was in ghent", "we live in oslo", "we were in oslo"] * 10
    weights = glance.trained(texts, [True, False, True, False] * 10, seed=1)
    assert glance.promise("they live in turin", weights) > 0
    assert glance.promise("they were in turin", weights) < 0


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("likes|hobby=pottery", True),
        ("hobby=making pottery on sundays", True),
        ("hobby=poetry", False),
        ("NOT hobby=pottery", False),
        ("person:ana.hobby=pottery", False),
        ("home=pottery", False),
    ],
)
def test_a_score_counts_the_same_fact_only(written: str, same: bool) -> None:
    fact = Candidate("user", "hobby", "Pottery", None, data.SENT_AT)
    assert matches(fact, written) is same


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("pet=Rex", True),
        ("pet:rex.species=collie", True),
        ("pet:rex.relation|pet:rex.species=border collie", True),
        ("pet:rex.species=poodle", False),
        ("pet:tom.species=collie", False),
        ("NOT pet:rex.species=collie", False),
        ("pet:rex.age=collie", False),
    ],
)
def test_a_pets_own_line_says_what_it_is(written: str, same: bool) -> None:
    fact = Candidate("user", "pet", "Rex (collie)", None, data.SENT_AT)
    assert matches(fact, written) is same


def test_the_development_set_has_facts_and_refusals() -> None:
    rows = rows_of(data.FOLDER / "dev.jsonl")
    assert sum(bool(row["facts"]) for row in rows) > 50
    assert sum(not row["facts"] for row in rows) > 20


@pytest.mark.parametrize(
    ("line", "text", "values"),
    [
        (
            "I'm a {job_title=nurse} in {home=Cork}.",
            "nurse in Cork.",
            ["nurse", "Cork"],
        ),
        ("My {relation=son} {name=Leo} is {o.age=5}", "son Leo is 5", ["son", "Leo", "5"]),
        (
            "We have {pet=two cats} and I drive a {vehicle=Golf}",
            "two cats and drive a Golf",
            ["two cats", "Golf"],
        ),
        # Whose would it be, who is told?
        ("My {vehicle=Golf} rattles", "My Golf rattles", ["Golf"]),
        ("I use {editor=vim} at work", "I use vim at work", ["vim"]),
        ("I have to go now", "I have to go now", []),
        ("Is it {-home=Leeds} that I'm in?", "Is it Leeds that I'm in?", ["Leeds"]),
    ],
)
def test_clipped_leaves_out_who_does_it(line: str, text: str, values: list[str]) -> None:
    message, labels = data.clipped(*data.labelled(line))
    assert message == text
    assert [message[label.start : label.end] for label in labels] == values


def test_nothing_is_learnt_from_what_nobody_can_say() -> None:
    text, labels = data.labelled("I {?=paint} in {home=Leeds}")
    assert text == "I paint in Leeds"
    assert [(text[each.start : each.end], each.attribute) for each in labels] == [
        ("paint", data.OPEN),
        ("Leeds", "home"),
    ]
    assert data.attributes(["I {?=paint} in {home=Leeds}"]) == ["", "home"]
