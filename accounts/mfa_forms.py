"""allauth's forms for passkeys, which refuse what isn't one instead of failing over it."""

from __future__ import annotations

import struct
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)

# What fido2 raises on parts that are missing, cut short or of another kind. ValidationError,
# for what it understands and refuses, passes.
_MALFORMED = (KeyError, IndexError, TypeError, AttributeError, ValueError, struct.error)


class _Answer:
    """For forms whose ``credential`` is what a device answered to being asked who it is."""

    def clean_credential(self) -> Authenticator:
        try:
            return super().clean_credential()  # type: ignore[misc]  # allauth's form
        except _MALFORMED:
            raise get_adapter().validation_error("incorrect_code") from None


class PasskeyLoginForm(_Answer, LoginWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    pass


class PasskeyStepForm(_Answer, AuthenticateWebAuthnForm):  # type: ignore[misc]
    pass


class PasskeyAgainForm(_Answer, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    pass


class PasskeyAddForm(AddWebAuthnForm):  # type: ignore[misc]
    def clean(self) -> dict[str, Any]:
        try:
            cleaned: dict[str, Any] = super().clean()
        except _MALFORMED:
            raise get_adapter().validation_error("incorrect_code") from None
        return cleaned
