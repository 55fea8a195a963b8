"""What the heads are trained on: every label is where the words are, the same each time."""

from __future__ import annotations

import random

import numpy as np
import pytest

from memoryapp.providers.local_extractor import glance
from memoryapp.providers.local_extractor.attributes import registry
from memoryapp.records import Candidate
from memoryapp.training import data
from memoryapp.training.score import matches, rows_of
from memoryapp.training.train import adam


def test_a_frame_says_where_its_values_are() -> None:
    text, labels = data.stated(
        "I (moved|went) from {!home=Ghent} to {home=(Lyon|Oslo)}, my {REL} eats {-o.eats=soup}",
        random.Random(4),
    )
    assert [(text[lab.start : lab.end], lab.attribute, lab.sign, lab.other) for lab in labels] in (
        [("Ghent", "home", 2, False), (city, "home", 0, False), ("soup", "eats", 1, True)]
        for city in ("Lyon", "Oslo")
    )
    assert not set("(){}|") & set(text)


@pytest.mark.parametrize("name", ["frames.txt", "spoken.txt", "negatives.txt"])
def test_every_frame_can_be_filled(name: str) -> None:
    rng = random.Random(1)
    known = set(registry())
    for frame in data.lines(name):
        text, labels = data.stated(frame, rng)
        assert not set("{}|") & set(text), frame
        assert name != "negatives.txt" or not labels, frame
        for label in labels:
            assert label.attribute in known, frame
            assert text[label.start : label.end].strip(), frame


def test_labels_keep_to_their_words_through_wrapping_typing_and_clauses() -> None:
    found = data.examples(3, each=1, spoken=1, negative=0)
    assert found == data.examples(3, each=1, spoken=1, negative=0)
    cities = {city.lower() for city in data.slots()["CITYB"]}
    words = {
        example.clause.text[label.start : label.end]
        for example in found
        for label in example.labels
    }
    assert words & cities or any(city in word for city in cities for word in words)
    for example in found:
        for label in example.labels:
            assert 0 <= label.start < label.end <= len(example.clause.text)


def test_a_network_learns_what_needs_both_inputs() -> None:
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 200, dtype=np.float32)
    rows = np.concatenate([corners, np.ones((800, 8), dtype=np.float32)], axis=1)
    wanted = (corners.sum(axis=1) == 1).astype(np.int64)
    network = adam(rows, [(2, wanted)], hidden=32, epochs=150, seed=1)
    assert (network(rows).argmax(axis=1) == wanted).all()


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


def test_the_development_set_has_facts_and_refusals() -> None:
    rows = rows_of(data.FOLDER / "dev.jsonl")
    assert sum(bool(row["facts"]) for row in rows) > 50
    assert sum(not row["facts"] for row in rows) > 20
