"""The journal of erasures: a database as it was before is cleaned of what was erased since.

The "backup" is the rows themselves, copied before the erasure and put back after it, past
everything that the application's role may do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone
from psycopg import sql

from accounts.models import Application, EndUser, User
from memoryapp import erase, outside, pipeline
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.erase import Choice, journal
from memoryapp.models import Conversation, ErasureReceipt, Message, Tombstone
from tests import imports
from tests.chat import deliver, facts, read_all, said, tell
from tests.everywhere import WORDS, everywhere

pytestmark = pytest.mark.usefixtures("committed_db", "uploads_folder")
Connection = psycopg.Connection[Any]
PLACE = WORDS.title()


@contextmanager
def restored(admin: Connection) -> Iterator[None]:
    """Afterwards the database is as it was before, as from a backup."""
    tables = [
        name
        for (name,) in admin.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'django_migrations'"
        )
    ]
    for name in tables:
        admin.execute(
            sql.SQL("CREATE TEMP TABLE {} AS TABLE {}").format(
                sql.Identifier(f"backup_{name}"), sql.Identifier("public", name)
            )
        )
    yield
    with admin.transaction():
        # Past triggers and foreign keys.
        admin.execute("SET LOCAL session_replication_role = replica")
        for name in tables:
            table = sql.Identifier("public", name)
            admin.execute(sql.SQL("DELETE FROM {}").format(table))
            columns = sql.SQL(", ").join(
                sql.Identifier(column)
                for (column,) in admin.execute(
                    "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass"
                    " AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
                    [f"public.{name}"],
                )
            )
            admin.execute(
                sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM {}").format(
                    table, columns, columns, sql.Identifier(f"backup_{name}")
                )
            )


def replayed() -> str:
    out = StringIO()
    call_command("replay_erasures", stdout=out)
    return out.getvalue()


def lives(user: User, when: str = "2026-03-01") -> UUID:
    tell(user, said(when, f"I live in {PLACE}."))
    [fact] = facts(user, "home")
    return fact.id


def talk(user: User) -> UUID:
    with acting_for(user.pk):
        return Conversation.objects.get().id


def messages(user: User) -> list[UUID]:
    with acting_for(user.pk):
        return list(Message.objects.values_list("id", flat=True))


def choose(user: User, what: str, fact_id: UUID) -> Choice:
    return {
        "facts": Choice("facts", facts=[fact_id]),
        "messages": Choice("messages", messages=messages(user), restore_previous=True),
        "topic": Choice("topic", facts=[fact_id], messages=messages(user)),
        "conversation": Choice("conversation", conversation=talk(user)),
        "range": Choice(
            "range",
            since=timezone.now() - timedelta(days=10_000),
            until=timezone.now() + timedelta(days=1),
        ),
        "everything": Choice("everything"),
        "account": Choice("account"),
    }[what]


def carry_out(user: User, choice: Choice) -> ErasureReceipt:
    with acting_for(user.pk):
        return erase.carry_out(user_id=user.pk, choice=choice, by=Actor.user(user))


def receipts(user_id: UUID) -> list[ErasureReceipt]:
    with acting_for(user_id):
        return list(ErasureReceipt.objects.order_by("completed_at"))


@pytest.mark.parametrize(
    "what", ["facts", "messages", "topic", "conversation", "range", "everything", "account"]
)
def test_a_restored_backup_forgets_again(
    owner: User, other: User, owner_connection: Connection, what: str
) -> None:
    fact_id = lives(owner)
    tell(other, said("2026-03-01", "I live in Trondheim."))
    with restored(owner_connection):
        erased = carry_out(owner, choose(owner, what, fact_id))
        assert everywhere(owner_connection) == []
    assert everywhere(owner_connection)
    assert receipts(owner.pk) == []

    assert replayed().startswith("1 erased again")

    assert everywhere(owner_connection) == []
    [receipt] = receipts(owner.pk)
    assert (receipt.target, receipt.completed_at) == (what, erased.completed_at)
    assert receipt.storage_completed_at is None  # the files hold it once more
    assert facts(other, "home")
    assert replayed().startswith("0 erased again, 1 known already")
    if what != "account":
        # Sent once more, it isn't learnt again.
        tell(owner, said("2026-03-01", f"I live in {PLACE}."), conversation="again")
        assert facts(owner, "home") == []


def test_what_the_backup_had_not_learnt_yet_is_not_learnt_from_it(
    owner: User, owner_connection: Connection
) -> None:
    deliver(owner, [said("2026-03-01", f"I live in {PLACE}.")])
    with restored(owner_connection):
        read_all(owner)
        [fact] = facts(owner, "home")
        carry_out(owner, Choice("facts", facts=[fact.id]))
    assert replayed().startswith("1 erased again")
    # The message in which the words were masked lost its text.
    assert everywhere(owner_connection) == []
    read_all(owner)
    tell(owner, said("2026-02-01", f"I live in {PLACE}."), conversation="sent again")
    assert facts(owner, "home") == []


def test_what_the_erased_had_replaced_goes_too(owner: User, owner_connection: Connection) -> None:
    """The backup has the old value as the current one, and knows nothing of the new."""
    lives(owner)
    with restored(owner_connection):
        tell(owner, said("2026-06-01", "I have moved to Trondheim."), conversation="later")
        [current] = facts(owner, "home", status="current")
        carry_out(owner, Choice("facts", facts=[current.id]))
        assert facts(owner, "home") == []
    assert facts(owner, "home")
    assert replayed().startswith("1 erased again")
    assert facts(owner, "home") == []
    assert everywhere(owner_connection) == []


def test_what_came_after_the_backup_is_known_by_its_tombstones(
    owner: User, owner_connection: Connection
) -> None:
    with restored(owner_connection):
        fact_id = lives(owner)
        carry_out(owner, Choice("facts", facts=[fact_id], forever=True))
    assert replayed().startswith("1 erased again")
    with acting_for(owner.pk):
        assert Tombstone.objects.filter(forever=True).exists()
    tell(owner, said("2027-03-01", f"I live in {PLACE}."))
    assert facts(owner, "home") == []


def test_what_was_said_after_a_forgotten_wish_is_learnt(
    owner: User, owner_connection: Connection
) -> None:
    """ "Forget that …" in a chat counts up to when it was said."""
    lives(owner)
    with restored(owner_connection):
        tell(owner, said("2026-04-01", f"Forget that I live in {PLACE}."), conversation="later")
        assert facts(owner, "home") == []
    assert replayed().startswith("1 erased again")
    assert facts(owner, "home") == []
    tell(owner, said("2026-03-15", f"I live in {PLACE}."), conversation="between")
    assert facts(owner, "home") == []
    tell(owner, said("2026-05-01", f"I live in {PLACE}."), conversation="after")
    assert facts(owner, "home")


def test_an_application_is_forgotten_again(owner: User, owner_connection: Connection) -> None:
    app = Application.objects.create(name="Chatty", owner=owner)
    EndUser.objects.create(application=app, user=owner, external_id="me")
    pipeline.accept(
        user_id=owner.pk,
        conversation="c",
        messages=[said("2026-03-01", f"I live in {PLACE}.")],
        by=Actor.application(app.pk),
        application_id=app.pk,
    )
    read_all(owner)
    with restored(owner_connection):
        carry_out(owner, Choice("application", application=app.pk))
        assert everywhere(owner_connection) == []
    assert replayed().startswith("1 erased again")
    assert everywhere(owner_connection) == []


def test_an_import_is_undone_again(owner: User, owner_connection: Connection) -> None:
    found = imports.paste(owner, f"I live in {PLACE}.")
    assert facts(owner, "home")
    with restored(owner_connection):
        imports.undo(owner, found.id)
    assert facts(owner, "home")
    assert replayed().startswith("1 erased again")
    assert facts(owner, "home") == []
    assert everywhere(owner_connection) == []


def test_whom_the_backup_does_not_have_is_passed_over(
    owner: User, owner_connection: Connection
) -> None:
    with restored(owner_connection):
        late = User.objects.create_user(email="late@example.com", password="correct horse battery")
        lives(late)
        carry_out(late, Choice("everything"))
    assert "1 of accounts that this database doesn't have" in replayed()


def test_an_entry_has_no_words(owner: User) -> None:
    fact_id = lives(owner)
    carry_out(owner, choose(owner, "topic", fact_id))
    [(_name, content)] = outside.kept(journal.FOLDER)
    text = content.decode()
    assert PLACE.lower() not in text.lower()
    assert set(json.loads(text)) == {
        *("version", "user", "erased_at", "choice", "gone", "masked", "counts", "tombstones"),
    }


def test_an_entry_that_could_not_be_written_is_written_at_night(
    owner: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fact_id = lives(owner)

    def full(*_arguments: object) -> str:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(storages["journal"], "save", full)
        carry_out(owner, Choice("facts", facts=[fact_id]))
    assert facts(owner, "home") == []
    assert "an entry wasn't written (OSError)" in caplog.text
    assert list(outside.kept(journal.FOLDER)) == []
    assert pipeline.journal(user_id=owner.pk) == 1
    [(_name, entry)] = journal.entries()
    assert list(entry.choice.facts) == [fact_id]
    assert pipeline.journal(user_id=owner.pk) == 0


def test_what_was_rolled_back_has_no_entry(owner: User) -> None:
    fact_id = lives(owner)
    with acting_for(owner.pk):
        erase.erase_facts(user_id=owner.pk, fact_ids=[fact_id], by=Actor.user(owner))
        transaction.set_rollback(True)
    assert list(journal.entries()) == []
    assert facts(owner, "home")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"version": 2}',
        json.dumps(
            {
                **{"version": 1, "user": str(uuid4()), "erased_at": "2026-01-01T00:00:00+00:00"},
                **{
                    "choice": {"what": "all"},
                    "gone": [],
                    "masked": [],
                    "counts": {},
                    "tombstones": [],
                },
            }
        ).encode(),
    ],
)
def test_another_file_is_refused_by_name(content: bytes) -> None:
    outside.keep(journal.FOLDER, "20260101T000000000000Z-x.json", content)
    with pytest.raises(CommandError, match=r"20260101T000000000000Z-x\.json isn't an entry"):
        replayed()
