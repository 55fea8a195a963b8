"""What an own export holds, as the importer hands it to the store: frozen values, standard
library only. Ids are the export's own; whose they are here, the store finds out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memoryapp.records import Kind, Operation, Polarity, Precision, Role


@dataclass(frozen=True, slots=True)
class BroughtMessage:
    """``external_id`` is empty when there was none; ``content`` when it was cleared away."""

    id: UUID
    external_id: str
    role: Role
    content: str
    sent_at: datetime
    received_at: datetime
    pending: bool
    redactions: int
    purged_at: datetime | None


@dataclass(frozen=True, slots=True)
class BroughtConversation:
    id: UUID
    external_id: str
    title: str
    created_at: datetime
    last_message_at: datetime
    learning: str
    messages: Sequence[BroughtMessage]


@dataclass(frozen=True, slots=True)
class BroughtProof:
    """``message`` is None when the words were typed, or their message is gone."""

    id: UUID
    message: UUID | None
    start: int
    end: int
    quote: str
    sent_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    precision: Precision
    correction: bool
    confidence: float
    importance: float
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class BroughtDecision:
    id: UUID
    at: datetime
    outcome: str
    judge: str
    reason: str
    scores: Mapping[str, Any]
    message: UUID | None


@dataclass(frozen=True, slots=True)
class BroughtFact:
    """A stretch of a key's timeline with all that stands behind it; ``proofs`` is never
    empty."""

    id: UUID
    subject: str
    attribute: str
    scope: str
    value: str
    polarity: Polarity
    operation: Operation
    statement: str
    kind: Kind
    confidence: float
    importance: float
    chosen_importance: float | None
    pinned: bool
    sensitivity: str
    status: str
    valid_from: datetime
    valid_to: datetime | None
    precision: Precision
    recorded_at: datetime
    closed_at: datetime | None
    retired_at: datetime | None
    superseded_by: UUID | None
    supersession: str
    last_stated_at: datetime
    expires_at: datetime | None
    expiry_chosen: bool
    recalls: int
    last_recalled_at: datetime | None
    proofs: Sequence[BroughtProof]
    decisions: Sequence[BroughtDecision]

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.subject, self.attribute, self.scope)


@dataclass(frozen=True, slots=True)
class BroughtLink:
    """``kind`` is a FactLink's, or ``superseded_by``: then ``supersession`` says how ``target``
    replaced ``source``."""

    source: UUID
    target: UUID
    kind: str
    weight: float
    made_at: datetime | None
    supersession: str = ""


@dataclass(frozen=True, slots=True)
class BroughtName:
    """By the user's word, whoever is called ``alias`` is ``subject``; ``proofs`` are those that
    stood under the alias."""

    alias: str
    subject: str
    made_at: datetime
    proofs: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class BroughtSettings:
    """Only what the export names; ``sensitive`` may hold categories that aren't known here.
    ``topics`` are those never to remember: words, attribute, area, sensitivity, of which one
    is said. ``expiry`` are days by kind, None for always."""

    language: str | None = None
    time_zone: str | None = None
    retention_days: int | None = None
    sensitive: Sequence[str] = field(default_factory=tuple)
    expiry: Mapping[str, int | None] = field(default_factory=dict)
    topics: Sequence[tuple[str, str, str, str]] = field(default_factory=tuple)
    review_keys: bool | None = None


Brought = BroughtConversation | BroughtFact | BroughtLink | BroughtName | BroughtSettings
