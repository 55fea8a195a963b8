"""What a person may change of a fact."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.dates import MONTHS
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryapp import timewords
from memoryapp.models import Fact
from memoryapp.store import Since, Weights
from memoryapp.web.wording import SCOPES, where

# What is chosen by "matters little" and so on; normally it is left to me.
_IMPORTANCE: Mapping[str, float | None] = {
    "little": 0.2, "normal": None, "a_lot": 0.9, "never": 0.0,
}  # fmt: skip
_MOST_PLACES = 50
_MORE = ("scope", "expires", "pinned", "importance")
_HELD = ("value", *_MORE)


class FactForm(forms.Form):
    """The value, whether the world changed or I had it wrong, since when, and what holds of
    the fact beside. ``seen`` is the revision that the person had before them."""

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
    since_day = forms.CharField(label=gettext_lazy("Day"), max_length=4, required=False)
    since_month = forms.TypedChoiceField(
        label=gettext_lazy("Month"), coerce=int, empty_value=None, required=False
    )
    since_year = forms.CharField(label=gettext_lazy("Year"), max_length=8, required=False)
    scope = forms.CharField(
        label=gettext_lazy("Where does it hold?"), max_length=120, strip=True, required=False
    )
    expires = forms.DateField(
        label=gettext_lazy("Until when should I keep it?"),
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    pinned = forms.BooleanField(
        label=gettext_lazy("Pin it, so that it never runs out by itself"), required=False
    )
    importance = forms.ChoiceField(
        label=gettext_lazy("How much does it matter in answers?"),
        choices=[
            ("little", gettext_lazy("It matters little")),
            ("normal", gettext_lazy("Normally")),
            ("a_lot", gettext_lazy("It matters a lot")),
            ("never", gettext_lazy("Keep it, but don’t use it in answers")),
        ],
        widget=forms.RadioSelect,
        required=False,
    )
    seen = forms.CharField(max_length=20, required=False, widget=forms.HiddenInput)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, fact: Fact, revision: str = ""
    ) -> None:
        # Several may be open on one page, so their ids must differ.
        super().__init__(data, initial=_initial(fact, revision), auto_id=f"%s-{fact.id}")
        self.fact = fact
        self.waits = fact.status == Fact.Status.PENDING
        if self.waits:
            # Before a yes there is only what it should say.
            for name in set(self.fields) - {"value", "seen"}:
                del self.fields[name]
        self.fields["value"].widget.attrs |= {
            "autocomplete": "off", "dir": "auto", "data-focus": True,
        }  # fmt: skip
        self.fields["value"].error_messages |= {
            "required": _("Write what it should say, or leave it as it is."),
            "max_length": _("That is too long to remember as one thing: 500 characters at most."),
        }
        if not self.waits:
            self._dress()

    def _dress(self) -> None:
        month = self.fields["since_month"]
        month.choices = [("", "—"), *MONTHS.items()]  # type: ignore[attr-defined]
        for name in ("since_day", "since_year"):
            self.fields[name].widget.attrs |= {"inputmode": "numeric", "autocomplete": "off"}
        self.places = _places(self.fact)
        self.fields["expires"].widget.attrs["min"] = timezone.localdate().isoformat()
        self.fields["expires"].error_messages["invalid"] = _("That is no date I know.")

    @property
    def more_is_open(self) -> bool:
        """Whether what is seldom changed has to be seen: something is changed there, or wrong."""
        return self.is_bound and any(
            name in self.errors or name in self.changed_data for name in _MORE
        )

    def was(self) -> Mapping[str, str]:
        """What stood in the fields when the form was opened."""
        found = {name: _text(self.initial[name]) for name in _HELD}
        return {
            name: self.data.get(f"was_{name}", text) if self.is_bound else text
            for name, text in found.items()
        }

    def moved_to(self, fact: Fact, revision: str) -> FactForm:
        """What was written, for the fact as it is now. What was left as it was stands there as
        it is now: nobody takes back unawares what was changed elsewhere."""
        data, initial = dict(self.data.items()), _initial(fact, revision)
        data.setdefault("supersession", "change")
        for name, before in self.was().items():
            if data.get(name, "") == before:
                data[name] = _text(initial[name])
            data[f"was_{name}"] = _text(initial[name])
        data["seen"] = revision
        return FactForm(data, fact=fact)

    # -- What was meant ----------------------------------------------------------------------

    def clean_value(self) -> str:
        value = str(self.cleaned_data["value"])
        if not any(letter.isalnum() for letter in value):
            raise forms.ValidationError(_("Write what it should say, or leave it as it is."))
        check = _CHECKS.get(self.fact.attribute)
        if check is not None and value != self.fact.value:
            check(value)
        return value

    def clean_scope(self) -> str:
        text = " ".join(str(self.cleaned_data["scope"]).split())
        return self.places.get(text.casefold(), (text, text))[1]

    def clean_expires(self) -> date | None:
        day: date | None = self.cleaned_data["expires"]
        if day is not None and day < timezone.localdate():
            raise forms.ValidationError(_("Choose today or a day to come."))
        return day

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        if self.waits:
            return said
        try:
            said["since"] = self._since()
        except forms.ValidationError as error:
            self.add_error("since_year", error)
        if said.get("pinned") and said.get("expires"):
            self.add_error(
                "expires", _("What is pinned doesn’t run out. Unpin it, or leave the day empty.")
            )
        return said

    def _since(self) -> Since | None:
        """The day, month or year, in the reader's own time zone; None when none was given.
        Raises ValidationError."""
        said = self.cleaned_data
        given = [said.get(f"since_{part}") for part in ("year", "month", "day")]
        year, month, day = given
        if not any(given):
            return None
        if not year or (day and not month):
            raise forms.ValidationError(
                _("Give the year, the month and the year, or the whole date.")
            )
        try:
            first = date(_number(year), month or 1, _number(day) if day else 1)
            start = timezone.make_aware(datetime.combine(first, time.min))
        except (ValueError, OverflowError):
            raise forms.ValidationError(_("That is no date I know.")) from None
        if start > timezone.now() or first.year < 1900:
            raise forms.ValidationError(_("Choose a day up to today."))
        return Since(start, "day" if day else "month" if month else "year")

    def weights(self) -> Weights:
        """What the fact that holds afterwards is to have, all of it: a new value begins
        without."""
        said, fact = self.cleaned_data, self.fact
        chosen = _IMPORTANCE[said["importance"] or "normal"]
        if not said["importance"] or "importance" not in self.changed_data:
            chosen = fact.chosen_importance
        day: date | None = said["expires"]
        until = None
        if day is not None and "expires" not in self.changed_data:
            until = fact.expires_at
        elif day is not None:
            until = timezone.make_aware(datetime.combine(day, time(23, 59, 59)))
        return {"pinned": said["pinned"], "importance": chosen, "expires_at": until}

    def places_offered(self) -> Sequence[str]:
        return list(dict.fromkeys(words for words, _scope in self.places.values()))

    def since_in(self) -> Sequence[forms.BoundField]:
        """The fields of the date, in the order in which it is written here."""
        return [self["since_day"], self["since_month"], self["since_year"]]


def _initial(fact: Fact, revision: str) -> dict[str, Any]:
    chosen = fact.chosen_importance
    importance = "normal"
    if chosen == 0:
        importance = "never"
    elif chosen is not None and chosen < 0.4:
        importance = "little"
    elif chosen is not None and chosen >= 0.6:
        importance = "a_lot"
    expires = fact.expires_at if fact.expiry_chosen else None
    return {
        "value": fact.value,
        "supersession": "change",
        "scope": where(fact.scope) if fact.scope else "",
        "expires": timezone.localtime(expires).date() if expires else None,
        "pinned": fact.pinned,
        "importance": importance,
        "seen": revision,
    }


def _text(value: Any) -> str:
    """A field's value as a form sends it."""
    if isinstance(value, bool):
        return "on" if value else ""
    return value.isoformat() if isinstance(value, date) else str(value or "")


