"""Erasing several things at once, with a look before."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from memoryapp.api.fields import Question, Text, Time, refuse
from memoryapp.records import Kind

from .base import In, UserName
from .facts import ReceiptOut

TARGETS = ("facts", "search", "messages", "everything")
FACTS_ONLY: JsonDict = {"restore_previous": {"const": False}, "forever": {"const": False}}


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
                {"required": ["messages"], "properties": FACTS_ONLY},
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
                _("Send exactly one of facts, search, messages, and everything: true."),
            )
        if not given & {"facts", "search"} and (self.restore_previous or self.forever):
            raise refuse(
                "facts_only",
                _("restore_previous and forever are for facts and search."),
                _("Leave them out."),
            )
        return self


class PlannedOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    statement: str
    value: str
    status: str


class ErasurePreviewOut(BaseModel):
    """What would go. Nothing has been erased."""

    confirm: Annotated[str, Field(description="Send it to erase exactly this.")]
    facts: Annotated[
        list[PlannedOut], Field(description="With the values before and after them, oldest first.")
    ]
    restorable: Annotated[
        list[PlannedOut], Field(description="What `restore_previous` would let hold again.")
    ]
    counts: dict[str, int]
    more: Annotated[
        bool, Field(description="More was found than one request takes: do it again after.")
    ] = False


class ReceiptsOut(BaseModel):
    items: list[ReceiptOut]
    next_cursor: str | None
