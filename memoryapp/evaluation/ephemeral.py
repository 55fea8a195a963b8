"""A Postgres of its own for one run, gone afterwards."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import dj_database_url
from django.core.management import call_command
from django.db import connections

from memoryapp import database
from memoryapp.local_services import postgres
from memoryapp.local_services.bootstrap import APP, DATABASE, OWNER
from memoryapp.local_services.folder import data_dir, running, socket_dir
from memoryapp.local_services.supervisor import finish, launch


def nothing_runs(environ: Mapping[str, str]) -> bool:
    """Whether the environment names no database of its own and the app isn't running."""
    folder = data_dir(environ)
    ours = postgres.url(socket_dir(folder), APP, DATABASE)
    return environ.get("DATABASE_URL", ours) == ours and not running(folder)


@contextmanager
def database_of_its_own() -> Iterator[None]:
    """Django's connection on a migrated database that nobody else uses. Raises StartError
    when the embedded Postgres can't start."""
    folder = Path(tempfile.mkdtemp(prefix="memoryapp-evaluate-"))
    sockets, data = folder / "run", folder / "postgres"
    sockets.mkdir(mode=0o700)
    before = dict(connections.settings["default"])
    process = None
    try:
        user = postgres.prepare_files(data, sockets, durable=False, say=lambda _line: None)
        program = postgres.program(data, sockets, user, durable=False)
        log = folder / "postgres.log"
        with log.open("wb") as file:
            process = launch(program, file, file)
        root = postgres.url(sockets, "postgres", "postgres")
        postgres.wait(root, lambda: process.poll() is not None, log)
        database.prepare(root, database=DATABASE, owner=OWNER, app=APP)
        had_owner = connections.settings.get("owner")
        connections.settings["owner"] = _settings(postgres.url(sockets, OWNER, DATABASE))
        call_command("migrate", database="owner", verbosity=0, interactive=False)
        connections["owner"].close()
        del connections["owner"]
        del connections.settings["owner"]
        if had_owner is not None:
            connections.settings["owner"] = had_owner
        _use(_settings(postgres.url(sockets, APP, DATABASE)))
        yield
    finally:
        _use(before)
        if process is not None:
            finish(process, program.stop_signal, program.grace)
        shutil.rmtree(folder)


def _use(settings: Mapping[str, object]) -> None:
    default = connections["default"]
    default.close()
    connections.settings["default"].update(settings)


def _settings(url: str) -> dict[str, object]:
    """The default database's entry, for another address and without a pool."""
    entry = {
        **connections.settings["default"],
        "OPTIONS": {},
        "HOST": "",
        "PORT": "",
        "PASSWORD": "",
    }
    parsed = dj_database_url.parse(url)
    return {**entry, **parsed, "CONN_HEALTH_CHECKS": False}
