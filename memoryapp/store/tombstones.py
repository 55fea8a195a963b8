"""Keyed hashes that keep erased facts from coming back (DESIGN section 7)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import connection

from memoryapp.models import Tombstone
from memoryapp.reconcile import value_key
from memoryapp.records import Candidate, normalise


def fact_hash(user: Any, *, subject: str, attribute: str, scope: str, value_key: str) -> bytes:
    """The keyed hash of one value under one key."""
    digest: bytes = user.keyed_hash("fact", subject, attribute, scope, value_key)
    return digest


def quote_hash(user: Any, *, attribute: str, quote: str) -> bytes:
    """The keyed hash of the words that proved a fact, per attribute: the same sentence
    may go on proving something else."""
    digest: bytes = user.keyed_hash("quote", attribute, normalise(quote))
    return digest


class Graves:
    """The user's tombstones, loaded once for a batch."""

    def __init__(self, user: Any) -> None:
        self._user = user
        self._erased: dict[bytes, tuple[datetime, bool]] = {
            bytes(t.hash): (t.erased_at, t.forever)
            for t in Tombstone.objects.filter(user_id=user.pk)
        }

    def hold(self, candidate: Candidate, *, undated: bool = False) -> bool:
        """True when the user erased this value, or these words for this attribute, after
        the statement was made, or for ever. An ``undated`` statement may be any age."""
        if not self._erased:
            return False
        hashes = [
            fact_hash(
                self._user,
                subject=candidate.subject,
                attribute=candidate.attribute,
                scope=candidate.scope,
                value_key=value_key(candidate),
            )
        ]
        if candidate.quote is not None:
            hashes.append(
                quote_hash(self._user, attribute=candidate.attribute, quote=candidate.quote.text)
            )
        if undated:
            return any(h in self._erased for h in hashes)
        return any(self._holds(h, candidate.sent_at) for h in hashes)

    def _holds(self, hash: bytes, sent_at: datetime) -> bool:
        erased = self._erased.get(hash)
        return erased is not None and (erased[1] or sent_at <= erased[0])


def bury(user: Any, hashes: Iterable[bytes], *, now: datetime, forever: bool = False) -> int:
    """Write tombstones; a later erasure of the same value moves the date on, and "for
    ever" stays said. Returns how many."""
    wanted = sorted(set(hashes))
    with connection.cursor() as cursor:
        # By hand: Django sends binary values one by one, and there may be ten thousands.
        cursor.execute(
            """
            INSERT INTO memoryapp_tombstone AS held (id, user_id, hash, erased_at, forever)
            SELECT gen_random_uuid(), %s, unnest(%s::bytea[]), %s, %s
            ON CONFLICT (user_id, hash) DO UPDATE
                SET erased_at = excluded.erased_at, forever = held.forever OR excluded.forever
            """,
            [user.pk, wanted, now, forever],
        )
    return len(wanted)
