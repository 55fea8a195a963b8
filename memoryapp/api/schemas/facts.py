"""Facts listed, corrected, erased."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, model_validator

from memoryapp.api.fields import Text, Time, Value, refuse
from memoryapp.records import Kind, Supersession

from .base import In, PageQuery, UserName, UserQuery
from .recall import FactOut

Status = Literal[
    "current", "superseded", "retracted", "pending", "rejected", "expired", "archived", "all"
]


class FactHeldOut(FactOut):
    """A fact with all that is held of it."""

    pinned: bool
    chosen_importance: Annotated[
        float | None, Field(description="What the user made of its importance, if they did.")
    ]
    sensitivity: Annotated[
        str, Field(description="The special category that it belongs to; empty for none.")
    ]
    supersession: Annotated[
        str, Field(description="How it ended: change, correction, end; empty while it holds.")
    ]
    last_stated_at: datetime
    expiry_chosen: Annotated[bool, Field(description="Whether the user set when it expires.")]
    etag: Annotated[str, Field(description="What GET answers as its ETag: for If-Match.")]


class FactsQuery(PageQuery):
    status: Status = "current"
    attribute: Text | None = None
    kind: Kind | None = None
    subject: Text | None = None
    scope: Text | None = None
    pinned: bool | None = None
    conversation: Annotated[
        Text | None, Field(description="Your id of the conversation that it was learned from.")
    ] = None
    recorded_from: Annotated[Time | None, Field(description="Learned at this time or later.")] = (
        None
    )
    recorded_to: Annotated[Time | None, Field(description="Learned before this time.")] = None
    importance_from: Annotated[float | None, Field(ge=0, le=1, allow_inf_nan=False)] = None


class FactsOut(BaseModel):
    items: list[FactHeldOut]
    next_cursor: str | None


class ProofOut(BaseModel):
    """The user's own words behind a fact; empty when they typed it on their page."""

    quote: str
    source: Annotated[str, Field(description="message, import, or edit: the user's own hand.")]
    sent_at: datetime
    conversation: str | None
    message: Annotated[
        UUID | None, Field(description="The message, and where in it the quote stands.")
    ]
    start: int
    end: int


class DecisionOut(BaseModel):
    """What became of a statement, and why."""

    model_config = ConfigDict(from_attributes=True)

    at: datetime
    outcome: str
    judge: str
    reason: str
    scores: dict[str, Any]


class HistoryOut(BaseModel):
    fact: FactHeldOut
    timeline: Annotated[
        list[FactHeldOut],
        Field(description="What held under its key at which time, it among them; newest first."),
    ]
    evidence: Annotated[list[ProofOut], Field(description="Newest first.")]
    decisions: Annotated[list[DecisionOut], Field(description="Oldest first.")]


class FactChange(In):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"value": "Neovim", "supersession": "change", "since": "2026-03"},
                {"pinned": True},
            ],
            "anyOf": [
                {"required": ["value"]},
                {"required": ["pinned"]},
                {"required": ["importance"]},
                {"required": ["since"]},
                {"required": ["scope"]},
                {"required": ["expires_at"]},
            ],
        }
    )

    user: UserName = None
    # Left out is not null: what counts is in ``model_fields_set``.
    value: Value = Field(default_factory=str)
    supersession: Annotated[
        Supersession,
        Field(description="change: it is so from now on; correction: it was never otherwise."),
    ] = "change"
    pinned: bool = Field(
        default_factory=bool, strict=True, description="A pinned fact doesn't run out."
    )
    importance: Annotated[
        float | None,
        Field(
            strict=True,
            ge=0,
            le=1,
            allow_inf_nan=False,
            description="How much it counts in recall, 0 for not at all; null leaves it to the "
            "evidence again.",
        ),
    ] = None
    since: Annotated[
        str,
        Field(
            default_factory=str,
            pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$",
            description="Since when it has been so: a day, a month or a year where the user is. "
            "Alone, it puts right since when the value holds.",
        ),
    ]
    scope: Annotated[
        Text,
        Field(
            default_factory=str,
            max_length=120,
            description="Where it holds; empty for everywhere. What it had replaced where it was "
            "holds again there.",
        ),
    ]
    expires_at: Annotated[
        Time | None, Field(description="When it runs out; null leaves it to its kind again.")
    ] = None

    @model_validator(mode="after")
    def _changes_something(self) -> FactChange:
        changes = {"value", "pinned", "importance", "since", "scope", "expires_at"}
        if not changes & self.model_fields_set:
            raise refuse(
                "nothing",
                _("Nothing is to be changed."),
                _("Send value, since, scope, pinned, importance or expires_at."),
            )
        return self


class UseOut(BaseModel):
    """An answer or a look-up that used a fact."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    at: datetime
    via: Annotated[
        str, Field(description="chat, context, recall, mcp, check, or try: the page's own chat.")
    ]
    application: Annotated[
        str | None,
        Field(description="The application's name; null for the user, empty when it is gone."),
    ]
    conversation: Annotated[
        str | None, Field(description="Your id of the conversation in which it is kept.")
    ]
    message: Annotated[UUID | None, Field(description="The answer, where it is kept.")]


class UsesOut(BaseModel):
    items: Annotated[list[UseOut], Field(description="Newest first.")]
    next_cursor: str | None


class EraseQuery(UserQuery):
    restore_previous: Annotated[
        bool, Field(description="Let the value that it replaced hold again.")
    ] = False


class ReceiptOut(BaseModel):
    """What was erased: ids and counts, never content."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    target: str
    fact_ids: list[UUID]
    counts: dict[str, int]
    requested_at: datetime
    completed_at: datetime
    storage_completed_at: Annotated[
        datetime | None, Field(description="When the storage was cleaned too; later.")
    ]
