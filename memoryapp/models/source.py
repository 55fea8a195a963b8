"""Where facts come from: conversations, their messages, and the runs that read them."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from .base import Owned, owned_link


class Conversation(Owned):
    """Mutable. ``external_id`` is the frontend's own name for it. ``learning`` off keeps its
    messages and learns nothing from them; a temporary one keeps nothing that is said in it."""

    class Learning(models.TextChoices):
        ON = "on"
        OFF = "off"
        TEMPORARY = "temporary"

    external_id = models.CharField(max_length=200)
    title = models.CharField(max_length=200, blank=True, default="")
    application_id = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField()
    last_message_at = models.DateTimeField()
    learning = models.CharField(max_length=10, choices=Learning.choices, default=Learning.ON)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "external_id"], name="memoryapp_conversation_external"
            )
        ]


class Message(Owned):
    """Mutable: its state changes, and erasure and retention blank its content.

    ``content`` is stored with secrets already redacted. ``content_hash`` is keyed
    with the user's own key, so that a re-sent message is known as such even when
    its content is gone.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        PROCESSED = "processed"
        FAILED = "failed"

    class Excerpt(models.TextChoices):
        NEW = "new"  # not looked at yet
        YES = "yes"
        NO = "no"  # not worth it, or masked, emptied or withheld

    conversation = owned_link("memoryapp.Conversation", related_name="messages")
    external_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001  # NULL: none given; '' would clash
    role = models.CharField(max_length=10)
    content = models.TextField()
    content_hash = models.BinaryField()
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    redactions = models.PositiveIntegerField(default=0)
    purged_at = models.DateTimeField(null=True, blank=True)
    source_import = owned_link("memoryapp.Import", related_name="messages", null=True)
    # Whether recall may show it as an excerpt.
    excerpt = models.CharField(max_length=4, choices=Excerpt.choices, default=Excerpt.NEW)


class Extraction(Owned):
    """Append-only but for its end. One run of an extractor over one batch."""

    conversation = owned_link("memoryapp.Conversation", related_name="extractions", null=True)
    extractor = models.CharField(max_length=40)
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=20)
    messages = models.PositiveIntegerField(default=0)
    candidates = models.PositiveIntegerField(default=0)
    dropped = models.JSONField(default=dict, blank=True)
    tokens = models.PositiveIntegerField(default=0)
