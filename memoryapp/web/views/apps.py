"""Applications that have to do with the user, and the user's own keys.

URL names: ``apps`` is the page; ``app_access`` and ``app_disconnect`` take an application's id;
``key_new``, ``key_revoke`` a key's.
"""

from __future__ import annotations

from functools import wraps
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import ApiKey, Application, PageLink, User
from accounts.sessions import session_application
from memoryapp import audit, preferences
from memoryapp.context import acting_for
from memoryapp.web.connections import Connection, connections
from memoryapp.web.key_forms import KeyForm, newer_scopes, scope_words
from memoryapp.web.views.common import View, me, missing, private, show, summary

# In the session, until the page is shown: what a switch said before it was touched.
UNDO = "apps_undo"


def own(view: View) -> View:
    """``private``, and 404 in a session that an application's link opened: keys made there
    would outlive it."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if session_application(request) is not None:
            raise Http404
        return view(request, *args, **kwargs)

    return private(answer)


def page(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """``show``, with the figures of the rail."""
    user_id = me(request).pk
    with acting_for(user_id):
        figures = summary(user_id).context()
    return show(request, template, {**figures, **context}, status=status)


def record(user: User, action: str, object: str) -> None:
    with acting_for(user.pk):
        audit.record(
            user_id=user.pk, by=audit.Actor.user(user), events=[audit.Event(action, object)]
        )


def key_rows(keys: Any) -> list[dict[str, Any]]:
    """Keys for a list, those in use first, the newest of them first."""
    now = timezone.now()
    return [
        {
            "key": key,
            "scopes": scope_words(key.scopes),
            "lacks": newer_scopes(key),
            "usable": key.is_usable(now),
        }
        for key in sorted(
            keys, key=lambda one: (not one.is_usable(now), -one.created_at.timestamp())
        )
    ]


def connecting(request: HttpRequest, secret: str = "") -> dict[str, str]:
    """What goes into a client's settings; without a secret, a word in its place."""
    return {
        "openai_url": request.build_absolute_uri("/v1"),
        "mcp_url": request.build_absolute_uri("/mcp"),
        "api_url": request.build_absolute_uri("/api/v1"),
        "secret": secret or "mem_…",
    }


@private
@require_GET
def apps(request: HttpRequest) -> HttpResponse:
    user = me(request)
    alone = session_application(request) is None
    with acting_for(user.pk):
        found = connections(user=user, now=timezone.now())
    context = {"connections": found, "own": alone, "undo": request.session.pop(UNDO, None)}
    if alone:
        context |= {
            "keys": key_rows(user.api_keys.filter(application=None).select_related("owner")),
            "applications": user.applications.order_by("revoked_at", "name"),
            **connecting(request),
        }
    return page(request, "web/apps.html", context)


def _connection(request: HttpRequest, application_id: UUID) -> Connection:
    user = me(request)
    with acting_for(user.pk):
        for one in connections(user=user, now=timezone.now()):
            if one.id == application_id:
                return one
    missing(request, f"application:{application_id}")


class AccessForm(forms.Form):
    """Which of the two may be, as buttons send it."""

    may_read = forms.TypedChoiceField(choices=[("1", ""), ("0", "")], required=False)
    may_write = forms.TypedChoiceField(choices=[("1", ""), ("0", "")], required=False)


@private
@require_POST
def app_access(request: HttpRequest, application_id: UUID) -> HttpResponse:
    """Sets what is sent, of reading and writing, and keeps what was for the way back."""
    before = _connection(request, application_id)
    form = AccessForm(request.POST)
    if form.is_valid():
        sent = {name: value == "1" for name, value in form.cleaned_data.items() if value}
        after = {"may_read": before.may_read, "may_write": before.may_write, **sent}
        _set_access(request, application_id, after["may_read"], after["may_write"])
        if "undo" in request.POST:
            messages.success(request, _("It is as it was."))
        elif sent:
            request.session[UNDO] = {
                "id": str(application_id),
                "name": before.name,
                "may_read": before.may_read,
                "may_write": before.may_write,
            }
    return redirect("apps")


