"""Model fields, choices and validators of the accounts app."""

from __future__ import annotations

import secrets
import unicodedata
import zoneinfo
from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _


class LowerCaseEmailField(models.EmailField):  # type: ignore[type-arg]
    """An e-mail address kept in lower case, so that unique means unique for
    people. An empty address is stored as NULL: many accounts may have none."""

    def to_python(self, value: Any) -> Any:
        value = super().to_python(value)
        return value.lower() or None if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> Any:
        return self.to_python(super().get_prep_value(value))

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        value = self.to_python(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, value)
        return value


def random_secret() -> bytes:
    return secrets.token_bytes(32)


def languages() -> list[tuple[str, str]]:
    """The choices of ``User.language``; a callable keeps the list out of migrations."""
    return list(settings.LANGUAGES)


@cache
def _time_zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def validate_time_zone(value: str) -> None:
    """Raises ValidationError unless ``value`` names a zone of the IANA database."""
    if value not in _time_zones():
        raise ValidationError(
            _("That is not a time zone. It looks like “Europe/Paris”."), code="time_zone"
        )


def validate_external_id(value: str) -> None:
    """Raises ValidationError for control characters and half surrogate pairs, which
    Postgres can't keep or nobody can see."""
    if any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in value):
        raise ValidationError(_("An id may not hold control characters."), code="external_id")
