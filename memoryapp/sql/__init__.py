"""Raw SQL, one purpose a file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def load(name: str) -> str:
    """The text of ``<name>.sql`` in this folder."""
    return (files(__name__) / f"{name}.sql").read_text(encoding="utf-8")
