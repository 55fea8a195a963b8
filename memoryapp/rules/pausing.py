"""Whether the user's memory is paused."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from memoryapp.models import MemorySettings


def pause_of(*, user_id: UUID, now: datetime) -> MemorySettings | None:
    """The settings that pause the memory at this moment; None when it isn't paused. Needs
    ``acting_for(user_id)``."""
    held = MemorySettings.objects.filter(user_id=user_id, paused=True).first()
    return held if held is not None and held.paused_at(now) else None


def paused(*, user_id: UUID, now: datetime) -> bool:
    """Needs ``acting_for(user_id)``."""
    return pause_of(user_id=user_id, now=now) is not None
