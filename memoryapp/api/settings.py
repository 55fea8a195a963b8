"""What the user chose."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router

from memoryapp import preferences, providers, store
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.headers import IfMatch, IfNoneMatch, etag, expected, stale
from memoryapp.api.problems import Problem, field_problem
from memoryapp.api.schemas import SettingsChange, SettingsOut, UserQuery
from memoryapp.api.site import answers
from memoryapp.context import acting_for

router = Router()
# What goes to preferences.change() as it came.
PLAIN = (
    *("language", "time_zone", "paused", "paused_until", "retention_days", "sensitive_opt_in"),
    *("expiry", "review_keys"),
)
# What only the user's own key may change, and what an application isn't shown the words of.
OWN = ("applications", "never_remember")


@router.get(
    "/settings",
    auth=BearerKey("settings:read"),
    response=answers(200, SettingsOut) | {304: None},
    operation_id="getSettings",
    summary="What the user chose",
)
def get_settings(
    request: HttpRequest,
    response: HttpResponse,
    query: Query[UserQuery],
    if_none_match: IfNoneMatch = None,
) -> Any:
    """Language, time zone, pause, retention, consents, what is never remembered, how long
    kinds of facts keep, and what applications may do. Its ETag is for If-Match."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        now = providers.clock().now()
        return _shown(response, who, preferences.load(user=who.user, now=now))


@router.patch(
    "/settings",
    auth=BearerKey("settings:write"),
    response=answers(200, SettingsOut, 400, 411, 412, 413, 415, 428),
    operation_id="changeSettings",
    summary="Change what the user chose",
)
def change_settings(
    request: HttpRequest, response: HttpResponse, body: SettingsChange, if_match: IfMatch = None
) -> Any:
    """What is left out stays as it is. What applications may do is the user's own choice: an
    application can't change it."""
    who = party(request, body.user)
    if who.by.kind != "user" and body.model_fields_set & set(OWN):
        raise Problem(
            "forbidden",
            _(
                "Only the user chooses what applications may do and what is never remembered: "
                "with their own key, or on their page, to which POST /links makes the way."
            ),
        )
    given: dict[str, Any] = {
        name: getattr(body, name) for name in PLAIN if name in body.model_fields_set
    }
    if "applications" in body.model_fields_set:
        given["applications"] = {
            each.application: (each.may_read, each.may_write) for each in body.applications
        }
    if "never_remember" in body.model_fields_set:
        given["never_remember"] = [
            preferences.TopicKey(each.words, each.attribute, each.area, each.sensitivity)
            for each in body.never_remember
        ]
    now = providers.clock().now()
    try:
        with acting_for(who.user_id):
            held = preferences.change(
                user=who.user,
                changes=cast(preferences.Changes, given),
                by=who.by,
                seen=expected(if_match),
                now=now,
            )
            if body.expiry_for_existing:
                preferences.apply_expiry(user=who.user, by=who.by, now=now)
    except store.Stale:
        raise stale() from None
    except preferences.UnknownApplication:
        raise field_problem(
            "applications",
            "unknown_application",
            _("One of these applications has nothing to do with this user."),
            _("Name those that GET /settings lists."),
        ) from None
    return _shown(response, who, held)


def _shown(response: HttpResponse, who: Party, held: preferences.Preferences) -> SettingsOut:
    response["ETag"] = etag(held.version(who.user))
    shown = SettingsOut.model_validate(held)
    if who.by.kind != "user":
        for topic in shown.never_remember:
            topic.words = topic.words and None
    return shown
