"""The registry of known attributes: what a key means, how long it keeps, how it is said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction

from memoryapp.models import Attribute
from memoryapp.records import AttributeHint, Candidate, Kind

DATA = Path(__file__).parent / "data" / "attributes.json"

# Days until a fact of the kind expires, and the half-life of its recency in days (DESIGN
# section 4). An event's days count from its end, an entity's from its last mention.
TTL_DAYS: Mapping[str, int | None] = {
    "personal": None,
    "preference": None,
    "constraint": None,
    "decision": 90,
    "entity": 30,
    "project": 180,
    "event": 30,
}
HALF_LIFE_DAYS: Mapping[str, float | None] = {
    "personal": None,
    "preference": 180.0,
    "constraint": None,
    "decision": 30.0,
    "entity": 30.0,
    "project": 30.0,
    "event": 14.0,
}


# Two names for the poles of one thing: a statement under the left is one under the right,
# negated, so that "I can't stand chess" and "I love chess" share a timeline.
OPPOSITES: Mapping[str, str] = {"dislikes": "likes"}


# Which area of a life an open attribute belongs to, by its kind.
AREA_OF_KIND: Mapping[str, str] = {
    "personal": "about",
    "preference": "preferences",
    "constraint": "food_health",
    "decision": "plans",
    "entity": "people",
    "project": "projects",
    "event": "plans",
}


@dataclass(frozen=True, slots=True)
class Known:
    """One attribute as the pipeline sees it. An open attribute, one that the registry
    doesn't have, is many-valued and takes its kind from the candidate."""

    key: str
    kind: Kind
    single: bool
    sensitive: str = ""
    ttl_days: int | None = None
    # The days that the user chose for the kind, None in it for always; empty for the default.
    chosen: tuple[int | None, ...] = ()
    group: str = ""
    sentence: str = ""
    negated: str = ""
    other: str = ""
    other_negated: str = ""

    def expires_at(
        self, *, last_stated_at: datetime, valid_from: datetime, valid_to: datetime | None
    ) -> datetime | None:
        """When the fact expires unless it is stated again; None for never."""
        if self.chosen:
            days = self.chosen[0]
        else:
            days = self.ttl_days if self.ttl_days is not None else TTL_DAYS[self.kind]
        if days is None:
            return None
        start = (valid_to or valid_from) if self.kind == "event" else last_stated_at
        return max(start, last_stated_at) + timedelta(days=days)

    def area(self, subject: str) -> str:
        """The area of the user's life that it belongs to, said of ``subject``."""
        return "people" if subject != "user" else self.group or AREA_OF_KIND[self.kind]

    def statement(self, candidate: Candidate) -> str:
        """The candidate as one English sentence, for search and for a prompt."""
        value, subject = candidate.value, candidate.subject
        negated = candidate.polarity == "negated" or candidate.operation == "end"
        words = self.key.replace("_", " ")
        if subject == "user":
            template = self.negated if negated else self.sentence
            text = template.replace("{value}", value) if template else ""
            if not text:
                text = candidate.statement or (
                    f"Not true of you: {words}: {value}." if negated else f"Your {words}: {value}."
                )
        else:
            name = subject.partition(":")[2].replace("-", " ").replace("_", " ").title()
            template = self.other_negated if negated else self.other
            text = template.replace("{subject}", name).replace("{value}", value)
            if not text:
                text = candidate.statement or (
                    f"{name}, {'not ' if negated else ''}{words}: {value}."
                )
        if candidate.scope:
            text = f"{text.rstrip('.')} ({candidate.scope.replace(':', ': ')})."
        return text


class Registry:
    """A snapshot of the attributes and their aliases."""

    def __init__(self, attributes: Mapping[str, Known], aliases: Mapping[str, str]) -> None:
        self._attributes = attributes
        self._aliases = aliases

    def __contains__(self, key: str) -> bool:
        return key in self._attributes

    def names(self) -> Mapping[str, str]:
        """Every name that means a known attribute, its own and its aliases, with its key."""
        return {**self._aliases, **{key: key for key in self._attributes}}

    def canonical(self, key: str) -> str:
        """The known key that ``key`` names, by itself or as an alias; else ``key``."""
        return key if key in self._attributes else self._aliases.get(key, key)

    def canonicalise(self, candidate: Candidate) -> Candidate:
        """The candidate under its canonical key: aliases resolved, and opposites turned into
        negations. A denied opposite ("I don't hate it") stays as it is: it affirms nothing."""
        key = self.canonical(candidate.attribute)
        turned = OPPOSITES.get(key)
        if turned is not None and turned in self._attributes and candidate.polarity == "affirmed":
            return replace(candidate, attribute=turned, polarity="negated")
        return candidate if key == candidate.attribute else replace(candidate, attribute=key)

    def get(self, key: str, *, kind: Kind = "preference") -> Known:
        """The attribute, by key or alias; an open one of ``kind`` when it is not known."""
        key = self.canonical(key)
        return self._attributes.get(key) or Known(key=key, kind=kind, single=False)

    def statement(self, candidate: Candidate) -> str:
        """The candidate as one English sentence, under its canonical key."""
        return self.get(candidate.attribute, kind=candidate.kind).statement(candidate)

    def hints(self) -> tuple[AttributeHint, ...]:
        """The known attributes as an extractor may be told of them."""
        names: dict[str, list[str]] = {}
        for alias, key in self._aliases.items():
            names.setdefault(key, []).append(alias)
        return tuple(
            AttributeHint(
                known.key,
                known.kind,
                known.single,
                sensitive=known.sensitive,
                sentence=known.sentence,
                names=tuple(names.get(known.key, ())),
            )
            for known in self._attributes.values()
        )


def load() -> Registry:
    """The registry as the database has it now."""
    attributes: dict[str, Known] = {}
    aliases: dict[str, str] = {}
    for row in Attribute.objects.all():
        attributes[row.key] = Known(
            key=row.key,
            kind=row.kind,  # type: ignore[arg-type]  # the column's choices are Kind
            single=row.cardinality == Attribute.Cardinality.SINGLE,
            sensitive=row.sensitive,
            ttl_days=row.ttl_days,
            group=row.group,
            sentence=row.sentence,
            negated=row.negated,
            other=row.other,
        )
        for alias in row.aliases:
            aliases.setdefault(alias, row.key)
    for negative, positive in OPPOSITES.items():
        if negative in attributes and positive in attributes:
            attributes[positive] = replace(
                attributes[positive], other_negated=attributes[negative].other
            )
    return Registry(attributes, aliases)


@cache
def seeds() -> list[dict[str, Any]]:
    """The attributes that the project ships, from ``data/attributes.json``."""
    rows: list[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))
    return rows


def seed(*, using: str = "default") -> int:
    """Add the shipped attributes that the table lacks; what an admin changed stays.
    Returns how many were added."""
    attributes = Attribute.objects.using(using)
    with transaction.atomic(using=using):
        before = attributes.count()
        attributes.bulk_create([Attribute(**row) for row in seeds()], ignore_conflicts=True)
        return attributes.count() - before
