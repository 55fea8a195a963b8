"""One embedded Postgres for a whole test run, one database a worker made from one
migrated template. Tests connect as the application's role, never as a superuser."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, LiteralString

import dj_database_url
import psycopg
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from memoryapp import database
from memoryapp.local_services import postgres, valkey
from memoryapp.local_services.supervisor import Program, finish, launch

TEMPLATE = "memoryapp_template"
OWNER = "memoryapp_owner"
APP = "memoryapp_app"


class Servers:
    """The servers of one process of the run, ended by ``stop`` or by its death."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="memoryapp-tests-"))
        self.sockets = self.folder / "run"
        self.sockets.mkdir(mode=0o700)
        self._processes: list[tuple[subprocess.Popen[bytes], Program]] = []

    def start_postgres(self) -> str:
        """Starts it and makes the migrated template; the folder of its socket."""
        data = self.folder / "postgres"
        user = postgres.prepare_files(data, self.sockets, durable=False, say=lambda _line: None)
        process, log = self._launch(postgres.program(data, self.sockets, user, durable=False))
        admin = postgres.url(self.sockets, "postgres", "postgres")
        postgres.wait(admin, lambda: process.poll() is not None, log)
        database.prepare(admin, database=TEMPLATE, owner=OWNER, app=APP)
        connections.settings["owner"] = _django(postgres.url(self.sockets, OWNER, TEMPLATE))
        call_command("migrate", database="owner", verbosity=0, interactive=False)
        connections["owner"].close()
        del connections["owner"]
        del connections.settings["owner"]
        return str(self.sockets)

    def start_valkey(self) -> str:
        process, log = self._launch(valkey.program(self.folder / "valkey", self.sockets))
        valkey.wait(self.sockets, lambda: process.poll() is not None, log)
        return valkey.url(self.sockets)

    def _launch(self, program: Program) -> tuple[subprocess.Popen[bytes], Path]:
        log = self.folder / f"{program.name}.log"
        with log.open("wb") as file:
            process = launch(program, file, file)
        self._processes.append((process, program))
        return process, log

    def stop(self) -> None:
        for process, program in reversed(self._processes):
            finish(process, program.stop_signal, program.grace)
        shutil.rmtree(self.folder)


class WorkerDatabase:
    """This worker's own copy of the template."""

    def __init__(self, sockets: str, worker: str) -> None:
        self.sockets = Path(sockets)
        self.name = f"memoryapp_{worker}"
        self.url = postgres.url(self.sockets, APP, self.name)
        self.owner_url = postgres.url(self.sockets, OWNER, self.name)
        self.admin_url = postgres.url(self.sockets, "postgres", self.name)
        with psycopg.connect(
            postgres.url(self.sockets, "postgres", "postgres"), autocommit=True
        ) as admin:
            name = sql.Identifier(self.name)
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
            admin.execute(
                sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}").format(
                    name, sql.Identifier(OWNER), sql.Identifier(TEMPLATE)
                )
            )
        # Kept: the query over all tables takes its time to plan, and little else.
        self._admin = psycopg.connect(self.admin_url, autocommit=True)
        self._seeded = self._filled()

    def close(self) -> None:
        self._admin.close()

    def connect_django(self) -> None:
        connections.settings["default"].update(_django(self.url))
        default = connections["default"]
        default.close()
        # Django would find this out by making a table, which this role may not.
        default.features.__dict__["supports_transactions"] = True

    def empty(self) -> None:
        """Removes what tests committed. Tables that migrations filled stay as they are."""
        try:
            self._empty()
        except psycopg.OperationalError:  # the test ended every session of the database
            self._admin = psycopg.connect(self.admin_url, autocommit=True)
            self._empty()

    def _empty(self) -> None:
        if filled := self._filled() - self._seeded:
            # Lifts the triggers that keep the log from being emptied.
            self._admin.execute("SET session_replication_role = replica")
            # Small tables: DELETE leaves the files of their hundreds of partitions alone,
            # which TRUNCATE would make anew.
            for name in sorted(filled):
                self._admin.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))
            self._admin.execute("RESET session_replication_role")

    def _filled(self) -> set[str]:
        """The tables that hold a row."""
        tables = [
            name
            for (name,) in self._admin.execute(
                "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')"
                " AND NOT relispartition AND relnamespace = 'public'::regnamespace"
                " ORDER BY relname"
            )
        ]
        if not tables:
            return set()
        each: LiteralString = "SELECT {text} WHERE EXISTS (SELECT FROM {table})"
        union = sql.SQL(" UNION ALL ").join(
            sql.SQL(each).format(text=sql.Literal(table), table=sql.Identifier(table))
            for table in tables
        )
        return {name for (name,) in self._admin.execute(union, prepare=True)}


def _django(url: str) -> dict[str, Any]:
    """A database's entry for Django, complete."""
    defaults = {
        key: value for key, value in connections.settings["default"].items() if key != "TEST"
    }
    return {
        **defaults,
        "TEST": dict(connections.settings["default"]["TEST"]),
        "DISABLE_SERVER_SIDE_CURSORS": True,
        **{k: v for k, v in dj_database_url.parse(url).items() if k != "CONN_HEALTH_CHECKS"},
    }
