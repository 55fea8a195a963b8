"""A language's words, ready to be looked up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

LANGUAGES = ("en", "es", "fr", "de", "nl", "it", "pt", "tr", "ja", "zh", "ko", "hi", "ar")
_LATIN = ("en", "es", "fr", "de", "nl", "it", "pt", "tr")

# Letters with marks of their own to the letter alone, one for one, so that places in the
# text stay what they are; every script's digits to 0-9; wide forms to narrow ones.
_FOLD: dict[int, str] = {}


def _fill() -> None:
    import unicodedata

    for code in [*range(0xC0, 0x250), *range(0x1E00, 0x1F00)]:
        base = unicodedata.normalize("NFD", chr(code).lower())[0]
        _FOLD[code] = {"ı": "i", "ß": "ß"}.get(chr(code).lower()[0], base)
    for code in range(0xFF01, 0xFF5F):
        _FOLD[code] = chr(code - 0xFEE0).lower()
    for start in (0x660, 0x6F0, 0x966):
        for digit in range(10):
            _FOLD[start + digit] = str(digit)
    for letters, plain in (("‘’ʼ", "'"), ("–—−~〜～‐‑", "-"), ("\u3000\xa0\u202f\t", " ")):
        for letter in letters:
            _FOLD[ord(letter)] = plain
    for letter in "أإآ":
        _FOLD[ord(letter)] = "ا"
    for code in range(0x41, 0x5B):
        _FOLD[code] = chr(code + 32)


_fill()


def fold(text: str) -> str:
    """The text as words are looked up: as long as the text, letter for letter."""
    return text.translate(_FOLD)


# The tables' longer names for what the rules write in one letter.
_LETTERS = {
    "half": "f",  # stands before the hour: half past eight
    "past": "p",  # stands behind it: y media
    "XU": "K",  # a turn and its unit in one word: 去年
    "NU": "J",  # an amount in one word: يومين
    "until": "h",
    "G2": "s",  # since, before, after, between, behind what they belong to
    "V2": "x",
    "W2": "z",
    "B2": "2",
    "minute": "3",  # a minute as a sign behind a number
    "kal": "4",  # that many days away, before or after: कल
}


@dataclass(frozen=True, slots=True)
class Lexicon:
    """``words`` maps a folded phrase to its symbols and their values. ``order`` is how a
    date in figures is read: ``mdy``, ``dmy``, or ``dmy.`` where "3." is an ordinal.
    ``joined`` scripts put no spaces between words."""

    code: str
    words: Mapping[str, Mapping[str, Any]]
    longest: int
    order: str
    joined: bool
    affix: re.Pattern[str] | None
    split: re.Pattern[str] | None
    future: re.Pattern[str] | None
    markers: frozenset[str]


def _pattern(module: Any, name: str) -> re.Pattern[str] | None:
    return re.compile(fold(getattr(module, name))) if hasattr(module, name) else None


def _pieces(phrase: str) -> int:
    """How many words and marks between them a phrase has."""
    marks = phrase.count("'") + phrase.count("-")
    return phrase.count(" ") + 1 + 2 * marks


def _entries(module: Any) -> Iterator[tuple[str, Any, str]]:
    for symbol, (first, groups) in getattr(module, "SERIES", {}).items():
        for value, group in enumerate(groups.split("|"), first):
            for phrase in group.split(","):
                yield symbol, value, phrase
    for (symbol, value), phrases in module.WORDS.items():
        for phrase in phrases.split("|"):
            yield _LETTERS.get(symbol, symbol), value, phrase


@cache
def lexicon(code: str) -> Lexicon:
    """The words of one of ``LANGUAGES``; KeyError for another."""
    if code not in LANGUAGES:
        raise KeyError(code)
    module = import_module(f"memoryapp.timewords.words.{code}")
    words: dict[str, dict[str, Any]] = {}
    for symbol, value, phrase in _entries(module):
        if phrase := fold(phrase.strip()):
            words.setdefault(phrase, {}).setdefault(symbol, value)
    joined = getattr(module, "JOINED", False)
    return Lexicon(
        code=code,
        words=words,
        longest=max(len(word) if joined else _pieces(word) for word in words),
        order=getattr(module, "ORDER", "dmy"),
        joined=joined,
        affix=_pattern(module, "AFFIX"),
        split=_pattern(module, "SPLIT"),
        future=_pattern(module, "FUTURE"),
        markers=frozenset(fold(word) for word in getattr(module, "MARKERS", "").split()),
    )


_SCRIPTS = (
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
)
_WORD = re.compile(r"[^\W\d_]+")


_LETTERS_OF = (
    ("tr", re.compile("[ığşİ]")),
    ("es", re.compile("[ñ¿¡]")),
    ("de", re.compile("[ßäöü]")),
    ("pt", re.compile("[ãõ]")),
    ("fr", re.compile("[êèûœ]")),
)


def language_of(text: str, folded: str, hint: str) -> str:
    """The language whose words the text has: by script, then by the most words known;
    of equals the hinted one, then English."""
    for code, script in _SCRIPTS:
        if script.search(folded):
            return "ja" if code == "zh" and hint == "ja" else code
    found = _WORD.findall(folded[:2000])
    lettered = [code for code, letters in _LETTERS_OF if letters.search(text)]
    best, most = hint if hint in _LATIN else "en", -1
    for code in dict.fromkeys([best, *_LATIN]):
        known = lexicon(code)
        score = 2 * (code == hint) + 2 * (code in lettered)
        score += sum(2 * (word in known.markers) + (word in known.words) for word in found)
        if score > most:
            best, most = code, score
    return best
