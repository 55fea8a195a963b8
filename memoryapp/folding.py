"""Open attributes folded into known ones by meaning: ``favorite_beverage`` is
``favourite_drink``. Only names are compared, never values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memoryapp.ports import Embedder
from memoryapp.records import Fold


class Names:
    """The known names in an embedder's space."""

    def __init__(self, names: Mapping[str, str], embedder: Embedder) -> None:
        self._embedder = embedder
        self._keys: Sequence[str] = [names[name] for name in sorted(names)]
        self._vectors: NDArray[np.float32] = embedder.documents(
            [_words(name) for name in sorted(names)]
        )
        # On 60 names written for this, 30 of them with no known attribute, nothing wrong was
        # folded at MiniLM's 0.84, a fifth of the way from "as near as it gets" to the same.
        high = embedder.span[1]
        self.least = high + 0.2 * (1.0 - high)

    def fold(self, name: str) -> Fold | None:
        """The known attribute that ``name`` means, or None when none is near enough. Raises
        ProviderError."""
        if not self._keys:
            return None
        cosines = self._vectors @ self._embedder.documents([_words(name)])[0]
        best = int(np.argmax(cosines))
        cosine = float(cosines[best])
        return Fold(self._keys[best], cosine) if cosine >= self.least else None


def _words(name: str) -> str:
    return name.replace("_", " ")
