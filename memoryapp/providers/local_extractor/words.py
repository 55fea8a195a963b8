"""A clause as words with their vectors and plain features: what the learned heads see."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from memoryapp.providers.local_minilm import token_vectors

from .clauses import Clause
from .lexicon import (
    ANIMALS,
    DIETS,
    INSTRUMENTS,
    JOB_HEADS,
    LANGUAGES,
    NATIONALITIES,
    RELATIONS,
    RELIGIONS,
    SPORTS,
)
from .predicate import Predicate
from .tools import attribute_of

Matrix = NDArray[np.float32]

DIMENSION = 384
MOST_WORDS = 60  # a longer clause is no plain statement

_WORD = re.compile(r"[^\W_]+(?:['’./&#-][^\W_]+)*[+#]*|[^\w\s]")
# Words that say how the words around them hang together, whatever they are about.
_FUNCTION = (
    "i im i'm ive i've me my mine we we're we've our us you your he she they his her their "
    "it its it's this that these those a an the some any no not n't never don't dont doesn't "
    "can't cant won't isn't didn't haven't no-one am is are was were be been being have has "
    "had do does did will would can could should might may must to of in on at for from with "
    "by as about into over than like near under after before since until during because so "
    "but and or if when while who which where what how why there here now then also just "
    "really very too only always usually often sometimes ever anymore longer more most less "
    "much many lot bit few all both each every day week month year years ago old new last "
    "next this time work working works live lives living love loves enjoy like likes hate "
    "hates prefer use uses using used play plays go going went get gets got make makes take "
    "takes want need try trying started start moved move study studying learn learning eat "
    "eats drink drinks own called named based born grew speak speaks have drive left quit "
    "stopped gave bought favourite favorite please thanks , . ! ? : ; - ( ) \" '"
)
FUNCTION: dict[str, int] = {
    word: number for number, word in enumerate(dict.fromkeys(_FUNCTION.split()), start=1)
}
_LEXICONS = (
    JOB_HEADS,
    LANGUAGES,
    NATIONALITIES,
    SPORTS,
    INSTRUMENTS,
    DIETS,
    ANIMALS,
    RELATIONS,
    RELIGIONS,
)
_OWN = re.compile(r"\b(?:i|i'm|im|i've|ive|we|we're|we've|me|us)\b")
_MY = re.compile(r"\b(?:my|our)\b")

NEAR = 2  # words before and after whose place in FUNCTION a word sees
FLAGS = len(_LEXICONS) + 6
FORMS = 14


@dataclass(frozen=True, slots=True)
class Words:
    """``spans[i]`` is the word's place in ``clause.text``, ``vectors[i]`` its 384-d mean,
    ``places[i]`` its number in FUNCTION (0 for others), ``flags[i]`` what lists and letters
    say of it, ``form`` what the rules' parse says of the whole clause."""

    spans: list[tuple[int, int]]
    vectors: Matrix
    places: list[int]
    flags: Matrix
    form: Matrix


@cache
def _listed(word: str) -> tuple[float, ...]:
    return (*(float(word in lexicon) for lexicon in _LEXICONS), float(bool(attribute_of(word))))


def _form(clause: Clause, said: Predicate | None) -> list[float]:
    text = clause.text
    who = "" if said is None else said.subject.split(":")[0]
    return [
        float(said is None),
        float(who == "user"),
        float(who == "person"),
        float(who == "pet"),
        float(said is not None and said.form == "be"),
        float(said is not None and said.form == "have"),
        float(said is not None and said.form == "verb"),
        float(said is not None and said.negated),
        float(said is not None and said.ended),
        float(_OWN.search(text) is not None),
        float(_MY.search(text) is not None),
        float(clause.sentence.question),
        float(bool(clause.lead)),
        float(len(text) > 80),
    ]


def words_of(clause: Clause, said: Predicate | None) -> Words | None:
    """The clause's words, or None when it has none or too many. Runs the encoder once."""
    text = clause.text
    spans = [found.span() for found in _WORD.finditer(text)]
    if not spans or len(spans) > MOST_WORDS:
        return None
    rows, offsets = token_vectors(text)
    vectors = np.zeros((len(spans), DIMENSION), dtype=np.float32)
    counts = np.zeros(len(spans), dtype=np.float32)
    at = 0
    for row, (start, end) in zip(rows, offsets, strict=True):
        while at < len(spans) - 1 and start >= spans[at][1]:
            at += 1
        if start < spans[at][1] and end > spans[at][0]:
            vectors[at] += row
            counts[at] += 1
    vectors /= np.maximum(counts, 1)[:, None]
    flags = np.zeros((len(spans), FLAGS), dtype=np.float32)
    plain = clause.turn.content == clause.turn.content.lower()
    for index, (start, end) in enumerate(spans):
        word, first = text[start:end], clause.original(start, start + 1)
        flags[index, : len(_LEXICONS) + 1] = _listed(word)
        flags[index, len(_LEXICONS) + 1 :] = (
            float(first.isupper() and start > 0),
            float(plain),
            float(word[0].isdigit()),
            float(start < clause.start - clause.shift),
            float(said is not None and start >= said.pos),
        )
    places = [FUNCTION.get(text[start:end], 0) for start, end in spans]
    return Words(spans, vectors, places, flags, np.array(_form(clause, said), dtype=np.float32))
