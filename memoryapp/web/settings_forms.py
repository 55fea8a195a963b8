"""The forms of the settings: each saves by itself."""

from __future__ import annotations

import zoneinfo
from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from accounts.fields import validate_time_zone
from memoryapp.preferences import Preferences, TopicKey
from memoryapp.web import rules_wording as words
from memoryapp.web.wording import GROUPS, SENSITIVE


def _languages() -> list[tuple[str, str]]:
    return [(code, get_language_info(code)["name_local"]) for code, _name in settings.LANGUAGES]


def _zones() -> list[str]:
    """Zones named after places, and UTC."""
    places = (
        name
        for name in zoneinfo.available_timezones()
        if "/" in name and not name.startswith(("Etc/", "SystemV/"))
    )
    return [*sorted(places), "UTC"]


class LanguageForm(forms.Form):
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=_languages)
    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        max_length=64,
        validators=[validate_time_zone],
        help_text=gettext_lazy("A city’s name, such as Europe/Lisbon. Dates follow it."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["time_zone"].widget = forms.Select(
            choices=[(name, name.replace("_", " ")) for name in _zones()]
        )

    def changes(self) -> dict[str, Any]:
        return dict(self.cleaned_data)


class PauseForm(forms.Form):
    """How long to pause. ``changes`` has the end as a moment, None for no end."""

    until = forms.ChoiceField(
        label=gettext_lazy("For how long?"),
        choices=[
            ("", gettext_lazy("Until I say so")),
            ("hour", gettext_lazy("For an hour")),
            ("tomorrow", gettext_lazy("Until tomorrow")),
            ("week", gettext_lazy("For a week")),
            ("date", gettext_lazy("Until a day that I choose")),
        ],
        widget=forms.RadioSelect,
        required=False,
        initial="",
    )
    day = forms.DateField(
        label=gettext_lazy("The day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        day = cleaned.get("day")
        if cleaned.get("until") == "date" and "day" not in self.errors:
            if day is None:
                self.add_error("day", _("Choose the day."))
            elif day <= timezone.localdate():
                self.add_error("day", _("Choose a day to come."))
        return cleaned

    def changes(self, now: datetime) -> dict[str, Any]:
        today = timezone.localdate(now)
        ends: Mapping[str, datetime] = {
            "hour": now + timedelta(hours=1),
            "tomorrow": _midnight(today + timedelta(days=1)),
            "week": now + timedelta(days=7),
            "date": _midnight(self.cleaned_data["day"] or today),
        }
        return {"paused": True, "paused_until": ends.get(self.cleaned_data["until"])}


def _midnight(day: Any) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))


class WordsForm(forms.Form):
    """A topic in the user's own words."""

    words = forms.CharField(
        label=gettext_lazy("In your own words"),
        max_length=200,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "dir": "auto",
                "placeholder": gettext_lazy("My divorce, anything about work …"),
            }
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["words"].error_messages |= {
            "required": _("Write what it is about."),
            "max_length": _("That is too long for a topic: 200 characters at most."),
        }

    def clean_words(self) -> str:
        text = " ".join(str(self.cleaned_data["words"]).split())
        if not any(letter.isalnum() for letter in text):
            raise forms.ValidationError(_("Write what it is about."))
        return text

    def key(self) -> TopicKey:
        return TopicKey(words=self.cleaned_data["words"])


class ChosenForm(forms.Form):
    """A topic from the vocabulary: ``area:work``, ``sensitivity:health``, ``attribute:age``."""

    topic = forms.ChoiceField(
        label=gettext_lazy("Or one of these"),
        choices=lambda: _vocabulary(),
        error_messages={"required": gettext_lazy("Choose one first.")},
    )

    def key(self) -> TopicKey:
        kind, _colon, name = self.cleaned_data["topic"].partition(":")
        return TopicKey(**{kind: name})


def _vocabulary() -> list[tuple[Any, Any]]:
    delicate = [(f"sensitivity:{key}", capfirst(str(name))) for key, name in SENSITIVE.items()]
    return [
        ("", _("Choose …")),
        (_("A part of your life"), [(f"area:{key}", name) for key, name in GROUPS.items()]),
        (_("Delicate things"), delicate),
        (_("One kind of thing"), [(f"attribute:{k}", name) for k, name in words.attributes()]),
    ]


class DelicateForm(forms.Form):
    sensitive_opt_in = forms.MultipleChoiceField(
        label=gettext_lazy("Remember without asking"),
        choices=[(key, name) for key, name in SENSITIVE.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def changes(self) -> dict[str, Any]:
        return dict(self.cleaned_data)


class MessagesForm(forms.Form):
    """How long messages are kept. An unusual choice, made by the API, stays on offer."""

    def __init__(self, *args: Any, held: int | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = {30, 90, 365, words.ALWAYS} | ({held} if held is not None else set())
        default = settings.MESSAGE_RETENTION_DAYS
        self.fields["retention"] = forms.TypedChoiceField(
            label=gettext_lazy("How long messages are kept"),
            choices=[
                ("", _("As is usual here: %(days)s") % {"days": words.days(default)}),
                *((str(days), words.days(days)) for days in sorted(offered)),
            ],
            coerce=int,
            empty_value=None,
            widget=forms.RadioSelect,
            required=False,
        )

    def changes(self) -> dict[str, Any]:
        return {"retention_days": self.cleaned_data["retention"]}


class ExpiryForm(forms.Form):
    """Days for each kind: empty for the default, 0 for always."""

    existing = forms.BooleanField(
        label=gettext_lazy("Also for what you remember already"), required=False
    )

    def __init__(self, *args: Any, held: Mapping[str, int | None], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, name in words.KINDS.items():
            chosen = held.get(kind)
            offered = {*words.EXPIRY} | ({chosen} if chosen else set())
            self.fields[kind] = forms.ChoiceField(
                label=str(name),
                required=False,
                initial="" if kind not in held else str(chosen or 0),
                choices=[
                    ("", words.usual(kind)),
                    *((str(days), words.days(days)) for days in sorted(offered)),
                    ("0", _("Always")),
                ],
            )
        self.order_fields([*words.KINDS, "existing"])

    @property
    def kinds(self) -> list[forms.BoundField]:
        return [self[kind] for kind in words.KINDS]

    def changes(self) -> dict[str, Any]:
        chosen = {kind: self.cleaned_data[kind] for kind in words.KINDS if self.cleaned_data[kind]}
        return {"expiry": {kind: int(days) or None for kind, days in chosen.items()}}


def forms_of(held: Preferences) -> dict[str, forms.Form]:
    """The sections' forms as things stand."""
    return {
        "language": LanguageForm(initial={"language": held.language, "time_zone": held.time_zone}),
        "pause": PauseForm(),
        "words": WordsForm(),
        "chosen": ChosenForm(),
        "delicate": DelicateForm(initial={"sensitive_opt_in": held.sensitive_opt_in}),
        "messages": MessagesForm(
            held=held.retention_days,
            initial={"retention": "" if held.retention_days is None else held.retention_days},
        ),
        "expiry": ExpiryForm(held=held.expiry),
    }
