"""What recall needs beside the facts. Vectors stand apart from rows that change often."""

from __future__ import annotations

from django.db import models
from pgvector.django import HalfVectorField

from .base import Owned, owned_link


class FactEmbedding(Owned):
    """Mutable: made again when the embedder changes. Several models may coexist."""

    fact = owned_link("memoryapp.Fact", related_name="embeddings")
    model = models.CharField(max_length=120)
    dimension = models.PositiveIntegerField()
    embedding = HalfVectorField()


class MessageEmbedding(Owned):
    """Mutable: made again when the embedder changes. Goes when its message's text does
    (``sql/retrieval.sql``)."""

    message = owned_link("memoryapp.Message", related_name="embeddings")
    model = models.CharField(max_length=120)
    dimension = models.PositiveIntegerField()
    embedding = HalfVectorField()


class FactLink(Owned):
    """Mutable: it moves along when facts are merged. ``source`` follows from, is derived
    from, or contradicts ``target``; what a fact replaced is in ``Fact.superseded_by``."""

    class Kind(models.TextChoices):
        FOLLOWS_FROM = "follows_from"
        DERIVED_FROM = "derived_from"
        CONTRADICTS = "contradicts"

    source = owned_link("memoryapp.Fact", related_name="links")
    target = owned_link("memoryapp.Fact", related_name="linked_from")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    weight = models.FloatField(default=1.0)
    made_at = models.DateTimeField()


class FactUsage(Owned):
    """Mutable. How often a fact was recalled; written after the answer, in batches."""

    fact = owned_link("memoryapp.Fact", related_name="usage")
    recall_count = models.PositiveIntegerField(default=0)
    last_recalled_at = models.DateTimeField(null=True, blank=True)


class EmbeddingCache(Owned):
    """Mutable. Vectors of texts asked before, keyed with the user's own key."""

    key = models.BinaryField()
    model = models.CharField(max_length=120)
    embedding = HalfVectorField()
    used_at = models.DateTimeField()
