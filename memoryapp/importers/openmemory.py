"""OpenMemory: the manifest ``memories.json`` of its archive.

Its export holds deleted rows too, with their text; that text goes no further. Its own
importer's limits hold here as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from memoryapp.importers.common import (
    MIB,
    Found,
    ImportedMemory,
    ImportRefused,
    Item,
    Limits,
    Tally,
    clean,
    content_id,
    name,
)
from memoryapp.importers.streams import Unreadable, values
from memoryapp.importers.times import moment
from memoryapp.records import normalise

LIMITS = Limits(
    upload=100 * MIB, unpacked=250 * MIB, members=64, record=MIB, records=250_000, text=10 * MIB
)
_PATHS = frozenset({"apps.item", "categories.item", "memories.item"})


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """Memories in the manifest's order, then what was left out. Raises ImportRefused
    ``too_large`` for a manifest of more than 10 MiB."""
    tally = Tally()
    limits = replace(limits, record=min(limits.record, LIMITS.record))
    for one in found:
        with one.document.open() as file:
            size = 0
            while data := file.read(MIB):
                size += len(data)
                if size > LIMITS.text:
                    raise ImportRefused("too_large")
        names: dict[str, str] = {}
        for path, row in values(one.document, _PATHS, limits):
            if not isinstance(row, dict):
                reason = row.reason if isinstance(row, Unreadable) else "malformed"
                tally.skip("memory", reason)
            elif path == "memories.item":
                memory = _memory(row, names, tally)
                if memory is not None:
                    yield memory
            elif len(names) < limits.members * 16:
                names[name(row.get("id"))] = clean(row.get("name"))
    yield from tally.items()


def _memory(row: dict[str, Any], names: dict[str, str], tally: Tally) -> ImportedMemory | None:
    state = name(row.get("state")) or "active"
    text = clean(row.get("content"))
    own_id = name(row.get("id")) or content_id("openmemory", normalise(text))
    created_at, updated_at = moment(row.get("created_at")), moment(row.get("updated_at"))
    if state == "deleted" or row.get("deleted_at"):
        deleted_at = moment(row.get("deleted_at")) or updated_at
        return ImportedMemory(own_id, "", created_at, deleted_at, deleted=True)
    if state != "active" or not text:
        known = state if state in ("paused", "archived") else "unknown_state"
        tally.skip("memory", "empty" if state == "active" else known)
        return None
    metadata: dict[str, Any] = {"source": "openmemory"}
    categories = row.get("category_ids")
    if isinstance(categories, list) and categories:
        metadata["categories"] = [names.get(name(key), "") for key in categories]
    if names.get(name(row.get("app_id"))):
        metadata["app"] = names[name(row.get("app_id"))]
    return ImportedMemory(own_id, text, created_at, updated_at, metadata=metadata)
