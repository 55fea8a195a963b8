"""The storage beside the database, for what must outlive it: ids, times and hashes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages


class Unreadable(ValueError):
    """A file, named by the text, isn't what its folder keeps."""


def moment(at: datetime) -> str:
    """The time as the beginning of a name: names in order are times in order."""
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%S%fZ}"


def has(folder: str, name: str) -> bool:
    """Whether the file is kept. Raises what the storage raises."""
    return _storage().exists(f"{folder}/{name}")


def _storage() -> Storage:
    return storages["journal"]


def keep(folder: str, name: str, content: bytes) -> bool:
    """Write the file unless there is one of this name; whether it wasn't there. Raises what
    the storage raises."""
    if has(folder, name):
        return False
    _storage().save(f"{folder}/{name}", ContentFile(content))
    return True


def kept(folder: str) -> Iterator[tuple[str, bytes]]:
    """The folder's files by their names, sorted; none when nothing was ever kept there."""
    try:
        _folders, names = _storage().listdir(folder)
    except FileNotFoundError:
        return
    for name in sorted(names):
        with _storage().open(f"{folder}/{name}") as file:
            yield name, file.read()
