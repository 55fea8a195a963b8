"""What a question asks for, as far as its words tell: of whom it is, and of which attribute.
Pure, but for the embedder it is given. English words; other languages go by meaning alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryapp.ports import Embedder
from memoryapp.records import AttributeHint

# What people are to one another, and the attribute that says who it is; "" when none does.
_RELATIONS: Mapping[str, str] = {
    **dict.fromkeys(("partner", "spouse", "wife", "husband", "girlfriend", "boyfriend"), "partner"),
    **dict.fromkeys(("fiance", "fiancee", "fiancé", "fiancée"), "partner"),
    **dict.fromkeys(("brother", "sister", "sibling", "twin"), "sibling"),
    **dict.fromkeys(("mother", "father", "mum", "mom", "dad", "parent"), "parent"),
    **dict.fromkeys(("child", "son", "daughter", "kid", "baby", "children"), "children"),
    **dict.fromkeys(("cousin", "aunt", "uncle", "niece", "nephew", "grandmother"), "relative"),
    **dict.fromkeys(("grandfather", "grandma", "grandpa", "grandson", "granddaughter"), "relative"),
    **dict.fromkeys(("friend", "flatmate", "roommate", "housemate"), "friend"),
    **dict.fromkeys(("dog", "cat", "pet", "puppy", "kitten", "horse", "rabbit"), "pet"),
    **dict.fromkeys(("boss", "manager", "colleague", "coworker", "neighbour", "neighbor"), ""),
    **dict.fromkeys(("landlord", "doctor", "dentist", "teacher", "therapist", "lawyer"), ""),
}
_POSSESSOR = re.compile(r"\b([^\W\d_][\w-]*)['’]s\b")
_NO_POSSESSOR = frozenset((
    "what", "who", "where", "when", "how", "why", "that", "there", "here", "it", "let", "he",
    "she", "today", "tomorrow", "yesterday", "everyone", "everybody", "someone", "world",
))  # fmt: skip
_OWN = re.compile(r"\b(?:i|my|me|mine|we|our|us|i['’](?:m|ve|d|ll))\b", re.IGNORECASE)
_ENGLISH = re.compile(
    r"^\W*(?:what|who|whose|where|when|how|why|which|does|did|do|is|are|was|were|has|have|can"
    r"|tell|will|should)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,] )([A-Z][^\W\d_]+)")
_WORD = re.compile(r"[^\W\d_]+")
# Happenings that an attribute's new value tells.
_HAPPENED = (
    (re.compile(r"\b(?:moved|relocated|move)\b", re.IGNORECASE), ("home", "country", "address")),
    (
        re.compile(
            r"\b(?:changed|switched|started|left|quit|lost|got|began) (?:\w+ ){0,3}(?:job|jobs|work"
            r"|company|companies|employer)\b|\bwas (?:hired|fired|promoted|laid off)\b",
            re.IGNORECASE,
        ),
        ("employer", "job_title"),
    ),
    (
        re.compile(r"\b(?:married|divorced|engaged|wedding|separated)\b", re.IGNORECASE),
        ("marital_status", "partner", "anniversary"),
    ),
)


# Questions that ask for an attribute and name it not at all ("what does my sister do?"), and
# how near they come to it.
_ASKED: Sequence[tuple[re.Pattern[str], Mapping[str, float]]] = (
    (
        re.compile(
            r"\bwhat (?:does|do|did) (?:[\w'’-]+ ){1,4}?do(?: for (?:a living|work))?\W*$",
            re.IGNORECASE,
        ),
        {"job_title": 1.0, "employer": 0.8},
    ),
)
# How people speak of an attribute beside its names.
_SPOKEN: Mapping[str, str] = {
    "job_title": "what I do for a living",
    "name": "who I am",
    "allergy": "what I must not eat",
    "dislikes": "what I hate",
    "hobby": "what I do in my spare time",
}


@dataclass(frozen=True, slots=True)
class About:
    """Whom else than the user a question is about: the words that say so, and the attributes
    that tell who that is. Both are empty when it is about the user, or about nobody."""

    others: Sequence[str] = ()
    relations: Sequence[str] = ()


def about(query: str) -> About:
    """Whom the question is about: "my sister's name", "does Ana like tea"."""
    words = [word.casefold() for word in _WORD.findall(query)]
    found = dict.fromkeys(
        one for word in words for one in (word, word.removesuffix("s")) if one in _RELATIONS
    )
    others = [*found]
    others += [
        name.casefold()
        for name in _POSSESSOR.findall(query)
        if name.casefold() not in _NO_POSSESSOR and name.casefold() not in found
    ]
    if found or (not others and _ENGLISH.search(query) and not _OWN.search(query)):
        others += [name.casefold() for name in _NAME.findall(query)]
    relations = dict.fromkeys(_RELATIONS[word] for word in found if _RELATIONS[word])
    return About(tuple(others), tuple(relations))


def happening(clause: str) -> Sequence[str]:
    """The attributes whose change "I moved" or "I got married" tells; none for others."""
    return next((keys for pattern, keys in _HAPPENED if pattern.search(clause)), ())


class Attributes:
    """The known attributes in an embedder's space: how they are said, with all their names."""

    def __init__(self, hints: Sequence[AttributeHint], embedder: Embedder) -> None:
        """Raises ProviderError."""
        self._similarity = embedder.similarity
        self._keys = [hint.key for hint in hints]
        self._vectors: NDArray[np.float32] = embedder.documents([_said(hint) for hint in hints])
        self._names = [
            (frozenset(words), hint.key)
            for hint in hints
            for name in (hint.key, *hint.names)
            if len(words := name.split("_")) > 1
        ]

    def near(self, query: str, vector: NDArray[Any]) -> Mapping[str, float]:
        """How near the question comes to each attribute, from 0 to 1, the nearest first."""
        cosines = self._vectors @ vector
        order = np.argsort(-cosines, kind="stable")
        plain = self._meant(query)
        return plain | {
            self._keys[n]: self._similarity(float(cosines[n]))
            for n in order
            if self._keys[n] not in plain
        }

    def named(self, query: str) -> Sequence[str]:
        """The attributes of which the question holds a whole name of several words, such as
        "favourite restaurant", or which it plainly means: nothing else is asked for."""
        if meant := self._meant(query):
            return tuple(meant)
        words = {word.casefold() for word in _WORD.findall(query)}
        return tuple(dict.fromkeys(key for name, key in self._names if name <= words))

    def _meant(self, query: str) -> dict[str, float]:
        plain = next((near for pattern, near in _ASKED if pattern.search(query)), {})
        return {key: near for key, near in plain.items() if key in self._keys}


def _said(hint: AttributeHint) -> str:
    """ "my job is: job title, occupation, profession": as the user would speak of it."""
    sentence = " ".join(hint.sentence.replace("{value}", " ").split()).strip(" .:")
    for theirs, own in (("Your", "my"), ("You are", "I am"), ("You", "I"), ("yours", "mine")):
        sentence = sentence.replace(theirs, own)
    names = ", ".join(name.replace("_", " ") for name in (hint.key, *hint.names))
    if hint.key in _SPOKEN:
        names += f", {_SPOKEN[hint.key]}"
    return f"{sentence}: {names}" if sentence else names
