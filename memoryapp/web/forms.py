"""What a person may send from the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryapp.records import ChatMessage


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
