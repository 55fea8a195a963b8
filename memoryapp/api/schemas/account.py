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


class SettingsOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    language: str
    time_zone: str
    paused: Annotated[bool, Field(description="While true, no message is taken in.")]
    retention_days: Annotated[
        int | None,
        Field(description="Days that messages are kept; null: as long as the server does."),
    ]
    sensitive_opt_in: Annotated[
        list[str], Field(description="What is remembered without asking first.")
    ]
    applications: list[AccessOut]


class AccessIn(In):
    application: UUID
    may_read: Annotated[bool, Field(strict=True)]
    may_write: Annotated[bool, Field(strict=True)]


CHANGEABLE = (
    *("language", "time_zone", "paused", "retention_days", "sensitive_opt_in"),
    "applications",
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
    retention_days: Annotated[int, Field(strict=True, ge=0, le=36_500), WHOLE] | None = None
    sensitive_opt_in: list[Sensitive] = Field(default_factory=list, max_length=20)
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
