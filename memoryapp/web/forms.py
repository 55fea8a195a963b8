"""What a person may send from the page."""

from __future__ import annotations

import json
import zoneinfo
from collections.abc import Mapping
from datetime import date
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from accounts.fields import validate_time_zone
from memoryapp.records import ChatMessage
from memoryapp.web.wording import SENSITIVE


class EditForm(forms.Form):
    """A new value for a fact, and whether the world changed or I had it wrong."""

    value = forms.CharField(label=gettext_lazy("What should it say?"), max_length=500, strip=True)
    supersession = forms.ChoiceField(
        label=gettext_lazy("Why the change?"),
        choices=[
            ("change", gettext_lazy("It has changed. Keep the old one as the past.")),
            ("correction", gettext_lazy("It was never so. I had it wrong.")),
        ],
        widget=forms.RadioSelect,
        initial="change",
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        fact_id: UUID,
        initial: dict[str, Any] | None = None,
    ) -> None:
        # Several may be open on one page, so their ids must differ.
        super().__init__(data, initial=initial, auto_id=f"%s-{fact_id}")
        self.fields["value"].widget.attrs |= {
            "autocomplete": "off",
            "dir": "auto",
            "data-focus": True,
        }
        self.fields["value"].error_messages |= {
            "required": _("Write what it should say, or leave it as it is."),
            "max_length": _("That is too long to remember as one thing: 500 characters at most."),
        }

    def clean_value(self) -> str:
        value = str(self.cleaned_data["value"])
        if not any(letter.isalnum() for letter in value):
            raise forms.ValidationError(_("Write what it should say, or leave it as it is."))
        return value


class SearchForm(forms.Form):
    """A question in a person's words. Over-long ones are cut, never refused."""

    query = forms.CharField(required=False)

    def clean_query(self) -> str:
        return str(self.cleaned_data["query"]).replace("\x00", "")[:400].strip()


class TryForm(forms.Form):
    """A turn of the chat beside the memory. ``turn`` tells a turn that is sent twice;
    ``earlier`` are the turns of a temporary chat, which are kept nowhere else."""

    MOST_EARLIER = 12
    LONGEST = 4000

    text = forms.CharField(max_length=LONGEST)
    turn = forms.UUIDField()
    temporary = forms.BooleanField(required=False)
    as_of = forms.DateField(required=False)
    earlier = forms.CharField(required=False)

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.fields["text"].error_messages |= {
            "required": _("Write something first."),
            "max_length": _("That is too long for one message: 4,000 characters at most."),
        }
        self.fields["as_of"].error_messages |= {"invalid": _("That is no date I know.")}

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"])
        # What Postgres can't take came from no keyboard.
        return text.encode("utf-8", "replace").decode("utf-8")

    def clean_as_of(self) -> date | None:
        """A past day; None for today, which is what is asked about anyway."""
        day: date | None = self.cleaned_data["as_of"]
        today = timezone.localdate()
        if day is not None and (day > today or day.year < 1900):
            raise forms.ValidationError(_("Choose a day up to today."))
        return None if day == today else day

    def clean_earlier(self) -> list[ChatMessage]:
        """What the page itself wrote there; nothing when it is anything else."""
        try:
            turns = json.loads(self.cleaned_data["earlier"] or "[]")
        except (ValueError, RecursionError):
            return []
        return [
            ChatMessage(turn[0], turn[1])
            for turn in (turns if isinstance(turns, list) else [])
            if isinstance(turn, list)
            and len(turn) == 2
            and turn[0] in ("user", "assistant")
            and isinstance(turn[1], str)
        ][-self.MOST_EARLIER :]


def _languages() -> list[tuple[str, str]]:
    return [(code, get_language_info(code)["name_local"]) for code, _name in settings.LANGUAGES]


class SettingsForm(forms.Form):
    """Language and time zone of the account; which delicate subjects need no asking."""

    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=_languages)
    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        max_length=64,
        validators=[validate_time_zone],
        help_text=gettext_lazy("A city’s name, such as Europe/Lisbon. Dates follow it."),
    )
    sensitive_opt_in = forms.MultipleChoiceField(
        label=gettext_lazy("Remember without asking"),
        help_text=gettext_lazy(
            "Delicate things wait in Review until you say yes. "
            "Tick what I may remember straight away."
        ),
        choices=[(key, name) for key, name in SENSITIVE.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["time_zone"].widget = forms.Select(
            choices=[(name, name.replace("_", " ")) for name in _zones()]
        )


class AccessForm(forms.Form):
    """What one application may do with the memory."""

    may_read = forms.BooleanField(
        label=gettext_lazy("It may look up what I remember"), required=False
    )
    may_write = forms.BooleanField(
        label=gettext_lazy("It may tell me new things and change what I remember"), required=False
    )


def _zones() -> list[str]:
    """Zones named after places, and UTC."""
    places = (
        name
        for name in zoneinfo.available_timezones()
        if "/" in name and not name.startswith(("Etc/", "SystemV/"))
    )
    return [*sorted(places), "UTC"]
