"""Labelled clauses out of the frames: every statement is made from a frame, its slots
filled, set into a message, and cut into clauses by the extractor's own code."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from uuid import UUID

from memoryapp.providers.local_extractor.clauses import Clause, clauses, own_words
from memoryapp.records import Turn

FOLDER = Path(__file__).parent
SENT_AT = datetime(2026, 3, 3, 10, tzinfo=UTC)

_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_SLOT = re.compile(r"\{([A-Z]+)\}")
_LABEL = re.compile(r"\{(?P<mark>[-!]?)(?P<other>o\.)?(?P<key>[a-z_]+)(?::(?P<slot>[A-Z]+)|=)")


@dataclass(frozen=True, slots=True)
class Label:
    """``text[start:end]`` is a value of the attribute. ``sign``: 0 it is so, 1 it is not
    so, 2 it is over."""

    start: int
    end: int
    attribute: str
    sign: int
    other: bool


@dataclass(frozen=True, slots=True)
class Example:
    clause: Clause
    labels: tuple[Label, ...]  # offsets in clause.text
    source: int  # the frame's number: folds are cut between frames


def lines(name: str) -> list[str]:
    """The lines of a data file without its comments."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and line[0] != "#"]


@cache
def slots() -> dict[str, list[str]]:
    rows = (line.split(": ", 1) for line in lines("slots.txt"))
    return {name: values.split("|") for name, values in rows}


def _filled(text: str, rng: random.Random) -> str:
    while (found := _SLOT.search(text)) is not None:
        choice = rng.choice(slots()[found[1]])
        text = text[: found.start()] + choice + text[found.end() :]
    return text


def _chosen(text: str, rng: random.Random) -> str:
    # A slot may hold no bars, so choices are made first, innermost before outermost.
    while (found := _CHOICE.search(text)) is not None:
        choice = rng.choice(found[1].split("|"))
        text = text[: found.start()] + choice + text[found.end() :]
    return re.sub(r"\s+", " ", text).replace(" ,", ",").replace(" '", "'").strip()


def stated(frame: str, rng: random.Random) -> tuple[str, list[Label]]:
    """One statement from a frame, and the facts in it."""
    text = _chosen(frame, rng)
    out, labels, position = "", [], 0
    while (found := _LABEL.search(text, position)) is not None:
        out += _filled(text[position : found.start()], rng)
        if found["slot"]:
            value = _filled("{" + found["slot"] + "}", rng)
            position = found.end() + 1
        else:
            depth, end = 1, found.end()
            while depth:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            value = _filled(text[found.end() : end - 1], rng)
            position = end
        sign = {"": 0, "-": 1, "!": 2}[found["mark"]]
        labels.append(
            Label(len(out), len(out) + len(value), found["key"], sign, bool(found["other"]))
        )
        out += value
    out += _filled(text[position:], rng)
    return out, labels


def _wrapped(
    text: str, labels: list[Label], wrapper: str, rng: random.Random
) -> tuple[str, list[Label]]:
    before, after = wrapper.split("$", 1)
    before, after = _filled(before, rng), _filled(after, rng)
    if (not before or before.rstrip().endswith((".", "!", "?"))) and rng.random() < 0.8:
        text = text[:1].upper() + text[1:]
    moved = [
        Label(lab.start + len(before), lab.end + len(before), lab.attribute, lab.sign, lab.other)
        for lab in labels
    ]
    return before + text + after, moved


def _typed(text: str, labels: list[Label], rng: random.Random) -> tuple[str, list[Label]]:
    """As people type: in lower case, without apostrophes, a letter twice."""
    if rng.random() < 0.3:
        text = text.lower() if len(text.lower()) == len(text) else text
    drop = rng.random() < 0.15
    slip = rng.randrange(len(text)) if rng.random() < 0.06 else -1
    out: list[str] = []
    place: list[int] = []
    for index, char in enumerate(text):
        place.append(len(out))
        if drop and char == "'":
            continue
        out.append(char)
        if index == slip and char.isalpha():
            out.append(char)
    place.append(len(out))
    moved = [
        Label(place[lab.start], place[lab.end], lab.attribute, lab.sign, lab.other)
        for lab in labels
    ]
    return "".join(out), moved


def labelled(text: str, labels: list[Label], source: int) -> Iterator[Example]:
    """The message's clauses, each with the facts whose words it holds."""
    turn = Turn(UUID(int=1), "user", text, SENT_AT)
    for clause in clauses(turn, own_words(text)):
        inside = tuple(
            Label(
                max(lab.start, clause.start) - clause.shift,
                min(lab.end, clause.end) - clause.shift,
                lab.attribute,
                lab.sign,
                lab.other,
            )
            for lab in labels
            if min(lab.end, clause.end) - max(lab.start, clause.start) > 0
        )
        yield Example(clause, inside, source)


def examples(seed: int, each: int, spoken: int, negative: int) -> list[Example]:
    """Clauses from every frame: ``each`` messages a frame of facts, ``spoken`` for each of
    the sentences taken as they are, ``negative`` for each frame without facts. The same
    seed gives the same clauses; the same clause comes once."""
    rng = random.Random(seed)  # noqa: S311  # data, not secrets
    wrappers = lines("wrappers.txt")
    plan = (("frames.txt", each), ("spoken.txt", spoken), ("negatives.txt", negative))
    found: dict[tuple[str, tuple[Label, ...]], Example] = {}
    source = 0
    for name, count in plan:
        for frame in lines(name):
            source += 1
            for _ in range(count):
                text, labels = stated(frame, rng)
                wrapper = rng.choice(wrappers) if rng.random() < 0.7 else rng.choice(("$.", "$"))
                text, labels = _typed(*_wrapped(text, labels, wrapper, rng), rng)
                for example in labelled(text, labels, source):
                    found.setdefault((example.clause.text, example.labels), example)
    return list(found.values())
