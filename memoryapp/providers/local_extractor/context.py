"""What the rules know beside the clause, and how they say what they found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from memoryapp.records import (
    Batch,
    Candidate,
    ForgetRequest,
    KnownFact,
    Operation,
    Polarity,
    Precision,
    normalise,
)
from memoryapp.subjects import USER, subject

from .attributes import IMPORTANCE, registry
from .clauses import Clause
from .dates import When, find, until
from .people import NAMED_KIND, Person
from .reader import Mark
from .values import Span, trim, usable


@dataclass(slots=True)
class Context:
    """The batch's facts so far, on top of those known before it. ``last`` is the person
    named last in this message and ``own`` the message's own words; once it was ``read``,
    ``marks`` are what the reader saw in it, ``people`` whom they name.
    ``doubted``: a gate doubts the clause at hand."""

    batch: Batch
    known: list[KnownFact] = field(default_factory=list)
    last: str = ""
    own: str = ""
    read: bool = False
    marks: list[Mark] = field(default_factory=list)
    people: list[Person] = field(default_factory=list)
    doubted: bool = False
    forget: list[ForgetRequest] = field(default_factory=list)

    @property
    def relatives(self) -> dict[str, str]:
        """Each relation that exactly one known person has, and that person."""
        found: dict[str, set[str]] = {}
        for fact in self.known:
            if fact.attribute == "relation":
                found.setdefault(normalise(fact.value), set()).add(fact.subject)
        return {rel: next(iter(who)) for rel, who in found.items() if len(who) == 1}

    @property
    def animals(self) -> dict[str, str]:
        """Each kind of animal of which exactly one is known by name, and that pet."""
        found: dict[str, set[str]] = {}
        for fact in self.known:
            told = NAMED_KIND.fullmatch(fact.value) if fact.attribute == "pet" else None
            if told is not None and fact.subject == USER and fact.polarity == "affirmed":
                found.setdefault(told["kind"].lower(), set()).add(subject("pet", told["name"]))
        return {kind: next(iter(who)) for kind, who in found.items() if len(who) == 1}

    def learn(self, candidates: Iterable[Candidate]) -> None:
        """Count what was just found as known, so that later turns can refer to it."""
        for found in candidates:
            key = (found.subject, found.attribute, normalise(found.value))
            self.known = [
                fact
                for fact in self.known
                if (fact.subject, fact.attribute, normalise(fact.value)) != key
            ]
            if found.operation == "state":
                self.known.append(
                    KnownFact(
                        found.subject, found.attribute, found.scope, found.value, found.polarity
                    )
                )

    def named(self, words: str, *attributes: str, subject: str = USER) -> KnownFact | None:
        """The one known fact of the subject that ``words`` name, whole or in part."""
        wanted = normalise(words)
        pool = [
            fact
            for fact in self.known
            if fact.subject == subject
            and fact.polarity == "affirmed"
            and (not attributes or fact.attribute in attributes)
        ]
        exact = [fact for fact in pool if normalise(fact.value) == wanted]
        part = [
            fact
            for fact in pool
            if wanted
            and f" {wanted} " in f" {normalise(fact.value).replace('(', '').replace(')', '')} "
        ]
        for found in (exact, part):
            if len({(fact.attribute, fact.scope, fact.value) for fact in found}) == 1:
                return found[0]
        return None

    def when(self, clause: Clause, *, future: bool) -> When | None:
        return find(clause.text, clause.turn.sent_at, self.batch.time_zone, future=future)

    def fact(
        self,
        clause: Clause,
        attribute: str,
        value: Span | str,
        *,
        subject: str = USER,
        scope: str = "",
        polarity: Polarity = "affirmed",
        operation: Operation = "state",
        correction: bool = False,
        since: When | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        precision: Precision = "instant",
        confidence: float = 0.8,
        importance: float | None = None,
    ) -> list[Candidate]:
        """One candidate in a list, or an empty list when the value can't stand."""
        if isinstance(value, str):
            text = value.strip()
        else:
            start, end = trim(clause.text, *value)
            if not usable(clause.text[start:end]):
                return []
            text = clause.original(start, end)
        if not text:
            return []
        row = registry().get(attribute, {})
        kind = row.get("kind", "preference")
        if since is not None:
            valid_from, precision = since.begin, since.precision
        if valid_to is None and operation == "state":
            valid_to = until(clause.text, clause.turn.sent_at, self.batch.time_zone)
        return [
            Candidate(
                subject=subject,
                attribute=attribute,
                value=text,
                quote=clause.quote,
                sent_at=clause.turn.sent_at,
                kind=kind,
                scope=scope,
                polarity=polarity,
                operation=operation,
                confidence=confidence,
                importance=IMPORTANCE[kind] if importance is None else importance,
                sensitivity=row.get("sensitive", ""),
                valid_from=valid_from,
                valid_to=valid_to,
                precision=precision,
                correction=correction,
            )
        ]