def _set_access(request: HttpRequest, application_id: UUID, read: bool, write: bool) -> None:
    user = me(request)
    with acting_for(user.pk):
        preferences.change(
            user=user,
            changes={"applications": {application_id: (read, write)}},
            by=audit.Actor.user(user),
        )


@private
@require_http_methods(["GET", "POST"])
def app_disconnect(request: HttpRequest, application_id: UUID) -> HttpResponse:
    """Asks, then shuts the application out and uses up the links that it still has."""
    found = _connection(request, application_id)
    user = me(request)
    if request.method == "POST":
        with acting_for(user.pk):
            PageLink.objects.revoke(user=user, application=Application(pk=application_id))
            _set_access(request, application_id, False, False)
            record(user, "app.disconnect", f"application:{application_id}")
        messages.success(
            request,
            _("“%(name)s” is disconnected. It can’t look anything up or tell me anything.")
            % {"name": found.name},
        )
        return redirect("apps")
    return page(request, "web/app_disconnect.html", {"one": found})


# -- Keys -----------------------------------------------------------------------------------------


@sensitive_variables("secret")
def make_key(request: HttpRequest, form: KeyForm, application: Application | None) -> HttpResponse:
    """The page with the new key: the only one that ever shows it, and it isn't kept. A wish
    that is sent again, by loading the page again, makes no second key."""
    user, wanted = me(request), form.cleaned_data
    back = {"application": application}
    try:
        with transaction.atomic():
            key, secret = ApiKey.objects.issue(
                owner=user,
                application=application,
                name=wanted["name"],
                scopes=wanted["scopes"],
                expires_at=form.expires_at(timezone.now()),
                key_id=wanted["key_id"],
            )
            record(user, "key.make", f"key:{key.pk}")
    except IntegrityError:
        return page(request, "web/key_shown.html", back, status=409)
    old = _like(request, application)
    context = {
        **back,
        "key": key,
        "scopes": scope_words(key.scopes),
        "old": old if old and old.revoked_at is None else None,
    }
    return page(request, "web/key_shown.html", {**context, **connecting(request, secret)})


def _like(request: HttpRequest, application: Application | None) -> ApiKey | None:
    """The key of theirs that the address names as a pattern; None when it names none."""
    try:
        key_id = UUID(request.GET.get("like", ""))
    except ValueError:
        return None
    return me(request).api_keys.filter(pk=key_id, application=application).first()


def key_form(request: HttpRequest, application: Application | None) -> HttpResponse:
    """GET shows the form, filled in after the key that ``like`` names; POST makes the key."""
    like = _like(request, application)
    form = KeyForm(
        request.POST if request.method == "POST" else None,
        personal=application is None,
        like=like,
        more="more" in request.GET,
    )
    if form.is_valid():
        return make_key(request, form, application)
    context = {"form": form, "like": like, "application": application}
    return page(request, "web/key_new.html", context, status=422 if form.is_bound else 200)


@own
@require_http_methods(["GET", "POST"])
def key_new(request: HttpRequest) -> HttpResponse:
    return key_form(request, None)


@own
@require_http_methods(["GET", "POST"])
def key_revoke(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """Asks, then revokes. A key that is revoked already stays so."""
    user = me(request)
    key = user.api_keys.filter(pk=key_id).select_related("application").first()
    if key is None:
        missing(request, f"key:{key_id}")
    back = redirect("application", key.application_id) if key.application_id else redirect("apps")
    if request.method == "POST":
        now = timezone.now()
        with transaction.atomic():
            if user.api_keys.filter(pk=key_id, revoked_at=None).update(revoked_at=now):
                record(user, "key.revoke", f"key:{key_id}")
        messages.success(
            request, _("The key is revoked. Whoever has it is turned away from now on.")
        )
        return back
    return page(request, "web/key_revoke.html", {"key": key, "back": back.url})
