"""Who is taken for granted: "how do I get my daughter to sleep?" says that there is one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memoryapp.records import Candidate
from memoryapp.subjects import USER

from .clauses import Clause
from .context import Context
from .gates import imagines
from .lexicon import NATIONALITIES, alternatives

_CHILDREN = {
    "son": "a son",
    "daughter": "a daughter",
    "toddler": "a toddler",
    "teenager": "a teenager",
    "newborn": "a newborn",
    "stepson": "a stepson",
    "stepdaughter": "a stepdaughter",
}
_SPOUSES = {
    **dict.fromkeys(("wife", "husband", "hubby", "spouse"), "married"),
    **dict.fromkeys(("fiance", "fiancee", "fiancé", "fiancée"), "engaged"),
    **dict.fromkeys(("boyfriend", "girlfriend", "bf", "gf"), "in a relationship"),
}
_COUNT = r"(?:two|three|four|five|six|[2-6])"
_SAID_OF_ONE = (
    r"(?:own|dear|lovely|beloved|poor|little|eldest|oldest|youngest|middle|older|younger|elder|big"
    r"|teenage|adult|grown[- ]up|new|amazing|wonderful|pregnant"
    r"|(?:\w+|\d+)[- ](?:year|month|week)[- ]olds?"
    rf"|{alternatives(NATIONALITIES)})"
)
# Not "my daughter-in-law", "my husband-to-be".
_MINE = re.compile(
    rf"\b(?:my|our) (?P<count>{_COUNT} )?(?:{_SAID_OF_ONE} )*"
    r"(?P<who>(?:step)?(?:son|daughter)s?|toddlers?|teenagers?|newborn|kids"
    r"|children|twins|triplets|wife|husband|hubby|spouse|fianc[eé]e?|boyfriend"
    r"|girlfriend|bf|gf)\b(?![- ](?:in[- ]laws?|to[- ]be)\b)"
)
# "Husband snores", with nobody's in front: one's own, and there now.
_BARE = re.compile(
    r"(?:(?:so|and|but|also|well|ok|okay),? )*"
    r"(?P<who>wife|husband|hubby|boyfriend|girlfriend|bf|gf)"
    r"(?:'s |s (?=a |an |in |on )"
    r"| (?:is|doesn't|won't|can't|isn't|just|(?!this\b|was\b)[a-z]{2,}s)\b(?! of\b))"
)
_NOT = re.compile(r"\b(?:\w+n't|not|never|no longer)(?: (?:really|actually|even))? $")
# Of whom this is said there may be none now.
_OVER = re.compile(
    r"\b(?:died|dead|passed|late|lost|funeral|grave|ashes|widow\w*|divorc\w+|separat\w+|split"
    r"|broke|breakup|left me|leaving me|ex|former|future|used to|wish|dream\w*)\b"
)
# "My husband was a teacher": he may be no more.
_THEN = re.compile(r"(?: \w+)? (?:was|were|had)\b")
# Somebody else's children, and not one's own words.
_PUPILS = re.compile(
    r"\b(?:class|pupils?|students?|teach\w*|schools?|education|grade|nursery|team|all of us"
    r"|future)\b"
)


def kin(clause: Clause, context: Context, *, until: int) -> list[Candidate]:
    """What "my wife", "my two sons" and the like say of the user in passing, as far as the words
    are the user's own: ``until`` somebody else's begin."""
    if imagines(clause) or ":" in clause.sentence.text:
        return []
    out: list[Candidate] = []
    start = max(0, clause.start - clause.shift)
    for found in _MINE.finditer(clause.text, start, until):
        who, count = found["who"], found["count"]
        if _NOT.search(clause.text[: found.start()]):
            continue
        over = _OVER.search(clause.sentence.text) or _THEN.match(clause.text, found.end())
        if who in _SPOUSES:
            if not over:
                out += _fact(clause, context, "marital_status", _SPOUSES[who])
            continue
        if who.endswith("s") or who == "children":
            if count is None and who not in ("kids", "children", "twins", "triplets"):
                continue  # "my sons": how many?
            if who in ("kids", "children") and _PUPILS.search(clause.sentence.text):
                continue
            out += _fact(clause, context, "children", f"{count or ''}{who}")
        elif not over:
            out += _fact(clause, context, "children", _CHILDREN[who])
    if (bare := _BARE.match(clause.text, start)) and not _OVER.search(clause.sentence.text):
        out += _fact(clause, context, "marital_status", _SPOUSES[bare["who"]])
    return out


def _fact(clause: Clause, context: Context, attribute: str, value: str) -> list[Candidate]:
    if any(
        fact.subject == USER and fact.attribute == attribute for fact in context.known
    ) or _known(value, (fact.value for fact in context.known if fact.attribute == "relation")):
        return []  # known, and known better
    return context.fact(clause, attribute, value, confidence=0.75)


def _known(value: str, relations: Iterable[str]) -> bool:
    """Whether one of the relations says the same of somebody by name."""
    word = value.split()[-1].removesuffix("s")
    return any(
        relation.lower().split()[-1:] in ([word], [f"{word}s"])
        or _SPOUSES.get(relation.lower()) == value
        for relation in relations
    )


def untold(passing: Iterable[Candidate], found: list[Candidate]) -> list[Candidate]:
    """Those of ``passing`` of which the same message says nothing nearer: not "a son" beside
    Leo, who is one."""
    out: list[Candidate] = []
    for fact in passing:
        nearer = any(
            other.attribute == fact.attribute and other.subject == USER for other in found
        ) or _known(
            fact.value,
            (other.value for other in found if other.attribute == "relation"),
        )
        if not nearer and all(fact.value != other.value for other in out):
            out.append(fact)
    return out
