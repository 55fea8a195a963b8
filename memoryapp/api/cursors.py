"""Pages of a list: a cursor names the last row of the page before by its sort key, so that
rows that come or go in between move nothing."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from memoryapp.api.problems import field_problem

Row = TypeVar("Row", bound=Model)
Convert = Callable[[bytes], Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Key:
    """One column of a sort key, and its bytes in a cursor."""

    name: str
    size: int
    pack: Callable[[Any], bytes]
    unpack: Convert


def by_id(name: str = "id") -> Key:
    return Key(name, 16, lambda value: value.bytes, lambda data: UUID(bytes=data))


def by_number(name: str) -> Key:
    return Key(
        name, 8, lambda value: value.to_bytes(8, "big"), lambda data: int.from_bytes(data, "big")
    )


def by_time(name: str) -> Key:
    return Key(
        name,
        8,
        lambda value: ((value - _EPOCH) // _MICROSECOND).to_bytes(8, "big", signed=True),
        lambda data: _EPOCH + int.from_bytes(data, "big", signed=True) * _MICROSECOND,
    )


@dataclass(frozen=True, slots=True)
class Page:
    items: Sequence[Any]
    next_cursor: str | None


def page(
    rows: QuerySet[Row, Any],
    *keys: Key,
    cursor: str | None,
    limit: int,
    newest_first: bool = True,
) -> Page:
    """The rows after the cursor in the order of the keys, which together are unique, and the
    cursor of the page that follows, None on the last. Raises Problem for a cursor that
    wasn't made here."""
    minus, beyond = ("-", "lt") if newest_first else ("", "gt")
    ordered = rows.order_by(*(f"{minus}{key.name}" for key in keys))
    if cursor is not None:
        ordered = _after(ordered, keys, _unpack(cursor, keys), beyond)
    found = list(ordered[: limit + 1])
    items = found[:limit]
    return Page(items, _pack(items[-1], keys) if len(found) > limit else None)


def _after(
    rows: QuerySet[Row, Any], keys: Sequence[Key], values: Sequence[Any], beyond: str
) -> QuerySet[Row, Any]:
    """Beyond in the first key, or level there and beyond in the next, and so on."""
    condition, level = Q(), Q()
    for key, value in zip(keys, values, strict=True):
        condition |= level & Q(**{f"{key.name}__{beyond}": value})
        level &= Q(**{key.name: value})
    return rows.filter(condition)


def _pack(row: Any, keys: Sequence[Key]) -> str:
    data = b"".join(key.pack(getattr(row, key.name)) for key in keys)
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _unpack(cursor: str, keys: Sequence[Key]) -> list[Any]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        data = base64.b64decode(padded, altchars=b"-_", validate=True)
        if len(data) != sum(key.size for key in keys):
            raise ValueError
        values, at = [], 0
        for key in keys:
            values.append(key.unpack(data[at : at + key.size]))
            at += key.size
        return values
    except (ValueError, OverflowError, binascii.Error):
        raise field_problem(
            "cursor",
            "cursor",
            _("This cursor wasn't made here."),
            _("Send “next_cursor” of the page before as it is, or leave it out."),
        ) from None
