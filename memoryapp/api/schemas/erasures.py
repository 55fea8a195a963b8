"""Erasing several things at once, with a look before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from memoryapp.api.fields import Question, Text, Time, refuse
from memoryapp.records import Kind

from .base import In, UserName
from .facts import ReceiptOut

FIRST, LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
TARGETS = (
    "facts",
    "search",
    "topic",
    "messages",
    "said",
    "application",
    "memory",
    "everything",
)
# What may be kept from being learnt again, and of what the replaced values may hold again.
FOR_EVER = {"facts", "search", "topic", "said", "application", "memory"}
FACTS_ONLY: JsonDict = {"restore_previous": {"const": False}, "forever": {"const": False}}
NOT_RESTORED: JsonDict = {"restore_previous": {"const": False}}


class SearchIn(In):
    """All that is given has to hold."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    query: Question = Field(
        default_factory=str, description="In words: what is about this, among current facts."
    )
    attribute: Text = Field(default_factory=str)
    kind: Kind = Field(default_factory=lambda: "personal")
    subject: Text = Field(default_factory=str)
    scope: Text = Field(default_factory=str)
    conversation: Text = Field(
        default_factory=str, description="Your id of a conversation that proves the fact."
    )
    said_from: Annotated[Time | None, Field(description="Said at this time or later.")] = None
    said_to: Annotated[Time | None, Field(description="Said before this time.")] = None

    @model_validator(mode="after")
    def _asks_something(self) -> SearchIn:
        if not self.model_fields_set:
            raise refuse("nothing", _("Nothing is searched for."), _("Give a query or a filter."))
        return self


class AboutIn(In):
    words: Question = Field(
        description="What is about this goes: facts, past ones and those that wait, and the "
        "text of messages, found by meaning and by words."
    )
    keep: Annotated[
        list[UUID],
        Field(max_length=500, description="Of what the dry run has found, what stays."),
    ] = Field(default_factory=list)


class SaidIn(In):
    """What was said in a time: the messages of then, and the facts learnt only from then."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    since: Annotated[Time | None, Field(description="At this time or later.")] = None
    until: Annotated[Time | None, Field(description="Before this time.")] = None

    @model_validator(mode="after")
    def _is_a_time(self) -> SaidIn:
        since, until = self.bounds()
        if not self.model_fields_set or since >= until:
            raise refuse(
                "time", _("This is no stretch of time."), _("Give since, until, or both, in order.")
            )
        return self

    def bounds(self) -> tuple[datetime, datetime]:
        """Without an end, till the end of all times."""
        return self.since or FIRST, self.until or LAST


class ErasureIn(In):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"search": {"query": "my old job"}, "dry_run": True},
                {"facts": ["019a0000-0000-7000-8000-000000000000"]},
            ],
            "oneOf": [
                {"required": ["facts"]},
                {"required": ["search"]},
                {"required": ["topic"], "properties": NOT_RESTORED},
                {"required": ["messages"], "properties": FACTS_ONLY},
                {"required": ["said"], "properties": NOT_RESTORED},
                {"required": ["application"], "properties": NOT_RESTORED},
                {"required": ["memory"], "properties": NOT_RESTORED},
                {"required": ["everything"], "properties": FACTS_ONLY},
            ],
        }
    )

    user: UserName = None
    facts: list[UUID] = Field(default_factory=list, min_length=1, max_length=100)
    search: SearchIn = Field(default_factory=SearchIn.model_construct)
    messages: list[UUID] = Field(
        default_factory=list,
        min_length=1,
        max_length=100,
        description="Messages by our ids: their text, and what they alone have taught.",
    )
    topic: AboutIn = Field(default_factory=AboutIn.model_construct)
    said: SaidIn = Field(default_factory=SaidIn.model_construct)
    application: UUID = Field(
        default_factory=lambda: UUID(int=0),
        description="An application by its id: its conversations and imports, what it wrote, "
        "and what was learnt only through it. An application's key may name its own.",
    )
    memory: Literal[True] = Field(
        default_factory=lambda: True,
        description="True for every fact and every message's text; the account stays.",
    )
    everything: Literal[True] = Field(
        default_factory=lambda: True,
        description="True for all that is held of an application's user, the account included.",
    )
    restore_previous: Annotated[
        bool, Field(strict=True, description="Let the values that were replaced hold again.")
    ] = False
    forever: Annotated[
        bool,
        Field(strict=True, description="Don't learn the same again, even if it is said anew."),
    ] = False
    dry_run: Annotated[
        bool, Field(strict=True, description="Erase nothing; say what would go.")
    ] = False
    confirm: Annotated[
        Text | None,
        Field(
            description="`confirm` of the dry run: what goes is what was shown, else 412. "
            "Needed for anything but `facts`."
        ),
    ] = None

    @model_validator(mode="after")
    def _names_one_thing(self) -> ErasureIn:
        given = self.model_fields_set & set(TARGETS)
        if len(given) != 1:
            raise refuse(
                "target",
                _("It isn't clear what is to be erased."),
                _(
                    "Send exactly one of facts, search, topic, messages, said, application, "
                    "memory: true, and everything: true."
                ),
            )
        if self.restore_previous and not given & {"facts", "search"}:
            raise refuse(
                "facts_only",
                _("restore_previous is for facts and search."),
                _("Leave it out: elsewhere what was replaced by what goes holds again."),
            )
        if self.forever and not given & FOR_EVER:
            raise refuse(
                "not_forever",
                _("forever is for what can be learnt again."),
                _("Leave it out."),
            )
        return self


class PlannedOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    statement: str
    value: str
    status: str


class PlannedMessageOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    role: str
    content: str
    sent_at: datetime


class StayingOut(BaseModel):
    """A fact that stays, because it is proven elsewhere too."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    proofs: Annotated[int, Field(description="How many proofs it keeps.")]
    said_at: Annotated[datetime, Field(description="When the latest of them was said.")]
    by_hand: Annotated[bool, Field(description="Whether the user's own hand is all of them.")]


class ErasurePreviewOut(BaseModel):
    """What would go. Nothing has been erased."""

    confirm: Annotated[str, Field(description="Send it to erase exactly this.")]
    facts: Annotated[
        list[PlannedOut], Field(description="With the values before and after them, oldest first.")
    ]
    messages: Annotated[
        list[PlannedMessageOut],
        Field(description="The messages that a topic was found in; elsewhere they are counted."),
    ]
    restorable: Annotated[
        list[PlannedOut], Field(description="What `restore_previous` would let hold again.")
    ]
    stays: list[StayingOut]
    counts: dict[str, int]
    more: Annotated[
        bool, Field(description="More was found than one request takes: do it again after.")
    ] = False


class ReceiptsOut(BaseModel):
    items: list[ReceiptOut]
    next_cursor: str | None
