"""Everything of one user as a document. ``memoryapp.exporting`` writes it piece by piece; a
test holds the two together. What is null, false or empty is written all the same."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from .facts import ReceiptOut


class _Exported(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ExportedUserOut(_Exported):
    id: UUID
    email: str | None
    display_name: str
    joined_at: datetime


class ExportedAccessOut(_Exported):
    application: UUID
    name: str
    may_read: bool
    may_write: bool


class ExportedTopicOut(_Exported):
    """What is never remembered: one of the four says it."""

    id: UUID
    words: str
    attribute: str
    area: str
    sensitivity: str
    left_out: int
    last_left_out_at: datetime | None


class ExportedSettingsOut(_Exported):
    language: str
    time_zone: str
    paused: bool
    paused_until: datetime | None
    retention_days: int | None
    sensitive_opt_in: list[str]
    expiry: dict[str, int | None]
    never_remember: list[ExportedTopicOut]
    review_keys: bool
    applications: list[ExportedAccessOut]


class ExportedEvidenceOut(_Exported):
    id: UUID
    source: str
    message: UUID | None
    conversation: UUID | None
    source_import: UUID | None
    start: int
    end: int
    quote: Annotated[str, Field(description="The user's own words.")]
    sent_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    precision: str
    correction: bool
    confidence: float
    importance: float
    recorded_at: datetime


class ExportedDecisionOut(_Exported):
    id: UUID
    at: datetime
    outcome: str
    judge: str
    reason: str
    scores: dict[str, Any]
    message: UUID | None


class ExportedFactOut(_Exported):
    """A stretch of a key's timeline; those that were replaced are facts of their own, linked
    by `superseded_by`. `operation` is `end` for a mark that something is no longer so."""

    id: UUID
    subject: str
    attribute: str
    scope: str
    value: str
    polarity: str
    operation: str
    statement: str
    kind: str
    confidence: float
    importance: float
    chosen_importance: float | None
    pinned: bool
    sensitivity: str
    status: str
    valid_from: datetime
    valid_to: datetime | None
    precision: str
    recorded_at: datetime
    closed_at: datetime | None
    retired_at: datetime | None
    superseded_by: UUID | None
    supersession: str
    last_stated_at: datetime
    expires_at: datetime | None
    expiry_chosen: Annotated[bool, Field(description="Whether the user set when it expires.")]
    recalls: int
    last_recalled_at: datetime | None
    evidence: list[ExportedEvidenceOut]
    decisions: list[ExportedDecisionOut]


class ExportedLinkOut(_Exported):
    """`source` follows from, is derived from, or contradicts `target`; both are facts."""

    id: UUID
    source: UUID
    target: UUID
    kind: str
    weight: float
    made_at: datetime


class ExportedNameOut(_Exported):
    """By the user's word, whoever is called `alias` is `subject`; `evidence` are the proofs
    that stood under the alias."""

    id: UUID
    alias: str
    subject: str
    made_at: datetime
    evidence: list[UUID]


class ExportedLooseDecisionOut(ExportedDecisionOut):
    """A decision that no fact carries: what was left out, and why."""

    subject: str
    attribute: str
    scope: str
    value: str


class ExportedUseOut(_Exported):
    """An answer or a look-up that used a fact; `application` is null for the user's own."""

    id: UUID
    fact: UUID
    at: datetime
    application: UUID | None
    via: str
    conversation: UUID | None
    message: UUID | None


class ExportedActOut(_Exported):
    """What was done to a fact by hand; one `act` may be of several facts."""

    id: UUID
    act: UUID
    fact: UUID
    kind: str
    actor: str
    at: datetime
    undone_at: datetime | None


class ExportedMessageOut(_Exported):
    id: UUID
    external_id: str | None
    role: str
    content: str
    sent_at: datetime
    received_at: datetime
    state: str
    redactions: int
    purged_at: datetime | None
    source_import: UUID | None


class ExportedConversationOut(_Exported):
    id: UUID
    external_id: str
    title: str
    application: UUID | None
    created_at: datetime
    last_message_at: datetime
    learning: str
    messages: list[ExportedMessageOut]


class ExportedExtractionOut(_Exported):
    id: UUID
    conversation: UUID | None
    extractor: str
    version: str
    started_at: datetime
    ended_at: datetime | None
    outcome: str
    messages: int
    candidates: int
    dropped: dict[str, Any]
    tokens: int


class ExportedWishOut(_Exported):
    id: UUID
    what: str
    state: str
    asked_at: datetime
    settled_at: datetime | None
    message: UUID | None


class ExportedImportOut(_Exported):
    id: UUID
    format: str
    state: str
    size: int
    preview: dict[str, Any]
    counts: dict[str, Any]
    error: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class ExportedTokensOut(_Exported):
    day: date
    tokens: int


class ExportedEventOut(_Exported):
    seq: int
    at: datetime
    actor: str
    action: str
    object: str
    details: dict[str, Any]
    hash: Annotated[str, Field(description="Hexadecimal; it covers the event before too.")]


class ExportedChainOut(_Exported):
    events: int
    whole: bool
    head: str


class ExportOut(_Exported):
    format: Literal["memoryapp"]
    version: Literal[2]
    exported_at: datetime
    user: ExportedUserOut
    settings: ExportedSettingsOut
    conversations: list[ExportedConversationOut]
    facts: Annotated[
        list[ExportedFactOut],
        Field(description="Those of one subject, attribute and scope stand together."),
    ]
    links: list[ExportedLinkOut]
    names: list[ExportedNameOut]
    decisions: Annotated[
        list[ExportedLooseDecisionOut],
        Field(description="Those that no fact carries; a fact's own stand with it."),
    ]
    uses: list[ExportedUseOut]
    acts: list[ExportedActOut]
    extractions: list[ExportedExtractionOut]
    wishes: Annotated[
        list[ExportedWishOut], Field(description='Each "forget that …" that needed the user.')
    ]
    imports: list[ExportedImportOut]
    tokens: Annotated[
        list[ExportedTokensOut], Field(description="A model's tokens used, by day (UTC).")
    ]
    erasures: list[ReceiptOut]
    log: list[ExportedEventOut]
    log_verified: ExportedChainOut
