"""Conversation turns."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from memoryapp.api.fields import Content, Name, PastTime
from memoryapp.records import Role

from .base import In, UserName


class MessageIn(In):
    id: Annotated[Name | None, Field(description="Your own id; the same id is stored once.")] = None
    role: Role
    content: Content
    sent_at: Annotated[PastTime, Field(description="When it was written, with a time zone.")]


class MessagesIn(In):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "user": "user-17",
                    "conversation": "chat-42",
                    "messages": [
                        {
                            "id": "m1",
                            "role": "user",
                            "content": "I switched from Vim to VS Code.",
                            "sent_at": "2026-03-01T09:30:00Z",
                        },
                        {
                            "id": "m2",
                            "role": "assistant",
                            "content": "Noted. Shall I set up your key bindings?",
                            "sent_at": "2026-03-01T09:30:04Z",
                        },
                    ],
                }
            ]
        }
    )

    user: UserName = None
    conversation: Annotated[Name, Field(description="Your own id of the conversation.")]
    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=100)]
    learning: Annotated[
        Literal["on", "off", "temporary"],
        Field(
            description="What the conversation leaves behind from now on: off keeps its "
            "messages and learns nothing from them, temporary keeps nothing. It only gets "
            "stricter: what the user, or an earlier call, has chosen stands."
        ),
    ] = "on"


class AcceptedOut(BaseModel):
    conversation: str
    accepted: int
    duplicates: int
    status_url: str
    paused: Annotated[
        bool, Field(description="The user has paused the memory: nothing was stored.")
    ] = False
    temporary: Annotated[
        bool, Field(description="The conversation is temporary: nothing was stored.")
    ] = False


class WishOut(BaseModel):
    message: Annotated[str, Field(description="Your id of the message; empty if it had none.")]
    outcome: Annotated[
        Literal["erased", "asked", "dismissed"],
        Field(
            description="Erased at once; or the user is asked on the page, since nothing or "
            "several things matched; or taken back there."
        ),
    ]


class StatusOut(BaseModel):
    pending: int
    processed: int
    failed: int
    forget: Annotated[
        list[WishOut], Field(description='What became of each "forget that …" in it.')
    ] = []
