"""What every embedder shares: clean text, pieces of long text, one scale for cosines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


def clean(text: str) -> str:
    """The text without NUL and lone surrogates, which no tokenizer takes."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def pieces(text: str, size: int, most: int) -> list[str]:
    """The text cut into at most ``most`` pieces of at most ``size`` characters, at
    white space where there is some; what is beyond is left out. Never empty: a text
    without words gives one piece."""
    found: list[str] = []
    rest = text.strip()
    while len(rest) > size and len(found) < most - 1:
        cut = rest.rfind(" ", size // 2, size) + 1 or size
        found.append(rest[:cut].strip())
        rest = rest[cut:].lstrip()
    return [piece for piece in (*found, rest[:size].strip()) if piece] or [" "]


def unit(vector: Vector) -> Vector:
    """The vector with length 1; a zero vector stays as it is."""
    length = float(np.linalg.norm(vector))
    return (vector / length if length else vector).astype(np.float32)


class UnitEmbedder(ABC):
    """An embedder of which only the model has to be written."""

    model: str
    dimension: int
    span: tuple[float, float] = (0.0, 0.8)
    weight: float = 0.5

    @abstractmethod
    def documents(self, texts: Sequence[str]) -> Vector:
        """See ``ports.Embedder``."""

    def query(self, text: str) -> Vector:
        vector: Vector = self.documents([text])[0]
        return vector

    def similarity(self, cosine: float) -> float:
        low, high = self.span
        return min(1.0, max(0.0, (cosine - low) / (high - low)))
