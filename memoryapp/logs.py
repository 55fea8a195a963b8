"""Logs hold ids and counts, never content."""

from __future__ import annotations

import logging
import re
from types import TracebackType

# Postgres names the offending values in these lines of an error.
_DETAIL = re.compile(r"^(?:DETAIL|CONTEXT|LINE \d+|STATEMENT):.*$", re.MULTILINE)

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


class Plain(logging.Formatter):
    """The usual line, with what Postgres quotes of a row left out of tracebacks."""

    def formatException(self, ei: ExcInfo | tuple[None, None, None]) -> str:
        return _DETAIL.sub("[left out: may hold content]", super().formatException(ei))
