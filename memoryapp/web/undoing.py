"""Saying what was done, with a way to take it back."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryapp.store import TakenBack

MARK = "undo:"

WHY: Mapping[str, Promise] = {
    "undone": gettext_lazy("You have taken this back already."),
    "changed": gettext_lazy(
        "It has changed again since, so I left it as it is. Change it by hand if it is wrong."
    ),
}


def said(request: HttpRequest, words: str, act: UUID | None = None) -> None:
    """Say it on the next page, with "Undo" for ``act``."""
    messages.success(request, words, extra_tags=f"{MARK}{act}" if act else "")


def why_not(code: str) -> str:
    """Why an act can't be taken back, by ``NotUndoable.code``."""
    return str(WHY.get(code, WHY["changed"]))


def gone() -> str:
    """The same when there is nothing of it left."""
    return _("There is nothing left to take back: it was forgotten, or too much time has passed.")


def taken_back(undone: TakenBack) -> str:
    words = ngettext(
        "Taken back. All is as it was.",
        "Taken back: %(n)s of them are as they were.",
        len(undone.facts),
    ) % {"n": len(undone.facts)}
    if undone.left:
        words += " " + ngettext(
            "One has changed again since, so I left it as it is.",
            "%(n)s have changed again since, so I left them as they are.",
            undone.left,
        ) % {"n": undone.left}
    return words
