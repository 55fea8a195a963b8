"""Sessions that an application's link opened."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth import login
from django.http import HttpRequest

from accounts.models import PageLink
from accounts.signals import entered_by_link

APPLICATION_KEY = "accounts_application"
APPLICATION_SESSION = timedelta(hours=1)


def open_session(request: HttpRequest, link: PageLink, *, now: datetime) -> None:
    """Signs the session in as the link's user. One that an application's link opens
    remembers the application and ends an hour from ``now``, used or not."""
    login(request, link.user, backend="django.contrib.auth.backends.ModelBackend")
    if link.application_id is None:
        request.session.pop(APPLICATION_KEY, None)
        request.session.set_expiry(None)
    else:
        request.session[APPLICATION_KEY] = str(link.application_id)
        request.session.set_expiry(now + APPLICATION_SESSION)
    entered_by_link.send(sender=PageLink, request=request, user=link.user, link=link)


def session_application(request: HttpRequest) -> UUID | None:
    """The application whose link opened this session; None for an ordinary sign-in."""
    value = request.session.get(APPLICATION_KEY)
    return UUID(value) if value else None
