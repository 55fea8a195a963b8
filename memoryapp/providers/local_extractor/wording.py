"""A value in the words with which the page's sentence goes on: "You are an early riser"."""

from __future__ import annotations

import re

from .clauses import Clause
from .doing import doing, is_told
from .learned_checks import VERB_HERE
from .values import Span

# In front of the marked words: what the page's sentence says itself, or lacks.
_BY = re.compile(r"(?:by|on|takes?|taking|catch(?:es)?|gets?|uses?) (?:the |an? |my )?")
# "You get to work by driving": what one does, said right behind who does it.
_GOES = re.compile(r"(?P<verb>drive|walk|cycle|bike|run|ride|skate)s?\b")
_GOING = {"drive": "driving", "cycle": "cycling", "bike": "biking", "run": "running",
          "ride": "riding", "skate": "skating"}  # fmt: skip
_ARTICLE = re.compile(r"\ban? $")
_GOES_ON = re.compile(r" \w")
_AT_MOST = re.compile(r"\b(?:under|below|up to|at most|about|around|max(?:imum)?) $")
_ONE_CHILD = re.compile(
    r"^(?!one\b)(?:\S+ )*(?:son|daughter|boy|girl|toddler|baby|teenager|newborn|kid|child"
    r"|(?:year|month|week)[- ]old)$"
)


def _an(value: str) -> str:
    """The article: "an 8 year old"."""
    return "an" if re.match(r"[aeiou]|8|1[18]\b", value) else "a"


# "Knees are gone", "back's shot": what ails, told of a part of the body.
_AILS = re.compile(
    r"(?P<part>(?:(?:left|right|lower|upper|bad) )?(?P<word>[a-z]+)) ?(?P<verb>is|are|'s) "
    r"(?P<how>(?!disease|palsy|syndrome|asthma|foot|knee|ear|lung|elbow|tear|veil)\w.*)"
)
_ONE_PART = frozenset([
    "ankle", "arm", "back", "bladder", "ear", "elbow", "eye", "foot", "grip", "hand", "heart",
    "hip", "jaw", "knee", "leg", "neck", "shoulder", "side", "spine", "stomach", "throat",
    "thumb", "toe", "wrist",
])  # fmt: skip

# "Never smoked": as the page says it, and as the rules do.
_SMOKES = re.compile(r"smok(?:e[ds]?|er|ing)")

# What the page's sentence says itself: "You are 1.80 m tall".
_SAID_ANYWAY = {"height": " tall", "answer_tone": " tone", "commute": " to work"}


def worded(
    attribute: str, clause: Clause, part: Span, *, paid: bool = False, certain: bool = False
) -> Span | str:
    """The value as the page's sentence goes on with it: "You are an early riser"."""
    start, end = part
    if attribute in _SAID_ANYWAY and clause.text[start:end].endswith(_SAID_ANYWAY[attribute]):
        part = start, end = start, end - len(_SAID_ANYWAY[attribute])
    if attribute == "children" and _ONE_CHILD.search(value := clause.text[start:end]):
        return f"{_an(value)} {clause.original(*part)}"
    if attribute == "budget" and (found := _AT_MOST.search(clause.text[:start])):
        return clause.original(found.start(), end)
    if attribute == "job_title" and is_told(clause.text, part, certain=certain):
        # With the letters of the original behind the verb.
        told = doing(clause.text, part, paid=paid, certain=certain)
        kept = clause.original(*part).partition(" ")[2]
        return f"{told.partition(' ')[0]} {kept}".strip()
    if attribute == "health_condition" and (found := _AILS.fullmatch(clause.text, *part)):
        article = f"{_an(found['part'])} " if found["word"] in _ONE_PART else ""
        verb = "are" if found["verb"] == "are" else "is"
        ailing = clause.original(*found.span("part"))
        return f"{article}{ailing} that {verb} {clause.original(*found.span('how'))}"
    if attribute == "habit" and _SMOKES.fullmatch(clause.text, *part):
        return "smoking"
    if attribute == "travel_style" and clause.text[:start].endswith("travel "):
        return start - len("travel "), end
    if attribute == "pronouns":
        return clause.original(*part)  # "they" points nowhere here
    if attribute == "commute":
        if found := _BY.match(clause.text, start, end):
            return found.end(), end
        if VERB_HERE.search(clause.text[:start]) and (found := _GOES.match(clause.text, start)):
            going = _GOING.get(found["verb"], f"{found['verb']}ing")
            return f"{going}{clause.original(found.end(), end)}"
    if attribute == "personality" and (found := _ARTICLE.search(clause.text[:start])):
        # "A patient person" is patient.
        return part if _GOES_ON.match(clause.text, end) else clause.original(found.start(), end)
    return part
