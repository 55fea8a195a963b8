"""Heads of the logs that are noted outside of the database: an end that was cut off is missed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from memoryapp import anchors, audit, erase, outside
from memoryapp.audit import Actor, Event, Head
from memoryapp.context import acting_for
from tests.memory import NOW, TESTER

pytestmark = pytest.mark.usefixtures("committed_db")
Superuser = psycopg.Connection[Any]


def write(user: User, count: int, action: str = "x") -> None:
    with acting_for(user.pk):
        audit.record(user_id=user.pk, by=TESTER, events=[Event(action)] * count, now=NOW)


def verified() -> tuple[str, str]:
    """What `manage.py verify_audit` says, and what it complains of."""
    out, err = StringIO(), StringIO()
    try:
        call_command("verify_audit", stdout=out, stderr=err)
    except SystemExit:
        return out.getvalue(), err.getvalue() or "nothing"
    return out.getvalue(), ""


@contextmanager
def past_the_triggers(admin: Superuser) -> Iterator[None]:
    admin.execute("SET session_replication_role = replica")
    yield
    admin.execute("RESET session_replication_role")


def test_only_heads_that_moved_are_noted(owner: User, other: User) -> None:
    write(owner, 3)
    assert anchors.note(now=NOW) == 1
    write(other, 1)
    assert anchors.note(now=NOW + timedelta(days=1)) == 1
    assert anchors.note(now=NOW + timedelta(days=2)) == 0
    with acting_for(owner.pk):
        assert anchors.noted()[owner.pk] == [audit.head(user_id=owner.pk)]
    assert len(anchors.noted()[other.pk]) == 1
    said, complained = verified()
    assert "every chain whole" in said
    assert complained == ""


def test_an_end_that_was_cut_off_is_missed(owner: User, owner_connection: Superuser) -> None:
    write(owner, 3)
    anchors.note(now=NOW)
    with past_the_triggers(owner_connection):
        owner_connection.execute("DELETE FROM memoryapp_auditevent WHERE seq = 3")
    with acting_for(owner.pk):
        assert audit.verify_chain(user_id=owner.pk).whole
    assert verified()[1] == (f"The log of {owner.pk} lacks event 3 as it was noted outside.\n")
    # Nor does it help to go on writing.
    write(owner, 2, "other")
    assert "lacks event 3" in verified()[1]


def test_a_log_that_went_whole_is_missed(
    owner: User, other: User, owner_connection: Superuser
) -> None:
    write(owner, 1)
    write(other, 1)
    anchors.note(now=NOW)
    with past_the_triggers(owner_connection):
        owner_connection.execute("DELETE FROM memoryapp_auditevent")
        owner_connection.execute("DELETE FROM accounts_user WHERE id = %s", [other.pk])
    complained = verified()[1]
    assert str(owner.pk) in complained
    assert str(other.pk) in complained


def test_the_log_of_a_closed_account_is_still_looked_after(owner: User) -> None:
    write(owner, 2)
    anchors.note(now=NOW)
    with acting_for(owner.pk):
        erase.erase_account(user_id=owner.pk, by=Actor.user(owner), now=NOW)
    said, complained = verified()
    assert complained == ""
    assert said.startswith("3 events")


def test_what_is_noted_says_nothing_else(owner: User) -> None:
    write(owner, 1)
    anchors.note(now=NOW)
    [(name, content)] = outside.kept(anchors.FOLDER)
    assert name == "20260302T120000000000Z.jsonl"
    with acting_for(owner.pk):
        head = audit.head(user_id=owner.pk)
    assert isinstance(head, Head)
    assert content.decode() == f'["{owner.pk}", 1, "{head.hash.hex()}"]'


@pytest.mark.parametrize("content", [b"words", b"[1, 2]", b'["x", 1, "00"]', b'[1, 1, "00"]'])
def test_another_file_is_refused_by_name(content: bytes) -> None:
    outside.keep(anchors.FOLDER, "x.jsonl", content)
    with pytest.raises(CommandError, match=r"x\.jsonl isn't a file of noted heads"):
        verified()


def test_every_night(owner: User) -> None:
    from memoryapp.tasks import note_heads

    write(owner, 1)
    note_heads()
    assert list(anchors.noted()) == [owner.pk]
