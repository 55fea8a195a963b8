"""Facts, their proof, the registry of their attributes, and how they were decided."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memoryapp.records import KINDS

from .base import Owned, owned_link


class Attribute(models.Model):
    """Mutable, shared by all users: it holds no user's data. The registry of known attributes."""

    class Cardinality(models.TextChoices):
        SINGLE = "single"
        MULTI = "multi"

    key = models.SlugField(max_length=80, primary_key=True)
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in KINDS])
    cardinality = models.CharField(max_length=10, choices=Cardinality.choices)
    sensitive = models.CharField(max_length=20, blank=True, default="")
    ttl_days = models.PositiveIntegerField(null=True, blank=True)
    half_life_days = models.FloatField(null=True, blank=True)
    aliases = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    group = models.CharField(max_length=20)
    sentence = models.CharField(max_length=200)
    negated = models.CharField(max_length=200)
    other = models.CharField(max_length=200)

    class Meta:
        ordering: ClassVar = ["key"]

    def __str__(self) -> str:
        return self.key


class Fact(Owned):
    """Mutable. A stretch of one key's timeline: what held, from when to when.

    ``valid_from, valid_to`` is world time; ``recorded_at, retired_at`` is database
    time: a retired row was corrected, it was never so. ``closed_at`` is when
    ``valid_to`` became known, which ``known_at`` needs.
    """

    class Status(models.TextChoices):
        CURRENT = "current"
        SUPERSEDED = "superseded"
        RETRACTED = "retracted"
        PENDING = "pending"
        REJECTED = "rejected"
        EXPIRED = "expired"
        ARCHIVED = "archived"

    subject = models.CharField(max_length=120, default="user")
    attribute = models.CharField(max_length=80)
    scope = models.CharField(max_length=120, blank=True, default="")
    value = models.CharField(max_length=500)
    value_key = models.CharField(max_length=500)
    polarity = models.CharField(max_length=10, default="affirmed")
    operation = models.CharField(max_length=10, default="state")
    statement = models.TextField()
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in KINDS])
    single = models.BooleanField()
    confidence = models.FloatField()
    importance = models.FloatField()
    sensitivity = models.CharField(max_length=20, blank=True, default="")
    status = models.CharField(max_length=12, choices=Status.choices)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True, blank=True)
    precision = models.CharField(max_length=10, default="instant")
    recorded_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    superseded_by = owned_link("memoryapp.Fact", related_name="replaced", null=True)
    supersession = models.CharField(max_length=12, blank=True, default="")
    last_stated_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    pinned = models.BooleanField(default=False)
    # What the user made of ``importance``; None leaves it to the evidence.
    chosen_importance = models.FloatField(null=True, blank=True)
    # Whether the user chose ``expires_at``, None included: saying it again leaves it then.
    expiry_chosen = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "subject", "attribute", "scope"],
                condition=models.Q(status="current", single=True),
                name="memoryapp_fact_one_current",
            )
        ]
        permissions: ClassVar = [("reveal_content", "Can reveal content, with a reason")]


class Evidence(Owned):
    """Append-only but for masking on erasure. The user's own words behind a fact.

    ``start, end`` is a character span of the message; ``quote`` stays when the
    message is purged. ``valid_from`` and ``valid_to`` are what these words say of
    world time, ``correction`` that they say it was never otherwise.
    """

    class Source(models.TextChoices):
        MESSAGE = "message"
        EDIT = "edit"
        IMPORT = "import"

    fact = owned_link("memoryapp.Fact", related_name="evidence")
    message = owned_link("memoryapp.Message", related_name="evidence", null=True)
    conversation = owned_link("memoryapp.Conversation", related_name="evidence", null=True)
    # The import of an own export that brought it, which may be without its message.
    source_import = owned_link("memoryapp.Import", related_name="evidence", null=True)
    source = models.CharField(max_length=10, choices=Source.choices)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    quote = models.TextField()
    sent_at = models.DateTimeField()
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    precision = models.CharField(max_length=10, default="instant")
    correction = models.BooleanField(default=False)
    confidence = models.FloatField(default=0.8)
    importance = models.FloatField(default=0.5)
    recorded_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "evidence"


class Decision(Owned):
    """Append-only but for masking on erasure. One outcome of reconciling."""

    extraction = owned_link("memoryapp.Extraction", related_name="decisions", null=True)
    message = owned_link("memoryapp.Message", related_name="decisions", null=True)
    fact = owned_link("memoryapp.Fact", related_name="decisions", null=True)
    outcome = models.CharField(max_length=12)
    judge = models.CharField(max_length=10, default="rule")
    reason = models.CharField(max_length=200)
    scores = models.JSONField(default=dict, blank=True)
    subject = models.CharField(max_length=120)
    attribute = models.CharField(max_length=80)
    scope = models.CharField(max_length=120, blank=True, default="")
    value = models.CharField(max_length=500, blank=True, default="")
    at = models.DateTimeField()
