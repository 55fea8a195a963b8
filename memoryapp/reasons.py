"""Which statement of a message another one follows from, by the words between them. Pure.

"I moved to Lyon because I work there", "I work there, so I moved to Lyon", "Since I work there,
I moved to Lyon" say the same. Only statements that stand next to each other are looked at:
what is said in between may change everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

# What joins two clauses, and how sure it is a reason: "since" and "as" may be of time.
_SURE, _MAYBE = 1.0, 0.6
# So many characters between two statements, and they are not joined.
FAR = 40

_REASON_NEXT = re.compile(
    r"^[\s,;–—-]*(?:\w+\s)?(?:because(?: of)?|porque|ya que|weil|da|parce que?|puisque?|denn)\b|"
    r"क्योंकि|因为|因為",
    re.IGNORECASE,
)
_MAYBE_NEXT = re.compile(r"^[\s,]*(?:since|as|car)\b", re.IGNORECASE)
_RESULT_NEXT = re.compile(
    r"(?:^|[\s,;.–—-])(?:so|therefore|hence|(?:which|that|this)(?: is|['’]s) why|"
    r"así que|por eso|por lo que|deshalb|darum|deswegen|donc|c['’]est pourquoi)\s*$|"
    r"इसलिए|所以|因此",
    re.IGNORECASE,
)
_REASON_FIRST = re.compile(
    r"(?:^|[.!?\n]\s*)(?:because|como|puesto que|weil|da|comme|puisqu['’e])\s*$|(?:因为|चूँकि)\s*$",
    re.IGNORECASE,
)
_MAYBE_FIRST = re.compile(r"(?:^|[.!?\n]\s*)(?:since|as)\s*$", re.IGNORECASE)
_ONLY_A_PAUSE = re.compile(r"^\s*[,，、]?\s*$")


@dataclass(frozen=True, slots=True)
class Reason:
    """``effect`` follows from ``cause``, places in what was given; ``weight`` in (0, 1]."""

    effect: int
    cause: int
    weight: float


def reasons(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Reason]:
    """What follows from what among the statements at ``spans``, the character spans of their
    quotes in ``text``. Statements with one span are alike: each gets the reason."""
    distinct = sorted(set(spans))
    for first, second in pairwise(distinct):
        if second[0] < first[1] or second[0] - first[1] > FAR:
            continue
        found = _between(text[: first[0]], text[first[1] : second[0]])
        if found is None:
            continue
        forward, weight = found
        effect, cause = (second, first) if forward else (first, second)
        for effect_place in _places(spans, effect):
            for cause_place in _places(spans, cause):
                yield Reason(effect_place, cause_place, weight)


def _between(before: str, gap: str) -> tuple[bool, float] | None:
    """Whether the second statement follows from the first, and how surely; None for neither."""
    if _REASON_NEXT.search(gap):
        return False, _SURE
    if _RESULT_NEXT.search(gap):
        return True, _SURE
    if _MAYBE_NEXT.search(gap):
        return False, _MAYBE
    if _ONLY_A_PAUSE.search(gap):
        if _REASON_FIRST.search(before):
            return True, _SURE
        if _MAYBE_FIRST.search(before):
            return True, _MAYBE
    return None


def _places(spans: Sequence[tuple[int, int]], span: tuple[int, int]) -> list[int]:
    return [place for place, one in enumerate(spans) if one == span]
