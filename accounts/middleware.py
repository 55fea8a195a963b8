from __future__ import annotations

import zoneinfo
from collections.abc import Callable

from allauth.usersessions.internal import usersessionkit
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone, translation

from accounts.sessions import session_application

GetResponse = Callable[[HttpRequest], HttpResponse]


class UserTimeZoneMiddleware:
    """Answers in the signed-in user's time zone and language, and puts both back.
    For anybody else, what LocaleMiddleware chose stays."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if not user.is_authenticated:
            return self.get_response(request)
        with timezone.override(_zone(user.time_zone)), translation.override(user.language):
            response = self.get_response(request)
        # LocaleMiddleware, further out, would name the browser's language.
        response.headers.setdefault("Content-Language", user.language)
        return response


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        # The system's zone database may have lost a name that was valid when chosen.
        return zoneinfo.ZoneInfo("UTC")


class SessionActivityMiddleware:
    """Notes when each signed-in session was last seen, for its user's list: within
    ``EVERY`` seconds, so that reading a page writes nothing."""

    EVERY = 300

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        key = request.session.session_key if request.user.is_authenticated else None
        # Each process asks its own memory: at worst each of them writes once.
        if key and cache.add(f"session-seen:{key}", True, self.EVERY):
            usersessionkit.track_activity(request, user=request.user, session=request.session)
        response = self.get_response(request)
        if request.user.is_authenticated:
            # Secrets of second factors stand on pages whose views say nothing of keeping them.
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class ApplicationSessionMiddleware:
    """Keeps a session that an application's link opened out of the sign-in settings.

    Else whoever held the link for a moment could add an e-mail address of their
    own and come back without the application. Answers 404; signing out works.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: object, kwargs: object
    ) -> None:
        match = request.resolver_match
        name = (match.url_name if match else None) or ""
        if (
            name.startswith(("account_", "mfa_", "usersessions_", "session_"))
            and name != "account_logout"
            and session_application(request) is not None
        ):
            raise Http404
