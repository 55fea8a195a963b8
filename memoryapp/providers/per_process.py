"""What each process makes for itself: a session made before a fork can't be used after it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class PerProcess(Generic[Made]):
    """Calling it gives what ``make`` made in this process, made at the first call, once
    however many threads ask for it."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: tuple[int, Made] | None = None
        os.register_at_fork(after_in_child=self._after_fork)

    def __call__(self) -> Made:
        made = self._made
        if made is None or made[0] != os.getpid():
            with self._lock:
                made = self._made
                if made is None or made[0] != os.getpid():
                    made = self._made = (os.getpid(), self._make())
        return made[1]

    def _after_fork(self) -> None:
        # A lock that another thread held at the fork would never be released in the child.
        self._lock = threading.Lock()
