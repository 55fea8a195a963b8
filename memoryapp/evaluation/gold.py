"""Single utterances with the facts that people see in them, and when a fact is one of those.
Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoryapp.evaluation.matching import ANY, DATES, PEOPLE, about, keys_of, sign_of, words
from memoryapp.evaluation.memory import Seen


@dataclass(frozen=True, slots=True)
class Own:
    """An alternative in our own keys; ``sign`` is "+", "NOT" or "END"."""

    key: str
    subject: str = "user"
    scope: str = ""
    sign: str = "+"


@dataclass(frozen=True, slots=True)
class Gold:
    """``op`` is "+" stated, "-" negated or ended, "F" to be forgotten, "P" past. With
    ``own`` the alternatives are exact, and ``attributes`` only name them."""

    attributes: Sequence[str]
    value: str
    op: str = "+"
    own: Sequence[Own] = ()


_OWN = re.compile(
    r"(?:(?P<sign>NOT|END) )?(?:(?P<subject>\w+:[^.@|=]+)\.)?"
    r"(?P<key>[a-z_]+)(?:@(?P<scope>[^|=]+))?"
)


def gold_of_keys(text: str) -> Gold:
    """From ``NOT drinks|END likes=coffee``, ``person:mira.home=Oldbridge``,
    ``budget@kitchen=8000``. Raises ValueError."""
    names, equals, value = text.partition("=")
    own = []
    for name in names.split("|"):
        parts = _OWN.fullmatch(name.strip())
        if parts is None and name.strip():
            raise ValueError(f"not an attribute: {name}")
        if parts is not None:
            own.append(
                Own(
                    parts["key"], parts["subject"] or "user", parts["scope"] or "",
                    parts["sign"] or "+",
                )
            )  # fmt: skip
    if not equals or not own:
        raise ValueError(f"not a fact: {text}")
    return Gold([own[0].key], value, own=own)


def _is(own: Own, fact: Seen, facts: Sequence[Seen]) -> bool:
    kind, _, name = own.subject.partition(":")
    if own.subject == "user":
        subject = fact.subject == "user"
    else:
        subject = fact.subject.startswith(f"{kind}:") and words(name) <= about(fact, facts)
    if not subject or fact.attribute != own.key:
        return False
    if own.scope and not words(own.scope) & words(fact.scope.replace(":", " ")):
        return False
    if own.sign == "END":
        return fact.operation == "end"
    return fact.operation == "state" and (fact.polarity == "negated") == (own.sign == "NOT")


def _gold_keys(gold: Gold) -> frozenset[str]:
    return frozenset().union(*(ANY if name == "*" else keys_of(name) for name in gold.attributes))


def _of_people(gold: Gold) -> bool:
    return bool(PEOPLE & set(gold.attributes))


def compatible(gold: Gold, fact: Seen, facts: Sequence[Seen] = ()) -> bool:
    """Whether the fact is of the kind that is expected, whatever its value."""
    if gold.own:
        return any(_is(own, fact, facts) for own in gold.own)
    if gold.op == "F":
        return False
    _, yes = sign_of(fact)
    if _of_people(gold) and fact.subject.startswith("person:"):
        return yes == (gold.op == "+")
    if fact.subject.startswith("pet:"):
        return "pet" in gold.attributes
    if fact.subject != "user":
        return False
    keys = _gold_keys(gold)
    negative = set(gold.attributes) == {"dislikes"}
    if gold.op == "P":
        past = not yes or fact.valid_to is not None or fact.attribute in ("event", "visited")
        return fact.attribute in keys | {"visited"} and past
    if not (keys == ANY or fact.attribute in keys or fact.attribute.startswith("favourite")):
        return False
    if fact.attribute.startswith("favourite") and not ({"likes", "prefers", "favourite"} & keys):
        return False
    return yes == ((gold.op == "+") != negative)


def _wanted(gold: Gold) -> frozenset[str]:
    told = words(gold.value)
    if set(gold.attributes) & {"plan", "goal", "event"}:
        # When a plan is for stands in its dates, not in its value.
        told = frozenset(word for word in told if word not in DATES and not word.isdigit()) or told
    return told


def right(fact: Seen, golds: Iterable[Gold], facts: Sequence[Seen]) -> bool:
    """Whether some gold statement says what the fact says."""
    value = words(fact.value)
    for gold in golds:
        if compatible(gold, fact, facts):
            if gold.own and not gold.value:
                return True
            told = words(gold.value)
            near = about(fact, facts)
            if value <= told:
                return True
            # What only belongs to the fact doesn't make its own value right.
            if value & told and (_wanted(gold) <= value | near or value - told <= DATES | near):
                return True
    return False


def found(gold: Gold, facts: Sequence[Seen], forget: Sequence[str]) -> bool:
    """Whether the facts say all of the gold statement."""
    told = _wanted(gold)
    if gold.op == "F":
        return any(told <= words(what) for what in forget)
    fitting = [fact for fact in facts if compatible(gold, fact, facts)]
    if gold.own:
        return any(told <= words(fact.value) | about(fact, facts) for fact in fitting)
    said: frozenset[str] = frozenset()
    for fact in fitting:
        near = words(fact.value) | about(fact, facts)
        if near & told:
            said |= near
    return bool(fitting) and told <= said
