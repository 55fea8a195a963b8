"""An answer cut into clauses, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What goes on longer without a full stop is no sentence. It bounds the time for any text.
LONGEST = 600
_HIDDEN = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`|https?://\S+|^[ \t]*>.*$",
    re.DOTALL | re.MULTILINE,
)
_END = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s|$)|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|st|prof|approx|jr|sr|a\.m|p\.m))\.$",
    re.IGNORECASE,
)
_MARKER = re.compile(r"\s*(?:(?:[-*+•–]|\d{1,2}[.)])\s+|#{1,6}\s+)?(?:\*\*|__|[*_])?")
VERBS = (
    r"live|work|have|are|like|love|enjoy|prefer|hate|own|drive|speak|play|study|learn|eat|drink"
    r"|smoke|take|use|run|collect|ride|avoid|lived|worked|moved|had|were|liked|loved|owned|drove"
    r"|played|studied|started|switched|bought|adopted|married|joined|left|plan|want|read|watch|cook"
    r"|bake|teach|sing|swim|dislike|support|volunteer"
)
_CUT = re.compile(
    r"\s*[;—]\s*|(?<!\btold me)(?<!\bmentioned)(?<!\bsaid):\s+(?=(?:you|since|because)\b)"
    r"|\s+[–-]\s+"
    r"|,?\s+(?=but\b)|,\s+(?=(?:while|whereas|although|though|so|which means|(?:as|since"
    r"|because) you|not)\b)"
    r"|\s+(?=(?:because you|since you|now that you|although you|even though you)\b)"
    r"|,?\s+and\s+(?=(?:you|your|he|she|they|I|it)\b(?!\s+(?:and|or)\b))"
    r"|,?\s+(?=(?:when|while|if|whether|unless|whenever|until|before|after)\s+(?:you|I|it|your)\b)"
    r"|,\s+(?=(?:you|your|I|please|let|here|try|maybe|perhaps|would|could|shall|how|what)\b)"
    rf"|,?\s+and\s+(?=(?:also\s+|now\s+|currently\s+)?(?:{VERBS})\s)",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:since|as|because|given|considering|now that|although|though|while|with|if|when|whenever"
    r"|unless|after|before|because of|due to|thanks to|despite)\b",
    re.IGNORECASE,
)
_COMMA = re.compile(r",\s+")
# "Ana, your sister, works …" doesn't end at its first comma.
_CALLED = re.compile(r"[A-Z][\w’-]+, your [\w’ -]+, (?!and\b)")
# "Yes, you do" is one clause.
_SHORT = re.compile(
    r"(?:you|yes|yep|yeah|no|nope|correct|right|well|ok(?:ay)?|sure|and|but|so"
    r"|before that|before then|previously|earlier|formerly|currently|now|today|since then"
    r"|originally"
    r"|at the moment|these days|back then|in the past|as of now)?",
    re.I,
)
# "In your IDE, you use …" is one clause too.
_WHERE = re.compile(r"(?:in|on|at|for|by|during|from)\b(?!.*\byou \w)", re.IGNORECASE)
_EDGE = ' \t\r\n,;:.!?…()[]*_"“”—–-'


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause at ``[start, end)``. ``opens`` its sentence, or is ``joined`` to the clause
    before by "and"; ``question`` when its sentence ends with a question mark; ``item`` when
    that stands in a list."""

    start: int
    end: int
    text: str
    opens: bool
    joined: bool
    question: bool
    item: bool
    sentence: int


def pieces(answer: str) -> Iterator[Piece]:
    """The clauses of the answer, in its order; code, links and quoted blocks are left out."""
    shown = _HIDDEN.sub(lambda found: " " * len(found[0]), answer)
    for number, (start, end) in enumerate(_sentences(shown)):
        yield from _clauses(answer, shown, start, end, number)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _END.finditer(text):
        head = text[max(start, found.end() - LONGEST) : found.end()]
        if not found[0].isspace() and (
            _ABBREVIATION.search(head[-12:]) or re.fullmatch(r"\s*\d{1,2}\.", head)
        ):
            continue
        if found.end() - start <= LONGEST and head.strip(_EDGE):
            yield start, found.end()
        start = found.end()
    if len(text) - start <= LONGEST and text[start:].strip(_EDGE):
        yield start, len(text)


def _clauses(answer: str, shown: str, start: int, end: int, number: int) -> Iterator[Piece]:
    marker = _MARKER.match(shown, start, end)
    begin = marker.end() if marker else start
    item = bool(re.match(r"\s*(?:[-*+•–]|\d{1,2}[.)])\s", shown[start:end]))
    sentence = shown[begin:end]
    question = sentence.rstrip(" \n\"'”’)*_").endswith(("?", "？", "؟"))
    cuts = [(found.start(), found.end()) for found in _CUT.finditer(sentence)]
    for begins in (0, *(right for _left, right in cuts)):
        # "Since you live in Porto, …" ends at its comma.
        if _OPENS.match(sentence, begins) and (comma := _COMMA.search(sentence, begins)):
            cuts.append(comma.span())
    quotes = [found.span() for found in re.finditer(r"“[^”]*”|\"[^\"\n]*\"", sentence)]
    cuts = [cut for cut in sorted(cuts) if not any(a < cut[0] < b for a, b in quotes)]
    place, opens, joined = 0, True, False
    for left, right in [*cuts, (len(sentence), len(sentence))]:
        head = sentence[place:left].strip(_EDGE)
        # What leads into the next clause belongs to it.
        leads = _SHORT.fullmatch(head) or _WHERE.match(head) or _CALLED.match(sentence[place:])
        if left < place or (leads and left < len(sentence)):
            continue
        a, b = _trimmed(sentence, place, left)
        place = right
        if a < b:
            yield Piece(
                start=begin + a,
                end=begin + b,
                text=answer[begin + a : begin + b],
                opens=opens,
                joined=joined,
                question=question,
                item=item,
                sentence=number,
            )
            opens = False
            joined = "and" in sentence[left:right].lower()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and text[end - 1] in _EDGE:
        end -= 1
    # A bracket or quotation that the clause opened is closed within it.
    for opening, closing in ("()", "[]", "“”"):
        inner = text[start:end]
        if inner.count(opening) > inner.count(closing) and text[end : end + 1] == closing:
            end += 1
        elif inner.count(opening) > inner.count(closing):
            close = text.find(closing, end)
            if close >= 0 and not text[end:close].strip(_EDGE):
                end = close + 1
    return start, end
