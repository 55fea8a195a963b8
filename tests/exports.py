"""Our own small exports, and archives made of them, for the importers' tests."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryapp.importers import (
    Format,
    ImportedConversation,
    ImportedMemory,
    Item,
    Limits,
    Noted,
    Skipped,
    Source,
    read,
)

EXPORTS = Path(__file__).parent / "fixtures" / "exports"


def export(name: str) -> Source:
    return Source.of(EXPORTS / name)


def of_json(value: Any, *, limits: Limits | None = None) -> Source:
    return of_bytes(json.dumps(value).encode(), limits=limits)


def of_bytes(data: bytes, name: str = "upload", *, limits: Limits | None = None) -> Source:
    return Source.of(io.BytesIO(data), name, limits=limits)


def zipped(members: dict[str, bytes | str], *, limits: Limits | None = None) -> Source:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return of_bytes(target.getvalue(), "export.zip", limits=limits)


def text(name: str) -> str:
    return (EXPORTS / name).read_text(encoding="utf-8")


class Outcome:
    """What a source gave, by kind."""

    def __init__(self, source: Source, *, format: Format | None = None) -> None:
        self.items: list[Item] = list(read(source, format=format))
        self.conversations = {
            item.external_id: item for item in self.items if isinstance(item, ImportedConversation)
        }
        self.memories = [item for item in self.items if isinstance(item, ImportedMemory)]
        self.skipped: Counter[str] = Counter()
        self.noted: Counter[str] = Counter()
        for item in self.items:
            if isinstance(item, Skipped):
                self.skipped[item.reason] += item.count
            elif isinstance(item, Noted):
                self.noted[item.reason] += item.count

    def said(self, conversation: str) -> list[str]:
        return [message.content for message in self.conversations[conversation].messages]

    def times(self, conversation: str) -> list[datetime | None]:
        return [message.sent_at for message in self.conversations[conversation].messages]

    @property
    def statements(self) -> list[str]:
        return [memory.text for memory in self.memories]


def at(*parts: int) -> datetime:
    year, month, day, hour, minute, second, microsecond = (*parts, 0, 0, 0, 0)[:7]
    return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=UTC)
