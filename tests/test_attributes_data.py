"""The shipped registry: every row can be used, and no name means two things."""

from __future__ import annotations

import re

import pytest

from memoryapp.providers.local_extractor.attributes import is_single, registry
from memoryapp.records import KINDS

GROUPS = {
    "about", "home", "work", "people", "food_health", "preferences", "plans", "projects", "answers"
}  # fmt: skip
SENSITIVE = {
    "", "health", "religion", "politics", "sexuality", "union", "biometrics", "ethnicity",
    "criminal_record",
}  # fmt: skip
FIELDS = {
    "key", "kind", "cardinality", "sensitive", "ttl_days", "half_life_days", "aliases", "group",
    "sentence", "negated", "other",
}  # fmt: skip


def test_every_row_is_whole() -> None:
    assert len(registry()) >= 80
    for key, row in registry().items():
        assert set(row) == FIELDS, key
        assert re.fullmatch(r"[a-z]+(?:_[a-z]+)*", key), key
        assert row["kind"] in KINDS, key
        assert row["cardinality"] in ("single", "multi"), key
        assert row["sensitive"] in SENSITIVE, key
        assert row["group"] in GROUPS, key
        for field in ("sentence", "negated", "other"):
            assert row[field].count("{value}") == 1, (key, field)
        assert row["other"].count("{subject}") == 1, key
        assert row["sentence"] != row["negated"], key


def test_no_alias_is_a_key_or_names_two() -> None:
    seen: dict[str, str] = {}
    for key, row in registry().items():
        for alias in row["aliases"]:
            assert alias not in registry(), alias
            assert alias not in seen, (alias, key, seen.get(alias))
            seen[alias] = key


@pytest.mark.parametrize(
    ("key", "single"),
    [
        ("theme", True),
        ("editor", True),
        ("indentation", True),
        ("seat_preference", True),
        ("employer", True),
        ("job_title", True),
        ("home", True),
        ("name", True),
        ("likes", False),
        ("dislikes", False),
        ("uses", False),
        ("allergy", False),
        ("sport", False),
        ("pet", False),
        ("never_heard_of", False),
    ],
)
def test_cardinality(key: str, single: bool) -> None:
    assert is_single(key) is single


@pytest.mark.parametrize(
    ("key", "category"),
    [
        ("health_condition", "health"),
        ("medication", "health"),
        ("religion", "religion"),
        ("political_view", "politics"),
        ("sexuality", "sexuality"),
        ("union_membership", "union"),
        ("ethnicity", "ethnicity"),
        ("biometrics", "biometrics"),
        ("criminal_record", "criminal_record"),
        # Wanted in everyday use, so not behind the inbox.
        ("allergy", ""),
        ("diet", ""),
        ("name", ""),
    ],
)
def test_sensitivity(key: str, category: str) -> None:
    assert registry()[key]["sensitive"] == category
