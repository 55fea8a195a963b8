"""The journal of erasures, outside of the database: after a backup was restored, what was
erased since it was made is erased again (``manage.py replay_erasures``).

An entry is a file, named by its time: the choice by ids and times, counts, and tombstones,
which are hashes under the user's own key. No words.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from memoryapp import outside
from memoryapp.models import ErasureReceipt, Tombstone

from .choice import Choice

logger = logging.getLogger(__name__)

FOLDER = "erasures"
VERSION = 1
# For how long the nightly work looks whether an erasure has its entry.
LOOKED_AFTER = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Entry:
    """An erasure of ``user_id``. ``gone`` are the facts that went, those that a chosen one
    had replaced among them; ``masked`` messages in which words were masked; ``tombstones``
    the hashes that it left, of ``buried_at``."""

    user_id: UUID
    erased_at: datetime
    choice: Choice
    gone: Sequence[UUID]
    masked: Sequence[UUID]
    counts: Mapping[str, int]
    tombstones: Sequence[bytes]

    @property
    def buried_at(self) -> datetime:
        return _buried_at(self.choice, self.erased_at)


def note(receipt: ErasureReceipt) -> None:
    """Write the receipt's entry once its transaction is committed. A storage that fails then
    is told of in the log, and the nightly work tries again: what is erased stays erased."""
    transaction.on_commit(partial(_try, receipt, _entry(receipt)))


def complete(*, user_id: UUID, now: datetime) -> int:
    """Write the entries that are missing; returns how many. Needs ``acting_for(user_id)``.
    Raises what the storage raises."""
    late = ErasureReceipt.objects.filter(user_id=user_id, completed_at__gte=now - LOOKED_AFTER)
    missing = [
        receipt for receipt in late.exclude(choice={}) if not outside.has(FOLDER, _name(receipt))
    ]
    return sum(_save(receipt, _entry(receipt)) for receipt in missing)


def entries() -> Iterator[tuple[str, Entry]]:
    """Every entry with its file's name, the oldest first. Raises outside.Unreadable."""
    for name, content in outside.kept(FOLDER):
        yield name, _read(name, content)


def _name(receipt: ErasureReceipt) -> str:
    """The same for the erasure when it is done again, whose receipt is another."""
    return f"{outside.moment(receipt.completed_at)}-{receipt.target}-{receipt.user_id}.json"


def _entry(receipt: ErasureReceipt) -> dict[str, Any]:
    plain = dict(receipt.choice)
    masked = plain.pop("masked", [])
    buried_at = _buried_at(Choice.of(plain), receipt.completed_at)
    hashes = Tombstone.objects.filter(user_id=receipt.user_id, erased_at=buried_at)
    return {
        "version": VERSION,
        "user": str(receipt.user_id),
        "erased_at": receipt.completed_at.isoformat(),
        "choice": plain,
        "gone": receipt.fact_ids,
        "masked": masked,
        "counts": receipt.counts,
        "tombstones": [bytes(each).hex() for each in hashes.values_list("hash", flat=True)],
    }


def _buried_at(choice: Choice, erased_at: datetime) -> datetime:
    """Up to when statements of what was erased are ignored."""
    return (choice.until if choice.what == "facts" else None) or erased_at


def _read(name: str, data: bytes) -> Entry:
    try:
        plain = json.loads(data)
        if plain["version"] != VERSION:
            raise ValueError("another version")
        return Entry(
            UUID(plain["user"]),
            datetime.fromisoformat(plain["erased_at"]),
            Choice.of(plain["choice"]),
            [UUID(id) for id in plain["gone"]],
            [UUID(id) for id in plain["masked"]],
            dict(plain["counts"]),
            [bytes.fromhex(each) for each in plain["tombstones"]],
        )
    except (ValueError, TypeError, KeyError) as error:
        raise outside.Unreadable(name) from error


def _try(receipt: ErasureReceipt, entry: Mapping[str, Any]) -> None:
    try:
        _save(receipt, entry)
    except Exception as error:
        # Storages raise what they like. The erasure is done, and must be told as done.
        logger.error("journal of erasures: an entry wasn't written (%s)", type(error).__name__)


def _save(receipt: ErasureReceipt, entry: Mapping[str, Any]) -> bool:
    """Whether it wasn't there yet."""
    return outside.keep(FOLDER, _name(receipt), json.dumps(entry).encode())
