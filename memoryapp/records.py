"""What the stages hand to each other: frozen values, standard library only.

Times are timezone-aware UTC datetimes. Intervals are half-open: ``[from, to)``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

Role = Literal["user", "assistant", "system", "tool"]
Kind = Literal["personal", "preference", "constraint", "decision", "entity", "project", "event"]
Polarity = Literal["affirmed", "negated"]
Operation = Literal["state", "end"]
Precision = Literal["instant", "day", "month", "year"]
Outcome = Literal["add", "corroborate", "supersede", "retract", "conflict", "ignore"]
Supersession = Literal["change", "correction"]

KINDS: tuple[Kind, ...] = (
    "personal",
    "preference",
    "constraint",
    "decision",
    "entity",
    "project",
    "event",
)


def normalise(value: str) -> str:
    """The form in which two values count as the same: NFKC, casefolded, single
    spaces, no leading English article, no punctuation at the ends. Letters of
    every script stay as they are."""
    text = unicodedata.normalize("NFKC", value).casefold()
    text = re.sub(r"\s+", " ", text).strip(" \t\n.,;:!?\"'“”‘’()[]。，！？、")
    return re.sub(r"^(?:the|an?|my|our)\s+(?=\S)", "", text)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation as an extractor sees it: secrets already
    redacted, memory blocks that we injected already stripped."""

    message_id: UUID
    role: Role
    content: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A current fact, given to an extractor as data so that it can resolve
    "it" and "no longer"."""

    subject: str
    attribute: str
    scope: str
    value: str
    polarity: Polarity = "affirmed"


@dataclass(frozen=True, slots=True)
class AttributeHint:
    """A known attribute as an extractor may be told of it. ``sentence`` says what it means
    with ``{value}`` in it; ``names`` are its other names."""

    key: str
    kind: Kind
    single: bool
    sensitive: str = ""
    sentence: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """What an extractor is given. Only ``turns`` may be evidence; ``context``
    holds the turns before them, already extracted, for reference alone.
    ``attributes`` is the registry, from which an extractor takes what it needs."""

    turns: Sequence[Turn]
    context: Sequence[Turn] = ()
    known: Sequence[KnownFact] = ()
    time_zone: str = "UTC"
    language: str = ""
    attributes: Sequence[AttributeHint] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """A character span of one message, and its text, verbatim."""

    message_id: UUID
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact that an extractor, or the user on the page, proposes.

    ``operation`` is ``state`` for "it is so" (or, with ``polarity`` negated,
    "it is not so") and ``end`` for "no longer": an end closes the named value
    and states nothing by itself. ``valid_from`` and ``valid_to`` are set only
    when the words say so ("since 2019", "until May"); else the statement's time
    counts. ``correction`` is true when the words say that what was held before
    was never so ("no, my name is Sam, not Samantha").
    """

    subject: str
    attribute: str
    value: str
    quote: Quote | None
    sent_at: datetime
    kind: Kind = "preference"
    scope: str = ""
    polarity: Polarity = "affirmed"
    operation: Operation = "state"
    statement: str = ""
    confidence: float = 0.8
    importance: float = 0.5
    sensitivity: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    precision: Precision = "instant"
    correction: bool = False


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A current fact under another key that a candidate may repeat or contradict. ``cosine``
    is of the two statements' vectors, 0 where one has none."""

    fact_id: UUID
    attribute: str
    scope: str
    value: str
    value_key: str
    polarity: Polarity
    kind: Kind
    statement: str
    last_stated_at: datetime
    cosine: float


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the judge says of a candidate and one neighbour: ``same`` (one fact, the
    neighbour's key), ``replaces`` (the neighbour ended), ``adds`` (both hold), ``conflicts``
    (both can't hold, and the user is asked)."""

    verdict: Literal["same", "replaces", "adds", "conflicts"]
    judge: Literal["rule", "model"]
    reason: str
    neighbour: Neighbour


@dataclass(frozen=True, slots=True)
class Fold:
    """An open attribute's name that means a known one: ``key``, and the cosine of the two
    names' vectors."""

    key: str
    cosine: float


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """ "Forget that I have a dog": what the user asked in chat to have erased."""

    quote: Quote
    what: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that broke a rule, and the rule: ``no_quote``, ``not_user``,
    ``excluded_region``, ``off_schema``, ``unknown_message`` … Never its content."""

    reason: str


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """What one run found. ``tokens`` counts a model's tokens, 0 for rules. ``unread`` are
    messages that a model failed on while it read the others, and ``unread_reason`` is how
    (a ProviderError's code)."""

    candidates: Sequence[Candidate] = ()
    forget: Sequence[ForgetRequest] = ()
    dropped: Sequence[Dropped] = ()
    tokens: int = 0
    unread: frozenset[UUID] = frozenset()
    unread_reason: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's whole answer, checked to have ended properly."""

    text: str
    tokens: int
    format: Literal["json_schema", "json_object", "text"]


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """Every factor of a hit's score (DESIGN section 6), each in [0, 1] but
    ``age_days`` and ``stickiness``. ``support`` says how sure it is that the fact is about
    the question at all, and is held against the floor: from ``vector``, the ``coverage`` of
    the question's words, how near the question is to the fact's ``attribute``, and whether
    the fact is ``about`` the one asked about. ``during`` is added for the time named."""

    vector: float
    text: float
    relevance: float
    recency: float
    confidence: float
    importance: float
    age_days: float
    stickiness: float
    support: float = 0.0
    coverage: float = 0.0
    attribute: float = 0.0
    about: float = 1.0
    during: float = 0.0


@dataclass(frozen=True, slots=True)
class EvidenceView:
    quote: str
    role: str
    sent_at: datetime
    conversation: str


@dataclass(frozen=True, slots=True)
class Link:
    """An earlier value in a hit's chain, newest first."""

    id: UUID
    value: str
    statement: str
    valid_from: datetime | None
    valid_to: datetime | None
    supersession: str


@dataclass(frozen=True, slots=True)
class Excerpt(EvidenceView):
    """A passage of a past message, the user's or the assistant's. ``outdated`` when all
    that it proved about the user is no longer so."""

    message: UUID
    score: float
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """A fact that hangs together with a hit, ``depth`` steps away. ``kind`` is how the step
    before stands to it: ``follows_from`` or ``derived_from`` it, ``contradicts`` it, or is
    what it ``leads_to``."""

    id: UUID
    kind: Literal["follows_from", "derived_from", "contradicts", "leads_to"]
    depth: int
    statement: str
    status: str
    valid_from: datetime | None
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class Hit:
    """``reason`` says in words why it was found."""

    fact: Mapping[str, Any]
    score: float
    parts: ScoreParts
    evidence: Sequence[EvidenceView] = ()
    chain: Sequence[Link] = ()
    related: Sequence[Related] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """``abstained`` is true when nothing relevant is known; ``hits`` and ``excerpts`` are
    then empty. ``milliseconds`` says how long the parts took (``embed``, ``db``,
    ``excerpts``). ``since`` and ``until`` are the time that the query's own words named."""

    hits: Sequence[Hit]
    abstained: bool
    excerpts: Sequence[Excerpt] = ()
    since: datetime | None = None
    until: datetime | None = None
    milliseconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Citation:
    number: int
    fact_id: UUID
    quote: str
    sent_at: datetime | None


@dataclass(frozen=True, slots=True)
class PassageCitation:
    """A passage in a prompt block; ``quote`` is what stands there."""

    number: int
    message: UUID
    role: str
    quote: str
    sent_at: datetime
    conversation: str


@dataclass(frozen=True, slots=True)
class Grounding:
    """``citations`` and ``passages`` share one series of numbers."""

    context: str
    citations: Sequence[Citation]
    abstained: bool
    tokens: int = 0
    passages: Sequence[PassageCitation] = ()


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """What a caller of recall may set; the defaults are DESIGN section 6's."""

    k: int = 6
    as_of: datetime | None = None
    known_at: datetime | None = None
    kinds: Sequence[str] = ()
    scopes: Sequence[str] | None = None
    subjects: Sequence[str] = ()
    time_weight: float = 0.15
    half_life_days: float | None = None
    floor: float | None = None
    token_budget: int | None = None
    attributes: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    excerpts: int = 3
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Assertion:
    """One piece of evidence as the timeline of a key sees it.

    ``fact_id`` is the row that carries it today, or None when it is new. ``start``
    orders the statements of one message.
    """

    id: UUID
    fact_id: UUID | None
    value: str
    value_key: str
    sent_at: datetime
    polarity: Polarity = "affirmed"
    operation: Operation = "state"
    start: int = 0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    precision: Precision = "instant"
    correction: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a key's timeline with one value: what one Fact row must say.

    ``assertions`` are in the order of their statements. An ``end`` run is the mark
    that "no longer" leaves: it is never current, and ``closes`` says whether it found
    something to end. ``supersession`` says what ended
    the run: ``change``, ``correction`` (then ``retired`` is true: it was never so),
    ``end`` for "no longer", or nothing. ``successor`` indexes the run that took over.
    """

    value: str
    value_key: str
    polarity: Polarity
    operation: Operation
    assertions: tuple[Assertion, ...]
    valid_from: datetime
    valid_to: datetime | None
    precision: Precision
    supersession: Supersession | Literal["", "end"] = ""
    retired: bool = False
    successor: int | None = None
    closes: bool = False

    @property
    def open(self) -> bool:
        """True for a statement that nothing has ended or replaced; it may name its own
        end, still to come when it was made."""
        return self.operation == "state" and not self.supersession and not self.retired
