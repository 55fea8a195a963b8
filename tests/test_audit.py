"""The log: one chain a user, and what breaks it is found."""

from __future__ import annotations

import contextlib
import logging
import threading
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, transaction

from accounts.models import User
from memoryapp import audit
from memoryapp.audit import Actor, ChainReport, Event
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent
from tests.memory import NOW, TESTER

Superuser = psycopg.Connection[Any]


def write(user: User, *actions: str) -> None:
    with acting_for(user.pk):
        events = [Event(action, f"fact:{uuid4()}", {"count": 1}) for action in actions]
        audit.record(user_id=user.pk, by=TESTER, events=events, now=NOW)


def check(user: User) -> ChainReport:
    with acting_for(user.pk):
        return audit.verify_chain(user_id=user.pk)


def chain(user: User) -> list[AuditEvent]:
    with acting_for(user.pk):
        return list(AuditEvent.objects.filter(user_id=user.pk).order_by("seq"))


def tamper(superuser: Superuser, statement: str, *values: object) -> None:
    """What only somebody with the server's own rights can do."""
    superuser.execute("SET session_replication_role = replica")
    assert superuser.execute(statement, values).rowcount > 0


def test_no_events_are_a_whole_chain(owner: User) -> None:
    assert check(owner) == ChainReport(events=0, first_bad=None, head=b"")
    with acting_for(owner.pk):
        audit.record(user_id=owner.pk, by=TESTER, events=[])
    assert check(owner).events == 0


def test_events_are_chained_in_order_each_user_apart(owner: User, other: User) -> None:
    write(owner, "a", "b")
    write(other, "c")
    write(owner, "d")
    events = chain(owner)
    assert [(e.seq, e.action) for e in events] == [(1, "a"), (2, "b"), (3, "d")]
    assert [bytes(e.previous_hash) for e in events] == [
        b"",
        *(bytes(e.hash) for e in events[:2]),
    ]
    assert {len(e.hash) for e in events} == {32}
    assert check(owner) == ChainReport(3, None, bytes(events[-1].hash))
    assert [e.seq for e in chain(other)] == [1]


def test_the_database_gives_number_and_hash_whatever_the_writer_says(owner: User) -> None:
    with acting_for(owner.pk):
        AuditEvent.objects.create(
            user_id=owner.pk, seq=77, hash=b"x", previous_hash=b"y", at=NOW, actor="x", action="x"
        )
    assert chain(owner)[0].seq == 1
    assert check(owner).whole


def test_the_same_chain_is_whole_in_every_time_zone(owner: User) -> None:
    write(owner, "a", "b")
    for zone in ("Asia/Kolkata", "America/St_Johns"):
        with acting_for(owner.pk), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL TimeZone = '{zone}'")
            assert audit.verify_chain(user_id=owner.pk).whole


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("at", NOW + timedelta(microseconds=1)),
        ("actor", "user:somebody"),
        ("action", "nothing"),
        ("object", "fact:other"),
        ("details", '{"count": 2}'),
        ("hash", b"0" * 32),
        ("previous_hash", b"0" * 32),
        ("seq", 9),
    ],
)
def test_an_edit_is_found(
    committed_db: object,
    owner: User,
    owner_connection: Superuser,
    column: str,
    value: object,
) -> None:
    write(owner, "a", "b", "c")
    tamper(
        owner_connection,
        f"UPDATE memoryapp_auditevent SET {column} = %s WHERE user_id = %s AND seq = 2",
        value,
        owner.pk,
    )
    report = check(owner)
    assert not report.whole
    assert report.first_bad in {2, 3}


def test_an_edit_that_mends_its_own_hash_breaks_the_next(
    committed_db: object, owner: User, owner_connection: Superuser
) -> None:
    write(owner, "a", "b", "c")
    tamper(
        owner_connection,
        "UPDATE memoryapp_auditevent SET action = 'x', hash = memoryapp_audit_hash(user_id, seq,"
        " at, actor, 'x', object, details, previous_hash) WHERE user_id = %s AND seq = 2",
        owner.pk,
    )
    assert check(owner).first_bad == 3


def test_a_gap_is_found_and_a_lost_tail_shows_in_the_head(
    committed_db: object, owner: User, owner_connection: Superuser
) -> None:
    write(owner, "a", "b", "c", "d")
    noted = check(owner)
    remove = "DELETE FROM memoryapp_auditevent WHERE user_id = %s AND seq = %s"
    tamper(owner_connection, remove, owner.pk, 4)
    shorter = check(owner)
    assert shorter.whole
    assert (shorter.events, shorter.head) != (noted.events, noted.head)
    tamper(owner_connection, remove, owner.pk, 2)
    assert check(owner).first_bad == 3
    tamper(owner_connection, remove, owner.pk, 1)
    assert check(owner).first_bad == 3


def test_a_fork_is_refused(committed_db: object, owner: User, owner_connection: Superuser) -> None:
    write(owner, "a")
    with pytest.raises(psycopg.errors.UniqueViolation):
        tamper(
            owner_connection,
            "INSERT INTO memoryapp_auditevent SELECT gen_random_uuid(), user_id, seq, at, actor,"
            " action, object, details, previous_hash, hash FROM memoryapp_auditevent"
            " WHERE user_id = %s",
            owner.pk,
        )


@pytest.mark.slow
def test_writers_at_the_same_time_make_one_chain(committed_db: object, owner: User) -> None:
    gate = threading.Barrier(8)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            gate.wait()
            for _ in range(5):
                write(owner, "a", "b")
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    report = check(owner)
    assert (report.events, report.whole) == (80, True)


def test_an_event_of_a_transaction_that_failed_is_not_there(owner: User) -> None:
    write(owner, "a")
    with contextlib.suppress(RuntimeError), transaction.atomic():
        write(owner, "b")
        raise RuntimeError
    write(owner, "c")
    assert [e.action for e in chain(owner)] == ["a", "c"]
    assert check(owner).whole


def test_a_refused_reach_is_in_the_log_of_who_reached(
    owner: User, other: User, caplog: pytest.LogCaptureFixture
) -> None:
    target = f"fact:{uuid4()}"
    with acting_for(owner.pk), caplog.at_level(logging.WARNING):
        audit.refused(user_id=owner.pk, by=Actor.application(uuid4()), object=target)
    (event,) = chain(owner)
    assert (event.action, event.object, event.actor[:4]) == ("access.refused", target, "app:")
    assert chain(other) == []
    assert target in caplog.text


def test_actors_are_kinds_and_ids(owner: User) -> None:
    assert str(Actor.user(owner)) == f"user:{owner.pk}"
    assert str(Actor.admin(owner)) == f"admin:{owner.pk}"
    assert str(Actor.system("consolidate")) == "system:consolidate"


def test_the_command_checks_every_log(
    committed_db: object, owner: User, other: User, owner_connection: Superuser
) -> None:
    write(owner, "a", "b")
    write(other, "c", "d", "e")
    out, err = StringIO(), StringIO()
    call_command("verify_audit", stdout=out, stderr=err)
    assert out.getvalue() == "5 events, every chain whole.\n"
    tamper(
        owner_connection,
        "UPDATE memoryapp_auditevent SET action = 'x' WHERE user_id = %s AND seq = 2",
        other.pk,
    )
    with pytest.raises(SystemExit) as stopped:
        call_command("verify_audit", stdout=out, stderr=err)
    assert stopped.value.code == 1
    assert err.getvalue() == f"The log of {other.pk} is broken at event 2.\n"
