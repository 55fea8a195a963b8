"""Who calls: a bearer key, what it may do, and for whom it speaks."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from ninja.security import HttpBearer

from accounts.models import ApiKey, EndUser, User
from memoryapp import audit, limits
from memoryapp.api.problems import Problem, field_problem
from memoryapp.context import acting_for


@dataclass(frozen=True, slots=True)
class Party:
    """The user a request is about, and who acts: the user themself or an application.
    ``may_read`` and ``may_write`` are what the user lets the application do."""

    user: User
    by: audit.Actor
    application_id: UUID | None
    may_read: bool = True
    may_write: bool = True

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
    """An API key that has all of the scopes named, within its rate limit."""

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
        """The key; None when it isn't one in use. Raises Problem when it has asked too often
        or lacks a scope."""
        key = ApiKey.objects.authenticate(token)
        if key is None:
            return None
        _within(request, "key", key.pk, settings.RATE_LIMIT_KEY)
        demand(request, key, self.scopes)
        return key


def demand(request: HttpRequest, key: ApiKey, scopes: tuple[str, ...]) -> None:
    """Note what the request is going to do, for ``party``. Raises Problem when the key lacks
    one of the scopes."""
    for scope in scopes:
        if not key.allows(scope):
            raise Problem(
                "forbidden",
                _("The key lacks the scope “%(scope)s”. Make a key that has it.")
                % {"scope": scope},
            )
    request.scopes = scopes  # type: ignore[attr-defined]


def standings(request: HttpRequest) -> list[limits.Standing]:
    """The limits that the request was held against so far."""
    found: list[limits.Standing] = request.__dict__.setdefault("rate_limits", [])
    return found


def _within(request: HttpRequest, name: limits.Name, bucket: UUID, limit: int) -> None:
    """Counts the request; raises Problem when it is one too many."""
    if not limit:
        return
    standing = limits.take(name=name, bucket=bucket, limit=limit)
    standings(request).append(standing)
    if standing.refused:
        raise Problem(
            "too-many-requests",
            ngettext(
                "Wait %(wait)s second, then go on at no more than %(limit)s requests a minute.",
                "Wait %(wait)s seconds, then go on at no more than %(limit)s requests a minute.",
                standing.wait,
            )
            % {"wait": standing.wait, "limit": standing.limit},
            headers={"Retry-After": str(standing.wait)},
        )


def key_of(request: HttpRequest) -> ApiKey:
    """The key that the request was let in with."""
    key: ApiKey = request.auth  # type: ignore[attr-defined]
    return key


def party(request: HttpRequest, external_id: str | None, *, ask_user: bool = True) -> Party:
    """For whom the request speaks. An application's user is made at the first use. Raises
    Problem when ``user`` is missing, not to be given, no longer active, or asked about too
    often; and, unless ``ask_user`` is false, when the user doesn't let the application do
    what the operation's scopes are for."""
    key = key_of(request)
    if key.application is None:
        if external_id is not None:
            raise field_problem(
                "user",
                "not_for_personal_keys",
                _("A personal key acts for its own account."),
                _("Leave “user” out, or use an application's key."),
            )
        _within_for_user(request, key.owner)
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
    _within_for_user(request, user)
    who = Party(
        user,
        audit.Actor.application(key.application.pk),
        key.application.pk,
        may_read=user.end_user.may_read,
        may_write=user.end_user.may_write,
    )
    if ask_user:
        _allowed(who, request.scopes)  # type: ignore[attr-defined]  # set by BearerKey
    return who


def _within_for_user(request: HttpRequest, user: User) -> None:
    # Not the account's own id: of an erased account the bucket says nothing.
    bucket = UUID(bytes=user.keyed_hash("rate limit")[:16])
    _within(request, "user", bucket, settings.RATE_LIMIT_USER)


def _allowed(who: Party, scopes: tuple[str, ...]) -> None:
    """Raises Problem for a scope that the user doesn't let the application use, and notes
    it in the user's log."""
    for scope in scopes:
        reads = scope.endswith(":read")
        if who.may_read if reads else who.may_write:
            continue
        with acting_for(who.user_id):
            audit.record(
                user_id=who.user_id, by=who.by, events=[audit.Event("access.denied", scope)]
            )
        detail = (
            _("The user doesn't let this application read their memory.")
            if reads
            else _("The user doesn't let this application change their memory.")
        )
        cure = _("They can allow it in the settings of their page: POST /links makes the way.")
        raise Problem("denied-by-user", f"{detail} {cure}")
