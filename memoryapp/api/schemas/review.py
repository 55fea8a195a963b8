"""What waits for the user's word."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memoryapp.api.fields import Value
from memoryapp.records import Supersession

from .base import In, UserName
from .facts import FactHeldOut, ProofOut


class AgainstOut(BaseModel):
    id: UUID
    statement: str


class ReviewItemOut(BaseModel):
    fact: FactHeldOut
    reason: Annotated[str, Field(description="Why it waits.")]
    against: Annotated[
        AgainstOut | None, Field(description="The current fact that it contradicts, if it does.")
    ]
    evidence: list[ProofOut]


class ReviewOut(BaseModel):
    items: list[ReviewItemOut]
    next_cursor: str | None


class SettleIn(In):
    model_config = ConfigDict(json_schema_extra={"examples": [{"user": "user-17"}]})

    user: UserName = None


class ReviewChange(In):
    model_config = ConfigDict(json_schema_extra={"examples": [{"value": "oat milk"}]})

    user: UserName = None
    value: Value
    supersession: Annotated[
        Supersession,
        Field(description="correction: what was read was wrong; change: it has changed since."),
    ] = "correction"


class WishHeldOut(BaseModel):
    """A "forget that …" which matched nothing, or several things."""

    id: UUID
    what: Annotated[str, Field(description="The user's words.")]
    state: Literal["open", "done", "dismissed"]
    asked_at: datetime
    settled_at: datetime | None
    message: UUID | None


class WishesOut(BaseModel):
    items: list[WishHeldOut]
    next_cursor: str | None
