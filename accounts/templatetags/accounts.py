from __future__ import annotations

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def signup_open() -> bool:
    """Whether anybody may make an account: ``{% signup_open as open %}``."""
    return bool(settings.SIGNUP_OPEN)
