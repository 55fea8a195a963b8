"""What one finder may add to what another found in the same clause."""

from __future__ import annotations

import re

from memoryapp.records import Candidate

from .passages import LISTS

_TASTES = frozenset(["likes", "eats", "drinks"])
_HAPPENS = frozenset(["plan", "event"])
_DATED = _HAPPENS | {"deadline"}


def beside(found: list[Candidate], more: list[Candidate]) -> list[Candidate]:
    """Those of ``more`` that say something that ``found`` doesn't say; hardly any where
    ``found`` ends or corrects something: who reads such a clause by halves takes the old for
    new."""
    if any(fact.operation == "end" or fact.correction for fact in found):
        # "I like history, not true crime": there what isn't liked.
        more = [
            fact
            for fact in more
            if fact.polarity == "negated"
            and fact.attribute in _TASTES
            and any(other.attribute == fact.attribute for other in found)
        ]
    out: list[Candidate] = []
    for fact in more:
        words = _words(fact.value)
        clash = any(
            (other.subject == fact.subject or _same_words(other, fact))
            and (
                (
                    other.attribute == fact.attribute
                    and other.operation == fact.operation
                    and fact.attribute not in LISTS
                )
                or (
                    # What happened says nothing of what is so since: "sold the van".
                    (other.attribute not in _HAPPENS or fact.attribute in _DATED)
                    and bool(words & _words(f"{other.value} {other.scope}"))
                )
            )
            for other in found
        )
        if not clash:
            out.append(fact)
    return out


def _same_words(one: Candidate, other: Candidate) -> bool:
    """One mention is said of one person: "it's my sister who can't have cats, I'm allergic
    to mites"."""
    return one.attribute == other.attribute and one.value.lower() == other.value.lower()


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
