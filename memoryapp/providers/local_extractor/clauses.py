"""A message in clauses, each an exact slice of it.

Rules match on a folded copy (lower case, straight apostrophes) of the same length, so
that every offset found in it holds in the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from memoryapp.records import Quote, Turn
from memoryapp.regions import excluded

# Beyond these a message is a document: they bound the time that one message can take.
MAX_SENTENCE = 800
MAX_SENTENCES = 400

BREAK = "\x00"  # stands for what can't be evidence; a clause never spans it


def fold(text: str) -> str:
    """Lower case with straight apostrophes and plain spaces, of the same length."""
    table = {0x2019: "'", 0x02BC: "'", 0x00A0: " ", 0x0009: " ", 0x000D: " "}
    text = text.translate(table)
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def own_words(content: str) -> str:
    """The folded message with every excluded region blanked by BREAK."""
    folded = fold(content).replace(BREAK, " ")
    for start, end, _ in excluded(content):
        folded = folded[:start] + BREAK * (end - start) + folded[end:]
    return folded


@dataclass(frozen=True, slots=True)
class Sentence:
    start: int
    end: int
    text: str  # folded
    question: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """``text`` is what rules match on; ``text[i]`` is ``turn.content[shift + i]``.
    A clause that shares the subject of the one before it carries that subject in
    front of its own words, where no value is ever taken from."""

    turn: Turn
    start: int
    end: int
    text: str
    shift: int
    lead: str
    sentence: Sentence
    before: str  # the sentence before, folded
    first: bool  # opens the message

    @property
    def quote(self) -> Quote:
        return Quote(
            self.turn.message_id, self.start, self.end, self.turn.content[self.start : self.end]
        )

    def original(self, start: int, end: int) -> str:
        """The message's own letters for a span of ``text``."""
        return self.turn.content[self.shift + start : self.shift + end]


_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|e\.g|i\.e|a\.m|p\.m|vs|jr|sr|no|inc|ltd|co"
    r"|approx|dept|u\.s"
    r"|u\.k|[a-z])$"
)
_END = re.compile(r"[.!?…]+[\"')\]]*(?=\s|\x00|$)|[。！？；｡।]+|;(?=\s)|\n+|\x00+")
_BULLET = re.compile(r"(?:[-*•·]|\d{1,2}[.)])\s+")


def sentences(folded: str) -> Iterator[Sentence]:
    """The sentences of a folded message, without the marks at their ends."""
    start = 0
    marks = list(_END.finditer(folded))
    ends = [(mark.start(), mark.end(), mark[0]) for mark in marks] + [(len(folded),) * 2 + ("",)]
    for at, after, mark in ends:
        if mark.startswith(".") and _ABBREVIATION.search(folded[max(start, at - 8) : at]):
            tail = folded[after : after + 2]
            if not (mark.endswith(".") and folded[at - 2 : at] in (".m", ".k") and tail == ""):
                continue
        begin, end = start, at
        while begin < end and folded[begin] in " \x00\n":
            begin += 1
        if bullet := _BULLET.match(folded, begin, end):
            begin = bullet.end()
        while end > begin and folded[end - 1] in " \x00\n,":
            end -= 1
        start = after
        if begin < end:
            question = "?" in mark or "？" in mark or folded[begin] == "¿"
            yield Sentence(begin, end, folded[begin:end], question)


