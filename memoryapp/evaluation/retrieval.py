"""Suites on finding past messages: the method of ``memoryapp.ranking`` beside simpler ones,
on the same texts in the same run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoryapp import ranking
from memoryapp.evaluation import retrieval_data
from memoryapp.evaluation.abstention import Confidence, area, curve, refused
from memoryapp.evaluation.fitting import Sample, unseen
from memoryapp.evaluation.memory import Memory
from memoryapp.evaluation.metrics import Failure, Measure, Suite
from memoryapp.evaluation.options import Options
from memoryapp.evaluation.retrieval_data import Asked, Store
from memoryapp.evaluation.retrieval_library import Floats, Match, library
from memoryapp.ports import Embedder

PLACES = (5, 10, 20)
# FINDINGS' weighted sum fuses so many of each list.
DEPTH = 50


@dataclass(slots=True)
class Found:
    """The places, from 0 and rising, at which each question's evidence came."""

    places: list[list[int]] = field(default_factory=list)

    def add(self, order: Sequence[int], evidence: frozenset[int]) -> int:
        """Returns the best place. ``order`` may end early: what it lacks comes far behind."""
        at = {row: place for place, row in enumerate(order)}
        self.places.append(sorted(at.get(row, 1_000_000) for row in evidence))
        return self.places[-1][0]

    def within(self, places: int, name: str) -> Measure:
        """In how many questions some of the evidence is among the first."""
        return Measure(name, sum(at[0] < places for at in self.places), len(self.places))

    def measures(self, method: str) -> list[Measure]:
        reciprocal = sum(1 / (1 + at[0]) for at in self.places)
        return [
            *(self.within(count, f"{method}: evidence in the first {count}") for count in PLACES),
            Measure(f"{method}: mean reciprocal rank", round(reciprocal, 4), len(self.places)),
        ]

    def shares(self) -> list[Measure]:
        """How much of each question's evidence is among the first, the questions alike."""
        return [
            Measure(
                f"all its evidence counted: in the first {count}",
                round(sum(sum(p < count for p in at) / len(at) for at in self.places), 4),
                len(self.places),
            )
            for count in PLACES
        ]


def weighted(match: Match, embedder: Embedder) -> Floats:
    """FINDINGS' weighted sum, of the best of either list; all else comes after."""
    low, high = embedder.span
    vector = np.clip((match.cosine - low) / (high - low), 0, 1)
    text = match.rank / max(match.rank.max(initial=0), 1e-9)
    kept = np.zeros(len(vector), dtype=bool)
    kept[np.argsort(-match.cosine, kind="stable")[:DEPTH]] = True
    best_texts = np.argsort(-text, kind="stable")[:DEPTH]
    kept[best_texts[text[best_texts] > 0]] = True
    sums = embedder.weight * vector + (1 - embedder.weight) * text
    return np.asarray(np.where(kept, sums, sums - 1))


SIMPLE: dict[str, Callable[[Match, Embedder], Floats]] = {
    "text alone": lambda match, _: match.rank,
    "vectors alone": lambda match, _: match.cosine,
    "weighted sum": weighted,
}


def read(store: Store, asked: Asked) -> ranking.Question:
    return ranking.read(asked.text, authors=store.authors, now=asked.at, time_zone="UTC")


def rank(
    store: Store, asked: Asked, match: Match, length: NDArray[np.int64], embedder: Embedder
) -> ranking.Ranking:
    """The lines that the question is asked of, ranked; the rows are places in
    ``asked.among``, as are those of ``match`` and ``length``."""
    lines = [store.lines[row] for row in asked.among]
    messages = ranking.Messages(
        conversation=np.array([line.conversation for line in lines], dtype=np.int64),
        sent_at=np.array([line.at.timestamp() for line in lines]),
        author=[line.author for line in lines],
        length=length,
        has=match.has,
        cosine=match.cosine,
    )
    first = ranking.gather(read(store, asked), messages, span=embedder.span)
    return ranking.settle(first, {row: lines[row].text for row in first.candidates})


