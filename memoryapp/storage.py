"""The storage pass: what was erased leaves the database's files, too.

An erasure deletes rows, but their words stay in the files, in dead rows and in indexes, until
a table is written anew; a plain VACUUM after a small erasure removes nothing. So every table
where words of an erasure may have been is rewritten, of a partitioned one the user's own
partition alone, and then the receipt says when. Rewriting is its owner's right alone, which
the application's role hasn't: hence ``manage.py clean_storage``, and a thread of ``manage.py up``.

Each table is locked against everybody while it is rewritten: half a second for the 2,000 facts
of a partition (FINDINGS).
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import errors, sql

# One number for all who clean the same database at the same time.
CLEANING = 7_365_041_193
# How long a table is waited for: behind us everybody else waits for it, too.
LOCK_TIMEOUT = "5s"
# What stands in the way is mostly short: a request, or the server's own collecting of statistics.
TRIES = 5
PAUSE_SECONDS = 2.0

# Columns with words are those without statistics (tests/test_catalogue.py): the log, receipts,
# notes of uses and the like have none. Tables of others, with addresses and sessions in them,
# lose something when an account goes.
_TABLES = """
    SELECT c.relname
    FROM pg_class c
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
    CROSS JOIN LATERAL
        regexp_match(pg_get_expr(c.relpartbound, c.oid), 'modulus (\\d+), remainder (\\d+)') AS part
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
        AND CASE WHEN c.relname LIKE 'memoryapp\\_%%'
            THEN EXISTS (
                SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attstattarget = 0)
            ELSE %(account)s
        END
        AND (part IS NULL OR EXISTS (
            SELECT FROM unnest(%(users)s::uuid[]) AS id
            WHERE satisfies_hash_partition(i.inhparent, part[1]::int, part[2]::int, id)))
    ORDER BY c.relname
"""
_NUMBER = re.compile(r"\d+")


class NotOwner(Exception):
    """The role may not rewrite the tables."""


@dataclass(frozen=True, slots=True)
class Pass:
    """``receipts``: how many say now that the storage is clean. ``rewritten``: how many
    tables are new. ``waiting``: the tables that somebody held, or whose deleted rows an
    older transaction may still read; with any of them no receipt is complete yet."""

    receipts: int = 0
    rewritten: int = 0
    waiting: tuple[str, ...] = ()


def clean(owner: psycopg.Connection[Any]) -> Pass:
    """Rewrite what erasures without a clean storage have touched, and complete their
    receipts. Does nothing while another pass goes on. Needs a connection of the tables'
    owner, in autocommit. Raises NotOwner."""
    _check(owner)
    # Ends with the connection at the latest.
    if not _one(owner, "SELECT pg_try_advisory_lock(%s)", [CLEANING]):
        return Pass()
    try:
        return _clean(owner)
    finally:
        owner.execute("SELECT pg_advisory_unlock(%s)", [CLEANING])


def _clean(owner: psycopg.Connection[Any]) -> Pass:
    # What is erased from here on is for the next pass.
    receipts = owner.execute(
        "SELECT id, user_id, target FROM memoryapp_erasurereceipt"
        " WHERE storage_completed_at IS NULL"
    ).fetchall()
    if not receipts:
        return Pass()
    wanted = {
        "users": list({user for _id, user, _target in receipts}),
        "account": any(target == "account" for _id, _user, target in receipts),
    }
    tables = [name for (name,) in owner.execute(_TABLES, wanted)]
    owner.execute(sql.SQL("SET lock_timeout = {}").format(LOCK_TIMEOUT))
    waiting = tables
    for pause in (0.0, *[PAUSE_SECONDS] * (TRIES - 1)):
        if waiting:
            time.sleep(pause)
            waiting = [name for name in waiting if not _rewrite(owner, name)]
    if waiting:
        return Pass(0, len(tables) - len(waiting), tuple(waiting))
    owner.execute(
        "UPDATE memoryapp_erasurereceipt SET storage_completed_at = clock_timestamp()"
        " WHERE id = ANY(%s) AND storage_completed_at IS NULL",
        [[each for each, _user, _target in receipts]],
    )
    return Pass(len(receipts), len(tables))


def _rewrite(owner: psycopg.Connection[Any], table: str) -> bool:
    """Whether nothing that was deleted is left in the table. Only VERBOSE tells that:
    rows which an older transaction may still read are carried over into the new files."""
    carried: list[int] = []

    def hear(said: errors.Diagnostic) -> None:
        # "0 dead row versions cannot be removed yet", in the server's language.
        if found := _NUMBER.search(said.message_detail or ""):
            carried.append(int(found[0]))

    owner.add_notice_handler(hear)
    try:
        owner.execute(sql.SQL("VACUUM (FULL, VERBOSE) {}").format(sql.Identifier(table)))
    except errors.LockNotAvailable:
        return False
    finally:
        owner.remove_notice_handler(hear)
    # Statistics quote values; those of columns with words aren't kept, others are made anew.
    owner.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table)))
    return carried == [0]


def end_log(admin: psycopg.Connection[Any]) -> None:
    """The write-ahead log up to now is needed no longer, and with ``wal_recycle = off`` its
    files go. Needs an administrator's connection."""
    admin.execute("SELECT pg_switch_wal()")
    admin.execute("CHECKPOINT")


def _check(owner: psycopg.Connection[Any]) -> None:
    if not _one(
        owner,
        "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class"
        " WHERE oid = 'memoryapp_fact'::regclass",
    ):
        raise NotOwner


def _one(connection: psycopg.Connection[Any], query: str, values: list[Any] | None = None) -> Any:
    row = connection.execute(query, values).fetchone()
    return row and row[0]
