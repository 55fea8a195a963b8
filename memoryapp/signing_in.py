"""Signing in and its safety, told to the user's own log. Accounts know nothing of memories:
their signals are heard here."""

from __future__ import annotations

from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from django.contrib.auth.signals import user_logged_out, user_login_failed
from django.dispatch import Signal

from accounts import signals as accounts
from accounts.models import User
from memoryapp import audit
from memoryapp.context import acting_for


def _note(user: User | None, action: str, object: str = "") -> None:
    # Nobody when a session was empty already; gone when the account is.
    if user is None or not User.objects.filter(pk=user.pk).exists():
        return
    with acting_for(user.pk):
        audit.record(
            user_id=user.pk, by=audit.Actor.user(user), events=[audit.Event(action, object)]
        )


def _telling(action: str) -> Any:
    def told(sender: object, user: User | None = None, **kwargs: Any) -> None:
        _note(user, action)

    return told


def _entered(sender: object, user: User, link: Any, **kwargs: Any) -> None:
    _note(user, "account.signin", f"link:{link.pk}")


def _factor(action: str) -> Any:
    def told(sender: object, user: User, authenticator: Any, **kwargs: Any) -> None:
        # The kind is allauth's word, the name is the user's.
        _note(user, action, f"factor:{authenticator.type}")

    return told


def _refused(sender: object, credentials: dict[str, Any], **kwargs: Any) -> None:
    """A wrong password for an account that there is: its user may want to know."""
    address = str(credentials.get("email") or credentials.get("username") or "")
    user = User.objects.filter(email=address).first() if address else None
    if user is None:
        return
    with acting_for(user.pk):
        audit.record(
            user_id=user.pk,
            by=audit.Actor.system("sign-in"),
            events=[audit.Event("account.refuse")],
        )


HEARD: tuple[tuple[Signal, Any], ...] = (
    # allauth's, not Django's: it is sent when a person has signed in.
    (account.user_logged_in, _telling("account.signin")),
    (accounts.entered_by_link, _entered),
    (user_logged_out, _telling("account.signout")),
    (user_login_failed, _refused),
    (accounts.sessions_ended, _telling("account.sessions")),
    (account.password_set, _telling("account.password")),
    (account.password_changed, _telling("account.password")),
    (account.password_reset, _telling("account.password")),
    (account.email_added, _telling("account.email")),
    (account.email_changed, _telling("account.email")),
    (account.email_removed, _telling("account.email")),
    (mfa.authenticator_added, _factor("account.factor.add")),
    (mfa.authenticator_reset, _factor("account.factor.add")),
    (mfa.authenticator_removed, _factor("account.factor.remove")),
    (mfa.authentication_failed, _factor("account.factor.refuse")),
)


def listen() -> None:
    for signal, hear in HEARD:
        signal.connect(hear, weak=False)
