"""What the bodies share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from memoryapp.api.fields import Name, Text

UserName = Annotated[
    Name | None,
    Field(
        description="The application's own id of its user; left out with a personal key.",
    ),
]


class In(BaseModel):
    # A misspelt field is an error, not a surprise.
    model_config = ConfigDict(extra="forbid")


class UserQuery(BaseModel):
    user: UserName = None


class PageQuery(UserQuery):
    cursor: Annotated[
        Text | None,
        Field(
            description="next_cursor of the page before.",
            json_schema_extra={"pattern": "^[A-Za-z0-9_-]+$"},
        ),
    ] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50


class FieldErrorOut(BaseModel):
    field: Annotated[str, Field(examples=["messages[0].sent_at"])]
    code: Annotated[str, Field(examples=["naive_time"])]
    detail: str
    hint: Annotated[str, Field(description="The cure.")]


class ProblemOut(BaseModel):
    """RFC 9457."""

    type: Annotated[str, Field(examples=["urn:memoryapp:problem:invalid"])]
    title: str
    status: int
    detail: str
    errors: list[FieldErrorOut] | None = None
