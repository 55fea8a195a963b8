"""What the SDK logs, without a word of content.

Its debug lines quote whole messages, and its tracebacks the values that failed a check. What
is left of a line is where it stands, how grave it is, and an exception's type.
"""

from __future__ import annotations

import logging

logger = logging.getLogger(__name__)
LIBRARIES = ("mcp", "sse_starlette")


class WithoutContent(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        kind = record.exc_info[0] if record.exc_info else None
        logger.log(
            record.levelno,
            "the MCP SDK in %s, line %d%s",
            record.name,
            record.lineno,
            f": {kind.__name__}" if kind else "",
        )


def hush() -> None:
    """Holds for the whole process; doing it again changes nothing."""
    for name in LIBRARIES:
        library = logging.getLogger(name)
        library.setLevel(logging.WARNING)
        library.propagate = False
        library.handlers = [WithoutContent()]
