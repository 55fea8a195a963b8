"""Logs hold ids and counts, never content."""

from __future__ import annotations

import logging
import re

# Postgres names the offending values in these lines of an error; a repr() of the error
# has its line breaks as \n.
_DETAIL = re.compile(r"(^|\\n)(?:DETAIL|CONTEXT|LINE \d+|STATEMENT):.*$", re.MULTILINE)


class Plain(logging.Formatter):
    """The usual line, with what Postgres quotes of a row left out, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        return _DETAIL.sub(r"\1[left out: may hold content]", super().format(record))
