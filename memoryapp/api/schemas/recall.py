"""Questions, and the facts and passages that answer them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memoryapp.api.fields import WHOLE, Question, Text, Time
from memoryapp.excerpts import MOST as MOST_EXCERPTS
from memoryapp.recall import DEEPEST, MOST
from memoryapp.records import Kind

from .base import In, UserName


class _Asked(In):
    user: UserName = None
    query: Question
    k: Annotated[
        int, Field(strict=True, ge=1, le=MOST, description="At most so many facts."), WHOLE
    ] = 6
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
    attributes: list[Text] = Field(
        default=[], max_length=50, description="Only facts under these: employer, diet, …"
    )
    since: Annotated[
        Time | None,
        Field(description="Only what held, or was said, at this time or later."),
    ] = None
    until: Annotated[
        Time | None, Field(description="Only what held, or was said, before this time.")
    ] = None
    excerpts: Annotated[
        int,
        Field(
            strict=True,
            ge=0,
            le=MOST_EXCERPTS,
            description="At most so many passages of past messages; none when `kinds`, "
            "`attributes` or `subjects` are given.",
        ),
        WHOLE,
    ] = 3
    depth: Annotated[
        int,
        Field(
            strict=True,
            ge=0,
            le=DEEPEST,
            description="How many steps to walk from each fact to those it hangs together with.",
        ),
        WHOLE,
    ] = 1
    time_weight: Annotated[
        float,
        Field(
            strict=True,
            ge=0,
            le=1,
            allow_inf_nan=False,
            description="How much recency counts beside relevance.",
        ),
    ] = 0.15
    half_life_days: Annotated[
        float | None,
        Field(
            strict=True,
            ge=0.001,
            le=36_500,
            allow_inf_nan=False,
            description="Instead of each kind's own.",
        ),
    ] = None
    floor: Annotated[
        float | None,
        Field(
            strict=True,
            ge=0,
            le=1,
            allow_inf_nan=False,
            description="Facts whose support is below this are not about the query, and there "
            "are no excerpts when it is less sure than this that they answer it.",
        ),
    ] = None


class RecallIn(_Asked):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"user": "user-17", "query": "Which editor do I use?", "k": 3}]
        }
    )

    token_budget: Annotated[int, Field(strict=True, ge=1, le=200_000), WHOLE] | None = None


class ContextIn(_Asked):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"user": "user-17", "query": "Set up my editor, please", "token_budget": 800}
            ]
        }
    )

    token_budget: (
        Annotated[
            int,
            Field(strict=True, ge=200, le=200_000, description="The rules alone take about 150."),
            WHOLE,
        ]
        | None
    ) = None


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
    coverage: Annotated[float, Field(description="The share of the query's words it holds.")]
    attribute: Annotated[float, Field(description="How near the query is to its attribute.")]
    about: Annotated[float, Field(description="Less than 1 when the query is about another.")]
    during: Annotated[float, Field(description="Added for the time that the query names.")]


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


class RelatedOut(BaseModel):
    """A fact that hangs together with the hit, `depth` steps away."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    kind: Literal["follows_from", "derived_from", "contradicts", "leads_to"]
    depth: int
    statement: str
    status: str
    valid_from: datetime | None
    valid_to: datetime | None


class HitOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    fact: FactOut
    score: float
    parts: PartsOut
    evidence: list[EvidenceOut]
    chain: list[EarlierOut]
    related: list[RelatedOut]
    reason: Annotated[str, Field(description="Why it was found, in words.")]


class ExcerptOut(EvidenceOut):
    """A passage of a past message, the user's or the assistant's (`role`)."""

    message: UUID
    score: float
    outdated: Annotated[bool, Field(description="What it proved is no longer so.")]


class RecallOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    hits: list[HitOut]
    excerpts: list[ExcerptOut]
    abstained: bool
    since: Annotated[
        datetime | None, Field(description="The time that the query's own words named, from …")
    ]
    until: Annotated[datetime | None, Field(description="… until.")]


class CitationOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    number: int
    fact_id: UUID
    quote: str
    sent_at: datetime | None


class PassageOut(BaseModel):
    """A passage in the context, under its number."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    message: UUID
    role: str
    quote: str
    sent_at: datetime
    conversation: str


class ContextOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    context: Annotated[str, Field(description="Put this into the system prompt as it is.")]
    citations: list[CitationOut]
    passages: list[PassageOut]
    abstained: bool
    tokens: Annotated[int, Field(description="How many tokens the context takes, of o200k_base.")]
