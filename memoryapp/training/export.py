"""Writes the trained network for onnxruntime, its large matrices in whole numbers of eight
bits with a scale for each column, as the encoder's own are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from memoryapp.providers.local_extractor.reader import SIGNS, WHOM
from memoryapp.training.network import HEADS, LAYERS, START, WIDTH

Array = NDArray[np.float32]


class Graph:
    """An ONNX graph in the making; every method returns the name of what it computes."""

    def __init__(self, weights: Mapping[str, torch.Tensor]) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[onnx.TensorProto] = []
        self._weights = weights

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.stored.append(numpy_helper.from_array(value, name))
        return name

    def put(self, kind: str, *inputs: str, **options: object) -> str:
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **options))
        return name

    def weight(self, name: str) -> Array:
        return self._weights[name].detach().float().numpy()

    def linear(self, x: str, name: str) -> str:
        matrix = self.weight(f"{name}.weight").T
        scale = np.maximum(np.abs(matrix).max(axis=0, keepdims=True) / 127, 1e-12)
        whole = np.clip(np.rint(matrix / scale), -127, 127).astype(np.int8)
        real = self.put("Cast", self.constant(f"{name}.whole", whole), to=TensorProto.FLOAT)
        real = self.put("Mul", real, self.constant(f"{name}.scale", scale.astype(np.float32)))
        bias = self.constant(f"{name}.bias", self.weight(f"{name}.bias"))
        return self.put("Add", self.put("MatMul", x, real), bias)

    def norm(self, x: str, name: str) -> str:
        weight = self.constant(f"{name}.weight", self.weight(f"{name}.weight"))
        bias = self.constant(f"{name}.bias", self.weight(f"{name}.bias"))
        return self.put("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-12)


def _layer(graph: Graph, x: str, name: str, numbers: Mapping[str, str]) -> str:
    def heads(part: str) -> str:
        split = graph.put("Reshape", graph.linear(x, f"{name}.{part}"), numbers["split"])
        return graph.put("Transpose", split, perm=[0, 2, 1, 3])

    q, k, v = heads("q"), heads("k"), heads("v")
    alike = graph.put("MatMul", q, graph.put("Transpose", k, perm=[0, 1, 3, 2]))
    seen = graph.put("Softmax", graph.put("Div", alike, numbers["root"]), axis=-1)
    mixed = graph.put("Transpose", graph.put("MatMul", seen, v), perm=[0, 2, 1, 3])
    out = graph.linear(graph.put("Reshape", mixed, numbers["join"]), f"{name}.o")
    x = graph.norm(graph.put("Add", x, out), f"{name}.n1")
    deep = graph.linear(x, f"{name}.i")
    raised = graph.put("Erf", graph.put("Div", deep, numbers["sqrt2"]))
    raised = graph.put("Mul", deep, graph.put("Add", raised, numbers["one"]))
    deep = graph.linear(graph.put("Mul", raised, numbers["half"]), f"{name}.d")
    return graph.norm(graph.put("Add", x, deep), f"{name}.n2")


def export(weights: Mapping[str, torch.Tensor], attributes: Sequence[str], path: Path) -> None:
    """Write the network: ``hidden`` (1, pieces, 384) and ``case`` (1, pieces) in, ``scores``
    (1, pieces, attributes + 2 + SIGNS + WHOM) out."""
    graph = Graph(weights)
    numbers = {
        "split": graph.constant("split", np.array([0, 0, HEADS, WIDTH // HEADS], dtype=np.int64)),
        "join": graph.constant("join", np.array([0, 0, WIDTH], dtype=np.int64)),
        "root": graph.constant("root", np.array((WIDTH // HEADS) ** 0.5, dtype=np.float32)),
        "sqrt2": graph.constant("sqrt2", np.array(2**0.5, dtype=np.float32)),
        "one": graph.constant("one", np.array(1, dtype=np.float32)),
        "half": graph.constant("half", np.array(0.5, dtype=np.float32)),
    }
    cases = graph.constant("case.weight", graph.weight("case.weight"))
    x = graph.put("Add", "hidden", graph.put("Gather", cases, "case"))
    for number in range(LAYERS - START):
        x = _layer(graph, x, f"top.{number}", numbers)
    scores = graph.linear(x, "head")
    width = len(attributes) + 2 + SIGNS + WHOM
    made = helper.make_graph(
        graph.nodes,
        "reader",
        [
            helper.make_tensor_value_info("hidden", TensorProto.FLOAT, [1, "pieces", WIDTH]),
            helper.make_tensor_value_info("case", TensorProto.INT64, [1, "pieces"]),
        ],
        [helper.make_tensor_value_info(scores, TensorProto.FLOAT, [1, "pieces", width])],
        graph.stored,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, {"attributes": json.dumps(list(attributes))})
    onnx.checker.check_model(model)
    onnx.save(model, path)
