"""What every importer shares: what goes in, what comes out, and the limits between."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

from memoryapp.brought import Brought
from memoryapp.records import Role

Format = Literal[
    "chatgpt",
    "claude",
    "gemini",
    "mem0",
    "openmemory",
    "librechat",
    "openwebui",
    "letta",
    "memoryapp",
    "paste",
]
FORMATS: tuple[Format, ...] = get_args(Format)

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """What one import may cost. Bytes, but ``ratio`` (unpacked to packed, of members
    over 1 MiB), ``members`` (of an archive) and ``records`` (conversations and memories).
    ``record`` bounds one conversation or memory, and with it the memory needed."""

    upload: int = 1024 * MIB
    unpacked: int = 4096 * MIB
    ratio: int = 200
    members: int = 20_000
    record: int = 16 * MIB
    records: int = 250_000
    text: int = 8 * MIB


class ImportRefused(Exception):
    """The source can't be imported at all. ``code`` is a short word: ``unknown_format``,
    ``too_large``, ``too_many_members``, ``too_many_records``, ``record_too_large``,
    ``suspicious_ratio``, ``unsafe_name``, ``symlink``, ``encrypted``, ``broken_archive``,
    ``not_text``, ``malformed``, ``unknown_version``. The exception's text is the code alone;
    ``seen`` names what was found (kinds and key names of the user's own file, so for that
    user's eyes only) and ``supported`` the formats there are."""

    def __init__(self, code: str, *, seen: Sequence[str] = ()) -> None:
        super().__init__(code)
        self.code = code
        self.seen = tuple(seen)
        self.supported = FORMATS


@dataclass(frozen=True, slots=True)
class Source:
    """An export: a path, or an open binary file that can seek. ``name`` is only shown."""

    name: str
    path: Path | None = None
    file: BinaryIO | None = None
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, what: Path | BinaryIO, name: str = "", *, limits: Limits | None = None) -> Source:
        """A Source for a path or an open file."""
        limits = limits or Limits()
        if isinstance(what, Path):
            return cls(name or what.name, path=what, limits=limits)
        return cls(name, file=what, limits=limits)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes from their beginning. A file that was given stays open afterwards.
        Raises ImportRefused ``too_large``."""
        if self.file is not None:
            self._check(self.file)
            yield self.file
        elif self.path is not None:
            with self.path.open("rb") as file:
                self._check(file)
                yield file
        else:
            raise ValueError("a Source needs a path or a file")

    def _check(self, file: BinaryIO) -> None:
        if file.seek(0, 2) > self.limits.upload:
            raise ImportRefused("too_large")
        file.seek(0)


@dataclass(frozen=True, slots=True)
class Document:
    """One readable file of a source: the source itself, or a member of its archive."""

    name: str
    open: Callable[[], AbstractContextManager[BinaryIO]]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a document is by its content. ``root`` is ``array``, ``object``, ``value`` (another
    JSON value), ``html``, ``text``, ``archive``, ``binary``, ``broken`` or ``empty``; ``keys``
    are the names that tell formats apart, dotted below the record; ``seen`` the first
    names found, whatever they are."""

    root: str
    keys: frozenset[str] = frozenset()
    seen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A document whose format is known."""

    document: Document
    shape: Shape


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message that the user let stand. ``sent_at`` is the message's own time, else its
    neighbours', else its conversation's, else None: then the export holds no time at all
    for it. Text that was attached or pasted as a file stands as a block quote, so that
    it can be found and is never taken for the user's words."""

    external_id: str
    role: Role
    content: str
    sent_at: datetime | None


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """``external_id`` is the export's own where it has one. The same conversation may
    come twice with different messages; ``messages`` is never empty."""

    external_id: str
    title: str
    created_at: datetime | None
    messages: tuple[ImportedMessage, ...]


@dataclass(frozen=True, slots=True)
class ImportedMemory:
    """A statement that another product kept. ``created_at`` is when it was written down
    there, None when that isn't known. ``deleted`` says that the user had deleted it there:
    then ``text`` is empty. ``metadata`` says where it comes from (``source``) and what
    the export knows besides (``section``, ``categories``, ``replaced_by``, …).

    Where an export has no ids, ``external_id`` is a hash of the text: it can be guessed
    from the text, so it must be erased with it and kept out of logs.
    """

    external_id: str
    text: str
    created_at: datetime | None = None
    updated_at: datetime | None = None
    deleted: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """``count`` pieces of the kind ``what`` were left out, and why."""

    what: str
    reason: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Noted:
    """``count`` pieces were imported, but with something the user should know:
    ``time_inferred``, ``time_unknown``, ``answer_missing``, ``attached_text``, ``zone_unknown``,
    ``maybe_cut`` (exactly as many rows as a product's default page), ``several_users`` (the
    rows name that many)."""

    what: str
    reason: str
    count: int = 1


