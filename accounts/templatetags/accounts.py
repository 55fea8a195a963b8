from __future__ import annotations

import json
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.internal.stagekit import get_pending_stage
from allauth.mfa.models import Authenticator
from django import template
from django.conf import settings
from django.http import HttpRequest

from accounts import devices, mfa
from accounts.models import User

register = template.Library()


@register.simple_tag
def signup_open() -> bool:
    """Whether anybody may make an account: ``{% signup_open as open %}``."""
    return bool(settings.SIGNUP_OPEN)


@register.simple_tag
def can_have_passkeys(request: HttpRequest) -> bool:
    """Whether browsers make passkeys for the address that the page has."""
    return mfa.can_have_passkeys(request)


@register.simple_tag
def second_steps(request: HttpRequest) -> dict[str, bool]:
    """Which second steps the person who is signing in has: ``passkeys``, ``totp``."""
    stage = get_pending_stage(request)
    user = stage.login.user if stage else None
    held = set(Authenticator.objects.filter(user=user).values_list("type", flat=True))
    return {"passkeys": "webauthn" in held, "totp": "totp" in held}


@register.simple_tag
def can_confirm(user: User) -> bool:
    """Whether the person can be asked once more that it is them, which changes to signing in
    need: by a password, a proved address or a second step."""
    return bool(get_adapter().get_reauthentication_methods(user))


@register.filter(name="json")
def as_json(value: Any) -> str:
    """For an attribute that a script reads."""
    return json.dumps(value)


@register.filter
def device(user_agent: str) -> str:
    """The browser and the system in words: "Firefox on Windows"."""
    return devices.device(user_agent)
