"""The types of the API's fields, each refused with what is wrong and the cure."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from memoryapp import providers

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
# Clocks are wrong; more than this is a mistake of units or of the year.
LATEST = timedelta(days=1)
_DATE = re.compile(r"\d{4}-?\d\d-?\d\d")


def refuse(code: str, message: str, hint: str) -> PydanticCustomError:
    # The message is given as a value, since braces in a template would be filled in.
    return PydanticCustomError(code, "{message}", {"message": message, "hint": hint})


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        if "\0" in value:
            raise refuse(
                "nul", _("The text holds a NUL character."), _("Remove it: no text needs one.")
            )
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            raise refuse(
                "surrogate",
                _("The text holds half of a surrogate pair."),
                _("Cut texts between characters, not inside one, and send UTF-8."),
            )
    return value


def _visible(value: str) -> str:
    if not value.strip():
        raise refuse("blank", _("The text is empty."), _("Send text, or leave it out."))
    return value


def _name(value: str) -> str:
    if any(unicodedata.category(letter) == "Cc" for letter in value):
        raise refuse(
            "control_character",
            _("A name may not hold control characters."),
            _("Send an id in plain letters and digits."),
        )
    return _visible(value)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _time(value: Any) -> datetime:
    example = "2026-03-01T09:30:00Z"
    if not isinstance(value, str):
        raise refuse(
            "time_type",
            _("A time is a text in ISO 8601."),
            _("Send it like this: %(example)s") % {"example": example},
        )
    if _DATE.fullmatch(value.strip()):
        raise refuse(
            "date_only",
            _("This is a date without a time of day."),
            _("Add the time and the zone: %(example)s") % {"example": example},
        )
    try:
        time = datetime.fromisoformat(value.strip())
        in_utc = time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise refuse(
            "time_format",
            _("This isn't a time in ISO 8601."),
            _("Send it like this: %(example)s") % {"example": example},
        ) from None
    if time.tzinfo is None:
        raise refuse(
            "naive_time",
            _("This time has no zone, so it isn't clear which moment it means."),
            _("End it with Z for UTC, or with an offset such as +02:00."),
        )
    return in_utc


def _past(time: datetime) -> datetime:
    if time > providers.clock().now() + LATEST:
        raise refuse(
            "future_time",
            _("This time is more than a day in the future."),
            _("Send the time at which the message was written; check the year and the unit."),
        )
    if time < EARLIEST:
        raise refuse(
            "ancient_time",
            _("This time is before 1970."),
            _("Send the time at which the message was written; check the year and the unit."),
        )
    return time


# What the validators below refuse, for the API's description; they themselves say it better.
_CONTROLS = r"\u0000-\u001f\u007f-\u009f"
_STORABLE = {"pattern": r"^[^\u0000]*$"}
_VISIBLE = {"pattern": r"^[^\u0000]*[^\u0000\s][^\u0000]*$"}
_NAME = {"pattern": rf"^[^{_CONTROLS}]*[^{_CONTROLS}\s][^{_CONTROLS}]*$"}

# The lengths stand first: then their errors speak of characters.
Text = Annotated[str, Field(json_schema_extra={**_STORABLE}), BeforeValidator(_storable)]
Name = Annotated[
    str,
    Field(min_length=1, max_length=200, json_schema_extra={**_NAME}),
    BeforeValidator(_storable),
    AfterValidator(_name),
]
Content = Annotated[
    str,
    Field(min_length=1, max_length=100_000, json_schema_extra={**_VISIBLE}),
    BeforeValidator(_storable),
    AfterValidator(_visible),
]
Question = Annotated[
    str,
    Field(min_length=1, max_length=20_000, json_schema_extra={**_VISIBLE}),
    BeforeValidator(_storable),
    AfterValidator(_visible),
]
Value = Annotated[
    str,
    Field(min_length=1, max_length=500, json_schema_extra={**_VISIBLE}),
    BeforeValidator(_storable),
    AfterValidator(_visible),
]
# In JSON 9.0 is a whole number too; true and "9" are none. It stands after the bounds, or
# these don't come into the API's description.
WHOLE = BeforeValidator(_whole)
Time = Annotated[datetime, BeforeValidator(_time)]
PastTime = Annotated[Time, AfterValidator(_past)]
