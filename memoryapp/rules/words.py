"""What a never-remember topic's own words say: its core, whether a text names it, and which
parts of a life it means. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass

# Words that say nothing of what a topic is about: "anything to do with my …".
_EMPTY_WORDS = (
    # English
    "a an the my our your their his her its of about with to do does did from for in on at "
    "anything everything something nothing all any every things thing stuff matters related "
    "regarding concerning what that this which whatever and or is are was were be been i me "
    "we us you it not never no don't please remember learn know store keep details topic "
    "subject ever again kind sort having have has "
    # Spanish
    "el la los las un una unos unas mi mis tu tus su sus de del sobre con al en por para lo "
    "que todo toda todos todas cualquier cosa cosas algo nada y o nunca "
    # German
    "der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner "
    "dein deine von vom über mit zu zum zur im am auf alles was irgendwas etwas nichts und oder "
    "nie niemals nicht betrifft rund um "
    # Hindi and Arabic
    "मेरा मेरी मेरे के का की को में से पर बारे सब कुछ और या नहीं "
    "عن من في على مع إلى كل شيء أي ما و أو لا حول"
)
_EMPTY = frozenset(_EMPTY_WORDS.split())

# What a word may grow at its end and still be the same word, in Latin script.
_ENDINGS = frozenset((
    "", "s", "es", "ed", "d", "ing", "ings", "ies", "n", "en", "e", "er", "ern", "a", "o", "as",
    "os", "al", "y", "ly", "ment", "ar", "ado", "ada",
))  # fmt: skip
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")

# Words for a part of a life, a kind of delicate thing, or attributes, beside the registry's
# own names. English; other languages go by the words themselves and by meaning.
_AREAS: Mapping[str, str] = {
    **dict.fromkeys(("work", "job", "jobs", "career", "employment", "workplace"), "work"),
    **dict.fromkeys(("people", "family", "relatives", "relationship", "relationships"), "people"),
    **dict.fromkeys(("food", "eating"), "food_health"),
    **dict.fromkeys(("plans", "calendar", "schedule"), "plans"),
    **dict.fromkeys(("projects",), "projects"),
}  # fmt: skip
_SENSITIVE: Mapping[str, str] = {
    **dict.fromkeys(("health", "medical", "illness", "illnesses", "disease", "sickness"), "health"),
    **dict.fromkeys(("religion", "faith", "religious", "beliefs"), "religion"),
    **dict.fromkeys(("politics", "political"), "politics"),
    **dict.fromkeys(("sexuality", "sex", "orientation"), "sexuality"),
    **dict.fromkeys(("union", "unions"), "union"),
    **dict.fromkeys(("ethnicity", "race"), "ethnicity"),
}


@dataclass(frozen=True, slots=True)
class Meant:
    """The vocabulary that a topic's words stand for as a whole; empty for most topics."""

    area: str = ""
    sensitivity: str = ""
    attributes: frozenset[str] = frozenset()


def core(topic: str) -> tuple[str, ...]:
    """The topic's words that say what it is about, folded; all of its words when none does."""
    words = tuple(_words(topic))
    return tuple(word for word in words if word not in _EMPTY) or words


def meant(topic: str, names: Mapping[str, str]) -> Meant:
    """What "anything about work" or "my health" mean of the registry, whose ``names`` lead to
    attributes. A topic of other words ("work with Tom") is narrower, and means none."""
    words = core(topic)
    name = "_".join(words)
    forms = {name, name.removesuffix("s")}
    return Meant(
        area=next((_AREAS[form] for form in sorted(forms) if form in _AREAS), ""),
        sensitivity=next((_SENSITIVE[form] for form in sorted(forms) if form in _SENSITIVE), ""),
        attributes=frozenset(names[form] for form in forms if form in names),
    )


def named(words: Collection[str], text: str) -> bool:
    """Whether the text holds each of a topic's core words, in any of its forms."""
    held = _words(text)
    return bool(words) and all(any(_same(word, other) for other in held) for word in words)


def _words(text: str) -> list[str]:
    """The text's words, folded, without a genitive's ending."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = _WORD.findall(plain.replace("_", " "))
    return [word.removesuffix("'s").removesuffix("’s") for word in words]


def _same(word: str, other: str) -> bool:
    if word == other:
        return True
    if not (word.isascii() or _latin(word)):
        # No spaces, or articles and endings joined to the word: it is inside.
        return len(word) >= 2 and word in other
    shorter, longer = sorted((word, other), key=len)
    shared = 0
    for mine, theirs in zip(shorter, longer, strict=False):
        if mine != theirs:
            break
        shared += 1
    if shared < 4:
        # "job" and "jobs": a short word grows by an s alone.
        return len(shorter) >= 3 and shared == len(shorter) and longer[shared:] == "s"
    return shorter[shared:] in ("", "e", "y") and longer[shared:] in _ENDINGS


def _latin(word: str) -> bool:
    return all("LATIN" in unicodedata.name(letter, "") for letter in word if letter.isalpha())
