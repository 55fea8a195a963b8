"""The page in a frame of another site, where an application's owner allowed that site.

Everything of it lies below ``/embed/<application>/``: the same pages, under a prefix, with
cookies of their own that the browser keeps apart by the framing site. So a frame never meets
the session of somebody who is signed in, nor a signed-in page a frame: outside the prefix
nothing may be framed.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from http.cookies import Morsel
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, reverse, set_script_prefix
from django.utils import timezone

from accounts.models import Application
from accounts.origins import validate_origin

PREFIX = "embed/"
COOKIES = "memoryapp_embedded_"
# In the session: the application in whose frame it was opened, and the theme there.
OPENED_IN = "embedded_in"
THEME = "embedded_theme"
# What is to be typed before something is destroyed, and until when it was.
CODE = "embedded_code"
SURE_UNTIL = "embedded_sure_until"
SURE_SECONDS = 600

_PATH = re.compile(r"/embed/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(/.*)?", re.ASCII | re.S)

GetResponse = Callable[[HttpRequest], HttpResponse]


def embedded_path(application_id: UUID, path: str) -> str:
    """The address within a frame of what has ``path`` outside of one."""
    prefix = get_script_prefix()
    return f"{prefix}{PREFIX}{application_id}/{path.removeprefix(prefix)}"


def embedded(request: HttpRequest) -> Application | None:
    """The application in whose frame the request is; None outside of frames."""
    found: Application | None = getattr(request, "embedded", None)
    return found


class _Partitioned(Morsel[str]):
    """A cookie that the browser keeps for each framing site apart (CHIPS). Python's own
    cookies know the word from 3.14 on."""

    def OutputString(self, attrs: Any = None) -> str:
        return super().OutputString(attrs) + "; Partitioned"


class EmbeddingMiddleware:
    """Serves the pages below the prefix. Stands outside the sessions, whose cookie it changes,
    and inside the content security policy, of which it widens one rule."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        found = _PATH.fullmatch(request.path_info)
        if found is None:
            return self.get_response(request)
        application = Application.objects.filter(pk=UUID(found[1]), revoked_at=None).first()
        origins = _origins(application)
        if application is None or not origins:
            raise Http404
        before = get_script_prefix()
        prefix = f"{before}{PREFIX}{application.pk}/"
        request.embedded = application  # type: ignore[attr-defined]
        request.path_info = found[2] or "/"
        _own_cookies(request)
        set_script_prefix(prefix)
        try:
            response = self.get_response(request)
        finally:
            set_script_prefix(before)
        _hand_out_cookies(response, prefix)
        response.headers.pop("X-Frame-Options", None)
        response._csp_replace = {"frame-ancestors": origins}  # type: ignore[attr-defined]
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: object, kwargs: object
    ) -> HttpResponse | None:
        _keep_apart(request)
        match = request.resolver_match
        if embedded(request) is None or match is None:
            return None
        name = match.url_name or ""
        if name != "account_logout" and not view.__module__.startswith(settings.EMBEDDED_VIEWS):
            if request.user.is_authenticated:
                raise Http404
            # Where a page would lead that needs signing in: there is no signing in in a frame.
            return render(request, "account/embed_ended.html", status=403)
        if request.method == "POST" and _destroys(name) and not _sure(request):
            return _ask(request)
        return None


def _origins(application: Application | None) -> Sequence[str]:
    """Those of the application's sites that are well formed: they go into a header."""
    kept = []
    for origin in application.embed_origins if application else ():
        try:
            validate_origin(origin)
        except ValidationError:
            continue
        kept.append(origin)
    return kept


def _keep_apart(request: HttpRequest) -> None:
    """Knows nobody by a session that was opened elsewhere: within a frame and not, or within
    another application's frame."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return
    application = embedded(request)
    here = str(application.pk) if application else None
    if request.session.get(OPENED_IN) != here:
        request.user = AnonymousUser()


def _own_cookies(request: HttpRequest) -> None:
    """Leaves the frame's cookies, under the names by which Django asks for them."""
    own = {
        name.removeprefix(COOKIES): value
        for name, value in request.COOKIES.items()
        if name.startswith(COOKIES)
    }
    request.COOKIES.clear()
    request.COOKIES.update(own)


def _hand_out_cookies(response: HttpResponse, path: str) -> None:
    for name in list(response.cookies):
        given = response.cookies.pop(name)
        kept = _Partitioned()
        kept.set(f"{COOKIES}{name}", given.value, given.coded_value)
        kept.update({**given, "path": path, "samesite": "None", "secure": True, "domain": ""})
        response.cookies[kept.key] = kept


# -- Destroying takes more than clicks ------------------------------------------------------------


def _destroys(url_name: str) -> bool:
    return any(word in url_name for word in settings.EMBEDDED_CONFIRM)


def _sure(request: HttpRequest) -> bool:
    return float(request.session.get(SURE_UNTIL, 0)) > timezone.now().timestamp()


def _ask(request: HttpRequest) -> HttpResponse:
    """Leads to the page that asks for a typed number, and from there back. A site around the
    frame can lead clicks astray, but can't read a number in it and have it typed."""
    here = request.headers.get("HX-Current-URL") or request.headers.get("Referer", "")
    path = urlsplit(here).path
    start = get_script_prefix()
    request.session["embedded_next"] = path if path.startswith(start) else start
    request.session[CODE] = f"{secrets.randbelow(9000) + 1000}"
    address = reverse("accounts:embed_confirm")
    if request.headers.get("HX-Request"):
        return HttpResponse(headers={"HX-Redirect": address})
    return redirect(address)


def confirm(request: HttpRequest, typed: str) -> str | None:
    """Where to go on when the number is the one that was asked for; else None, and the page
    asks for another. Raises Http404 outside of frames."""
    if embedded(request) is None:
        raise Http404
    asked = request.session.pop(CODE, "")
    if asked and secrets.compare_digest(asked.encode(), typed.strip().encode()):
        request.session[SURE_UNTIL] = timezone.now().timestamp() + SURE_SECONDS
        return str(request.session.pop("embedded_next", get_script_prefix()))
    request.session[CODE] = f"{secrets.randbelow(9000) + 1000}"
    return None
