"""The reader's network in PyTorch: the encoder's upper layers, trained further, with a
linear head. Needed for training only; ``export`` writes it for onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

from memoryapp.providers.local_extractor.reader import SIGNS, WHOM

WIDTH, HEADS, INNER, LAYERS = 384, 12, 1536, 6
START = 2  # the layers below are the embedder's, shared and left as they are
CASES = 4

Weights = dict[str, torch.Tensor]
Change = Callable[[torch.Tensor], torch.Tensor]


class Layer(nn.Module):
    """One layer of BERT, as in the encoder."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.n1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.i, self.d = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.n2 = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x: torch.Tensor, mask: torch.Tensor, dropped: Change) -> torch.Tensor:
        rows, pieces, _ = x.shape
        q, k, v = (
            part(x).view(rows, pieces, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        # Plainly, since PyTorch's own function takes thrice as long to learn on short rows.
        alike = (q @ k.transpose(-1, -2)) * (WIDTH // HEADS) ** -0.5
        shares = alike.masked_fill(~mask, -1e4).softmax(-1).to(v.dtype)
        seen = dropped(shares) @ v
        seen = self.o(seen.transpose(1, 2).reshape(rows, pieces, WIDTH))
        x = self.n1(x + dropped(seen))
        deep = self.d(functional.gelu(self.i(x)))
        return self.n2(x + dropped(deep))


class Encoder(nn.Module):
    """The embedder's model with its weights as real numbers."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        stored = {
            each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer
        }

        def plain(name: str) -> torch.Tensor:
            return torch.tensor(stored[name].copy())

        def scaled(name: str) -> torch.Tensor:
            return torch.tensor(
                stored[f"{name}_q"].astype(np.float32) * stored[f"{name}_scale"], dtype=torch.float
            )

        inner = "inner.embeddings."
        self.words = nn.Parameter(scaled(f"{inner}word_embeddings.weight"))
        self.places = nn.Parameter(scaled(f"{inner}position_embeddings.weight"))
        self.kind = nn.Parameter(plain(f"{inner}token_type_embeddings.weight")[0])
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        # The products of a layer have no names of their own; they stand in its order.
        products = [name[:-2] for name in stored if name.startswith("val_") and name[-2:] == "_q"]
        parts = ("attention.self.query", "attention.self.key", "attention.self.value",
                 "attention.output.dense", "intermediate.dense", "output.dense")  # fmt: skip
        if len(products) != LAYERS * len(parts):
            raise ValueError("The encoder isn't the one that this was written for.")
        with torch.no_grad():
            self._norm(self.norm, f"{inner}LayerNorm", plain)
            for number, layer in enumerate(self.layers):
                prefix = f"inner.encoder.layer.{number}."
                linear = (layer.q, layer.k, layer.v, layer.o, layer.i, layer.d)
                first = number * len(parts)
                for one, product, part in zip(
                    linear, products[first : first + len(parts)], parts, strict=True
                ):
                    one.weight.copy_(scaled(product).T)
                    one.bias.copy_(plain(f"{prefix}{part}.bias"))
                self._norm(layer.n1, f"{prefix}attention.output.LayerNorm", plain)
                self._norm(layer.n2, f"{prefix}output.LayerNorm", plain)

    @staticmethod
    def _norm(norm: nn.LayerNorm, name: str, plain: object) -> None:
        norm.weight.copy_(plain(f"{name}.weight"))  # type: ignore[operator]
        norm.bias.copy_(plain(f"{name}.bias"))  # type: ignore[operator]


class Network(nn.Module):
    """Scores of each word piece: an attribute each, whether a value begins there, the
    signs, and whom it is about: (rows, pieces, attributes + 2 + SIGNS + WHOM)."""

    def __init__(
        self, encoder: Encoder, attributes: int, *, drop: float = 0.1, seed: int = 0
    ) -> None:
        super().__init__()
        self.encoder = encoder
        for part in encoder.parameters():
            part.requires_grad_(False)
        self.top = nn.ModuleList(encoder.layers[START:])
        for part in self.top.parameters():
            part.requires_grad_(True)
        self.case = nn.Embedding(CASES, WIDTH)
        nn.init.normal_(self.case.weight, std=0.02)
        self.head = nn.Linear(WIDTH, attributes + 2 + SIGNS + WHOM)
        self._least = round(drop * 256)
        self._chance = np.random.Generator(np.random.SFC64(seed))

    def _dropped(self, x: torch.Tensor) -> torch.Tensor:
        """In training ``x`` with a share of its numbers put to nought, the others raised.
        PyTorch's own took a quarter of the training's time to draw its numbers."""
        if not self.training:
            return x
        drawn = np.frombuffer(self._chance.bytes(x.numel()), dtype=np.uint8)
        kept = torch.from_numpy(drawn >= self._least).view(x.shape)
        return x * kept.to(x.dtype).mul_(256 / (256 - self._least))

    def forward(self, ids: torch.Tensor, case: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        seen = mask[:, None, None, :]
        with torch.no_grad():
            places = self.encoder.places[: ids.shape[1]][None]
            x = self.encoder.norm(self.encoder.words[ids] + places + self.encoder.kind)
            for layer in self.encoder.layers[:START]:
                x = layer(x, seen, lambda kept: kept)
        x = x + self.case(case)
        for layer in self.top:
            x = layer(x, seen, self._dropped)
        scores: torch.Tensor = self.head(self._dropped(x))
        return scores

    def learn(self, weights: Weights) -> None:
        """Take over weights that training gave before."""
        self.load_state_dict(weights, strict=False)

    def learned(self) -> Weights:
        """The weights that training changes."""
        return {
            name: value.detach().clone()
            for name, value in self.state_dict().items()
            if name.startswith(("top.", "case.", "head."))
        }
