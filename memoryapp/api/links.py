"""A short-lived way for an application's user to their own page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Router, Status

from accounts.models import PageLink
from memoryapp import audit
from memoryapp.api.auth import BearerKey, key_of, party
from memoryapp.api.problems import Problem
from memoryapp.api.schemas import LinkIn, LinkOut
from memoryapp.api.site import answers
from memoryapp.context import acting_for

router = Router()


@router.post(
    "/links",
    # Who holds the link may do on the page all that the user may.
    auth=BearerKey("facts:write"),
    response=answers(201, LinkOut, 400, 411, 413, 415),
    operation_id="createPageLink",
    summary="A link to the user's page",
)
def create_link(request: HttpRequest, body: LinkIn) -> Any:
    """A link that opens “What I remember about you” once, for this user, for some minutes.
    Hand it to that user alone."""
    key = key_of(request)
    if key.application is None:
        raise Problem("forbidden", _("Links are made with an application's key."))
    # Also for an application that the user shut out: or there would be no way back.
    who = party(request, body.user, ask_user=False)
    with acting_for(who.user_id):
        link, token = PageLink.objects.issue(user=who.user, application=key.application)
        event = audit.Event("link.issue", f"link:{link.pk}")
        audit.record(user_id=who.user_id, by=who.by, events=[event])
    path = reverse("accounts:enter", kwargs={"token": token})
    return Status(201, {"url": request.build_absolute_uri(path), "expires_at": link.expires_at})
