"""Settings, in sections that save by themselves: each says what was saved, and takes it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.dateparse import parse_datetime
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from memoryapp import audit, preferences
from memoryapp.context import acting_for
from memoryapp.preferences import Changes, Preferences, TopicKey
from memoryapp.web import rules_wording as words
from memoryapp.web.settings_forms import (
    ChosenForm,
    DelicateForm,
    ExpiryForm,
    LanguageForm,
    MessagesForm,
    PauseForm,
    WordsForm,
    forms_of,
)
from memoryapp.web.views.common import me, missing, private, show, summary

# What was just saved, until the page has said so, and what takes it back. Settings and ids,
# never a topic's words.
SAID, UNDO = "settings_said", "settings_undo"


@private
@require_GET
def settings(request: HttpRequest) -> HttpResponse:
    return _page(request, {})


def _page(request: HttpRequest, bound: Mapping[str, forms.Form], status: int = 200) -> HttpResponse:
    """The page, with the forms that couldn't be saved."""
    user = me(request)
    said = request.session.pop(SAID, None) or {}
    now = timezone.now()
    with acting_for(user.pk):
        held = preferences.load(user=user, now=now)
        context: dict[str, Any] = {
            **summary(user.pk).context(),
            "forms": {**forms_of(held), **bound},
        }
    topics = [
        {
            "id": one.id,
            "name": words.topic(one),
            "sought": words.sought(one),
            "own": bool(one.words),
            "left_out": words.left_out(one.left_out),
            "last": one.last_left_out_at,
            "fresh": str(one.id) == said.get("topic"),
        }
        for one in reversed(held.never_remember)
    ]
    context |= {
        "held": held,
        "topics": topics,
        "fresh": next((one for one in topics if one["fresh"]), None),
        "said": said,
    }
    return show(request, "web/settings.html", context, status=status)


@private
@require_POST
def settings_save(request: HttpRequest, section: str) -> HttpResponse:
    """Save one section and lead back to it; 404 for a section that isn't there."""
    save = _SECTIONS.get(section)
    if save is None:
        raise Http404
    return save(request)


def _saved(
    request: HttpRequest,
    section: str,
    said: Callable[[], str],
    *,
    undo: Mapping[str, Any] | None = None,
    existing: bool = False,
    topic: UUID | None = None,
) -> HttpResponse:
    """Say so in the section. ``undo`` are the changes that take it back, and ``existing``
    whether they are for memories that are held, too; ``topic`` is one just added."""
    if undo is not None:
        request.session[UNDO] = {"section": section, "changes": undo, "existing": existing}
    # A new language speaks at once.
    with translation.override(me(request).language):
        request.session[SAID] = {
            "section": section,
            "words": said(),
            "undo": undo is not None,
            "topic": str(topic) if topic else None,
        }
    return redirect(reverse("settings") + "#said")


def _change(user: User, changes: Mapping[str, Any]) -> tuple[Preferences, Preferences]:
    """How things stood, and how they stand."""
    now = timezone.now()
    with acting_for(user.pk):
        before = preferences.load(user=user, now=now)
        after = preferences.change(
            user=user, changes=cast(Changes, changes), by=audit.Actor.user(user), now=now
        )
    return before, after


def _before(section: str, held: Preferences) -> dict[str, Any]:
    """What puts a section back, as the session keeps it."""
    values: Mapping[str, Mapping[str, Any]] = {
        "language": {"language": held.language, "time_zone": held.time_zone},
        "pause": {
            "paused": held.paused,
            "paused_until": held.paused_until.isoformat() if held.paused_until else None,
        },
        "delicate": {"sensitive_opt_in": list(held.sensitive_opt_in)},
        "messages": {"retention_days": held.retention_days},
        "expiry": {"expiry": dict(held.expiry)},
    }
    return dict(values[section])


def _save_language(request: HttpRequest) -> HttpResponse:
    form = LanguageForm(request.POST)
    if not form.is_valid():
        return _page(request, {"language": form}, 422)
    before, _after = _change(me(request), form.changes())
    return _saved(
        request,
        "language",
        lambda: _("Saved. This is how I speak to you, and which clock I go by."),
        undo=_before("language", before),
    )


def _pause(request: HttpRequest) -> HttpResponse:
    form = PauseForm(request.POST)
    if not form.is_valid():
        return _page(request, {"pause": form}, 422)
    before, _after = _change(me(request), form.changes(timezone.now()))
    return _saved(
        request,
        "pause",
        lambda: _("Paused. I keep and learn nothing of what you say, until it goes on."),
        undo=_before("pause", before),
    )


