"""``python -m memoryapp.training.train`` trains the reader and writes its weights.

One network learns; from it two go on, each in an order of its own, and from the mean of their
weights two others. The mean of the last four is the reader (Wortsman et al. 2022, "Model soups"):
on messages by other hands it was right more often than one of them and found more, and it costs no
more than one. All must come from one: of two that were begun apart the mean is worse than each.

Seeds are fixed: the same sentences give the same weights, but for the last digits, which
differ between machines. About four hours of two cores.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from memoryapp.providers.local_extractor import glance, reader
from memoryapp.providers.local_extractor.clauses import fold, sentences
from memoryapp.providers.local_minilm import model_file, tokenizer_file
from memoryapp.training.data import (
    OPEN,
    Label,
    Values,
    attributes,
    chosen,
    clipped,
    joined,
    labelled,
    lines,
    typed,
)
from memoryapp.training.export import export
from memoryapp.training.network import Encoder, Network, Weights

SEED = 20
BATCH = 32
HEAD_RATE = 2.5  # times the rate of the layers, for what starts from nothing
# Written when the first stage had been learnt, when the third had, and when the fourth had.
LATER = frozenset((
    "banter", "bodies", "contrasts", "cravings", "dated", "family", "manner", "phones", "places",
    "requests", "rows", "trades", "walks",
))  # fmt: skip
LAST = frozenset((
    "carers", "changes", "errands", "folk", "halves", "manners", "rare", "refusals", "stories",
    "turns", "users",
))  # fmt: skip
NEWEST = frozenset((
    "answers", "appointments", "asides", "crossroads", "fondness", "generations", "harbours",
    "hurried", "isles", "kettles", "opened",
))  # fmt: skip
# As most people write: of these every line is learnt in each epoch.
PLAIN = LAST | NEWEST | {
    "devices", "health", "kinfolk", "labor", "learners", "leisure", "smalltalk", "upcoming",
}  # fmt: skip
# Shares of values and messages that are varied.
SWAPPED, CLIPPED, JOINED, UNCASED = 0.35, 0.12, 0.12, 0.15


@dataclass(frozen=True, slots=True)
class Stage:
    """Networks over the sentences but those of the files ``without``, one for each seed. Of what
    isn't PLAIN an epoch sees the share ``rehearsed``, each time another."""

    epochs: int
    rate: float
    seeds: tuple[int, ...]
    without: frozenset[str] = frozenset()
    rehearsed: float = 1.0


STAGES = (
    Stage(4, 4e-4, (20,), without=LATER | PLAIN),
    Stage(3, 3e-4, (21, 22), without=PLAIN),
    Stage(2, 3.5e-4, (23, 24), without=LAST | NEWEST),
    Stage(4, 3.5e-4, (25, 26), without=NEWEST, rehearsed=0.4),
    Stage(3, 3.5e-4, (27, 28), rehearsed=0.4),
    Stage(2, 2.5e-4, (29, 30), rehearsed=0.25),
)

# What is known of a message's word pieces: numbers, cases, and for each piece its
# attribute, whether a value begins, sign and whom; -1 where nothing is to be learnt.
Row = tuple[list[int], list[int], list[int], list[int], list[int], list[int]]


def row_of(text: str, labels: list[Label], number: dict[str, int], tokenizer: object) -> Row:
    encoding = tokenizer.encode(text)  # type: ignore[attr-defined]
    count = len(encoding.ids)
    tags, begins, signs, whom = [0] * count, [-1] * count, [-1] * count, [-1] * count
    for label in labels:
        first = True
        for index, (start, end) in enumerate(encoding.offsets):
            if not (start < end and start < label.end and end > label.start):
                continue
            if label.attribute == OPEN:
                tags[index] = -1
            else:
                tags[index] = number[label.attribute]
                begins[index] = int(first)
                signs[index], whom[index] = label.sign, int(label.other)
                first = False
    cases = reader.letter_cases(text, encoding.offsets)
    return list(encoding.ids), cases, tags, begins, signs, whom


def epoch_of(
    found: list[str], values: Values, number: dict[str, int], tokenizer: object, rng: random.Random
) -> list[Row]:
    """Every line once, each time otherwise: other values, other typing, two in a message."""
    rows: list[Row] = []
    for line in found:
        message = labelled(values.swapped(chosen(line, rng), rng, SWAPPED))
        if rng.random() < CLIPPED:
            message = clipped(*message)
        message = typed(*message, rng)
        if rng.random() < JOINED:
            second = labelled(chosen(rng.choice(found), rng))
            message = joined(message, second, rng.choice((" ", "\n", " ", ". ")))
        row = row_of(*message, number, tokenizer)
        if rng.random() < UNCASED:
            row = (row[0], [case if case == 3 else 0 for case in row[1]], *row[2:])
        rows.append(row)
    return rows


