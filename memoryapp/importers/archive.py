"""Opens a source: a plain file as it is, a zip archive as its readable members.

An archive is an attack until it proves otherwise. Names are only read, never written to
a disk, but one that is absolute, climbs, or hides a link says that the file isn't an
export; so such an archive is refused whole. An archive within the archive is never opened.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from memoryapp.importers.common import MIB, Document, ImportRefused, Limits, Skipped, Source

READABLE = frozenset({".json", ".html", ".htm", ".af"})
NESTED = frozenset({".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".rar", ".zst"})
ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")

# A directory of n members takes at least 46 n bytes, and some ten times that as objects:
# this bounds both before the members can be counted.
DIRECTORY = 4 * MIB


class _Guarded:
    """A file whose single reads are bounded, as zipfile reads the directory in one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        if size > DIRECTORY:
            raise ImportRefused("too_many_members")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True


class _Counted:
    """A member's bytes, counted against what the whole archive may unpack to."""

    def __init__(self, member: BinaryIO, budget: list[int]) -> None:
        self._member = member
        self._budget = budget

    def read(self, size: int = -1) -> bytes:
        try:
            data = self._member.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise ImportRefused("broken_archive") from error
        self._budget[0] -= len(data)
        if self._budget[0] < 0:
            raise ImportRefused("too_large")
        return data


@contextmanager
def opened(source: Source) -> Iterator[tuple[list[Document], list[Skipped]]]:
    """The documents of a source, readable while the context lasts, and what was left
    out. Raises ImportRefused."""
    with source.open() as file:
        magic = file.read(4)
        file.seek(0)
        if magic not in ZIP_MAGIC:
            yield [Document(source.name, source.open)], []
            return
        guarded = cast(BinaryIO, _Guarded(file))
        try:
            archive = zipfile.ZipFile(guarded)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise ImportRefused("broken_archive") from error
        with archive:
            yield _members(archive, source.limits)


def _members(archive: zipfile.ZipFile, limits: Limits) -> tuple[list[Document], list[Skipped]]:
    infos = archive.infolist()
    if len(infos) > limits.members:
        raise ImportRefused("too_many_members")
    names: set[str] = set()
    budget = [limits.unpacked]
    documents: list[Document] = []
    skipped: list[Skipped] = []
    for info in infos:
        _check(info, names, limits)
        if info.is_dir():
            continue
        suffix = PurePosixPath(info.filename).suffix.lower()
        if suffix in NESTED:
            # OpenMemory packs the same rows a second time as JSON lines.
            twin = PurePosixPath(info.filename).name == "memories.jsonl.gz"
            skipped.append(Skipped("file", "duplicate" if twin else "nested_archive"))
        elif suffix not in READABLE:
            skipped.append(Skipped("file", "not_needed"))
        else:
            documents.append(Document(info.filename, _opener(archive, info, budget)))
    if sum(info.file_size for info in infos if _readable(info)) > limits.unpacked:
        raise ImportRefused("too_large")
    return documents, skipped


def _readable(info: zipfile.ZipInfo) -> bool:
    return PurePosixPath(info.filename).suffix.lower() in READABLE


def _check(info: zipfile.ZipInfo, names: set[str], limits: Limits) -> None:
    path = info.orig_filename
    parts = path.replace("\\", "/").split("/")
    climbs = path.startswith(("/", "\\")) or ".." in parts or (len(path) > 1 and path[1] == ":")
    if climbs or not path or len(path) > 1024 or any(ord(letter) < 32 for letter in path):
        raise ImportRefused("unsafe_name")
    # Two members of one name: what is previewed and what is read could differ.
    if info.filename in names:
        raise ImportRefused("unsafe_name")
    names.add(info.filename)
    if stat.S_ISLNK(info.external_attr >> 16):
        raise ImportRefused("symlink")
    if info.flag_bits & 0x1:
        raise ImportRefused("encrypted")
    if info.file_size > MIB and info.file_size > limits.ratio * max(info.compress_size, 1):
        raise ImportRefused("suspicious_ratio")


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: list[int]):  # type: ignore[no-untyped-def]
    @contextmanager
    def open_member() -> Iterator[BinaryIO]:
        try:
            member = archive.open(info)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise ImportRefused("broken_archive") from error
        with member:
            yield cast(BinaryIO, _Counted(cast(BinaryIO, member), budget))

    return open_member
