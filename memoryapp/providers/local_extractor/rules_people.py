"""People and pets around the user, each a subject of their own."""

from __future__ import annotations

import re

from memoryapp.records import Candidate
from memoryapp.subjects import subject

from .clauses import Clause
from .context import Context
from .lexicon import ANIMAL, NATIONALITIES, RELATION, RELIGIONS
from .predicate import Predicate, after_openers
from .values import Span, name_end, trim

_REL_NAME = re.compile(
    r"\b(?:my|our) (?P<rel>" + RELATION + r"),? (?:is called |is named |called |named )?"
)
_NAME_IS = re.compile(
    r"(?:my|our) (?P<rel>"
    + RELATION
    + r")(?:'s| 's)? (?:first )?(?:name is|name's|is called|is named|is) "
)
_NAME_FIRST = re.compile(
    r"(?P<name>[^\W\d_][^\s,.]*(?: [^\W\d_][^\s,.]*)?) is my (?P<rel>"
    + RELATION
    + r")(?=$|,| and\b)"
)
_HAVE_REL = re.compile(
    r"(?:(?:an? |one )(?P<rel>"
    + RELATION
    + r") (?:called|named|whose name is)|(?:an? |one )(?P<rel2>"
    + RELATION
    + r"),) "
)
# "She isn't my sister, Halima is my …"
_DENIED = re.compile(r"(?:n't|\bnot|\bnever) $")
_MARRIED = re.compile(r"married to ")
_PET_HAVE = re.compile(
    r"(?:just |recently |finally )*(?:got |adopted |bought |rescued |have |has "
    r"|own |an? |(?:a )?(?:second|third|new|another|one) )+"
    r"(?P<animal>" + ANIMAL + r")\b(?P<rest>.*)$"
)
_CALLED = re.compile(
    r",? (?:is )?(?:called|named|whose name is|by the name of|who's called) "
    r"|, (?=[^\W\d_])|\s?[(](?=[^\W\d_])"
)
_AND_PET = re.compile(r"(?:,|\band) an? (?P<animal>" + ANIMAL + r") (?:called|named) ")
_PET_NAME = re.compile(
    r"(?:my|our) (?P<animal>" + ANIMAL + r")(?:'s)? (?:name is|name's|is called|is named|is) "
)
_NOT_CALLED = re.compile(
    r"(?:my|our) (?:"
    + ANIMAL
    + r")(?:'s name)? (?:isn't|is not|'s not|was never) (?:called |named )?"
)
_PET_NAMED = re.compile(
    r"\b(?:my|our) (?P<animal>" + ANIMAL + r"),? (?:called |named )?(?=[^\W\d_])"
)
_HER_NAME = re.compile(
    r"(?:his|her|its|their) name is |(?:he|she|it)(?:'s| is) (?:called|named) "
    r"|we (?:named|called) (?:him|her|it) "
)
_GONE = re.compile(
    r"(?:has |have |had |just |sadly )*(?:died|passed away|was put down"
    r"|been put down|had to be put to sleep|been rehomed)"
)
_PROJECT = re.compile(
    r"(?:is |been )?(?:now )?(?:assigned to|working on|moved to|put on|leading"
    r"|on) the (?P<v>.+?) (?:project|team)(?=$|,| now| since)"
)
_MOVED_PROJECT = re.compile(
    r"(?:been |was |is )*(?:moved|reassigned|transferred"
    r"|switched) from the (?P<old>.+?)(?: project"
    r"| team)? to the (?P<new>.+?) (?P<what>project|team)(?=$|,)"
)


def _name(clause: Clause, start: int, *, explicit: bool = False, most: int = 2) -> Span | None:
    length = name_end(clause.original(start, len(clause.text)), most=most, explicit=explicit)
    return (start, start + length) if length else None


def _relation(context: Context, clause: Clause, rel: str, name: Span) -> list[Candidate]:
    who = subject("person", clause.original(*name))
    context.last = who
    return context.fact(clause, "relation", rel, subject=who, confidence=0.9, importance=0.8)


def _pet(context: Context, clause: Clause, animal: str, name: Span | None) -> list[Candidate]:
    kind = re.sub(r"^(?:second|third|new|another|one) ", "", animal)
    if name is None:
        return context.fact(clause, "pet", kind, confidence=0.8, importance=0.6)
    called = clause.original(*name)
    context.last = subject("pet", called)
    return context.fact(clause, "pet", f"{called} ({kind})", confidence=0.9, importance=0.7)


