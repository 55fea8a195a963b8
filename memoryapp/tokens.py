"""How long a text is for a model, in tokens of o200k_base: what OpenAI's models read, from
GPT-4o on. Other models' vocabularies differ by a tenth or so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Protocol

ENCODING = "o200k_base"


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...


@cache
def _tokenizer() -> _Tokenizer:
    """Made at the first need: the vocabulary takes some sixty megabytes and a fifth of a
    second. Raises RuntimeError when its package is missing."""
    # The compiled part alone: the package's own wrapper keeps two vocabularies in memory
    # beside it.
    package = find_spec("bpe_openai")
    folders = package.submodule_search_locations if package else None
    spec = PathFinder.find_spec("_bindings", folders) if folders else None
    if spec is None or spec.loader is None:
        raise RuntimeError(
            "The tokenizer's package bpe-openai is missing. Install the requirements again: "
            "pip install --force-reinstall -r requirements.lock"
        )
    compiled = module_from_spec(spec)
    spec.loader.exec_module(compiled)
    tokenizer: _Tokenizer = compiled.tokenizer_for_encoding(ENCODING)
    return tokenizer


def count(text: str) -> int:
    """How many tokens the text has; 0 for an empty one. In time proportional to it."""
    return _tokenizer().count(text.encode("utf-8", "replace").decode("utf-8"))


def fitting(texts: Sequence[str], budget: int) -> list[int]:
    """The positions of the texts that fit the budget together, taken in their order; one
    that is too long makes room for a shorter one after it."""
    kept: list[int] = []
    for position, text in enumerate(texts):
        if (cost := count(text)) <= budget:
            budget -= cost
            kept.append(position)
    return kept
