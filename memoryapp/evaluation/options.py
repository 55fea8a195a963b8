"""What a run was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from memoryapp.evaluation.datasets import Missing

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Options:
    """``limit`` bounds the items of each suite; ``utterances`` are further files in that
    format; ``judged`` is a file of ``locomo`` facts that a person has judged."""

    data: Path | None
    out: Path
    limit: int | None = None
    utterances: Sequence[Path] = ()
    judged: Path | None = None

    def needed(self) -> Path:
        """The data folder. Raises Missing when none was named."""
        if self.data is None:
            raise Missing("the folder itself (--data DIR)")
        return self.data

    def some(self, items: Sequence[Item]) -> list[Item]:
        """As many as the limit lets through."""
        return list(islice(items, self.limit))

    def count(self, wanted: int) -> int:
        return wanted if self.limit is None else min(wanted, self.limit)
