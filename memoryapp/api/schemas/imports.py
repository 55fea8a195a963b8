"""Exports of other products on their way in."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from .base import UserQuery
from .facts import ReceiptOut


class UploadQuery(UserQuery):
    pasted: Annotated[
        bool, Field(description="The body is text that somebody wrote: a list, or sentences.")
    ] = False


class PreviewOut(BaseModel):
    """What the file would bring. `skipped` and `notes` count by reason."""

    conversations: int = 0
    messages: int = 0
    memories: int = 0
    skipped: dict[str, int] = {}
    notes: dict[str, int] = {}
    first_at: datetime | None = None
    last_at: datetime | None = None


class ProgressOut(BaseModel):
    """How far it is, in conversations and memories, and the facts found so far."""

    model_config = ConfigDict(from_attributes=True)

    read: int
    total: int
    found: int
    to_review: int
    unread: Annotated[int, Field(description="Messages still to be read.")]
    waits_for: Annotated[
        str, Field(description="budget, or how a model failed; empty while the work goes on.")
    ]
    waits_until: datetime | None


class ImportOut(BaseModel):
    id: UUID
    state: Annotated[
        str,
        Field(
            description="looking, ready (waits for start), refused, storing, reading, done, "
            "failed (what had come in is kept), undone."
        ),
    ]
    format: str
    preview: PreviewOut
    progress: ProgressOut
    counts: Annotated[
        dict[str, int], Field(description="What was brought: new, had before, left out.")
    ]
    skipped: dict[str, int]
    error: Annotated[str, Field(description="Why it was refused or failed; empty otherwise.")]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class ImportsOut(BaseModel):
    items: list[ImportOut]
    next_cursor: str | None


class UndoneOut(BaseModel):
    receipt: Annotated[
        ReceiptOut | None, Field(description="None when the import had brought nothing yet.")
    ]