def _resume(request: HttpRequest) -> HttpResponse:
    before, _after = _change(me(request), {"paused": False})
    back = request.POST.get("back", "")
    if url_has_allowed_host_and_scheme(back, allowed_hosts=None) and back.startswith("/"):
        return redirect(back)
    return _saved(
        request,
        "pause",
        lambda: _("I’m remembering again."),
        undo=_before("pause", before),
    )


def _add_topic(request: HttpRequest) -> HttpResponse:
    form: WordsForm | ChosenForm
    name = "words" if "words" in request.POST else "chosen"
    form = WordsForm(request.POST) if name == "words" else ChosenForm(request.POST)
    if not form.is_valid():
        return _page(request, {name: form}, 422)
    user = me(request)
    held = _topics(user)
    try:
        before, after = _change(user, {"never_remember": [*held.values(), form.key()]})
    except preferences.TooManyTopics:
        form.add_error(None, _("That is one topic too many. Remove one that you no longer need."))
        return _page(request, {name: form}, 422)
    known = {one.id for one in before.never_remember}
    fresh = next((one.id for one in after.never_remember if one.id not in known), None)
    if fresh is None:
        return _saved(request, "topics", lambda: _("That was a rule already. It stands."))
    return _saved(
        request,
        "topics",
        lambda: _("I won’t remember anything about this from now on."),
        topic=fresh,
    )


def _remove_topic(request: HttpRequest) -> HttpResponse:
    user = me(request)
    held = _topics(user)
    try:
        gone = UUID(request.POST.get("topic", ""))
        del held[gone]
    except (ValueError, KeyError):
        missing(request, "topic")
    _change(user, {"never_remember": list(held.values())})
    return _saved(
        request,
        "topics",
        lambda: _("Removed. I may remember it again when you speak of it."),
    )


def _topics(user: User) -> dict[UUID, TopicKey]:
    with acting_for(user.pk):
        return {one.id: one.key for one in preferences.load(user=user).never_remember}


def _save_delicate(request: HttpRequest) -> HttpResponse:
    form = DelicateForm(request.POST)
    if not form.is_valid():
        return _page(request, {"delicate": form}, 422)
    before, after = _change(me(request), form.changes())
    count = len(after.sensitive_opt_in)

    def said() -> str:
        if not count:
            return _("Saved. I ask you about every delicate thing.")
        return ngettext(
            "Saved. I no longer ask about one delicate subject.",
            "Saved. I no longer ask about %(n)s delicate subjects.",
            count,
        ) % {"n": count}

    return _saved(request, "delicate", said, undo=_before("delicate", before))


def _save_messages(request: HttpRequest) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        held = preferences.load(user=user).retention_days
    form = MessagesForm(request.POST, held=held)
    if not form.is_valid():
        return _page(request, {"messages": form}, 422)
    before, _after = _change(user, form.changes())
    return _saved(
        request,
        "messages",
        lambda: _("Saved. Messages older than that are cleared away tonight."),
        undo=_before("messages", before),
    )


def _save_expiry(request: HttpRequest) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        held = preferences.load(user=user).expiry
    form = ExpiryForm(request.POST, held=held)
    if not form.is_valid():
        return _page(request, {"expiry": form}, 422)
    existing = form.cleaned_data["existing"]
    before, _after = _change(user, form.changes())
    moved = _apply_expiry(user) if existing else 0

    def said() -> str:
        if not existing:
            return _("Saved. It holds for what I learn from now on.")
        return ngettext(
            "Saved. One memory that I hold runs out at another time now.",
            "Saved. %(n)s memories that I hold run out at another time now.",
            moved,
        ) % {"n": moved}

    undo = _before("expiry", before)
    return _saved(request, "expiry", said, undo=undo, existing=existing)


def _apply_expiry(user: User) -> int:
    with acting_for(user.pk):
        return preferences.apply_expiry(user=user, by=audit.Actor.user(user), now=timezone.now())


def _save_keys(request: HttpRequest) -> HttpResponse:
    _change(me(request), {"review_keys": "review_keys" in request.POST})
    return redirect("review")


def _undo(request: HttpRequest) -> HttpResponse:
    """Put the section that was saved last back as it was before."""
    former = request.session.pop(UNDO, None)
    if former is None:
        return redirect("settings")
    changes = former["changes"]
    if changes.get("paused_until"):
        changes["paused_until"] = parse_datetime(changes["paused_until"])
    user = me(request)
    _change(user, changes)
    if former["existing"]:
        _apply_expiry(user)
    return _saved(request, former["section"], lambda: _("It is as it was before."))


_SECTIONS: Mapping[str, Callable[[HttpRequest], HttpResponse]] = {
    "language": _save_language,
    "pause": _pause,
    "resume": _resume,
    "topics": _add_topic,
    "topic-remove": _remove_topic,
    "delicate": _save_delicate,
    "messages": _save_messages,
    "expiry": _save_expiry,
    "keys": _save_keys,
    "undo": _undo,
}
