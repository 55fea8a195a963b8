"""Words of a text as evidence for other words: whether a value stands in a quote."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Set

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
# Scripts without spaces between words: their letters are compared one by one.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_COUNT = re.compile(r"\w+")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: str(n) for n, word in enumerate(_COUNT.findall(_UNITS))} | {
    word: str(n * 10) for n, word in enumerate(_COUNT.findall(_TENS), 2)
}
_SMALL = frozenset(
    _COUNT.findall(
        "a an the of in on at to for from with and or my your his her their our its is are was be"
        " am i you he she it we they me him them us that this as by de la el le les los"
        " las un una une"
        " der die das ein eine und y et en du von zu mit"
    )
)


def words(text: str) -> list[str]:
    """The text's words in one form: casefolded, without accents, number words as digits;
    letters of unspaced scripts one by one."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    found: list[str] = []
    for run in _WORD.findall(unicodedata.normalize("NFC", plain)):
        if _UNSPACED.search(run):
            found += [char for char in run if char.isalnum()]
        else:
            found.append(_NUMBERS.get(run, run))
    for tens, unit in itertools.pairwise(list(found)):
        if tens.isdecimal() and unit.isdecimal() and tens.endswith("0") and len(unit) == 1:
            found.append(str(int(tens) + int(unit)))  # forty-two
    return found


def content(text: str) -> list[str]:
    """The words that say something; all words when there is no such."""
    found = words(text)
    return [word for word in found if word not in _SMALL] or found


def stands(word: str, among: Set[str]) -> bool:
    """Whether the word is among the others, in this or in another form of it: "hiking" and
    "hike", "allergy" and "allergic"; a number only as itself or as a year's last digits."""
    if word in among:
        return True
    if word.isdecimal():
        return len(word) == 4 and word[2:] in among
    if len(word) < 3:
        return False
    for other in among:
        if len(other) < 3 or other.isdecimal():
            continue
        shared = 0
        for one, two in zip(word, other, strict=False):
            if one != two:
                break
            shared += 1
        if (
            shared >= 3
            and shared >= 0.6 * min(len(word), len(other))
            and shared >= 0.4 * max(len(word), len(other))
        ):
            return True
    return False


def share(text: str, among: Set[str]) -> float:
    """How many of the text's content words stand among the others, from 0 to 1."""
    found = content(text)
    return sum(stands(word, among) for word in found) / len(found) if found else 0.0
