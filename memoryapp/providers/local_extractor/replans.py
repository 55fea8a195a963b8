"""A plan that is told again with another date, or called off: what was planned before ends.

Its date is part of a plan's value, so that the same words with another date are another value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryapp.records import Candidate, KnownFact, normalise

from .clauses import Clause
from .context import Context
from .predicate import Predicate

# Words that don't tell one plan from another.
_COMMON = frozenset((
    "a", "an", "the", "my", "our", "his", "her", "their", "to", "for", "in", "at", "on", "of",
    "with", "and", "going", "flying", "visiting", "travelling", "traveling", "having", "starting",
    "moving", "taking", "doing", "next", "first", "second", "new", "big",
))  # fmt: skip
_GOES = r"(?:going|flying|travell?ing|driving|moving|doing|having|visiting|attending|running)"
_CALLED_OFF = re.compile(
    r"\b(?:cancell?ed|(?:had|decided) to cancel|called off|scrapped|dropped|ditched|pulled out of)"
    r"(?P<v>(?: [^\s,;.]+){1,6})"
    r"|(?P<w>(?:[^\s,;.]+ ){1,6}?)(?:is|are|was|has been|had to be|got) "
    r"(?:off|cancell?ed|called off|scrapped)\b"
    r"|(?P<x>(?:[^\s,;.]+ ){1,6}?)(?:fell|has fallen|fallen) through\b"
    rf"|\b(?:not|never|no longer) {_GOES}(?: to| on| for)?(?P<y>(?: [^\s,;.]+){{1,3}})"
)
_DEFINITE = re.compile(r"\b(?:my|our|the|that|his|her|their) (?:\S+ ){0,2}$")
_MOVED = re.compile(
    r"\b(?:moved|postponed|pushed|rescheduled|brought forward|delayed|swapped|changed|instead"
    r"|new date)\b"
)
_WRONG = re.compile(
    r"\b(?:mistake|mistyped|typo|correction|my bad|wrong|meant|not (?:on )?(?:the )?\d|i (?:said"
    r"|typed|wrote|put|told))\b"
)


def dropped(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "The trip to Crete is off": ends the one known plan that is named."""
    found = _CALLED_OFF.search(clause.text)
    if found is None:
        return []
    named = _telling(next(filter(None, found.groupdict().values())))
    pool = [plan for plan in _plans(context) if _telling(_words(plan)) & named]
    return _ended(clause, context, pool[0]) if len(pool) == 1 else []


def moved(found: Sequence[Candidate], clause: Clause, context: Context) -> list[Candidate]:
    """Of a plan among ``found`` that is known with another date: the end of that one. "My
    dentist's appointment" is the same again; "flying to Oslo in May" may be a second flight,
    unless the clause says that it was moved or told wrong."""
    sentence = clause.sentence.text
    corrects = _WRONG.search(sentence) is not None
    out: list[Candidate] = []
    for fact in found:
        if fact.attribute != "plan" or fact.operation != "state":
            continue
        words, _, date = fact.value.rpartition(", ")
        place = clause.text.find(words.lower())
        the_same = place >= 0 and _DEFINITE.search(clause.text[:place]) is not None
        telling = _telling(words)
        pool = [
            plan
            for plan in _plans(context, fact.subject)
            if telling
            and _telling(_words(plan)) == telling
            and not plan.value.endswith(f", {date}")
        ]
        if len(pool) == 1 and (the_same or corrects or _MOVED.search(sentence)):
            out += _ended(clause, context, pool[0], correction=corrects)
    return out


def _plans(context: Context, subject: str = "user") -> list[KnownFact]:
    return [
        fact
        for fact in context.known
        if fact.subject == subject and fact.attribute == "plan" and fact.polarity == "affirmed"
    ]


def _words(plan: KnownFact) -> str:
    return plan.value.rpartition(", ")[0]


def _telling(words: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", normalise(words))) - _COMMON


def _ended(
    clause: Clause, context: Context, plan: KnownFact, *, correction: bool = False
) -> list[Candidate]:
    return context.fact(
        clause,
        "plan",
        plan.value,
        subject=plan.subject,
        scope=plan.scope,
        operation="end",
        correction=correction,
        confidence=0.85,
    )
