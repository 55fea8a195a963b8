"""What a receiver reads: the type, the time, and ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from memoryapp.models import MemoryEvent

HEADERS = {"Content-Type": "application/json", "User-Agent": "memoryapp-webhooks/1"}


def encode(type_: str, at: datetime, data: Mapping[str, Any]) -> bytes:
    """The same bytes for the same event, however often it is sent."""
    body = {"type": type_, "timestamp": _time(at), "data": data}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def message_id(event_id: UUID) -> str:
    """The header webhook-id: one for an event, to whomever and however often it is sent."""
    return f"msg_{event_id.hex}"


def of_event(row: MemoryEvent, *, user: str | None) -> dict[str, Any]:
    """``user`` is the application's own id of the user; None with a personal account."""
    data = {"user": user, **row.data} if user is not None else dict(row.data)
    return {"type": row.type, "timestamp": _time(row.at), "data": data}


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
