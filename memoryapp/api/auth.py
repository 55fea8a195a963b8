"""Who calls: a bearer key, what it may do, and for whom it speaks."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja.security import HttpBearer

from accounts.models import ApiKey, EndUser, User
from memoryapp import audit
from memoryapp.api.problems import Problem, field_problem
from memoryapp.context import acting_for


@dataclass(frozen=True, slots=True)
class Party:
    """The user a request is about, and who acts: the user themself or an application."""

    user: User
    by: audit.Actor
    application_id: UUID | None

    @property
    def user_id(self) -> UUID:
        return self.user.pk

    def not_found(self, object: str) -> Problem:
        """The answer to reaching for what isn't this user's or isn't there, noted in the
        log of the user whom the caller speaks for."""
        with acting_for(self.user_id):
            audit.refused(user_id=self.user_id, by=self.by, object=object)
        return Problem("not-found", _("Check the id: it isn't there, or it isn't this user's."))


class BearerKey(HttpBearer):
    """An API key that has all of the scopes named."""

    openapi_bearerFormat = "mem_…"
    openapi_description = (
        "An API key. A personal key acts for the account that made it; an application's key "
        "acts for the application's users, who are named by `user`."
    )

    def __init__(self, *scopes: str) -> None:
        super().__init__()
        self.scopes = scopes

    def __call__(self, request: HttpRequest) -> ApiKey | None:
        kind, _space, secret = request.headers.get("Authorization", "").partition(" ")
        return self.authenticate(request, secret.strip()) if kind.lower() == "bearer" else None

    def authenticate(self, request: HttpRequest, token: str) -> ApiKey | None:
        """The key; None when it isn't one in use. Raises Problem when it lacks a scope."""
        key = ApiKey.objects.authenticate(token)
        for scope in self.scopes:
            if key is not None and not key.allows(scope):
                raise Problem(
                    "forbidden",
                    _("The key lacks the scope “%(scope)s”. Make a key that has it.")
                    % {"scope": scope},
                )
        return key


def key_of(request: HttpRequest) -> ApiKey:
    """The key that the request was let in with."""
    key: ApiKey = request.auth  # type: ignore[attr-defined]
    return key


def party(request: HttpRequest, external_id: str | None) -> Party:
    """For whom the request speaks. An application's user is made at the first use. Raises
    Problem when ``user`` is missing, not to be given, or no longer active."""
    key = key_of(request)
    if key.application is None:
        if external_id is not None:
            raise field_problem(
                "user",
                "not_for_personal_keys",
                _("A personal key acts for its own account."),
                _("Leave “user” out, or use an application's key."),
            )
        return Party(key.owner, audit.Actor.user(key.owner), None)
    if external_id is None:
        raise field_problem(
            "user",
            "missing",
            _("An application's key needs to know for which of its users it acts."),
            _("Add “user”: your own id of the user."),
        )
    try:
        user = EndUser.objects.resolve(application=key.application, external_id=external_id)
    except ValidationError as error:
        raise field_problem(
            "user", "external_id", " ".join(error.messages), _("Send 1 to 200 visible characters.")
        ) from None
    if not user.is_active:
        raise Problem("forbidden", _("This user's account has been closed."))
    by = audit.Actor.application(key.application.pk)
    return Party(user, by, key.application.pk)
