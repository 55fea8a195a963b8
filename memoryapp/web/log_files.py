"""The log as files to keep: JSON Lines, which can be checked without us (``docs/log.md``), and
CSV for people. Both are written while they are read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from memoryapp import exporting
from memoryapp.models import AuditEvent
from memoryapp.web import logbook

# Entries are small: fewer, larger pieces cost less.
AT_ONCE = 2000
# A table program takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def json_lines(user_id: UUID) -> Iterator[str]:
    """An entry a line, the first first, with all that its fingerprint covers."""
    for event in _events(user_id):
        line = {
            "user": str(user_id),
            "seq": event.seq,
            "at": event.at.isoformat(),
            "actor": event.actor,
            "action": event.action,
            "object": event.object,
            "details": event.details,
            "previous_hash": bytes(event.previous_hash).hex(),
            "hash": bytes(event.hash).hex(),
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"


def table(user_id: UUID, applications: Mapping[str, str]) -> Iterator[str]:
    """The same with words, as CSV with a byte order mark, so that table programs know its
    letters. ``applications`` are names by id."""
    yield "\ufeff" + _row(
        _("Number"), _("Time"), _("What"), _("Who"), _("About"), _("Details"), _("Fingerprint")
    )
    for event in _events(user_id):
        yield _row(
            event.seq,
            event.at.isoformat(),
            logbook.action(event.action),
            logbook.actor(event.actor, str(user_id), applications),
            event.object,
            json.dumps(event.details, ensure_ascii=False) if event.details else "",
            bytes(event.hash).hex(),
        )


def _events(user_id: UUID) -> Iterator[AuditEvent]:
    rows = AuditEvent.objects.filter(user_id=user_id)
    for some in exporting.batches(user_id, rows, ("seq",), size=AT_ONCE):
        yield from some


def _row(*cells: Any) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([_safe(cell) for cell in cells])
    return out.getvalue()


def _safe(cell: Any) -> Any:
    """Text that can't be a formula: one apostrophe before it, which table programs hide."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
