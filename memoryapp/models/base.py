"""What every user-owned table has in common."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from uuid_utils.compat import uuid7


class Owned(models.Model):
    """A row that belongs to one user.

    In the database the primary key is ``(user_id, id)`` and links between owned
    rows are composite, so ``db_constraint`` is off here and on there
    (``sql/schema.sql``).
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        # Django's admin log and error pages print this: an id, never content.
        return f"{self._meta.object_name} {str(self.pk)[-8:]}"


def owned_link(to: str, *, related_name: str, null: bool = False) -> models.ForeignKey[Any, Any]:
    """A foreign key to another owned table; the database holds the composite
    ``(user_id, …)`` constraint and its ``ON DELETE``."""
    return models.ForeignKey(
        to,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        null=null,
        blank=null,
        related_name=related_name,
    )
