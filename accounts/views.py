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
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.embedding import CODE, OPENED_IN, THEME, confirm, embedded
from accounts.models import PageLink
from accounts.sessions import open_session
from accounts.theming import Theme


@sensitive_variables("token")
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows one button, so that a scanner that follows links uses nothing up;
    POST uses the link up and signs in. Answers 410 when the link is used, expired
    or unknown: the three look the same. In a frame only a link works that was made for
    one, and for this application; outside of frames every link does."""
    link = PageLink.objects.usable(token)
    application = embedded(request)
    if application and link and not (link.embed and link.application_id == application.pk):
        link = None
    if request.method == "POST" and link is not None:
        now = timezone.now()
        link = PageLink.objects.consume(token, now=now)
    if link is None:
        return _private(_gone(request), referrer="no-referrer")
    if request.method == "POST":
        open_session(request, link, now=now)
        if application:
            request.session[OPENED_IN] = str(application.pk)
            request.session[THEME] = link.theme
        return _private(redirect(settings.LOGIN_REDIRECT_URL), referrer="no-referrer")
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


@require_GET
def embed_theme(request: HttpRequest) -> HttpResponse:
    """The stylesheet of an embedded page, after the theme that its link was made with; empty
    for none. Answers 404 outside of frames."""
    if embedded(request) is None:
        raise Http404
    theme = Theme.load(request.session.get(THEME, {}))
    return HttpResponse(theme.css(), content_type="text/css; charset=utf-8")


@login_required
@require_http_methods(["GET", "POST"])
def embed_confirm(request: HttpRequest) -> HttpResponse:
    """Shows a number and asks for it, before something is destroyed from within a frame."""
    wrong = request.method == "POST"
    if wrong and (there := confirm(request, request.POST.get("number", ""))):
        messages.success(request, _("Thank you. Go on: for ten minutes I won’t ask again."))
        return redirect(there)
    number = request.session.get(CODE)
    if embedded(request) is None or not number:
        raise Http404
    context = {"number": number, "wrong": wrong}
    return render(request, "account/embed_confirm.html", context, status=422 if wrong else 200)
