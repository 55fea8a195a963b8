"""Database work away from the event loop."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

from memoryapp.threads import Threads

Result = TypeVar("Result")
# Who waits for what is learned holds none of them.
_THREADS = Threads(4, "mcp")


async def in_thread(work: Callable[[], Result]) -> Result:
    """What ``work`` returns or raises, in the caller's language."""
    return await _THREADS.run(copy_context().run, work)