def batches(rows: list[Row], rng: random.Random) -> Iterator[list[torch.Tensor]]:
    """Messages of about the same length together, padded: the six parts of a Row and where
    there is a piece at all."""
    order = sorted(range(len(rows)), key=lambda index: len(rows[index][0]) + rng.random() * 6)
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(groups)
    for group in groups:
        longest = max(len(rows[index][0]) for index in group)
        out = [
            torch.tensor(
                [
                    list(rows[index][part]) + [fill] * (longest - len(rows[index][part]))
                    for index in group
                ]
            )
            for part, fill in enumerate((0, 0, -1, -1, -1, -1))
        ]
        lengths = torch.tensor([len(rows[index][0]) for index in group])
        yield [*out, torch.arange(longest)[None] < lengths[:, None]]


def loss_of(network: Network, batch: list[torch.Tensor], count: int) -> torch.Tensor:
    ids, cases, tags, begins, signs, whom, mask = batch
    # In half the time: what is lost is less than what the varied sentences change.
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = network(ids, cases, mask).float()

    def wrong(part: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(
            part.reshape(-1, part.shape[-1]), wanted.reshape(-1), ignore_index=-1, reduction="sum"
        ) / len(ids)

    sign = count + 2 + reader.SIGNS
    return (
        wrong(scores[..., :count], tags)
        + 0.3 * wrong(scores[..., count : count + 2], begins)
        + 0.5 * wrong(scores[..., count + 2 : sign], signs)
        + 0.5 * wrong(scores[..., sign:], whom)
    )


def train(stage: Stage, named: list[str], *, seed: int, start: Weights) -> Weights:
    """What is learnt in a stage, from ``start`` or, where that is empty, from the encoder's own
    layers. On one core: two at once are done sooner than one by one."""
    from tokenizers import Tokenizer

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = random.Random(seed)  # noqa: S311  # data, not secrets
    tokenizer = Tokenizer.from_file(tokenizer_file())
    tokenizer.no_padding()
    tokenizer.enable_truncation(reader.MOST_PIECES)
    number = {key: index for index, key in enumerate(named)}
    plain = lines(only=PLAIN - stage.without)
    older = lines(without=PLAIN | stage.without)
    values = Values([*older, *plain])
    rehearsed = round(len(older) * stage.rehearsed)
    network = Network(Encoder(Path(model_file())), len(named), seed=seed)
    network.learn(start)
    optimizer = torch.optim.AdamW(
        [
            {"params": list(network.top.parameters())},
            {"params": [*network.head.parameters(), *network.case.parameters()]},
        ],
        weight_decay=0.01,
    )
    count = len(plain) + rehearsed
    steps, step = stage.epochs * (count // BATCH + 1), 0
    for epoch in range(stage.epochs):
        network.train()
        total = 0.0
        found = [*rng.sample(older, rehearsed), *plain]
        for batch in batches(epoch_of(found, values, number, tokenizer, rng), rng):
            share = min(1, step / 100) * max(0, 1 - step / steps)
            for group, times in zip(optimizer.param_groups, (1, HEAD_RATE), strict=True):
                group["lr"] = stage.rate * times * share
            loss = loss_of(network, batch, len(named))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(
                [part for part in network.parameters() if part.requires_grad], 5.0
            )
            optimizer.step()
            step += 1
            total += loss.item() * len(batch[0])
        sys.stdout.write(f"run {seed}, epoch {epoch + 1}: loss {total / count:.3f}\n")
        sys.stdout.flush()
    return network.learned()


def train_glance(found: list[str]) -> reader.Matrix:
    """Whether a sentence is worth reading, from the sentences of every line."""
    rng = random.Random(SEED)  # noqa: S311  # data, not secrets
    texts: list[str] = []
    stated: list[bool] = []
    for line in found:
        text, labels = labelled(chosen(line, rng))
        for sentence in sentences(fold(text)):
            texts.append(sentence.text)
            stated.append(
                any(
                    each.start < sentence.end and each.end > sentence.start
                    for each in labels
                    if each.attribute != OPEN
                )
            )
    return glance.trained(texts, stated, seed=SEED)


def averaged(several: Sequence[Weights]) -> Weights:
    return {name: sum(each[name] for each in several) / len(several) for name in several[0]}


def main() -> None:
    found = lines()
    named = attributes(found)
    sys.stdout.write(f"{len(found)} messages, {len(named) - 1} attributes\n")
    np.savez_compressed(glance.WEIGHTS, glance=train_glance(found).astype(np.float16))
    weights: Weights = {}
    means: list[Weights] = []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for stage in STAGES:
            runs = [
                pool.submit(train, stage, named, seed=seed, start=weights) for seed in stage.seeds
            ]
            weights = averaged([run.result() for run in runs])
            means.append(weights)
    export(averaged(means[-2:]), named, reader.WEIGHTS)
    sys.stdout.write(f"{reader.WEIGHTS.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
