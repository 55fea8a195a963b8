"""Which answers used which facts, and what the user's hand has changed."""

from __future__ import annotations

from django.db import models

from .base import Owned, owned_link


class MemoryUse(Owned):
    """Mutable: it moves along when facts are merged. A fact that an answer or a look-up used.

    ``application_id`` is None for the user's own look-up. ``conversation`` and ``message`` are
    where the answer was kept, and take this along when they are erased.
    """

    class Via(models.TextChoices):
        RECALL = "recall"
        CONTEXT = "context"
        CHAT = "chat"
        MCP = "mcp"
        TRY = "try"
        CHECK = "check"

    fact = owned_link("memoryapp.Fact", related_name="uses")
    at = models.DateTimeField()
    application_id = models.UUIDField(null=True, blank=True)
    via = models.CharField(max_length=10, choices=Via.choices)
    conversation = owned_link("memoryapp.Conversation", related_name="uses", null=True)
    message = owned_link("memoryapp.Message", related_name="uses", null=True)


class HandAct(Owned):
    """Append-only but for its undoing. What was done to one fact by hand.

    ``act`` is shared by all that was done in one go, and undone together. ``before`` is what
    undoing needs: ids of evidence, and how the fact's own row stood.
    """

    class Kind(models.TextChoices):
        EDIT = "edit"
        WEIGH = "weigh"
        APPROVE = "approve"
        REJECT = "reject"

    act = models.UUIDField()
    fact = owned_link("memoryapp.Fact", related_name="acts")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    actor = models.CharField(max_length=120)
    at = models.DateTimeField()
    before = models.JSONField(default=dict, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
