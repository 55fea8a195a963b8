"""What a question asks: of whom, of when, and whether of the present."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memoryapp.timewords import find

USER, ASSISTANT = "user", "assistant"
# A longer range says too little of when (docs/retrieval.md).
LONGEST = timedelta(days=400)

_ASSISTANT_SAID = re.compile(
    r"\byou(?:'ve| have| had| just| also| once| previously| earlier)*"
    r" (?:said|told|mention(?:ed)?|recommended|suggested|provided|gave|given|listed|explained"
    r"|described|created|wrote|written|shared|made|helped|advised|proposed|came up)\b"
    r"|\bdid you (?:say|tell|mention|recommend|suggest|provide|give|list|explain|describe"
    r"|create|write|share|make|advise|propose)\b"
    r"|\byour (?:recommendation|suggestion|list|explanation|answer|advice|proposal|description)"
    r"|\bour (?:previous|last|earlier|past) (?:chat|conversation|discussion)",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:current(?:ly)?|now|so far|still|latest|newest|these days|nowadays|today"
    r"|most recent(?:ly)?|recent(?:ly)?|at the moment)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|my|me|mine|we|our)\b", re.IGNORECASE)
_PRESENT = re.compile(r"\b(?:do|does|am|is|are|have|has)\b|\bI['’](?:m|ve)\b", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:first|initial(?:ly)?|original(?:ly)?|before|used to|previous(?:ly)?|earlier|ago|last"
    r"|when|old|former(?:ly)?|began|did|was|were|had|would|after|during|in (?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?P<relation>before|after|since|until|when)\s+(?P<what>(?:I|my|we|our)\b[^,.;?!]*)",
    re.IGNORECASE,
)
# "the 27th" of a list is no day.
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)

Present = Literal["", "implied", "said"]
Relation = Literal["before", "after", "since", "until", "when"]


@dataclass(frozen=True, slots=True)
class Span:
    """A time that the question names, ``[since, until)``."""

    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """A time told by what happened: "before" and "I moved"."""

    relation: Relation
    what: str


@dataclass(frozen=True, slots=True)
class Question:
    """``text`` is what to embed and stem. ``author`` is whose words should answer, "" when
    anybody's may. ``present`` is ``said`` when a word says that the newest state is asked
    for ("currently"), ``implied`` when the tense does."""

    text: str
    author: str = ""
    spans: Sequence[Span] = ()
    present: Present = ""
    event: Event | None = None


def read(query: str, *, authors: Sequence[str], now: datetime, time_zone: str) -> Question:
    """The question in ``query``. ``authors`` are those who wrote the messages: the roles
    ``user`` and ``assistant``, or names, of which one that stands in the query is asked
    about and left out of ``text``. Time words count back from ``now``."""
    text = query
    if set(authors) <= {USER, ASSISTANT}:
        author = ASSISTANT if _ASSISTANT_SAID.search(query) else USER
    else:
        patterns = {
            name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)(?:['’]s)?") for name in authors
        }
        named = [name for name, pattern in patterns.items() if pattern.search(query)]
        author = named[0] if len(named) == 1 else ""
        for name in named:
            text = patterns[name].sub(" ", text)
        text = " ".join(text.split()) or query
    return Question(
        text=text,
        author=author if author in authors else "",
        spans=_spans(query, now, time_zone),
        present=_present(query),
        event=_event(query),
    )


def _spans(query: str, now: datetime, time_zone: str) -> tuple[Span, ...]:
    found = []
    for time in find(query, now=now, time_zone=time_zone, prefer="past"):
        if time.kind not in ("date", "datetime", "range") or time.from_ is None:
            continue
        if _ORDINAL.fullmatch(time.text.strip()) or time.from_ >= now:
            continue
        # Without an end: "since May" runs until now, a moment stands for its day.
        until = time.to or (now if time.kind == "range" else time.from_ + timedelta(days=1))
        if until - time.from_ <= LONGEST:
            found.append(Span(time.from_, until))
    return tuple(found)


def _present(query: str) -> Present:
    if _NOW.search(query):
        return "said"
    present = _FIRST_PERSON.search(query) and _PRESENT.search(query) and not _PAST.search(query)
    return "implied" if present else ""


def _event(query: str) -> Event | None:
    found = _EVENT.search(query)
    if found is None or len(found["what"].split()) < 2:
        return None
    relation: Relation = found["relation"].lower()  # type: ignore[assignment]  # of the five
    return Event(relation, found["what"].strip())
