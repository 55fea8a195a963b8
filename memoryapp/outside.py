"""The storage beside the database, for what must outlive it: ids, times and hashes."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages


def _storage() -> Storage:
    return storages["journal"]


def keep(folder: str, name: str, content: bytes) -> bool:
    """Write the file unless there is one of this name; whether it wasn't there. Raises what
    the storage raises."""
    path = f"{folder}/{name}"
    if _storage().exists(path):
        return False
    _storage().save(path, ContentFile(content))
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
