"""Statements about the user as the user would say them ("you live" to "I live"), and as they
are told of the past ("you lived"). Pure; English only, other languages come back as they are.
"""

from __future__ import annotations

import re

_PAST = {
    "are": "were", "aren’t": "weren’t", "have": "had", "haven’t": "hadn’t", "don’t": "didn’t",
    "can": "could", "can’t": "couldn’t", "speak": "spoke", "take": "took", "come": "came",
    "get": "got", "run": "ran", "eat": "ate", "drink": "drank", "write": "wrote",
    "build": "built", "study": "studied", "read": "read", "do": "did", "go": "went",
    "drive": "drove", "teach": "taught", "keep": "kept", "wear": "wore", "sing": "sang",
    "sleep": "slept", "make": "made", "plan": "planned", "sell": "sold", "sit": "sat",
    "prefer": "preferred", "program": "programmed", "weigh": "weighed", "play": "played",
    "fly": "flew", "know": "knew", "leave": "left", "hold": "held", "spend": "spent",
}  # fmt: skip
# What may stand between "you" and its verb.
_BETWEEN = r"(?:(?:also|still|now|currently|only|really|always|often|usually) )?"
_YOU = re.compile(rf"^(You {_BETWEEN})(\S+)(?=[ .:])")
_PAST_ALREADY = re.compile(
    r"^You (?:have|haven’t) been to|^You (?:have|haven’t) worked|ed\b|didn’t|mentioned"
)
_ITS = re.compile(r"^((?:Your|[^\s,]+’s|In hotels you) [^:.]*?)\bis\b")
_THIRD = re.compile(r"^(\S+) (is|has|lives|works|likes|speaks|plays|uses)\b")
_THIRD_PAST = {
    "is": "was", "has": "had", "lives": "lived", "works": "worked", "likes": "liked",
    "speaks": "spoke", "plays": "played", "uses": "used",
}  # fmt: skip


def in_the_past(sentence: str) -> str:
    """ "You live in Leeds." as "You lived in Leeds."; empty when it is not known how, as for
    "A hobby of yours: chess."."""
    sentence = sentence.replace("'", "’")
    if _PAST_ALREADY.search(sentence.partition(":")[0]):
        return sentence
    if match := _YOU.match(sentence):
        verb = match[2]
        return match[1] + (_PAST.get(verb) or _regular(verb)) + sentence[match.end() :]
    if match := _ITS.match(sentence):
        return match[1] + "was" + sentence[match.end() :]
    if match := _THIRD.match(sentence):
        return f"{match[1]} {_THIRD_PAST[match[2]]}{sentence[match.end() :]}"
    return ""


def _regular(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    return verb + "ed"
