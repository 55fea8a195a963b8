from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from accounts.models import PageLink
from accounts.sessions import open_session


@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows one button, so that a scanner that follows links uses nothing up;
    POST uses the link up and signs in. Answers 410 when the link is used, expired
    or unknown: the three look the same."""
    if request.method == "POST":
        now = timezone.now()
        link = PageLink.objects.consume(token, now=now)
        if link is None:
            return _private(_gone(request), referrer="no-referrer")
        open_session(request, link, now=now)
        return _private(redirect(settings.LOGIN_REDIRECT_URL), referrer="no-referrer")
    link = PageLink.objects.usable(token)
    if link is None:
        return _private(_gone(request), referrer="no-referrer")
    page = render(request, "account/enter.html", {"application": link.application})
    # Not `no-referrer`: browsers would post the form with "Origin: null", which CSRF
    # protection refuses. This policy sends the site's address, never the path.
    return _private(page, referrer="strict-origin")


def _gone(request: HttpRequest) -> HttpResponse:
    minutes = max(1, settings.PAGE_LINK_SECONDS // 60)
    return render(request, "account/enter_gone.html", {"minutes": minutes}, status=410)


def _private(response: HttpResponse, *, referrer: str) -> HttpResponse:
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = referrer
    return response
