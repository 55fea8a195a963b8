"""Forgetting much at once: the look at what would go, and the forgetting."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from uuid import UUID

import psutil
import psycopg
from django.db import connection

from accounts.models import Application, User
from benchmarks import facts
from benchmarks.services import Running
from memoryapp import audit, erase, providers
from memoryapp.context import acting_for
from memoryapp.erase import Choice
from memoryapp.models import Conversation, Import

LINE = "{:<14}{:>10}{:>10}{:>12}{:>12}{:>12}"


def measure(running: Running, *, sizes: Sequence[int], messages: int) -> None:
    """Every way for each size, each by a user of its own, who has ``messages`` for a fact."""
    print(LINE.format("", "facts", "look", "processor", "forgetting", "processor"))
    for size in sizes:
        users = [
            User.objects.create_user(f"forget{size}-{way}@example.com")
            for way in ("everything", "application", "import", "account")
        ]
        app = Application.objects.create(owner=User.objects.create_user(f"app{size}@example.com"))
        facts.load(
            running.admin_url,
            {user.pk: size for user in users},
            providers.embedder(),
            messages=size * messages,
        )
        _proven(running.admin_url, app.pk, [user.pk for user in users])
        for user in users:
            way = str(user.email).partition("-")[2].partition("@")[0]
            look, work = _ways(user, way, app)
            seen = ("–", "–") if look is None else _timed(look)
            print(LINE.format(way, f"{size:,}", *seen, *_timed(work)), flush=True)


def _timed(act: Callable[[], object]) -> tuple[str, str]:
    """Seconds on the wall, and of processor time here and in the database."""
    wall, processor = time.perf_counter(), _processor()
    act()
    return f"{time.perf_counter() - wall:.2f} s", f"{_processor() - processor:.2f} s"


def _processor() -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    there = psutil.Process(pid).cpu_times()
    return time.process_time() + float(there.user + there.system)


def _ways(
    user: User, way: str, app: Application
) -> tuple[Callable[[], object] | None, Callable[[], object]]:
    """The look, None for a way without one, and the forgetting."""
    user_id, by = user.pk, audit.Actor.user(user)
    choice = Choice(
        way,  # type: ignore[arg-type]
        application=app.pk if way == "application" else None,
        restore_previous=True,
    )

    def look() -> None:
        with acting_for(user_id):
            erase.look(user_id=user_id, choice=choice).confirm(user)

    def undo() -> None:
        with acting_for(user_id):
            brought = Import.objects.get(user_id=user_id)
            erase.erase_import(user_id=user_id, import_id=brought.pk, by=by)

    def forget() -> None:
        with acting_for(user_id):
            erase.carry_out(user_id=user_id, choice=choice, by=by)

    return (None, undo) if way == "import" else (look, forget)


def _proven(admin_url: str, app_id: UUID, users: Sequence[UUID]) -> None:
    """Makes one import of the application's bring it all: each fact proven by a message,
    decided on, and used."""
    for user_id in users:
        with acting_for(user_id):
            Conversation.objects.filter(user_id=user_id).update(application_id=app_id)
            Import.objects.create(
                user_id=user_id,
                application_id=app_id,
                actor="user",
                state=Import.State.DONE,
                created_at=facts.NOW,
            )
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute("SET session_replication_role = replica")
        for statement in (
            "UPDATE memoryapp_message m SET source_import_id = i.id"
            " FROM memoryapp_import i WHERE i.user_id = m.user_id",
            "UPDATE memoryapp_evidence e SET message_id = m.id,"
            " conversation_id = m.conversation_id FROM"
            " (SELECT user_id, id, row_number() OVER (PARTITION BY user_id ORDER BY id) AS n"
            "  FROM memoryapp_evidence WHERE message_id IS NULL) AS proof,"
            " (SELECT user_id, id, conversation_id,"
            "  row_number() OVER (PARTITION BY user_id ORDER BY id) AS n"
            "  FROM memoryapp_message) AS m"
            " WHERE m.user_id = e.user_id AND proof.user_id = e.user_id AND proof.id = e.id"
            " AND m.n = proof.n",
            "INSERT INTO memoryapp_decision (id, user_id, message_id, fact_id, outcome, judge,"
            " reason, scores, subject, attribute, scope, value, at)"
            " SELECT gen_random_uuid(), f.user_id, e.message_id, f.id, 'add', 'rule', '', '{}',"
            " f.subject, f.attribute, f.scope, f.value, f.recorded_at"
            " FROM memoryapp_fact f JOIN memoryapp_evidence e"
            " ON e.user_id = f.user_id AND e.fact_id = f.id"
            " WHERE NOT EXISTS (SELECT FROM memoryapp_decision d"
            "  WHERE d.user_id = f.user_id AND d.fact_id = f.id)"
            " AND f.user_id = ANY (%(users)s)",
            "INSERT INTO memoryapp_factusage (id, user_id, fact_id, recall_count,"
            " last_recalled_at) SELECT gen_random_uuid(), user_id, id, 3, now()"
            " FROM memoryapp_fact WHERE user_id = ANY (%(users)s)",
            "INSERT INTO memoryapp_memoryuse (id, user_id, fact_id, at, via)"
            " SELECT gen_random_uuid(), user_id, fact_id, now(), 'chat'"
            " FROM memoryapp_factusage, generate_series(1, 3) WHERE user_id = ANY (%(users)s)",
            "VACUUM ANALYZE",
        ):
            parameters = {"users": list(users)} if "%(users)s" in statement else None
            admin.execute(statement, parameters)
