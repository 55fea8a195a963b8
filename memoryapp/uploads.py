"""Uploaded files on their way in: a private storage, names of ours, never content in a log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage, storages
from django.db import transaction

MIB = 1024 * 1024


class TooLarge(Exception):
    """More bytes than an upload may have."""


class Stream(File):  # type: ignore[type-arg]
    """A body that is read once, in pieces, up to the limit. Raises TooLarge beyond."""

    def __init__(self, source: Any) -> None:
        super().__init__(source, name="upload")
        self._source = source
        self.read_bytes = 0

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        while data := self._source.read(chunk_size or MIB):
            self.read_bytes += len(data)
            if self.read_bytes > most_bytes():
                raise TooLarge
            yield data


def most_bytes() -> int:
    """The bytes that an upload may have."""
    return int(settings.IMPORT_MAX_MB) * MIB


def _storage() -> Storage:
    return storages["imports"]


def keep(name: str, content: File[Any] | bytes) -> tuple[str, int]:
    """Write an upload; returns the name it got and its size. Raises TooLarge, and keeps
    nothing then."""
    file: Any = ContentFile(content) if isinstance(content, bytes) else content
    if not isinstance(file, Stream) and (file.size or 0) > most_bytes():
        raise TooLarge
    storage = _storage()
    try:
        kept = storage.save(name, file)
    except BaseException:
        storage.delete(name)
        raise
    return kept, file.read_bytes if isinstance(file, Stream) else int(file.size)


def opened(name: str) -> BinaryIO:
    """The upload's bytes. Raises FileNotFoundError."""
    return cast(BinaryIO, _storage().open(name, "rb"))


def drop(name: str) -> None:
    """Remove an upload; one that is gone already is no error."""
    if name:
        _storage().delete(name)


def drop_on_commit(name: str) -> None:
    if name:
        transaction.on_commit(lambda: drop(name))
