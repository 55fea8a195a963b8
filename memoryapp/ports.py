"""The edges of the system, as Protocols. Adapters live in ``providers``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memoryapp.records import Batch, ChatMessage, Completion, ExtractionResult


class ProviderError(Exception):
    """A provider failed. ``code`` is a short word for logs and status pages
    (``timeout``, ``rate_limited``, ``server_error``, ``unauthorised``, ``refused``,
    ``truncated``, ``malformed``, ``unavailable``, ``too_large``); the text never
    holds content. ``retry_after`` is in seconds when the provider named a time;
    ``permanent`` is true when trying again cannot help; ``tokens`` is what the
    failed call used all the same, as far as the provider said."""

    def __init__(
        self,
        code: str,
        *,
        retry_after: float | None = None,
        permanent: bool = False,
        tokens: int = 0,
    ) -> None:
        super().__init__(code)
        self.tokens = tokens
        self.code = code
        self.retry_after = retry_after
        self.permanent = permanent


class Clock(Protocol):
    def now(self) -> datetime:
        """The present, timezone-aware, in UTC."""


class Embedder(Protocol):
    """Texts to vectors. ``model`` names the vectors' space: two vectors may be
    compared only when their models are the same."""

    model: str
    dimension: int

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors for texts to be found, shape ``(len(texts), dimension)``,
        float32. An empty list gives shape ``(0, dimension)``. Raises ProviderError."""

    def query(self, text: str) -> NDArray[np.float32]:
        """The unit vector for a question, shape ``(dimension,)``. Raises ProviderError."""

    def similarity(self, cosine: float) -> float:
        """The model's cosine mapped to a relevance in [0, 1] (FINDINGS: each
        model has its own useful range)."""

    @property
    def span(self) -> tuple[float, float]:
        """``(low, high)``: the cosines mapped to 0 and to 1 by ``similarity``."""

    @property
    def weight(self) -> float:
        """The vector's share in the fusion with text search (FINDINGS)."""


class ChatModel(Protocol):
    name: str

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        schema_name: str = "answer",
        max_tokens: int = 2048,
    ) -> Completion:
        """A whole answer. With ``schema``, tries json_schema, then json_object,
        then plain text, as far as the server can. Raises ProviderError."""


class Extractor(Protocol):
    name: str
    version: str

    def extract(self, batch: Batch) -> ExtractionResult:
        """Candidates with verbatim quotes from ``batch.turns``. Order follows the
        text. Raises ProviderError when nothing can be said about the batch."""


@runtime_checkable
class Metered(Protocol):
    """An extractor that asks a model, and so uses tokens."""

    def estimate(self, batch: Batch) -> int:
        """The tokens that reading the batch takes, roughly; 0 when no model is asked."""
