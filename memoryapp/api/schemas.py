"""The bodies that go in and out (DESIGN section 10). Fields may be added, never changed."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memoryapp.api.fields import Content, Name, PastTime, Question, Text, Time, Value
from memoryapp.recall import MOST
from memoryapp.records import Kind, Role, Supersession

Status = Literal[
    "current", "superseded", "retracted", "pending", "rejected", "expired", "archived", "all"
]

UserName = Annotated[
    Name | None,
    Field(
        description="The application's own id of its user; left out with a personal key.",
    ),
]


class _In(BaseModel):
    # A misspelt field is an error, not a surprise.
    model_config = ConfigDict(extra="forbid")


class MessageIn(_In):
    id: Annotated[Name | None, Field(description="Your own id; the same id is stored once.")] = None
    role: Role
    content: Content
    sent_at: Annotated[PastTime, Field(description="When it was written, with a time zone.")]


class MessagesIn(_In):
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


class AcceptedOut(BaseModel):
    conversation: str
    accepted: int
    duplicates: int
    status_url: str
    paused: Annotated[
        bool, Field(description="The user has paused the memory: nothing was stored.")
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


class _Asked(_In):
    user: UserName = None
    query: Question
    k: Annotated[int, Field(strict=True, ge=1, le=MOST, description="At most so many facts.")] = 6
    as_of: Annotated[
        Time | None, Field(description="What was so at this time, as is known today.")
    ] = None
    known_at: Annotated[Time | None, Field(description="What was believed at this time.")] = None
    kinds: Annotated[list[Kind], Field(max_length=20, description="Only these kinds.")] = []
    scopes: Annotated[
        list[Text] | None,
        Field(max_length=50, description='Only these scopes; "" is the one that holds everywhere.'),
    ] = None
    subjects: Annotated[
        list[Text],
        Field(max_length=50, description="Only facts about these: user, person:mira, …"),
    ] = []
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


class UserQuery(BaseModel):
    user: UserName = None


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


class FactChange(_In):
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


class LinkIn(_In):
    model_config = ConfigDict(json_schema_extra={"examples": [{"user": "user-17"}]})

    user: UserName = None


class LinkOut(BaseModel):
    url: str
    expires_at: datetime


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


class UndoneOut(BaseModel):
    receipt: Annotated[
        ReceiptOut | None, Field(description="None when the import had brought nothing yet.")
    ]


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
