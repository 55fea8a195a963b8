"""The shipped registry, as much of it as the rules need: kind, sensitivity, cardinality."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).resolve().parents[2] / "data" / "attributes.json"

IMPORTANCE: Mapping[str, float] = {
    "constraint": 0.9,
    "personal": 0.75,
    "decision": 0.6,
    "preference": 0.55,
    "project": 0.55,
    "event": 0.5,
    "entity": 0.45,
}


@cache
def registry() -> Mapping[str, Mapping[str, Any]]:
    """The shipped attributes by key."""
    rows = json.loads(_DATA.read_text(encoding="utf-8"))
    return {row["key"]: row for row in rows}


def is_single(attribute: str) -> bool:
    """Whether the attribute holds one value at a time; unknown ones hold many."""
    row = registry().get(attribute)
    return row is not None and row["cardinality"] == "single"
