"""Open names folded into known attributes by their meaning, and others left alone."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from memoryapp import pipeline, providers, registry
from memoryapp.context import acting_for
from memoryapp.folding import Names
from memoryapp.records import Candidate


@cache
def names() -> Names:
    """The known names in the embedder's space, embedded once."""
    return Names(registry.load().names(), providers.embedder())


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("favorite_beverage", "favourite_drink"),
        ("food_allergies", "allergy"),
        ("preferred_code_editor", "editor"),
        ("current_job_title", "job_title"),
        ("preferred_response_length", "answer_length"),
    ],
)
def test_a_name_that_means_a_known_attribute_is_folded(db: None, name: str, key: str) -> None:
    fold = names().fold(name)
    assert fold is not None
    assert fold.key == key


@pytest.mark.parametrize(
    "name",
    ["coffee_machine", "wife_birthday", "plant_species", "thesis_topic", "chess_rating", "boss"],
)
def test_a_name_that_only_sounds_alike_stays_open(db: None, name: str) -> None:
    assert names().fold(name) is None


def test_the_pipeline_folds_and_says_so(owner: Any, db: None) -> None:
    with acting_for(owner.pk):
        known = registry.load()
    candidates = [
        Candidate("user", attribute, "mint tea", None, datetime(2026, 1, 1, tzinfo=UTC))
        for attribute in ("favorite_beverage", "tea_caddy_colour", "likes")
    ]
    folded, folds = pipeline.fold(candidates, known)
    assert [c.attribute for c in folded] == ["favourite_drink", "tea_caddy_colour", "likes"]
    assert set(folds) == {"favourite_drink"}
