"""Erasing, and keeping erased things from coming back."""

from __future__ import annotations

from django.db import models

from .base import Owned, owned_link


class ErasureRequest(Owned):
    """Mutable. A wish to have something forgotten that needs the user's eye, for
    instance "forget that …" in chat with several matches. ``what`` is the user's
    words and is emptied when the request is settled."""

    class State(models.TextChoices):
        OPEN = "open"
        DONE = "done"
        DISMISSED = "dismissed"

    message = owned_link("memoryapp.Message", related_name="erasure_requests", null=True)
    what = models.TextField(blank=True, default="")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    asked_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)


class ErasureReceipt(Owned):
    """Append-only; ``storage_completed_at`` is filled in by the storage pass, as the tables'
    owner. Ids and counts, never content."""

    target = models.CharField(max_length=20)  # facts, messages, conversation, import, account
    requested_at = models.DateTimeField()
    completed_at = models.DateTimeField()
    storage_completed_at = models.DateTimeField(null=True, blank=True)
    counts = models.JSONField(default=dict)
    fact_ids = models.JSONField(default=list)
    # What was chosen, by ids and times, for a restored backup: see erase/journal.py.
    choice = models.JSONField(default=dict)


class Tombstone(Owned):
    """Append-only. A keyed hash that keeps an erased fact from coming back.

    Statements made up to ``erased_at`` are ignored; with ``forever`` later ones too.
    """

    hash = models.BinaryField()
    erased_at = models.DateTimeField()
    forever = models.BooleanField(default=False)
