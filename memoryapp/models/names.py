"""Names that mean the same person or pet."""

from __future__ import annotations

from django.db import models

from .base import Owned


class SubjectAlias(Owned):
    """Mutable. By the user's word, whoever is called ``alias`` is ``subject``.

    ``evidence`` are the ids of the proofs that stood under the alias when that was said:
    what parting the two again leads back.
    """

    alias = models.CharField(max_length=120)
    subject = models.CharField(max_length=120)
    made_at = models.DateTimeField()
    evidence = models.JSONField(default=list, blank=True)
