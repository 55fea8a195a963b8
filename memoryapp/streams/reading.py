"""Where a reader is, what came after it, and how it is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memoryapp.context import acting_for
from memoryapp.models import MemoryEvent
from memoryapp.webhooks import message

MOST_AT_ONCE = 100
RETRY_MILLISECONDS = 3000
# For a server that can't keep streams open, and for streams beyond the most.
POLL_MILLISECONDS = 10_000


@dataclass(frozen=True, slots=True)
class Reader:
    """Whose events, where the reader is, and as what. ``user`` is the application's id of the
    user; ``allowed`` says whether it still may read: asked with each look."""

    user_id: UUID
    user: str | None = None
    allowed: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True)
class Place:
    """The number of the last event seen. ``lost`` when events after it are gone: then the
    reader has to read everything again."""

    seq: int
    id: str
    lost: bool = False


def place(user_id: UUID, last_id: str) -> Place:
    """Where a reader goes on that has seen ``last_id``; the present when it is empty."""
    with acting_for(user_id):
        rows = MemoryEvent.objects.filter(user_id=user_id)
        if last_id == "0":
            return Place(0, "0")
        if last_id:
            try:
                seen = rows.filter(id=UUID(last_id)).first()
            except ValueError:
                seen = None
            if seen is not None:
                return Place(seen.seq, str(seen.id))
        last = rows.order_by("-seq").first()
    lost = bool(last_id)
    return Place(last.seq, str(last.id), lost) if last else Place(0, "0", lost)


def after(reader: Reader, seq: int) -> Sequence[MemoryEvent] | None:
    """The next events, oldest first; None when the reader may not read any more."""
    if not reader.allowed():
        return None
    with acting_for(reader.user_id):
        rows = MemoryEvent.objects.filter(user_id=reader.user_id, seq__gt=seq)
        return list(rows.order_by("seq")[:MOST_AT_ONCE])


def opening(start: Place, retry: int) -> str:
    """How long to wait before coming back, and an id to come back with."""
    name = "resync" if start.lost else "ready"
    return f"retry: {retry}\nid: {start.id}\nevent: {name}\ndata: {{}}\n\n"


def text(row: MemoryEvent, reader: Reader) -> str:
    data = json.dumps(message.of_event(row, user=reader.user), separators=(",", ":"))
    return f"id: {row.id}\nevent: {row.type}\ndata: {data}\n\n"


def at_once(start: Place, rows: Sequence[MemoryEvent], reader: Reader) -> list[str]:
    return [opening(start, POLL_MILLISECONDS), *(text(row, reader) for row in rows)]
