"""Binding the database session to one user (DESIGN section 9)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connection, transaction


class WrongUser(RuntimeError):
    """A transaction bound to one user was asked to act for another."""


def _setting(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s, true)", [name])
        row = cursor.fetchone()
    return (row and row[0]) or ""


def _set_local(name: str, value: str) -> None:
    # A literal, since SET takes no parameters and, under Citus, set_config() doesn't
    # reach the workers (FINDINGS). Names are ours; values are UUIDs, words of ours or empty.
    if not all(letter.isalnum() or letter in "-_" for letter in value):
        raise ValueError("not a safe value for a session setting")
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL {name} = '{value}'")


@contextmanager
def _bound(name: str, value: str) -> Iterator[None]:
    # Outside a transaction nothing is set: SET LOCAL ends with its transaction.
    nested = connection.in_atomic_block
    with transaction.atomic():
        before = _setting(name) if nested else ""
        if before and before != value:
            raise WrongUser("one transaction acts for one user only")
        if before != value:
            _set_local(name, value)
        yield
        if nested and before != value:
            # Inside an outer transaction SET LOCAL would outlive this block.
            _set_local(name, before)


@contextmanager
def acting_for(user_id: UUID) -> Iterator[None]:
    """A transaction in which row-level security shows and takes rows of this user only.

    Nested uses for the same user join the outer transaction; for another user they
    raise ``WrongUser``. Never hold it open across a call to a model.
    """
    with _bound("app.user_id", str(UUID(str(user_id)))):
        yield


@contextmanager
def relaying() -> Iterator[None]:
    """A transaction that may see every user's outbox rows (ids and times, no content),
    and nothing else of theirs."""
    with _bound("app.relay", "on"):
        yield


@contextmanager
def auditing(admin_id: UUID) -> Iterator[None]:
    """A transaction in which an active member of staff may read, and only read, all users'
    rows. The database checks that the account is staff."""
    with _bound("app.auditor", str(UUID(str(admin_id)))):
        yield
