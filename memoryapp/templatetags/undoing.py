"""What a message can take back."""

from __future__ import annotations

from django import template
from django.contrib.messages.storage.base import Message

from memoryapp.web.undoing import MARK

register = template.Library()


@register.filter
def undoes(message: Message) -> str:
    """The act that the message's "Undo" takes back; empty when it offers none."""
    tags = message.extra_tags or ""
    return tags.removeprefix(MARK) if tags.startswith(MARK) else ""
