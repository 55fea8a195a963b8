"""``python -m memoryapp.training.train`` trains the heads and writes ``weights.npz``.

Seeds are fixed: the same data gives the same weights, but for the last digits, which
differ between machines.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memoryapp.providers.local_extractor import heads as model
from memoryapp.providers.local_extractor.glance import trained
from memoryapp.providers.local_extractor.heads import Heads, Network
from memoryapp.providers.local_extractor.predicate import parse
from memoryapp.providers.local_extractor.words import Matrix, Words, words_of
from memoryapp.training.data import Example, examples

SEED = 20
FOLDS = 2
HIDDEN = {"tagger": 160, "judge": 128}
EPOCHS = {"tagger": 7, "judge": 10}

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Read:
    example: Example
    words: Words
    gold: list[int]  # the attribute of each word


def adam(
    inputs: Matrix,
    targets: list[tuple[int, Integers]],
    *,
    hidden: int,
    epochs: int,
    seed: int,
) -> Network:
    """A network whose outputs are the given groups of classes, each with a softmax of its
    own. A target of -1 has no say."""
    rng = np.random.default_rng(seed)
    width, out = inputs.shape[1], sum(size for size, _ in targets)
    params = [
        rng.normal(0, np.sqrt(2 / width), (width, hidden)).astype(np.float32),
        np.zeros(hidden, dtype=np.float32),
        rng.normal(0, np.sqrt(1 / hidden), (hidden, out)).astype(np.float32),
        np.zeros(out, dtype=np.float32),
    ]
    first = [np.zeros_like(each) for each in params]
    second = [np.zeros_like(each) for each in params]
    batch, step = 256, 0
    total = epochs * (len(inputs) // batch + 1)
    for _ in range(epochs):
        order = rng.permutation(len(inputs))
        for begin in range(0, len(order), batch):
            rows = order[begin : begin + batch]
            x = inputs[rows] * (rng.random(width, dtype=np.float32) > 0.1)
            raw = np.maximum(x @ params[0] + params[1], 0)
            mask = (rng.random(raw.shape, dtype=np.float32) > 0.3) / np.float32(0.7)
            active = raw * mask
            scores = active @ params[2] + params[3]
            slope = np.zeros_like(scores)
            at = 0
            for size, wanted in targets:
                part = model.softmax(scores[:, at : at + size])
                known = wanted[rows] >= 0
                part[np.arange(len(rows)), np.maximum(wanted[rows], 0)] -= 1
                slope[:, at : at + size] = part * known[:, None] / len(rows)
                at += size
            back = (slope @ params[2].T) * mask * (raw > 0)
            gradients = [x.T @ back, back.sum(axis=0), active.T @ slope, slope.sum(axis=0)]
            step += 1
            rate = 0.002 * (1 - step / (total + 1))
            for index, gradient in enumerate(gradients):
                first[index] += 0.1 * (gradient - first[index])
                second[index] += 0.001 * (gradient * gradient - second[index])
                mean = first[index] / (1 - 0.9**step)
                spread = second[index] / (1 - 0.999**step)
                params[index] -= rate * (mean / (np.sqrt(spread) + 1e-8))
                if index % 2 == 0:
                    params[index] *= 1 - rate * 0.01
    return Network(*params)


def read(found: list[Example], attributes: list[str]) -> list[Read]:
    """The clauses through the encoder, with the attribute of each word."""
    number = {key: index for index, key in enumerate(attributes)}
    out: list[Read] = []
    for example in found:
        words = words_of(example.clause, parse(example.clause, "", {}))
        if words is None:
            continue
        gold = [0] * len(words.spans)
        for label in example.labels:
            for index, (start, end) in enumerate(words.spans):
                if start < label.end and end > label.start:
                    gold[index] = number[label.attribute]
        out.append(Read(example, words, gold))
    return out


def train_tagger(rows: list[Read], attributes: list[str]) -> Network:
    inputs = np.concatenate([model.tag_inputs(each.words) for each in rows])
    gold = np.concatenate([np.array(each.gold, dtype=np.int64) for each in rows])
    return adam(
        inputs,
        [(len(attributes), gold)],
        hidden=HIDDEN["tagger"],
        epochs=EPOCHS["tagger"],
        seed=SEED,
    )


def spans_of(each: Read, tags: Matrix) -> list[tuple[int, int, int, int, int]]:
    """Spans to judge: those tagged, and the true ones; with attribute, sign and whom,
    0, -1 and -1 where there is no such value."""
    wanted: dict[tuple[int, int], tuple[int, int, int]] = {}
    for label in each.example.labels:
        inside = [
            index
            for index, (start, end) in enumerate(each.words.spans)
            if start < label.end and end > label.start
        ]
        if inside:
            wanted[inside[0], inside[-1]] = (each.gold[inside[0]], label.sign, int(label.other))
    out = [(*span, *what) for span, what in wanted.items()]
    for first, last in model.proposed(each.words, tags):
        if (first, last) in wanted:
            continue
        best = (0, -1, -1)
        mine = _content(each.words, first, last)
        for span, what in wanted.items():
            theirs = _content(each.words, *span)
            # Several values in a row are one run of words, cut later.
            if theirs and (mine == theirs or (theirs < mine and _only(each, mine, what[0]))):
                best = what
        out.append((first, last, *best))
    return out


def _content(words: Words, first: int, last: int) -> frozenset[int]:
    return frozenset(index for index in range(first, last + 1) if not words.places[index])


def _only(each: Read, span: frozenset[int], attribute: int) -> bool:
    return all(each.gold[index] == attribute for index in span)


def judged_rows(
    rows: list[Read], tagger: Network, attributes: list[str]
) -> tuple[list[Matrix], list[tuple[int, int, int]]]:
    inputs: list[Matrix] = []
    wanted: list[tuple[int, int, int]] = []
    for each in rows:
        tags = model.softmax(tagger(model.tag_inputs(each.words)))
        for first, last, attribute, sign, whom in spans_of(each, tags):
            inputs.append(model.span_inputs(each.words, tags, first, last))
            wanted.append((attribute, sign, whom))
    return inputs, wanted


def train_judge(
    inputs: list[Matrix], wanted: list[tuple[int, int, int]], attributes: list[str]
) -> Network:
    columns = np.array(wanted, dtype=np.int64)
    sizes = (len(attributes), model.SIGNS, model.WHOM)
    return adam(
        np.stack(inputs),
        [(size, columns[:, index]) for index, size in enumerate(sizes)],
        hidden=HIDDEN["judge"],
        epochs=EPOCHS["judge"],
        seed=SEED + 1,
    )


def train(rows: list[Read], attributes: list[str], folds: int = FOLDS) -> Heads:
    """The judge learns from what taggers find in frames that they haven't seen: in frames
    that it has seen the tagger is surer than it will ever be again."""
    inputs: list[Matrix] = []
    wanted: list[tuple[int, int, int]] = []
    for fold in range(folds):
        seen = [each for each in rows if each.example.source % folds != fold]
        unseen = [each for each in rows if each.example.source % folds == fold]
        more, what = judged_rows(unseen, train_tagger(seen, attributes), attributes)
        inputs += more
        wanted += what
    judge = train_judge(inputs, wanted, attributes)
    glance = train_glance([each.example for each in rows])
    return Heads(tuple(attributes), train_tagger(rows, attributes), judge, glance)


def train_glance(found: list[Example]) -> Matrix:
    return trained(
        [each.clause.text for each in found], [bool(each.labels) for each in found], seed=SEED
    )


def stored(heads: Heads) -> dict[str, NDArray[np.generic]]:
    """The weights as they are written: half precision is enough."""
    out: dict[str, NDArray[np.generic]] = {
        "attributes": np.array(heads.attributes),
        "glance": heads.glance.astype(np.float16),
    }
    for name, network in (("tagger", heads.tagger), ("judge", heads.judge)):
        for part in ("w1", "b1", "w2", "b2"):
            out[f"{name}_{part}"] = getattr(network, part).astype(np.float16)
    return out


def main() -> None:
    found = examples(SEED, each=12, spoken=5, negative=10)
    attributes = ["", *sorted({label.attribute for each in found for label in each.labels})]
    sys.stdout.write(f"{len(found)} clauses, {len(attributes) - 1} attributes\n")
    heads = train(read(found, attributes), attributes)
    np.savez_compressed(model.WEIGHTS, **stored(heads))  # type: ignore[arg-type]
    sys.stdout.write(f"{model.WEIGHTS.stat().st_size / 1e6:.2f} MB\n")


if __name__ == "__main__":
    main()
