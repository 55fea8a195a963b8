"""An answer to be checked, and what came of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memoryapp.api.fields import Question

from .base import In, UserName


class CheckIn(In):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "user": "user-17",
                    "question": "Where do I live?",
                    "answer": "You live in Leeds with your dog Rex.",
                }
            ]
        }
    )

    user: UserName = None
    answer: Annotated[Question, Field(description="What the assistant said, or is about to.")]
    question: Annotated[
        Question | None,
        Field(description="What the user had asked: a bare “Porto.” is a claim only then."),
    ] = None


class ClaimFactOut(BaseModel):
    """A fact behind a verdict, with the user's newest words for it; no quote when they
    entered it themselves."""

    id: UUID
    subject: str
    attribute: str
    scope: str
    value: str
    polarity: str
    statement: str
    status: str
    valid_from: datetime
    valid_to: datetime | None
    precision: str
    quote: str
    said_at: datetime | None


class ClaimOut(BaseModel):
    start: Annotated[int, Field(description="In characters (code points) of the answer.")]
    end: int
    text: str
    verdict: Literal["supported", "outdated", "unsupported"]
    reason: Annotated[
        Literal["stated", "replaced", "ended", "expired", "contradicted", "never_so", "unknown"],
        Field(
            description=(
                "stated: a fact says so. replaced, ended, expired: it was so. contradicted: a "
                "fact says otherwise. never_so: the user corrected it. unknown: no fact says it."
            )
        ),
    ]
    facts: Annotated[
        list[ClaimFactOut], Field(description="What supports it, or what was so when outdated.")
    ]
    against: Annotated[
        ClaimFactOut | None, Field(description="What took over, or what says otherwise.")
    ]
    ended_at: Annotated[
        datetime | None, Field(description="When an outdated claim ceased to be so.")
    ]
    judge: Literal["rule", "model"]


class CheckOut(BaseModel):
    claims: list[ClaimOut]
    supported: int
    outdated: int
    unsupported: int
