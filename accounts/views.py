from __future__ import annotations

from allauth.usersessions.internal.flows import sessions
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

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


@login_required
@require_POST
def session_end(request: HttpRequest, pk: int) -> HttpResponse:
    """Signs one of the user's other devices out. Answers 404 for one that isn't theirs,
    for this very session, and in a session that an application's link opened."""
    found = UserSession.objects.filter(user=request.user.pk, pk=pk).first()
    if found is None or found.is_current():
        raise Http404
    sessions.end_sessions(request, [found])
    messages.success(request, _("That device is signed out."))
    return redirect("usersessions_list")
