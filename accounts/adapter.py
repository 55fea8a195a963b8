from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User

# Changes that open or close a way into the account; allauth has mails for others too.
NOTIFIED = (
    "account/email/password_changed",
    "account/email/password_reset",
    "account/email/password_set",
    "mfa/email/",
)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """How allauth makes accounts here and writes to people."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGNUP_OPEN)

    def new_user(self, request: HttpRequest) -> User:
        """An unsaved account that keeps the language that the person signed up in."""
        language = get_language()
        return User(language=language) if language in dict(settings.LANGUAGES) else User()

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, Any]]:
        """allauth's, in our words."""
        words = {
            "reauthenticate": _("Use your password"),
            "reauthenticate_by_code": _("E-mail me a code instead"),
            "mfa_reauthenticate": _("Use a code of your app"),
            "mfa_reauthenticate:webauthn": _("Use your passkey"),
        }
        return [
            {**method, "description": words[method["id"]]}
            for method in super().get_reauthentication_methods(user)
        ]

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tells the account's address of a change to signing in, for whoever didn't make it."""
        if template_prefix.startswith(NOTIFIED):
            super().send_notification_mail(template_prefix, user, context, email)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """In the language of the account that it is for, whatever the browser asked for."""
        user = context.get("user") or User.objects.filter(email=email.lower()).first()
        language = user.language if isinstance(user, User) else get_language()
        with translation.override(language):
            super().send_mail(
                template_prefix, email, {**context, "signup_open": settings.SIGNUP_OPEN}
            )
