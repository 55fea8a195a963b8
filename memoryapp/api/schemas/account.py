"""A user's settings, and the log of what was done."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from accounts.fields import validate_time_zone
from memoryapp.api.fields import WHOLE, Name, Text, Time, refuse
from memoryapp.records import Kind

from .base import In, PageQuery, UserName

Sensitive = Literal[
    "health",
    "religion",
    "politics",
    "sexuality",
    "union",
    "biometrics",
    "ethnicity",
    "criminal_record",
]


Area = Literal[
    "about",
    "home",
    "work",
    "people",
    "food_health",
    "preferences",
    "plans",
    "projects",
    "answers",
]


def _words(value: str) -> str:
    words = " ".join(value.replace("\x00", "").split())
    if not any(letter.isalnum() for letter in words):
        raise refuse(
            "never_remember", _("The words name no topic."), _("Send some, such as: my divorce.")
        )
    return words


def _language(value: str) -> str:
    known = [code for code, _name in settings.LANGUAGES]
    if value not in known:
        raise refuse(
            "language",
            _("This language isn't offered."),
            _("Use one of %(known)s.") % {"known": ", ".join(known)},
        )
    return value


def _time_zone(value: str) -> str:
    try:
        validate_time_zone(value)
    except ValidationError:
        raise refuse(
            "time_zone",
            _("This is no time zone of the IANA database."),
            _("Send a city's name, such as Europe/Lisbon, or UTC."),
        ) from None
    return value


class AccessOut(BaseModel):
    """What the user lets an application do."""

    model_config = ConfigDict(from_attributes=True)

    application: Annotated[UUID, Field(validation_alias="application_id")]
    name: str
    may_read: bool
    may_write: bool


class TopicOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    words: Annotated[
        str | None, Field(description="The user's own; null for applications, empty for none.")
    ]
    attribute: str
    area: str
    sensitivity: str
    left_out: Annotated[int, Field(description="How many things were left out for it.")]
    last_left_out_at: datetime | None


class SettingsOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    language: str
    time_zone: str
    paused: Annotated[bool, Field(description="While true, no message is taken in.")]
    paused_until: Annotated[
        datetime | None, Field(description="When the pause ends by itself; null: when it is ended.")
    ]
    retention_days: Annotated[
        int | None,
        Field(description="Days that messages are kept; null: as long as the server does."),
    ]
    sensitive_opt_in: Annotated[
        list[str], Field(description="What is remembered without asking first.")
    ]
    expiry: Annotated[
        dict[str, int | None],
        Field(description="Days that facts of a kind keep, null for always, where the user chose."),
    ]
    never_remember: Annotated[
        list[TopicOut], Field(description="What is left out, whichever way it comes.")
    ]
    review_keys: Annotated[bool, Field(description="Whether single keys answer on the page.")]
    applications: list[AccessOut]


class TopicIn(In):
    """One of the four."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": [name]} for name in ("words", "attribute", "area", "sensitivity")
            ]
        }
    )

    words: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_words)] = Field(
        default_factory=str, description="The user's own, such as: my divorce."
    )
    attribute: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")] = Field(
        default_factory=str, description="A key, such as employer."
    )
    area: Area = Field(default_factory=lambda: "")  # type: ignore[arg-type]
    sensitivity: Sensitive = Field(default_factory=lambda: "")  # type: ignore[arg-type]

    @model_validator(mode="after")
    def _one_of_four(self) -> TopicIn:
        if len(self.model_fields_set) != 1:
            raise refuse(
                "never_remember",
                _("A topic is one of words, attribute, area and sensitivity."),
                _("Send one of them."),
            )
        return self


class AccessIn(In):
    application: UUID
    may_read: Annotated[bool, Field(strict=True)]
    may_write: Annotated[bool, Field(strict=True)]


CHANGEABLE = (
    *("language", "time_zone", "paused", "paused_until", "retention_days", "sensitive_opt_in"),
    *("expiry", "never_remember", "review_keys", "applications"),
)


class SettingsChange(In):
    """Only what is named changes."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"time_zone": "Europe/Lisbon", "sensitive_opt_in": ["health"]}],
            "anyOf": [{"required": [name]} for name in CHANGEABLE],
        }
    )

    user: UserName = None
    language: Annotated[Name, AfterValidator(_language)] = Field(
        default_factory=str,
        description="One of the languages that the page is translated to, such as en.",
    )
    time_zone: Annotated[Name, AfterValidator(_time_zone)] = Field(
        default_factory=str, description="A name of the IANA database."
    )
    paused: bool = Field(default_factory=bool, strict=True)
    paused_until: Annotated[Time | None, Field(description="With paused: when it ends.")] = None
    retention_days: Annotated[int, Field(strict=True, ge=0, le=36_500), WHOLE] | None = None
    sensitive_opt_in: list[Sensitive] = Field(default_factory=list, max_length=20)
    expiry: dict[Kind, Annotated[int, Field(strict=True, ge=1, le=36_500), WHOLE] | None] = Field(
        default_factory=dict,
        description="All of the kinds that don't keep for the default's days; null for always.",
    )
    expiry_for_existing: bool = Field(
        default_factory=bool,
        strict=True,
        description="Whether facts that are held already run out by it too.",
    )
    never_remember: list[TopicIn] = Field(
        default_factory=list,
        max_length=50,
        description="All of the topics; those that stay keep their count. Taken from the "
        "user's own key alone.",
    )
    review_keys: bool = Field(default_factory=bool, strict=True)
    applications: list[AccessIn] = Field(
        default_factory=list,
        max_length=100,
        description="Taken from the user's own key alone; on their page, they choose too.",
    )

    @model_validator(mode="after")
    def _changes_something(self) -> SettingsChange:
        if not self.model_fields_set & set(CHANGEABLE):
            raise refuse(
                "nothing", _("Nothing is to be changed."), _("Send a setting with its new value.")
            )
        return self


class EventOut(BaseModel):
    """Ids, counts and words of ours, never content."""

    model_config = ConfigDict(from_attributes=True)

    seq: int
    at: datetime
    actor: Annotated[str, Field(description="user:…, app:…, admin:… or system:…")]
    action: str
    object: str
    details: dict[str, Any]
    hash: Annotated[str, Field(description="Hexadecimal; it covers the hash before.")]


class AuditQuery(PageQuery):
    action: Annotated[Text | None, Field(description="Such as fact.add, or fact. for all.")] = None
    actor: Annotated[Text | None, Field(description="Such as app:… , or app: for all.")] = None
    object: Text | None = None
    from_time: Annotated[Time | None, Field(alias="from", description="At this time or later.")] = (
        None
    )
    to_time: Annotated[Time | None, Field(alias="to", description="Before this time.")] = None


class AuditOut(BaseModel):
    items: list[EventOut]
    next_cursor: str | None


class VerificationOut(BaseModel):
    """The log's chain, computed anew."""

    events: int
    whole: bool
    first_bad: Annotated[
        int | None, Field(description="The first event that was changed, or follows a gap.")
    ]
    head: Annotated[
        str, Field(description="The last hash, hexadecimal: note it, and a lost tail shows.")
    ]