def misnamed(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "My dog isn't called Biscuit": the name was wrong; what it is may follow."""
    found = _NOT_CALLED.match(clause.text, after_openers(clause)[0])
    name = _name(clause, found.end(), explicit=True, most=1) if found else None
    known = context.named(clause.original(*name), "pet") if name else None
    if known is None:
        return []
    return context.fact(clause, "pet", known.value, operation="end", correction=True)


def relations(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "My wife's name is Anna", "my friend Jonas …", "with my husband Tom"."""
    text = clause.text
    start, _, _ = after_openers(clause)
    if found := _NAME_IS.match(text, start):
        explicit = "name" in found[0][-9:] or "called" in found[0]
        name = _name(clause, found.end(), explicit=explicit)
        rest = text[name[1] :] if name else "x"
        plain = name is not None and text[slice(*name)] in NATIONALITIES | RELIGIONS
        if name and not plain and re.match(r"$|,| and\b| \(", rest):
            return _relation(context, clause, found["rel"], name)
    if found := _NAME_FIRST.match(text, start):
        name = _name(clause, found.start())
        if name and name[1] == found.end("name"):
            return _relation(context, clause, found["rel"], name)
    if said and said.about_user:
        has = _HAVE_REL.match(text, said.pos) if said.form == "have" else None
        if has and (name := _name(clause, has.end(), explicit=True)):
            return _relation(context, clause, has["rel"] or has["rel2"], name)
        wed = _MARRIED.match(text, said.pos) if said.form == "be" and not said.negated else None
        if wed and (name := _name(clause, wed.end())):
            return _relation(context, clause, "spouse", name)
    out: list[Candidate] = []
    for found in _REL_NAME.finditer(text, clause.start - clause.shift):
        name = _name(clause, found.end())
        if name and not _DENIED.search(text[: found.start()]):
            out += _relation(context, clause, found["rel"], name)
    return out


def pets(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "We have a cat, Pim", "my dog is called Rex", "our cat Luna died"."""
    text = clause.text
    start, _, _ = after_openers(clause)
    if (found := _HER_NAME.match(text, start)) and context.known:
        # "We've just got a second cat, her name is Saffron": the cat is named here.
        nameless = [f for f in context.known if f.attribute == "pet" and "(" not in f.value]
        name = _name(clause, found.end(), explicit=True, most=1)
        if (
            name
            and len(nameless) == 1
            and nameless[0].value in clause.sentence.text + clause.before
        ):
            return context.fact(
                clause, "pet", nameless[0].value, operation="end", correction=True
            ) + _pet(context, clause, nameless[0].value, name)
    if (
        (found := _PET_NAME.match(text, start))
        and (
            name := _name(
                clause, found.end(), explicit="name" in found[0] or "called" in found[0], most=1
            )
        )
        and re.match(r"$|,| and\b", text[name[1] :])
    ):
        return _pet(context, clause, found["animal"], name)
    if said and _GONE.match(text, said.pos) and said.name:
        known = context.named(clause.original(*said.name), "pet")
        return context.fact(clause, "pet", known.value, operation="end") if known else []
    if said and said.about_user and said.form in ("have", "verb") and not said.negated:
        found = _PET_HAVE.match(text, said.pos)
        if found and not re.match(
            r"(?:'s|s\b| (?:food|bed|toy|sitter|allergy|show|person|video|problem))", found["rest"]
        ):
            name = None
            called = _CALLED.match(text, found.end("animal"))
            if called:
                name = _name(
                    clause,
                    called.end(),
                    explicit="called" in called[0] or "named" in called[0],
                    most=1,
                )
            counted = re.search(r"\b(?:had|used to have)\b", text[: found.start("animal")])
            if not counted and (
                name
                or said.form == "have"
                or re.match(
                    r"(?:just |recently |finally )*(?:got|adopted|bought|rescued|own)",
                    text[said.pos :],
                )
            ):
                out = _pet(context, clause, found["animal"], name)
                for more in _AND_PET.finditer(text, found.end("animal")):
                    other = _name(clause, more.end(), explicit=True, most=1)
                    out += _pet(context, clause, more["animal"], other) if other else []
                return out
    if said is None or said.subject.startswith("pet:") or said.about_user:
        for found in _PET_NAMED.finditer(text, start):
            if name := _name(clause, found.end(), most=1):
                return _pet(context, clause, found["animal"], name)
    return []


def assignments(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Which project another person is on."""
    if said is None or not said.subject.startswith("person:") or said.negated:
        return []
    text, pos = clause.text, said.pos
    if found := _MOVED_PROJECT.match(text, pos):
        key = found["what"]
        old, new = trim(text, *found.span("old")), trim(text, *found.span("new"))
        return context.fact(clause, key, old, subject=said.subject, operation="end") + context.fact(
            clause, key, new, subject=said.subject
        )
    if found := _PROJECT.match(text, pos):
        return context.fact(clause, "project", found.span("v"), subject=said.subject)
    return []
