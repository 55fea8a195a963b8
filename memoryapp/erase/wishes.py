"""Wishes to forget that wait for the user's eye."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.utils import timezone

from memoryapp import audit
from memoryapp.models import ErasureRequest
from memoryapp.store import NotFound


def dismiss(
    *, user_id: UUID, request_id: UUID, by: audit.Actor, now: datetime | None = None
) -> None:
    """Take back a wish that is still open; its words go. Raises store.NotFound."""
    now = now or timezone.now()
    settled = ErasureRequest.objects.filter(
        user_id=user_id, id=request_id, state=ErasureRequest.State.OPEN
    ).update(state=ErasureRequest.State.DISMISSED, what="", settled_at=now)
    if not settled:
        raise NotFound("no such wish")
    event = audit.Event("request.dismiss", f"request:{request_id}")
    audit.record(user_id=user_id, by=by, events=[event], now=now)
