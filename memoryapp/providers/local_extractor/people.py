"""Whom a message names: relatives, friends and pets, each as a subject of facts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryapp.records import Turn, normalise
from memoryapp.subjects import slug, subject

from .reader import Mark

# "My daughters Lamar and Sidra": each is a daughter.
_PLURAL = re.compile(r"\b(daughter|son|brother|sister|cousin|friend|aunt|uncle|niece|nephew)s$")
_CALLED = (
    r",? ?(?:(?:is |was |who is |who's |she is |he is |she's |he's |'s )?(?:called |named )?"
    r"|name is |name's |\(|- ?)"
)
_NEXT = re.compile(r"(?:,| and| &|, and) ")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody that the passage names, at ``[start, end)`` of the message."""

    start: int
    end: int
    subject: str
    relation: str
    named: bool


def people(turn: Turn, marks: list[Mark], known: dict[str, str]) -> list[Person]:
    """Who is named in the message, in order; ``known`` maps a relation to its one person."""
    near = [mark for mark in marks if mark.attribute in ("relation", "name", "pet", "species")]
    out: list[Person] = []
    skip: set[int] = set()
    for index, mark in enumerate(near):
        if index in skip or mark.score < 0.5 or (mark.sign and mark.attribute != "relation"):
            continue
        text = turn.content[mark.start : mark.end]
        if mark.attribute in ("name", "pet"):
            kind = "pet" if mark.attribute == "pet" else "person"
            if not text[:1].isupper() and turn.content != turn.content.lower():
                continue
            relation, end = "", mark.end
            after = near[index + 1] if index + 1 < len(near) else None
            between = turn.content[mark.end : after.start] if after is not None else ""
            wanted = "species" if kind == "pet" else "relation"
            if (
                after is not None
                and after.attribute == wanted
                and re.fullmatch(r"(?:,| is| \(|, who is|'s)? ?(?:my |our |an? )?", between)
            ):
                relation, end = turn.content[after.start : after.end].lower(), after.end
                skip.add(index + 1)
            who = subject(kind, text.removesuffix("'s").removesuffix("’s"))
            if who:
                out.append(Person(mark.start, end, who, relation, True))
        elif mark.attribute in ("relation", "species"):
            kind, wanted = ("person", "name") if mark.attribute == "relation" else ("pet", "pet")
            after = near[index + 1] if index + 1 < len(near) else None
            between = turn.content[mark.end : after.start] if after is not None else ""
            relation = _PLURAL.sub(r"\1", text.lower())
            if (
                after is not None
                and after.attribute == wanted
                and re.fullmatch(
                    r",? ?(?:(?:is |was |who is )?(?:called |named )?|\(|- ?)", between
                )
            ):
                name = turn.content[after.start : after.end]
                skip.add(index + 1)
                out.append(Person(mark.start, after.end, subject(kind, name), relation, True))
                if relation != text.lower():
                    last = after
                    for further, another in enumerate(near[index + 2 :], index + 2):
                        joint = turn.content[last.end : another.start]
                        if another.attribute != wanted or not _NEXT.fullmatch(joint):
                            break
                        name = turn.content[another.start : another.end]
                        who = subject(kind, name)
                        out.append(Person(another.start, another.end, who, relation, True))
                        skip.add(further)
                        last = another
            elif kind == "person" and slug(relation):
                who = known.get(normalise(relation), "") or subject("person", relation)
                out.append(Person(mark.start, mark.end, who, relation, False))
    return out
