"""Conversations and their messages, read back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from memoryapp.records import Role

from .base import In, PageQuery, UserName


class ConversationOut(BaseModel):
    id: UUID
    conversation: Annotated[str, Field(description="Your own id of it.")]
    title: str
    application: Annotated[UUID | None, Field(description="The application that sent it.")]
    created_at: datetime
    last_message_at: datetime
    learning: Annotated[
        Literal["on", "off", "temporary"],
        Field(description="off: nothing is learned from it; temporary: nothing of it is kept."),
    ]
    messages: int
    readable: Annotated[int, Field(description="Messages whose text is still kept.")]
    facts: Annotated[int, Field(description="Facts that it taught.")]


class ConversationChange(In):
    user: UserName = None
    learning: Annotated[
        Literal["on", "off", "temporary"],
        Field(
            description="What it leaves behind from now on: off keeps its messages and learns "
            "nothing from them, temporary keeps nothing. An application can only make it "
            "stricter."
        ),
    ]


class ConversationsOut(BaseModel):
    items: list[ConversationOut]
    next_cursor: str | None


class MessagesQuery(PageQuery):
    order: Annotated[Literal["oldest", "newest"], Field(description="Which come first.")] = "oldest"


class MessageOut(BaseModel):
    id: UUID
    external_id: Annotated[str | None, Field(description="Your own id of it, if you gave one.")]
    role: Role
    content: Annotated[str, Field(description="Empty once it is purged; secrets are redacted.")]
    sent_at: datetime
    received_at: datetime
    state: Literal["pending", "processed", "failed"]
    purged_at: Annotated[
        datetime | None, Field(description="When its text went: by retention, or erased.")
    ]
    facts: Annotated[list[UUID], Field(description="The facts that it proves.")]


class MessagesOut(BaseModel):
    items: list[MessageOut]
    next_cursor: str | None
