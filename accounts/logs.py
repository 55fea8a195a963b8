"""Keeps the secrets that stand in a URL out of the logs.

Django logs the path of every answer from 400 up, so a link that was opened a
second time, or posted without its CSRF cookie, would write its token down.
"""

from __future__ import annotations

import logging
import re

_SECRET_PATHS = re.compile(r"(/enter/|/password/reset/key/)[^/\s?\"']+")

# A logger's filter sees only what is logged through that very logger, not
# through its children: every logger of Django's that writes a path is named.
LOGGERS = (
    "django.request",
    "django.server",
    "django.security.csrf",
    "django.security.DisallowedHost",
    "django.security.SuspiciousOperation",
    "django.security.TooManyFieldsSent",
    "django.security.RequestDataTooBig",
    "django.security.TooManyFilesSent",
    "django.security.DisallowedRedirect",
    "django.security.SuspiciousSession",
    "django.security.SuspiciousMultipartForm",
    "django.security.SuspiciousFileOperation",
    "django.security.SessionInterrupted",
)


def _hide(value: object) -> object:
    return _SECRET_PATHS.sub(r"\1[hidden]", value) if isinstance(value, str) else value


class HideLinkTokens(logging.Filter):
    """Passes every record, with the tokens in its message replaced."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = _hide(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(_hide(value) for value in record.args)
        return True


def hide_link_tokens() -> None:
    """Puts the filter on each of ``LOGGERS``, once."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, HideLinkTokens) for known in logger.filters):
            logger.addFilter(HideLinkTokens())
