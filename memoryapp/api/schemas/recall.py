"""Questions, and the facts that answer them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memoryapp.api.fields import Question, Text, Time
from memoryapp.recall import MOST
from memoryapp.records import Kind

from .base import In, UserName


class _Asked(In):
    user: UserName = None
    query: Question
    k: Annotated[int, Field(strict=True, ge=1, le=MOST, description="At most so many facts.")] = 6
    as_of: Annotated[
        Time | None, Field(description="What was so at this time, as is known today.")
    ] = None
    known_at: Annotated[Time | None, Field(description="What was believed at this time.")] = None
    kinds: list[Kind] = Field(default=[], max_length=20, description="Only these kinds.")
    scopes: Annotated[
        list[Text] | None,
        Field(max_length=50, description='Only these scopes; "" is the one that holds everywhere.'),
    ] = None
    subjects: list[Text] = Field(
        default=[], max_length=50, description="Only facts about these: user, person:mira, …"
    )
    time_weight: Annotated[
        float,
        Field(
            ge=0, le=1, allow_inf_nan=False, description="How much recency counts beside relevance."
        ),
    ] = 0.15
    half_life_days: Annotated[
        float | None,
        Field(gt=0, le=36_500, allow_inf_nan=False, description="Instead of each kind's own."),
    ] = None
    floor: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            allow_inf_nan=False,
            description="Facts whose support is below this are not about the query.",
        ),
    ] = None


class RecallIn(_Asked):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"user": "user-17", "query": "Which editor do I use?", "k": 3}]
        }
    )

    token_budget: Annotated[int | None, Field(strict=True, ge=1, le=200_000)] = None


class ContextIn(_Asked):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"user": "user-17", "query": "Set up my editor, please", "token_budget": 800}
            ]
        }
    )

    token_budget: Annotated[
        int | None,
        Field(strict=True, ge=200, le=200_000, description="The rules alone take about 150."),
    ] = None


class FactOut(BaseModel):
    id: UUID
    subject: str
    attribute: str
    scope: str
    value: str
    polarity: str
    statement: str
    kind: str
    confidence: float
    importance: float
    status: str
    valid_from: datetime
    valid_to: datetime | None
    precision: str
    recorded_at: datetime
    retired_at: datetime | None
    superseded_by: UUID | None
    expires_at: datetime | None


class PartsOut(BaseModel):
    """Why it was found: the factors of the score (relevance and recency, weighted by
    time_weight, times confidence times importance), and the support held against the floor."""

    model_config = ConfigDict(from_attributes=True)

    vector: float
    text: float
    relevance: float
    recency: float
    confidence: float
    importance: float
    age_days: float
    stickiness: float
    support: float


class EvidenceOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    quote: str
    role: str
    sent_at: datetime
    conversation: str


class EarlierOut(BaseModel):
    """A value that the fact replaced."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    value: str
    statement: str
    valid_from: datetime | None
    valid_to: datetime | None
    supersession: str


class HitOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    fact: FactOut
    score: float
    parts: PartsOut
    evidence: list[EvidenceOut]
    chain: list[EarlierOut]


class RecallOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    hits: list[HitOut]
    excerpts: list[EvidenceOut]
    abstained: bool


class CitationOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    number: int
    fact_id: UUID
    quote: str
    sent_at: datetime | None


class ContextOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    context: Annotated[str, Field(description="Put this into the system prompt as it is.")]
    citations: list[CitationOut]
    abstained: bool
    tokens: Annotated[int, Field(description="About how many tokens the context takes.")]
