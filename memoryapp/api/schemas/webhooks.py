"""Webhooks, events, and taking back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, model_validator

from memoryapp.api.fields import WHOLE, Text, Time, refuse

from .base import In

EventType = Literal[
    "memory.created",
    "memory.updated",
    "memory.erased",
    "review.waiting",
    "import.finished",
    "conversation.read",
]
Url = Annotated[
    Text,
    Field(min_length=1, max_length=2000, description="https, without a password in it."),
]
Description = Annotated[Text, Field(max_length=200, description="A note for yourself.")]
Wanted = Annotated[
    list[EventType], Field(max_length=6, description="The events that it wants; none means all.")
]


class WebhookIn(In):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "url": "https://chat.example.com/hooks/memory",
                    "events": ["memory.created", "memory.updated"],
                }
            ]
        }
    )

    url: Url
    description: Description = ""
    events: Wanted = Field(default_factory=list)


class WebhookChange(In):
    model_config = ConfigDict(json_schema_extra={"examples": [{"enabled": False}]})

    # Left out is not null: what counts is in ``model_fields_set``.
    url: Url = Field(default_factory=str)
    description: Description = Field(default_factory=str)
    events: Wanted = Field(default_factory=list)
    enabled: Annotated[bool, Field(strict=True)] = Field(default_factory=bool)


class RotateIn(In):
    overlap_seconds: Annotated[
        int,
        Field(
            strict=True,
            ge=0,
            le=604_800,
            description="For so long the old secret signs too, beside the new one.",
        ),
        WHOLE,
    ] = 86_400


class ReplayIn(In):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"since": "2026-03-01T00:00:00Z", "until": "2026-03-02T00:00:00Z"}],
            "anyOf": [{"required": ["deliveries"]}, {"required": ["since"]}],
        }
    )

    deliveries: list[UUID] = Field(default=[], max_length=1000)
    since: Annotated[Time | None, Field(description="Events of this time or later …")] = None
    until: Annotated[Time | None, Field(description="… and before this; now when left out.")] = None

    @model_validator(mode="after")
    def _one_of_both(self) -> ReplayIn:
        if bool(self.deliveries) == (self.since is not None):
            raise refuse(
                "one_of",
                _("Either deliveries or a time is needed."),
                _("Send “deliveries”, or “since” and perhaps “until”."),
            )
        return self


class WebhookOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    url: str
    description: str
    events: list[str]
    enabled: bool
    disabled_reason: Annotated[
        str,
        Field(
            description="asked, failing (nothing accepted for days), gone (it answered 410), "
            "key_changed (rotate the secret); empty while it is enabled."
        ),
    ]
    created_at: datetime
    disabled_at: datetime | None
    failing_since: datetime | None
    last_success_at: datetime | None
    previous_secret_until: Annotated[
        datetime | None, Field(description="Until then the secret before this one signs too.")
    ]


class WebhookMadeOut(WebhookOut):
    secret: Annotated[
        str, Field(description="`whsec_…`: shown now and never again.", examples=["whsec_…"])
    ]


class WebhooksOut(BaseModel):
    items: list[WebhookOut]


class TriedOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    delivered: bool
    status: Annotated[int, Field(description="What the receiver answered; 0 for nothing.")]
    error: Annotated[
        str,
        Field(
            description="status, redirect, timeout, tls, connection, unknown_host, "
            "forbidden_address, url, https, malformed; empty when it was delivered."
        ),
    ]
    milliseconds: int


class AttemptOut(BaseModel):
    at: datetime
    status: int
    error: str
    milliseconds: int


class DeliveryOut(BaseModel):
    id: UUID
    message: Annotated[str, Field(description="The header webhook-id.")]
    type: str
    user: str | None
    state: Literal["pending", "delivered", "failed"]
    created_at: datetime
    next_attempt_at: datetime | None
    ended_at: datetime | None
    error: str
    attempts: list[AttemptOut]


class DeliveriesOut(BaseModel):
    items: list[DeliveryOut]
    next_cursor: str | None


class ReplayedOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    queued: int
    more: Annotated[
        datetime | None,
        Field(description="When there were too many for once: the next call's “since”."),
    ]


class TakenBackOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    undone: Annotated[list[UUID], Field(description="The facts that were taken back.")]
    restored: Annotated[list[UUID], Field(description="The facts that hold again.")]
