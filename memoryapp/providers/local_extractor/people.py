"""Whom a message names: relatives, friends and pets, each as a subject of facts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memoryapp.records import Turn, normalise
from memoryapp.subjects import slug, subject

from .lexicon import ANIMALS, NOBODY, RELATION, RELATIONS, THEIR, alternatives
from .reader import Mark

# "My daughters Lamar and Sidra": each is a daughter.
_PLURAL = re.compile(
    r"\b(daughter|son|brother|sister|cousin|friend|aunt|uncle|niece|nephew|boy|girl|grandson"
    r"|granddaughter|co-?worker|colleague|teammate|flatmate|roommate|housemate|neighbou?r)s$"
)
_NEXT = re.compile(r"(?:,| and| &|, and) ")
# What may stand between a name and the relation behind it, and the other way round.
_NAME_FIRST = re.compile(r"(?:,| is| \(|, who is|'s)? ?(?:my |our |an? )?")
_NAME_LAST = re.compile(r",? ?(?:(?:is |was |who is )?(?:called |named )?|\(|[-=] ?)")


# A pet's value with its kind: "Rex (collie)".
NAMED_KIND = re.compile(r"(?P<name>[^()]+) \((?P<kind>[^()]+)\)")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody that the passage names, at ``[start, end)`` of the message; with no subject when
    it is another's relative."""

    start: int
    end: int
    subject: str
    relation: str
    named: bool


# "My dog ate a grape", not "my dog walker".
_OWN_ANIMAL = re.compile(
    rf"\b(?:my|our) (?:\w+ )?(?P<kind>{alternatives(ANIMALS)})\b"
    r"(?! (?:walker|sitter|minder|groomer|trainer|food|bed|toy|hair|poo|show|allerg\w+|lover|person"
    r"|video|park|door|flap|tooth|house|shed|pen|run|coop|partner|coat|report|technician|results"
    r"|class|session|manager|assistant|bench)\b)"
)


# Whom the user doesn't call theirs: what is said of them is nobody's that we know.
NOT_THE_USERS = ""
# "I, her only brother", "our son and his wife Mia": theirs.
_OF_THEIRS = re.compile(rf"(?P<me>\bI,? )?{THEIR}$", re.IGNORECASE)


def people(
    turn: Turn, marks: list[Mark], known: dict[str, str], animals: dict[str, str]
) -> list[Person]:
    """Who is named in the message, in order; ``known`` maps a relation to its one person, and
    ``animals`` a kind to its one pet."""
    near = [mark for mark in marks if mark.attribute in ("relation", "name", "pet", "species")]
    out: list[Person] = []
    while near:
        mark, taken = near[0], 1
        if mark.attribute == "relation" and (
            theirs := _OF_THEIRS.search(turn.content[: mark.start])
        ):
            if theirs["me"] is None:
                out.append(Person(mark.start, mark.end, NOT_THE_USERS, "", named=False))
            near = near[1:]
            continue
        sure = _NAME_SURE if mark.attribute == "name" else _SOMEBODY
        if mark.score >= sure and not (mark.sign and mark.attribute != "relation"):
            if mark.attribute in ("name", "pet"):
                found, taken = _named(turn, near)
            else:
                found, taken = _related(turn, near, known)
            out += found
        near = near[taken:]
    out = _of_its_kind(turn, marks, out)
    if not any(person.subject.startswith("pet:") for person in out):
        out = sorted(out + _nameless(turn, animals), key=lambda person: person.start)
    return out


def _of_its_kind(turn: Turn, marks: list[Mark], found: list[Person]) -> list[Person]:
    """The one pet that is named is of the one kind that is told elsewhere in the message: "our
    tortoise is old. He's called Winston"."""
    pets = [person for person in found if person.subject.startswith("pet:")]
    kinds = {
        _text(turn, mark).lower()
        for mark in marks
        if mark.attribute == "species" and mark.score >= _KIND_SURE and not mark.sign
    }
    if len(pets) != 1 or len(kinds) != 1 or pets[0].relation or not pets[0].named:
        return found
    [pet], [kind] = pets, kinds
    return [replace(person, relation=kind) if person is pet else person for person in found]


_SOMEBODY, _NAME_SURE = 0.5, 0.8  # that words are a relation or a pet's, or a name
_KIND_SURE = 0.8


def _nameless(turn: Turn, animals: dict[str, str]) -> list[Person]:
    """The one animal that is called no more than "my dog"."""
    found = list(_OWN_ANIMAL.finditer(turn.content.lower()))
    if len({each["kind"] for each in found}) != 1:
        return []
    first = found[0]
    who = animals.get(first["kind"], "") or subject("pet", first["kind"])
    return [Person(first.start("kind"), first.end("kind"), who, "", False)]


# "My brother HL-2350 prints": a maker's, not a relative's.
_NO_NAME = re.compile(r"(?!(?:mr|mrs|ms|dr|prof)\b)[bcdfghjklmnpqrstvwxz]+\b|.*\d", re.IGNORECASE)


# "My advisor Professor Lindqvist" isn't called "professor" alone.
_TITLE = re.compile(
    r"(?:Professor|Prof|Doctor|Dr|Mr|Mrs|Ms|Miss|Uncle|Aunt|Auntie|Coach)\.? [A-Z]\w+"
)
# "My flatmate's friend" is another; "our minister of health" is everybody's.
_SOMEBODY_ELSE = re.compile(rf"(?:'s|’s) (?:\w+ )?(?:{RELATION})\b", re.IGNORECASE)