Item = ImportedConversation | ImportedMemory | Skipped | Noted | Brought


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts of what an import would bring. ``memories`` leaves out the deleted ones, which
    ``skipped`` counts as ``deleted``; ``first_at`` and ``last_at`` are of messages and
    memories, None when none has a time."""

    format: Format
    conversations: int
    messages: int
    memories: int
    skipped: Mapping[str, int]
    first_at: datetime | None
    last_at: datetime | None
    notes: Mapping[str, int] = field(default_factory=dict)


class Tally:
    """Counts what was left out or noted, to be told once at the end."""

    def __init__(self) -> None:
        self._skipped: Counter[tuple[str, str]] = Counter()
        self._noted: Counter[tuple[str, str]] = Counter()

    def skip(self, what: str, reason: str, count: int = 1) -> None:
        if count > 0:
            self._skipped[what, reason] += count

    def note(self, what: str, reason: str, count: int = 1) -> None:
        if count > 0:
            self._noted[what, reason] += count

    def items(self) -> Iterator[Item]:
        for (what, reason), count in sorted(self._skipped.items()):
            yield Skipped(what, reason, count)
        for (what, reason), count in sorted(self._noted.items()):
            yield Noted(what, reason, count)


def clean(value: object) -> str:
    """Text that Postgres can hold: no NUL, no lone surrogate, plain line ends, no space
    around. Anything but a string gives ""."""
    if not isinstance(value, str):
        return ""
    text = value.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "ignore").decode("utf-8").strip()


def name(value: object) -> str:
    """An id of the export as text; "" when there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return clean(value)


def dicts(value: object) -> list[dict[str, Any]]:
    """The objects of a list; nothing for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def content_id(*parts: str) -> str:
    """A stable id for what has none. It is a hash of content: see ImportedMemory."""
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def quoted(text: str) -> str:
    """The text as a Markdown block quote."""
    return "\n".join(f"> {line}" for line in text.split("\n"))


@dataclass(frozen=True, slots=True)
class Draft:
    """A message before its missing time and id are settled."""

    role: Role
    content: str
    sent_at: datetime | None = None
    external_id: str = ""


def conversation(
    external_id: str,
    title: object,
    drafts: Sequence[Draft],
    tally: Tally,
    *,
    created_at: datetime | None = None,
    updated_at: datetime | None = None,
) -> ImportedConversation | None:
    """The conversation with each message's time and id settled, or None, counted as
    ``empty``, when there is no message."""
    if not drafts:
        tally.skip("conversation", "empty")
        return None
    known = [draft.sent_at for draft in drafts if draft.sent_at is not None]
    began = created_at or (min(known) if known else updated_at)
    settled: list[Draft] = []
    before: datetime | None = None
    after = _next_times(drafts)
    for draft, following in zip(drafts, after, strict=True):
        sent_at = draft.sent_at
        if sent_at is None:
            sent_at = before or following or began
            tally.note("message", "time_inferred" if sent_at else "time_unknown")
        before = sent_at
        settled.append(replace(draft, sent_at=sent_at))
    return ImportedConversation(
        external_id=external_id,
        title=clean(title),
        created_at=began,
        messages=tuple(_numbered(external_id, settled)),
    )


def _next_times(drafts: Sequence[Draft]) -> list[datetime | None]:
    following: datetime | None = None
    times: list[datetime | None] = []
    for draft in reversed(drafts):
        following = draft.sent_at or following
        times.append(following)
    return times[::-1]


def _numbered(conversation_id: str, drafts: Sequence[Draft]) -> Iterator[ImportedMessage]:
    seen: Counter[str] = Counter()
    for draft in drafts:
        key = draft.external_id or content_id(conversation_id, draft.role, draft.content)
        seen[key] += 1
        if seen[key] > 1:
            key = f"{key}:{seen[key]}"
        yield ImportedMessage(key, draft.role, draft.content, draft.sent_at)