_VERB = (
    r"(?:lives?|works?|loves?|likes?|hates?|enjoys?|prefers?|uses?|speaks?|plays?|drives?|has|have"
    r"|owns?|runs?|studys?|studies|study|moved|joined|started|left|am|is|are|don't|doesn't|can't"
    r"|never|no longer|eats?|drinks?|switched|adopted|got|cannot|now \w+|i?'m|take|takes|collects?"
    r"|teach(?:es)?|code|program|train|quit|became|bought)"
)
_PRONOUN = (
    r"(?:i|we|my|our|he|she|they|his|her|their|it|its|you|your|i'm|i've|i'd|i'll|we're|we've|he's"
    r"|she's|they're|it's|you're|that's|this|there|everyone|everybody"
    r"|nobody|im|ive|hes|shes|theyre|thats|ich|je|yo|mi|mein|meine|mon|ma)\b"
)
_SPLIT = re.compile(
    r"\s*(?:—|–|\s--\s|\s-\s)\s*"
    r"|\s+(?:btw|by the way),?\s+(?:and\s+)?(?=\w)"
    r"|,?\s+(?P<lead>but|because|although|though|even though|whereas|so that"
    r"|since(?=\s+(?:i|we|my)\b)"
    r"|if|when|whenever|unless|until(?=\s+(?:i|we|my|he|she|they)\b)|while|whether|which|who|whom"
    r"|whose|where|as if|as though|before(?=\s+" + _PRONOUN + r"|\s+\w+ing\b)"
    r"|after(?=\s+" + _PRONOUN + r"|\s+\w+ing\b))\s+"
    r"|,\s*(?P<comma>and|so|or|plus|then|yet|as)\s+(?=" + _PRONOUN + r"|" + _VERB + r"\b)"
    r"|\s+(?P<and>and|&)\s+(?=" + _PRONOUN + r"|" + _VERB + r"\b)"
    r"|,\s*(?=(?:please\s+)?" + _PRONOUN + r")"
    r"|,\s*(?P<ask>(?=(?:does|do|did|is|are|was|can|could|should|would|will|what|what's|how|why"
    r"|which|any|anything|keep|please|have you|give|tell|show|help|suggest|recommend)\b))"
    r"|(?P<zh>，)(?=(?:我|他|她|我们|请|但|不过|而且|也))"
    r"|,?\s+(?P<other>y|und|et|और)\s+(?=(?:yo|me|mi|trabajo|vivo|soy|tengo|ich|wohne|arbeite|lebe"
    r"|bin|mein|meine|je|j'|mon|ma|मैं|मेरा|मेरी|मुझे)(?:\b|\s|'))"
)
_CARRY_HEAD = re.compile(r"(?:" + _VERB + r"|wohne|lebe|arbeite|bin)\b")
_LEAD_SUBJECT = re.compile(r"(?:^|\s)(i|we|he|she|they|ich|je|yo)(?:'\w+)?\s|(?:^|\s)(?:i'm|im)\b")
# "Hi," and "actually," open a clause; they are none.
_OPENING = re.compile(
    r"(?!(?:i|i'm|im|we|my|our|he|she|they)\b)[\w']+(?: (?!is\b|has\b|lives\b|works\b)[\w']+)?"
    r"|(?:as|like) i (?:said|mentioned|told you)(?: before)?|by the way|just so you know"
    r"|(?:thanks|thank you)(?: \w+){0,4}|a bit about me"
)
_INFINITIVE = re.compile(r"\bto\s+\w+(?:\s+\w+){0,2}$")


def clauses(turn: Turn, folded: str) -> Iterator[Clause]:
    """Every clause of a message in order, with the word that joined it to the last."""
    before, first = "", True
    for sentence in islice(sentences(folded), MAX_SENTENCES):
        if sentence.end - sentence.start > MAX_SENTENCE:
            before = ""
            continue
        pieces: list[tuple[int, int, str]] = []
        start, lead = sentence.start, ""
        for mark in _SPLIT.finditer(folded, sentence.start, sentence.end):
            left = folded[start : mark.start()]
            joined = mark["and"] or ""
            carried = not re.match(_PRONOUN, folded[mark.end() : sentence.end])
            if mark[0].strip() == "," and _OPENING.fullmatch(left.strip()):
                continue
            if mark["lead"] == "while" and left.endswith((" a", " little")):
                continue
            if joined and carried and (_INFINITIVE.search(left) or not left.strip()):
                continue
            pieces.append((start, mark.start(), lead))
            start = mark.end()
            lead = mark["lead"] or ("?" if mark["ask"] is not None else "") or joined
        pieces.append((start, sentence.end, lead))
        subject = ""
        for begin, end, word in pieces:
            while end > begin and folded[end - 1] in " ,":
                end -= 1
            while begin < end and folded[begin] in " ,":
                begin += 1
            if begin >= end:
                continue
            text, shift = folded[begin:end], begin
            found = _LEAD_SUBJECT.search(text[:40])
            if found is None and subject and _CARRY_HEAD.match(text) and word != "?":
                text, shift = f"{subject} {text}", begin - len(subject) - 1
            elif found is not None:
                subject = found[1] or "i"
            elif re.match(r"my |our ", text) or text[:1].isalpha():
                subject = "he" if re.match(r"(?:my|our|\w+) \w+", text) and word != "?" else ""
            yield Clause(turn, begin, end, text, shift, word, sentence, before, first)
            first = False
        before = sentence.text