# Between two who share what is said next, and before what is said of the last alone.
_AND = re.compile(r",?(?: and| &|\+)(?: my| our| his| her)? ?")
_ALONE = re.compile(r"\b(?:he|she|it|his|her|its|him|is|has|was)\b|\b(?:he|she|it)'")


def about(turn: Turn, mark: Mark, named: list[Person], end: int) -> list[str]:
    """The subjects of a mark: who was named last before it, both of two ("my mum and dad
    live …"), else who is named next before ``end``; empty when nobody is. With
    ``NOT_THE_USERS`` in it for a relative of somebody else's."""
    before = [person for person in named if person.end <= mark.start]
    if before:
        both = (
            len(before) > 1
            and _AND.fullmatch(turn.content[before[-2].end : before[-1].start])
            and not _ALONE.search(turn.content[before[-1].end : mark.start].lower())
        )
        return [person.subject for person in before[-2 if both else -1 :]]
    after = [person.subject for person in named if mark.end <= person.start < end][:1]
    if after:
        return after
    # "She's a flight attendant. We never meet (she's my wife)": there is nobody else.
    return [named[0].subject] if len({person.subject for person in named}) == 1 else []


def _between(turn: Turn, first: Mark, second: Mark) -> str:
    return turn.content[first.end : second.start]


def _text(turn: Turn, mark: Mark) -> str:
    return turn.content[mark.start : mark.end]


def _named(turn: Turn, near: list[Mark]) -> tuple[list[Person], int]:
    """Who begins with a name ("Ana, my sister"), and how many marks that takes."""
    mark, name = near[0], _text(turn, near[0])
    kind, wanted = ("pet", "species") if mark.attribute == "pet" else ("person", "relation")
    if not name[:1].isupper() and turn.content != turn.content.lower():
        return [], 1
    if turn.content[: mark.start].lower().endswith("your "):
        return [], 1
    if _NO_NAME.match(name) or name.lower() in NOBODY:
        return [], 1
    relation, end, taken = "", mark.end, 1
    if (
        len(near) > 1
        and near[1].attribute == wanted
        and _NAME_FIRST.fullmatch(_between(turn, mark, near[1]))
    ):
        relation, end, taken = _text(turn, near[1]).lower(), near[1].end, 2
    who = subject(kind, name.removesuffix("'s").removesuffix("’s"))
    return ([Person(mark.start, end, who, relation, True)] if who else []), taken


_IN_LAW = re.compile(r"[ -]in[ -]law$")
# "Dads a bus driver", typed without its apostrophe.
_SLIPPED = re.compile(rf"\b(?:{RELATION})s$")
_IS = re.compile(r" (?:an?|the|in|on|from|not|got|been|just|always|still|never|only)\b")
# "Father Declan closed his eyes", "ex smoker": nobody of one's own.
_CLERGY = frozenset(["father", "brother", "sister", "mother"])
_POSSESSIVE = ("my ", "our ", "his ", "her ", "their ", "the ")


def _related(turn: Turn, near: list[Mark], known: dict[str, str]) -> tuple[list[Person], int]:
    """Who begins with a relation or a species ("my daughters Lamar and Sidra"), and how many
    marks that takes."""
    mark, text = near[0], _text(turn, near[0]).lower()
    kind, wanted = ("person", "name") if mark.attribute == "relation" else ("pet", "pet")
    before = turn.content[: mark.start].lower()
    if before.endswith("your ") or (text == "ex" and not before.endswith(_POSSESSIVE)):
        return [], 1
    if (
        text in _CLERGY
        and len(near) > 1
        and not before.endswith(_POSSESSIVE)
        and _between(turn, mark, near[1]) == " "
    ):
        return [], 2
    if _SOMEBODY_ELSE.match(turn.content, mark.end) or text.endswith(" of"):
        return [], 1
    if text in ("mine", "ours") or " of " in text:
        return [], 1
    if _SLIPPED.search(text) and _IS.match(turn.content, mark.end):
        text = text[:-1]
    relation = _PLURAL.sub(r"\1", text)
    if (
        kind == "person"
        and turn.content[mark.start].isupper()
        and not RELATIONS & {relation, relation.split()[-1], _IN_LAW.sub("", relation)}
    ):
        return [], 1  # a name: "Mira gave up rowing"
    several = relation != text
    out: list[Person] = []
    last = mark
    for another in near[1:]:
        joint = _NEXT if out else _NAME_LAST
        if another.attribute != wanted or not joint.fullmatch(_between(turn, last, another)):
            break
        if _NO_NAME.match(_text(turn, another)):
            return [], 2
        if not _text(turn, another)[:1].isupper() and turn.content != turn.content.lower():
            break  # "my aunt fosters greyhounds"
        if titled := _TITLE.match(turn.content, another.start):
            another = replace(another, end=max(another.end, titled.end()))
        who = subject(kind, _text(turn, another))
        out.append(Person(another.start if out else mark.start, another.end, who, relation, True))
        if not several:
            break
        last = another
    if not out and kind == "person" and slug(relation):
        who = known.get(normalise(relation), "") or subject("person", relation)
        out.append(Person(mark.start, mark.end, who, relation, False))
        return out, 1
    return out, 1 + len(out)
