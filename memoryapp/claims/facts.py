"""What a fact holds, in the forms in which claims are held against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memoryapp.claims.reading import OVER, pair
from memoryapp.claims.records import Held
from memoryapp.claims.words import negated, stem, stems, tokens
from memoryapp.records import AttributeHint

# How an attribute is spoken of beyond its names in the registry.
_CUES: Mapping[str, str] = {
    "home": "live based city town", "employer": "work hired", "job_title": "work",
    "origin": "grew grow raised", "hobby": "like play practise do", "sport": "like play train",
    "habit": "like do", "instrument": "like play", "favourite": "like",
    "diet": "eat follow vegetarian vegan",
    "eats": "eat", "coffee_order": "drink take like", "drinks": "drink like", "editor": "use edit",
    "browser": "use", "shell": "use", "terminal": "use",
    "operating_system": "use run machine computer", "theme": "use",
    "package_manager": "use", "computer": "use own", "phone_model": "use own",
    "keyboard_layout": "use type", "database": "use", "framework": "use", "units": "use",
    "programming_language": "use write code", "language": "speak fluent", "learning": "learn",
    "school": "study attend university", "visited": "visit travel been", "vehicle": "own ride",
    "partner": "marry date together",
    "marital_status": "marry single divorced widowed engaged", "height": "tall",
    "weight": "weigh", "budget": "spend", "goal": "want hope aim", "decision": "decide choose",
    "reading": "read", "watching": "watch", "medication": "take", "collects": "collect",
    "housing": "live rent own house", "household": "live", "work_mode": "work remote",
    "working_hours": "work", "business": "run own found", "project": "work build",
    "prefers": "prefer like", "likes": "like", "owns": "own", "uses": "use", "team": "work",
    "industry": "work", "skill": "good", "name": "name", "preferred_name": "name",
    "employment_status": "employed unemployed retired freelance student self",
    "commute": "ride drive walk cycle go", "allergy": "eat", "intolerance": "eat",
    "pet": "pet", "species": "pet", "plan": "plan", "smoking": "smoke",
}  # fmt: skip
_RELATIONS = frozenset(
    stem(word)
    for word in [
        "sister",
        "brother",
        "mother",
        "father",
        "parent",
        "wife",
        "husband",
        "partner",
        "spouse",
        "girlfriend",
        "boyfriend",
        "fiancé",
        "son",
        "daughter",
        "child",
        "twin",
        "aunt",
        "uncle",
        "cousin",
        "niece",
        "nephew",
        "grandmother",
        "grandfather",
        "grandma",
        "grandpa",
        "grandson",
        "granddaughter",
        "friend",
        "flatmate",
        "roommate",
        "housemate",
        "colleague",
        "boss",
        "neighbour",
        "teacher",
        "coach",
        "therapist",
        "doctor",
        "dentist",
        "dog",
        "cat",
        "pet",
        "rabbit",
        "parrot",
        "horse",
        "hamster",
        "tortoise",
    ]
)
_OF_RELATION = frozenset((
    "relation", "name", "species", "pet", "sibling", "partner", "parent", "relative", "friend",
    "children", "preferred_name",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """A held fact's words. ``known`` is all that it bears out, ``value`` what it is worth,
    ``topic`` what it is about; ``names`` and ``related`` call the one whom it is about,
    ``head`` is the last word of the value ("type 2 diabetes"),
    ``before`` are the values that it replaced."""

    held: Held
    known: frozenset[str]
    value: frozenset[str]
    statement: frozenset[str]
    topic: frozenset[str]
    names: frozenset[str]
    related: frozenset[str]
    negated: bool
    relation: bool
    over: tuple[frozenset[str], frozenset[str]] | None
    head: str
    before: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        held: Held,
        topics: Mapping[str, frozenset[str]],
        related: frozenset[str],
        stale: frozenset[str],
        of_others: frozenset[str],
    ) -> Fact:
        """``stale`` are values that no longer hold, ``of_others`` those of facts about
        others: a quotation may name them and prove nothing of them."""
        value = stems("x " + held.value) - {"x"}
        statement = stems(held.statement)
        quotes = frozenset[str]().union(*(stems(said.quote) for said in held.proof))
        topic = topics.get(held.attribute) or stems(held.attribute.replace("_", " "))
        relation = held.attribute in _OF_RELATION
        if held.status == "current":
            quotes -= stale
        said = value | statement | (quotes - of_others if relation else quotes)
        # Of the many words for relatives, those that were said, when any was.
        if (named := (said | related) & _RELATIONS) and topic & _RELATIONS:
            topic = (topic - _RELATIONS) | named
        names = _names(held.subject)
        scope = stems(held.scope.replace(":", " ").replace("_", " "))
        last = tokens("x " + held.value)[-1:]
        return cls(
            held=held,
            head=last[0].stem if last else "",
            known=said | topic | names | related | scope,
            value=value or statement,
            statement=statement,
            topic=topic,
            names=names,
            related=related,
            negated=held.polarity == "negated" or negated(held.value),
            relation=relation,
            over=pair(OVER, held.value) or pair(OVER, held.statement),
        )


def facts(held: Sequence[Held], hints: Sequence[AttributeHint], *, now: datetime) -> list[Fact]:
    """The facts as they are compared; each knows how its subject is related to the user, what
    it replaced, and what of its quotation something else has to prove."""
    about = _topics(hints)
    values = {one.id: stems("x " + one.value) - {"x"} for one in held}
    related = _related(held, values)
    so = frozenset[str]().union(*(values[one.id] for one in held if one.holds(now)))
    was = frozenset[str]().union(*(values[one.id] for one in held if not one.holds(now)))
    of_others = frozenset[str]().union(*(values[one.id] for one in held if one.subject != "user"))
    before: dict[UUID, set[str]] = defaultdict(set)
    for one in held:
        if one.heir is not None:
            before[one.heir] |= values[one.id]
    return [
        replace(
            Fact.of(one, about, related[one.subject], was - so, of_others - _RELATIONS),
            before=frozenset(before[one.id]),
        )
        for one in held
    ]


def _related(
    held: Sequence[Held], values: Mapping[UUID, frozenset[str]]
) -> Mapping[str, frozenset[str]]:
    """The words for what each subject is to the user: said of the subject, or beside its name."""
    related: dict[str, frozenset[str]] = defaultdict(frozenset)
    of_user = []
    for fact in held:
        if fact.attribute in _OF_RELATION:
            if fact.subject != "user":
                related[fact.subject] |= values[fact.id] & _RELATIONS
            else:
                said = values[fact.id].union(*(stems(one.quote) for one in fact.proof))
                of_user.append((values[fact.id], said & _RELATIONS))
    for subject in {fact.subject for fact in held} - {"user"}:
        name = _names(subject)
        for value, said in of_user:
            if name and name <= value:
                related[subject] |= said
    return related


def _names(subject: str) -> frozenset[str]:
    """ "person:ana-silva" is called Ana and Silva; the user by no name."""
    return stems("x " + subject.partition(":")[2].replace("-", " ")) - {"x"}


def _topics(hints: Sequence[AttributeHint]) -> Mapping[str, frozenset[str]]:
    """What each attribute is spoken of by: its names, its sentence, and ``_CUES``."""
    return {
        hint.key: stems(
            " ".join(
                (
                    "x",
                    *(name.replace("_", " ") for name in (hint.key, *hint.names)),
                    hint.sentence.replace("{value}", " "),
                    _CUES.get(hint.key, ""),
                )
            )
        )
        - {"x"}
        for hint in hints
    }
