"""A part of the encoder computes what the whole one computes there, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memoryapp.providers import local_minilm
from memoryapp.providers.onnx_part import part

IDS = [101, 2057, 2444, 1999, 12334, 1012, 102]


@pytest.fixture(scope="module")
def model() -> bytes:
    return Path(local_minilm.model_file()).read_bytes()


def test_two_halves_give_what_the_whole_gives(model: bytes) -> None:
    row = np.array([IDS], dtype=np.int64)
    (whole,) = local_minilm.quiet_session(model).run(
        ["last_hidden_state"],
        {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.zeros_like(row),
        },
    )
    parts = local_minilm._parts()
    halves = local_minilm._upper(parts.upper, local_minilm._lower(parts.lower, IDS))
    np.testing.assert_allclose(halves, whole[0], atol=1e-5)


def test_a_part_holds_no_more_than_it_needs(model: bytes) -> None:
    lower = part(model, "layer_norm_4")
    upper = part(model, "last_hidden_state", given="layer_norm_4")
    # The words' vectors, half of the model, stand in one of the two alone.
    assert len(lower) + len(upper) < len(model) * 1.01
    assert len(upper) < len(model) / 2


def test_a_part_that_isnt_there_is_refused(model: bytes) -> None:
    with pytest.raises(ValueError, match="no tensor layer_norm_99"):
        part(model, "layer_norm_99")
    with pytest.raises(ValueError, match="or layer_norm_99"):
        part(model, "last_hidden_state", given="layer_norm_99")


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="no ONNX model"):
        part(b"\x07no model", "x")
    with pytest.raises(ValueError, match="no ONNX model"):
        part(b"\x3a\x7fcut off", "x")
    with pytest.raises(ValueError, match="no ONNX model"):
        part(b"\x08\xff", "x")
