"""Embeddings of an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.core.exceptions import ImproperlyConfigured

from memoryapp.ports import ProviderError
from memoryapp.providers.openai_api import ModelServer
from memoryapp.providers.vectors import UnitEmbedder, Vector, clean, pieces, unit


class WrongDimension(ProviderError, ImproperlyConfigured):
    """The embedding model's vectors aren't as long as the settings say. Its text is the cure."""

    def __init__(self, got: int, expected: int) -> None:
        super().__init__("wrong_dimension", permanent=True)
        cure = (
            f"The embedding model answers with {got} numbers a vector, but EMBEDDING_DIMENSION "
            f"is {expected}. Set EMBEDDING_DIMENSION={got}, or name another EMBEDDING_MODEL; "
            "then run manage.py reembed."
        )
        self.args = (cure,)


class OpenAIEmbedder(UnitEmbedder):
    """Embeddings of an OpenAI-compatible server. Texts of more than 6,000 characters are
    embedded in pieces and averaged (at most 16). ``model`` includes the dimension, since
    shortened vectors are a space of their own. Raises WrongDimension when the server's
    vectors have another length."""

    BATCH = 32
    MAX_CHARACTERS = 6000
    MAX_PIECES = 16
    span = (0.0, 0.8)
    weight = 0.5

    def __init__(self, name: str, dimension: int, server: ModelServer) -> None:
        self.name = name
        self.dimension = dimension
        self.model = f"{name}@{dimension}"
        self._server = server
        # Only these can be asked for a length; other servers refuse the parameter.
        self._ask_length = server.is_openai and name.startswith("text-embedding-3")

    def documents(self, texts: Sequence[str]) -> Vector:
        parts = [
            (row, piece)
            for row, text in enumerate(texts)
            for piece in pieces(clean(text), self.MAX_CHARACTERS, self.MAX_PIECES)
        ]
        sums = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(parts), self.BATCH):
            batch = parts[start : start + self.BATCH]
            vectors = self._ask([piece for _, piece in batch])
            for (row, piece), vector in zip(batch, vectors, strict=True):
                sums[row] += unit(vector) * len(piece)
        return np.stack([unit(row) for row in sums]) if len(texts) else sums

    def close(self) -> None:
        self._server.close()

    def _ask(self, texts: Sequence[str]) -> list[Vector]:
        length = {"dimensions": self.dimension} if self._ask_length else {}
        body = {
            "model": self.name,
            "input": list(texts),
            "encoding_format": "float",
            **length,
        }
        answer = self._server.patiently(lambda: self._server.post("embeddings", body))
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [np.asarray(row["embedding"], dtype=np.float32) for row in rows]
        except (KeyError, TypeError, ValueError):
            raise ProviderError("malformed") from None
        if len(vectors) != len(texts):
            raise ProviderError("malformed")
        for vector in vectors:
            if vector.ndim != 1 or not np.isfinite(vector).all() or not vector.any():
                raise ProviderError("malformed")
            if len(vector) != self.dimension:
                raise WrongDimension(len(vector), self.dimension)
        return vectors
