"""A short-lived way for an application's user to their own page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Router, Status

from accounts.embedding import embedded_path
from accounts.models import PageLink
from accounts.theming import LEAST_CONTRAST, Theme, Unreadable
from memoryapp import audit
from memoryapp.api.auth import BearerKey, key_of, party
from memoryapp.api.problems import Problem, field_problem
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
    Hand it to that user alone. With `embed` it opens the page in a frame; how, and what a
    `theme` may say, is in docs/embedding.md."""
    key = key_of(request)
    if key.application is None:
        raise Problem("forbidden", _("Links are made with an application's key."))
    theme = _theme(body)
    if body.embed and not key.application.embed_origins:
        raise field_problem(
            "embed",
            "no_site",
            _("No site may show the page of this application in a frame."),
            _("Its owner allows sites at “Apps and keys”."),
        )
    # Also for an application that the user shut out: or there would be no way back.
    who = party(request, body.user, ask_user=False)
    with acting_for(who.user_id):
        link, token = PageLink.objects.issue(
            user=who.user, application=key.application, embed=body.embed, theme=theme
        )
        event = audit.Event("link.issue", f"link:{link.pk}")
        audit.record(user_id=who.user_id, by=who.by, events=[event])
    path = reverse("accounts:enter", kwargs={"token": token})
    if body.embed:
        path = embedded_path(key.application.pk, path)
    return Status(201, {"url": request.build_absolute_uri(path), "expires_at": link.expires_at})


def _theme(body: LinkIn) -> Theme | None:
    """Raises Problem for a theme without a frame, and for one that can't be read."""
    if body.theme is None:
        return None
    if not body.embed:
        raise field_problem(
            "theme", "not_embedded", _("A theme is for a frame."), _("Add “embed”: true.")
        )
    try:
        return Theme.load(body.theme.model_dump())
    except Unreadable as error:
        raise field_problem(
            f"theme.{error.field}",
            "contrast",
            _("Its contrast with the page is %(contrast)s; %(least)s is needed to read it.")
            % {"contrast": f"{error.contrast:.2f}", "least": LEAST_CONTRAST},
            _("Take a darker colour for the light page, a lighter one for the dark page."),
        ) from None
