"""The storage pass: erased words are looked for in the database's files themselves."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from accounts.models import User
from memoryapp import erase, storage
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.local_services import postgres
from memoryapp.local_services.folder import BASE_DIR
from memoryapp.models import Conversation, ErasureReceipt
from tests.chat import facts, said, tell
from tests.server import WorkerDatabase

pytestmark = pytest.mark.usefixtures("committed_db")
Connection = psycopg.Connection[Any]


@pytest.fixture
def word() -> str:
    """A place that no other test named: theirs may lie in the files still."""
    return "Quetzal" + "".join(random.choices("aeiou", k=12))


@pytest.fixture
def owning(committed_db: WorkerDatabase) -> Iterator[Connection]:
    with psycopg.connect(committed_db.owner_url, autocommit=True) as connection:
        yield connection


def cleaned(owning: Connection, seconds: float = 120) -> storage.Pass:
    """The first pass that nothing stood in the way of. What another worker's test writes, in
    its own database, began before this one's erasure and ends after the pass's ten seconds,
    as it may: a pass's snapshot reaches back to the server's oldest transaction. Fails with
    what goes on still."""
    until = time.monotonic() + seconds
    while (done := storage.clean(owning)).waiting:
        assert time.monotonic() < until, (done.waiting, going_on(owning))
    return done


def going_on(connection: Connection) -> list[Any]:
    return connection.execute(
        "SELECT datname, backend_type, state, query, now() - xact_start FROM pg_stat_activity"
        " WHERE pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)"
    ).fetchall()


def lives(user: User, place: str = "Trondheim") -> None:
    tell(user, said("2026-03-01", f"I live in {place}."))
    assert facts(user)


def forget(user: User) -> None:
    """The talk, and what it taught."""
    with acting_for(user.pk):
        erase.erase_conversation(
            user_id=user.pk,
            conversation_id=Conversation.objects.get().id,
            by=Actor.user(user),
        )
    assert not facts(user)


def unfinished(user: User) -> list[ErasureReceipt]:
    with acting_for(user.pk):
        return list(ErasureReceipt.objects.filter(storage_completed_at=None))


def finished(user: User) -> list[ErasureReceipt]:
    with acting_for(user.pk):
        return list(ErasureReceipt.objects.exclude(storage_completed_at=None))


def files_with(admin: Connection, word: str) -> list[str]:
    """The files of this database that hold the word in any case, once all is written."""
    admin.execute("CHECKPOINT")
    [(data, number)] = admin.execute(
        "SELECT current_setting('data_directory'), oid FROM pg_database"
        " WHERE datname = current_database()"
    ).fetchall()
    folder = Path(data) / "base" / str(number)
    wanted = word.lower().encode()
    found = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # one that the server has just removed
            if wanted in path.read_bytes().lower():
                found.append(path.name)
    return found


def test_erased_words_leave_the_files(
    owner: User, owning: Connection, owner_connection: Connection, word: str
) -> None:
    lives(owner, word)
    forget(owner)
    assert files_with(owner_connection, word)
    done = cleaned(owning)
    assert (done.receipts, done.waiting) == (1, ())
    assert done.rewritten
    assert files_with(owner_connection, word) == []
    [receipt] = finished(owner)
    assert receipt.storage_completed_at
    assert receipt.storage_completed_at > receipt.completed_at
    assert storage.clean(owning) == storage.Pass()


def test_an_account_leaves_the_files(
    owning: Connection, owner_connection: Connection, word: str
) -> None:
    user = User.objects.create_user(email=f"{word}@example.com", password="correct horse battery")
    lives(user, word)
    with acting_for(user.pk):
        erase.erase_account(user_id=user.pk, by=Actor.user(user))
    assert len(files_with(owner_connection, word)) > 1
    assert cleaned(owning).receipts == 1
    assert files_with(owner_connection, word) == []


@pytest.mark.parametrize(
    ("own", "statement"),
    [
        pytest.param(True, "SELECT 1", id="it may read what was erased"),
        pytest.param(False, "SELECT pg_current_xact_id()", id="it writes in another database"),
    ],
)
def test_an_older_transaction_is_waited_for(
    owner: User,
    owning: Connection,
    committed_db: WorkerDatabase,
    owner_connection: Connection,
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    own: bool,
    statement: str,
) -> None:
    monkeypatch.setattr(storage, "PAUSE_SECONDS", 0.1)
    lives(owner, word)
    elsewhere = postgres.url(committed_db.sockets, "postgres", "postgres")
    with psycopg.connect(committed_db.url if own else elsewhere) as old:
        old.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        old.execute(statement)
        forget(owner)
        done = storage.clean(owning)
        assert done.receipts == 0
        assert done.waiting
        assert unfinished(owner)
    assert cleaned(owning).receipts == 1
    assert files_with(owner_connection, word) == []


def test_a_table_that_is_held_is_left_for_the_next_pass(
    owner: User,
    owning: Connection,
    committed_db: WorkerDatabase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(storage, "LOCK_TIMEOUT", "50ms")
    monkeypatch.setattr(storage, "PAUSE_SECONDS", 0.1)
    lives(owner)
    forget(owner)
    with psycopg.connect(committed_db.owner_url) as holder:
        holder.execute("LOCK TABLE memoryapp_conversation IN ACCESS SHARE MODE")
        done = storage.clean(owning)
        assert "memoryapp_conversation" in done.waiting
        assert unfinished(owner)
    assert cleaned(owning).receipts == 1


def test_the_partitions_of_others_are_left_as_they_are(
    owner: User, owning: Connection, owner_connection: Connection
) -> None:
    def files() -> dict[str, int]:
        return dict(
            owner_connection.execute(
                "SELECT relname, relfilenode FROM pg_class"
                " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            ).fetchall()
        )

    lives(owner)
    forget(owner)
    before = files()
    cleaned(owning)
    after = files()
    rewritten = {name for name in before if before[name] != after[name]}
    facts_of_some = {name for name in rewritten if name.startswith("memoryapp_fact_")}
    assert len(facts_of_some) == 1
    assert "accounts_user" not in rewritten
    assert not {name for name in rewritten if "auditevent" in name or "receipt" in name}


def test_two_passes_at_once_are_one(
    owner: User, owning: Connection, committed_db: WorkerDatabase
) -> None:
    lives(owner)
    forget(owner)
    with psycopg.connect(committed_db.owner_url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [storage.CLEANING])
        assert storage.clean(owning) == storage.Pass()
        other.execute("SELECT pg_advisory_unlock(%s)", [storage.CLEANING])
    assert cleaned(owning).receipts == 1


def test_the_applications_role_may_not(committed_db: WorkerDatabase) -> None:
    with (
        psycopg.connect(committed_db.url, autocommit=True) as application,
        pytest.raises(storage.NotOwner),
    ):
        storage.clean(application)


@pytest.mark.slow
def test_the_command(
    owner: User,
    committed_db: WorkerDatabase,
    owner_connection: Connection,
    process_environ: dict[str, str],
) -> None:
    def run(**environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", "clean_storage"],
            cwd=BASE_DIR,
            env={**process_environ, **environ},
            capture_output=True,
            text=True,
            timeout=60,
        )

    lives(owner)
    forget(owner)
    refused = run(DATABASE_OWNER_URL=committed_db.url)
    assert refused.returncode == 1
    assert "DATABASE_OWNER_URL" in refused.stderr
    until = time.monotonic() + 120
    while (done := run(DATABASE_OWNER_URL=committed_db.owner_url)).returncode:
        assert "Run this again later." in done.stderr
        assert time.monotonic() < until, (done.stderr, going_on(owner_connection))
    assert "1 receipt completed" in done.stdout
    assert not unfinished(owner)
