"""The wall clock behind the ``Clock`` port."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    def now(self) -> datetime:
        """The present, timezone-aware, in UTC."""
        return datetime.now(UTC)
