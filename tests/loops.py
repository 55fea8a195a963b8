"""A loop for a test that awaits, in a thread of its own: Playwright's stays the running one of
the tests' thread once a browser was asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import anyio

Result = TypeVar("Result")


def run(work: Callable[[], Awaitable[Result]]) -> Result:
    """What ``work`` returns or raises. It has no part in the test's transaction."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(anyio.run, work).result()
