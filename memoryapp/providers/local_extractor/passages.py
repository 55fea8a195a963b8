"""Which parts of a message the reader reads, and what it marks in them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest

from memoryapp.records import Turn

from .clauses import BREAK, Sentence, fold, sentences
from .glance import promise, shipped
from .lexicon import ANIMALS
from .reader import Mark, read
from .values import Span

PASSAGE = 420  # characters that are read together, so that "he" can be told from what precedes
WORTH = -2.5  # log-odds at a glance below which a sentence alone isn't worth reading
LIKELY = 0.0  # the same for a message that has no word of oneself
SURELY = 1.5  # the same for a question without one: "shoe size 47 here, where do I buy?"
MOST_UNASKED = 400  # characters of such a message: a longer one is a text on something else
PASSAGES = 12  # of one message: bounds the time that it takes
# Of these a clause may list several values.
LISTS = frozenset((
    "likes", "hobby", "allergy", "eats", "drinks", "language", "uses", "programming_language",
    "framework", "collects", "sport", "instrument", "medication", "health_condition",
))  # fmt: skip


def promising(content: str) -> bool:
    """Whether a sentence looks as if it stated something, though it has no "I" or "my"."""
    return len(content) <= MOST_UNASKED and any(
        promise(sentence.text, shipped()) > (SURELY if sentence.question else LIKELY)
        for sentence in sentences(fold(content))
    )


# As plain as that is worth reading, whatever it is about: "my hobby is pinhole photography".
_PLAIN = re.compile(r"\b(?:my \w+(?: \w+)? (?:is|are)|i'm|i am) ")


def _worth(sentence: Sentence) -> bool:
    if not sentence.question and _PLAIN.search(sentence.text):
        return True
    return promise(sentence.text, shipped()) > WORTH


def passages(folded: str) -> list[Span]:
    """The message cut between sentences into parts that are read together, without those
    in which nothing looks as if it stated something."""
    out: list[list[Sentence]] = []
    for sentence in sentences(folded):
        if out and sentence.end - out[-1][0].start <= PASSAGE:
            out[-1].append(sentence)
        else:
            out.append([sentence])
    worth = [
        (part[0].start, part[-1].end) for part in out if any(_worth(sentence) for sentence in part)
    ]
    return worth[:PASSAGES]


def read_message(turn: Turn, folded: str) -> list[Mark]:
    """What the reader marks, at places of the message. Excluded regions are blank to it."""
    own = "".join(
        " " if blank == BREAK else char for char, blank in zip(turn.content, folded, strict=True)
    )
    out: list[Mark] = []
    for start, end in passages(folded):
        # With its full stop or question mark, as the sentences that it learned from have it.
        closed = _CLOSES.match(own, end)
        text = own[start : closed.end() if closed else end]
        out += [
            replace(mark, start=mark.start + start, end=mark.end + start)
            for mark in _kinds(_agreed(read(text), text), text)
        ]
    return out


_CLOSES = re.compile(r"[.!?…)\"']+")
# Between the items of a list: what is said of one is said of all.
_LISTED = re.compile(r"\s*(?:,|/|&|,? (?:and|or|nor))\s*")


def _kinds(marks: list[Mark], text: str) -> list[Mark]:
    """ "Beagle Rex" is one pet, whose kind stands in front of its name."""
    out: list[Mark] = []
    for mark, following in zip_longest(marks, marks[1:]):
        kind = (
            mark.attribute == "pet"
            and following is not None
            and following.attribute == "pet"
            and text[mark.end : following.start] == " "
            and text[mark.start : mark.end].lower() in ANIMALS
        )
        out.append(replace(mark, attribute="species") if kind else mark)
    return out


def _agreed(marks: list[Mark], text: str) -> list[Mark]:
    """Items of one list have the sign and the person that its surest item has."""
    out: list[Mark] = []
    for mark in marks:
        last = out[-1] if out else None
        if (
            last is not None
            and last.attribute == mark.attribute
            and mark.attribute in LISTS
            and (last.sign, last.other) != (mark.sign, mark.other)
            and _LISTED.fullmatch(text, last.end, mark.start)
        ):
            surer = max(last, mark, key=lambda each: each.score)
            out[-1] = replace(last, sign=surer.sign, other=surer.other)
            mark = replace(mark, sign=surer.sign, other=surer.other)
        out.append(mark)
    return out