@dataclass(slots=True)
class Results:
    """What a set's questions gave."""

    simple: dict[str, Found] = field(default_factory=lambda: {name: Found() for name in SIMPLE})
    method: Found = field(default_factory=Found)
    corrected: Found = field(default_factory=Found)
    kinds: dict[str, Found] = field(default_factory=dict)
    timed: Found = field(default_factory=Found)
    newest: list[bool] = field(default_factory=list)
    newest_simple: list[bool] = field(default_factory=list)
    sure: list[Confidence] = field(default_factory=list)
    near: list[Confidence] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def add(
        self,
        store: Store,
        asked: Asked,
        result: ranking.Ranking,
        simple: Match,
        embedder: Embedder,
    ) -> None:
        self.sure.append(Confidence(result.answerable, asked.answerable))
        self.samples.append(Sample(result.signals.weighed, asked.answerable, store.number))
        self.near.append(Confidence(float(simple.cosine.max(initial=0)), asked.answerable))
        if not asked.evidence:
            return
        orders = {
            name: _rows(asked, np.argsort(-score(simple, embedder), kind="stable").tolist())
            for name, score in SIMPLE.items()
        }
        for name, found in self.simple.items():
            found.add(orders[name], asked.evidence)
        order = _rows(asked, [hit.row for hit in result.hits])
        place = self.method.add(order, asked.evidence)
        self.corrected.add(order, asked.corrected)
        self.kinds.setdefault(asked.kind, Found()).add(order, asked.evidence)
        if read(store, asked).spans:
            self.timed.add(order, asked.evidence)
        if asked.newest:
            self.newest.append(order[0] in asked.newest)
            self.newest_simple.append(orders["weighted sum"][0] in asked.newest)
        if place >= 10:
            top = store.lines[order[0]].text
            self.failures.append(Failure(asked.id, f"{asked.kind}: {asked.text} → {top}"))

    def measures(self) -> list[Measure]:
        return [
            *(
                measure
                for name, found in [*self.simple.items(), ("ranking", self.method)]
                for measure in found.measures(name)
            ),
            *self.method.shares(),
            *(
                found.within(10, f"{kind}: evidence in the first 10")
                for kind, found in sorted(self.kinds.items())
            ),
            self.timed.within(10, "questions that name a time: evidence in the first 10"),
        ]

    def abstention(self) -> list[Measure]:
        return [
            area(self.near, "told apart by the nearest cosine (area under the curve)"),
            area(self.sure, "told apart by the ranking's signals (area under the curve)"),
            *refused(self.sure, ranking.ANSWERABLE),
            *unseen(self.samples),
        ]


def _rows(asked: Asked, order: Sequence[int]) -> list[int]:
    return [asked.among[place] for place in order]


def results(stores: Sequence[Store], embedder: Embedder, options: Options, named: bool) -> Results:
    """Every question of every store. With ``named`` the simple methods get the author's name
    before each text, without which they know nothing of who speaks."""
    found = Results()
    left = options.count(sum(len(store.questions) for store in stores))
    for store in stores:
        questions = store.questions[:left]
        left -= len(questions)
        if not questions:
            continue
        texts = [line.text for line in store.lines]
        plain = library(texts, [read(store, asked).text for asked in questions], embedder)
        simple = plain
        if named:
            signed = [f"{line.author}: {line.text}" for line in store.lines]
            simple = library(signed, [asked.text for asked in questions], embedder)
        for asked, match, other in zip(questions, plain.matches, simple.matches, strict=True):
            among = np.asarray(asked.among)
            result = rank(store, asked, match.of(among), plain.length[among], embedder)
            found.add(store, asked, result, other.of(among), embedder)
    return found


def _curve(path: Path, scores: Sequence[Confidence]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(asdict(point)) for point in curve(scores)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path.name


def locomo(memory: Memory, options: Options) -> Suite:
    """Two people's dialogues: which turns answer, and whether any does."""
    stores = retrieval_data.locomo(options.needed())
    found = results(stores, memory.embedder, options, named=True)
    return Suite(
        "locomo_retrieval",
        [
            *found.measures(),
            found.corrected.within(10, "with the audit's citations: evidence in the first 10"),
            *found.abstention(),
        ],
        found.failures,
        files=[_curve(options.out / "locomo_abstention.jsonl", found.sure)],
        notes=["unanswerable: category 5, which asks one speaker for what the other said"],
    )


def longmemeval(memory: Memory, options: Options) -> Suite:
    """A user's chats with an assistant: which messages answer, the newest first where
    something changed, and whether any does."""
    stores = retrieval_data.longmemeval(options.needed())
    found = results(stores, memory.embedder, options, named=False)
    return Suite(
        "longmemeval_retrieval",
        [
            *found.measures(),
            Measure(
                "weighted sum: newest statement first on knowledge updates",
                sum(found.newest_simple),
                len(found.newest_simple),
            ),
            Measure(
                "ranking: newest statement first on knowledge updates",
                sum(found.newest),
                len(found.newest),
            ),
            *found.abstention(),
        ],
        found.failures,
        files=[_curve(options.out / "longmemeval_abstention.jsonl", found.sure)],
        notes=["the turns that answer stand alone: the data lacks those around them"],
    )
