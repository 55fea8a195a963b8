"""What every page says of the user's rules: that the memory is paused."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import timezone

from memoryapp import rules
from memoryapp.context import acting_for

register = template.Library()


@register.inclusion_tag("web/_paused.html", takes_context=True)
def pause_banner(context: template.Context) -> dict[str, Any]:
    """The banner while the signed-in user's memory is paused; nothing otherwise."""
    request = context.get("request")
    user = getattr(request, "user", None)
    if request is None or user is None or not user.is_authenticated:
        return {"paused": None}
    with acting_for(user.pk):
        paused = rules.pause_of(user_id=user.pk, now=timezone.now())
    return {
        "paused": paused,
        "back": request.path,
        "csrf_token": context.get("csrf_token"),
    }