def _places(fact: Fact) -> Mapping[str, tuple[str, str]]:
    """Where facts can hold, and where the user's own do: the words for it and the scope, by
    the words in small letters."""
    held = Fact.objects.filter(user_id=fact.user_id, status=Fact.Status.CURRENT).exclude(scope="")
    own = held.values_list("scope", flat=True).distinct().order_by("scope")[:_MOST_PLACES]
    scopes = dict.fromkeys([*own, *([fact.scope] if fact.scope else []), *SCOPES])
    named = {where(scope).casefold(): (where(scope), scope) for scope in scopes}
    return {**{scope.casefold(): (where(scope), scope) for scope in scopes}, **named}


def _number(text: str) -> int:
    """A number in any script's digits. Raises ValueError."""
    return int("".join(str(unicodedata.digit(letter)) for letter in text.strip()))


def _whole_number(least: int, most: Callable[[], int], words: Promise) -> Callable[[str], None]:
    def check(value: str) -> None:
        try:
            number = _number(value)
        except ValueError:
            raise forms.ValidationError(str(words)) from None
        if not least <= number <= most():
            raise forms.ValidationError(str(words))

    return check


def _names_a_date(value: str) -> None:
    zone = timezone.get_current_timezone_name()
    found = timewords.find(value, now=timezone.now(), time_zone=zone)
    if not any(one.kind in ("date", "datetime", "range") for one in found):
        raise forms.ValidationError(_("Write a date, such as 3 March or 3 March 1990."))


# What would be nonsense under its attribute; anything else may be said in any words.
_CHECKS: Mapping[str, Callable[[str], None]] = {
    "age": _whole_number(0, lambda: 130, gettext_lazy("Write the age in years, as a number.")),
    "birth_year": _whole_number(
        1880, lambda: timezone.localdate().year, gettext_lazy("Write the year in four digits.")
    ),
    "birthday": _names_a_date,
    "anniversary": _names_a_date,
}
