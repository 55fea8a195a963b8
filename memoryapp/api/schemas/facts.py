"""Facts listed, corrected, erased."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memoryapp.api.fields import Text, Value
from memoryapp.records import Kind, Supersession

from .base import In, UserName, UserQuery
from .recall import FactOut

Status = Literal[
    "current", "superseded", "retracted", "pending", "rejected", "expired", "archived", "all"
]


class EraseQuery(UserQuery):
    restore_previous: Annotated[
        bool, Field(description="Let the value that it replaced hold again.")
    ] = False


class FactsQuery(UserQuery):
    status: Status = "current"
    attribute: Text | None = None
    kind: Kind | None = None
    subject: Text | None = None
    scope: Text | None = None
    cursor: Annotated[Text | None, Field(description="next_cursor of the page before.")] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class FactsOut(BaseModel):
    items: list[FactOut]
    next_cursor: str | None


class FactChange(In):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"value": "Neovim", "supersession": "change"}]}
    )

    user: UserName = None
    value: Value
    supersession: Annotated[
        Supersession,
        Field(description="change: it is so from now on; correction: it was never otherwise."),
    ] = "change"


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
