"""What a person may send about keys and applications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from uuid_utils.compat import uuid7

from accounts.models import SCOPES, ApiKey
from accounts.origins import MOST, clean_origin

SCOPE_WORDS: Mapping[str, Promise] = {
    "messages:write": gettext_lazy("Bring conversations for me to read"),
    "messages:read": gettext_lazy("Read the conversations that I keep"),
    "recall:read": gettext_lazy("Look up what matters for a question"),
    "facts:read": gettext_lazy("See all that I remember"),
    "facts:write": gettext_lazy("Add, change and forget memories"),
    "settings:read": gettext_lazy("See the settings"),
    "settings:write": gettext_lazy("Change the settings"),
    "audit:read": gettext_lazy("Read the log"),
    "webhooks:write": gettext_lazy("Set up webhooks"),
}
# What a chat with a memory needs, and no more.
CHAT_SCOPES = ("messages:write", "recall:read", "facts:read")
# Webhooks tell an application of its users: a personal key has nothing to do with them.
PERSONAL_SCOPES = tuple(scope for scope in SCOPES if scope != "webhooks:write")
EXPIRIES: Mapping[str, Promise] = {
    "30": gettext_lazy("In 30 days"),
    "90": gettext_lazy("In 90 days"),
    "365": gettext_lazy("In a year"),
    "": gettext_lazy("Never, until I revoke it"),
}


def scope_words(scopes: Sequence[str]) -> list[str]:
    """In the order of the list above; an unknown one by its name."""
    known = [str(words) for scope, words in SCOPE_WORDS.items() if scope in scopes]
    return known + [scope for scope in scopes if scope not in SCOPE_WORDS]


def newer_scopes(key: ApiKey) -> list[str]:
    """What a key could be allowed today and this one isn't, in words."""
    offered = SCOPES if key.application_id else PERSONAL_SCOPES
    return scope_words([scope for scope in offered if scope not in key.scopes])


class KeyForm(forms.Form):
    """A new key. ``key_id`` tells a wish that is sent twice."""

    key_id = forms.UUIDField(widget=forms.HiddenInput)
    name = forms.CharField(
        label=gettext_lazy("What is it for?"),
        max_length=100,
        help_text=gettext_lazy("So that you know it again, such as “My laptop”."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What may it do?"), widget=forms.CheckboxSelectMultiple
    )
    expires = forms.ChoiceField(
        label=gettext_lazy("When does it end?"),
        choices=[(days, words) for days, words in EXPIRIES.items()],
        widget=forms.RadioSelect,
        required=False,
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        personal: bool,
        like: ApiKey | None = None,
        more: bool = False,
    ) -> None:
        """``like`` fills it in as that key is; ``more`` with all that keys may do today."""
        offered = PERSONAL_SCOPES if personal else SCOPES
        super().__init__(
            data,
            initial={
                "key_id": uuid7(),
                "name": like.name if like else "",
                "scopes": _ticked(offered, personal=personal, like=like, more=more),
                "expires": "90",
            },
        )
        self.fields["scopes"] = forms.MultipleChoiceField(
            label=self.fields["scopes"].label,
            choices=[(scope, words) for scope, words in SCOPE_WORDS.items() if scope in offered],
            widget=forms.CheckboxSelectMultiple,
            error_messages={"required": _("Choose at least one thing that it may do.")},
        )
        self.fields["name"].widget.attrs |= {"autocomplete": "off", "dir": "auto"}
        self.fields["name"].error_messages |= {
            "required": _("Give it a name, so that you know it again.")
        }

    def clean_name(self) -> str:
        return _visible(str(self.cleaned_data["name"]))

    def expires_at(self, now: datetime) -> datetime | None:
        """None for a key without an end."""
        days = self.cleaned_data["expires"]
        return now + timedelta(days=int(days)) if days else None


class ApplicationForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("What is it called?"),
        max_length=100,
        help_text=gettext_lazy("Its users see this name."),
    )

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.fields["name"].widget.attrs |= {"autocomplete": "off", "dir": "auto"}
        self.fields["name"].error_messages |= {"required": _("Give it a name.")}

    def clean_name(self) -> str:
        return _visible(str(self.cleaned_data["name"]))


class OriginsForm(forms.Form):
    """The sites that may show the page in a frame, one a line."""

    origins = forms.CharField(
        label=gettext_lazy("Sites that may show the page"),
        help_text=gettext_lazy("One a line, such as https://chat.example.com"),
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off", "spellcheck": "false"}),
        required=False,
        max_length=6000,
    )

    def clean_origins(self) -> list[str]:
        found: list[str] = []
        for line in str(self.cleaned_data["origins"]).split():
            origin = clean_origin(line)
            if origin not in found:
                found.append(origin)
        if len(found) > MOST:
            raise forms.ValidationError(_("%(most)s sites at most."), params={"most": MOST})
        return found


def _ticked(
    offered: Sequence[str], *, personal: bool, like: ApiKey | None, more: bool
) -> Sequence[str]:
    if like is not None and not more:
        return like.scopes
    return offered if like is not None or not personal else CHAT_SCOPES


def _visible(name: str) -> str:
    """Raises ValidationError for a name of which nothing can be seen, or that can't be kept."""
    name = name.encode("utf-8", "replace").decode("utf-8")
    if not any(letter.isalnum() for letter in name):
        raise forms.ValidationError(_("Give it a name, so that you know it again."))
    return name
