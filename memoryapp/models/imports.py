"""What the user brings in from other products."""

from __future__ import annotations

from django.db import models

from .base import Owned


class Import(Owned):
    """Mutable. One file or pasted list on its way in: ids, counts and times, never content.

    ``file`` names the upload in the private storage, with a name of ours; empty once it is
    gone. ``preview`` is what the file would bring, ``counts`` what was brought. ``position``
    counts the file's conversations and memories that are stored. Its work is an Outbox row.
    """

    class State(models.TextChoices):
        RECEIVING = "receiving"  # the upload is being written
        LOOKING = "looking"  # the preview is being made
        REFUSED = "refused"
        READY = "ready"  # waits for the user's word
        STORING = "storing"
        READING = "reading"
        DONE = "done"
        FAILED = "failed"
        UNDONE = "undone"

    format = models.CharField(max_length=20, blank=True, default="")
    state = models.CharField(max_length=12, choices=State.choices, default=State.RECEIVING)
    actor = models.CharField(max_length=120)
    application_id = models.UUIDField(null=True, blank=True)
    file = models.CharField(max_length=100, blank=True, default="")
    size = models.PositiveBigIntegerField(default=0)
    preview = models.JSONField(default=dict, blank=True)
    counts = models.JSONField(default=dict, blank=True)
    position = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=40, blank=True, default="")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
