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


class ExportedSettingsOut(_Exported):
    language: str
    time_zone: str
    paused: bool
    retention_days: int | None
    sensitive_opt_in: list[str]
    applications: list[ExportedAccessOut]


class ExportedEvidenceOut(_Exported):
    id: UUID
    source: str
    message: UUID | None
    conversation: UUID | None
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
    recalls: int
    last_recalled_at: datetime | None
    evidence: list[ExportedEvidenceOut]
    decisions: list[ExportedDecisionOut]


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


class ExportedChainOut(_Exported):
    events: int
    whole: bool
    head: str


class ExportOut(_Exported):
    format: Literal["memoryapp"]
    version: Literal[1]
    exported_at: datetime
    user: ExportedUserOut
    settings: ExportedSettingsOut
    facts: list[ExportedFactOut]
    conversations: list[ExportedConversationOut]
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
