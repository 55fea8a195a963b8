"""`manage.py up` as people run it: real processes, a real data folder, real signals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from memoryapp import database
from memoryapp.local_services import postgres
from memoryapp.local_services.folder import BASE_DIR, socket_dir
from tests.running import SECONDS, child, environment, manage, up
from tests.server import APP, OWNER, WorkerDatabase

# Generous: several whole starts, perhaps on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder. Not tmp_path: as root, Postgres runs as a user of its own, and every
    other run of pytest closes the folder above tmp_path to it again."""
    with tempfile.TemporaryDirectory(prefix="memoryapp-up-") as folder:
        yield Path(folder) / "data"


def get(address: str) -> str:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(address, timeout=20) as answer:
        return str(answer.read().decode())


def asked(address: str, secret: str, method: str = "GET", **body: Any) -> dict[str, Any]:
    request = urllib.request.Request(
        address,
        json.dumps(body).encode() if body else None,
        {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return dict(json.load(answer))


def forgotten(address: str, secret: str) -> str:
    """A conversation that was had and erased; where the receipt is."""
    api = f"{address}/api/v1"
    words = [{"role": "user", "content": "I live in Trondheim.", "sent_at": "2026-03-01T10:00:00Z"}]
    asked(f"{api}/messages", secret, "POST", conversation="c", messages=words)
    receipt = asked(f"{api}/conversations/c", secret, "DELETE")
    return f"/api/v1/erasures/{receipt['id']}"


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_killed_run_blocks_nothing_and_loses_nothing(data: Path) -> None:
    with up(data) as first:
        assert "csrfmiddlewaretoken" in get(first.found(r"Sign in: (\S+)"))
        secret = first.found(r"API key, shown only now: (mem_\w+)")
        receipt = forgotten(first.found(r"running at (\S+)"), secret)
        first.process.kill()
        first.process.wait()
        if sys.platform == "linux":
            assert first.ended()

    with up(data) as second:
        assert "API key" not in second.text  # the one from before still counts
        assert "First start" not in second.text
        address = second.found(r"running at (\S+)")
        get(address)
        wait_until(lambda: asked(f"{address}{receipt}", secret)["storage_completed_at"])
        second.process.send_signal(signal.SIGINT)
        assert second.process.wait(30) == 0
        assert second.ended()
    assert not list(socket_dir(data).glob("*"))
    assert not (data / "services.json").exists()


def test_what_runs_refuses_rivals_helps_commands_and_heals(data: Path) -> None:
    with up(data) as running:
        again = manage("up", "--port", "0", environ=environment(data))
        assert (again.returncode, again.stdout) == (1, "")
        assert re.fullmatch(r"memoryapp is already running on .*\n", again.stderr)

        port = running.found(r"running at http://127\.0\.0\.1:(\d+)")
        taken = manage("up", "--port", port, environ=environment(data.parent / "other"))
        assert (taken.returncode, taken.stdout) == (1, "")
        assert re.fullmatch(rf"Port {port} .* can't be used .*\n", taken.stderr)

        command = manage("signinlink", environ=environment(data))
        assert command.stdout.startswith(f"http://127.0.0.1:{port}/"), command.stderr
        assert "csrfmiddlewaretoken" in get(command.stdout.strip())

        worker = child(running, "worker")
        assert worker is not None
        worker.kill()
        wait_until(lambda: child(running, "worker") not in (None, worker))
        get(running.found(r"running at (\S+)"))
        running.process.terminate()
        assert running.process.wait(30) == 0
        assert running.ended()

    stopped = manage("showmigrations", "accounts", environ=environment(data))
    assert stopped.returncode == 1
    assert stopped.stderr == (
        "The database isn't running. Start the app with `make run`, or set DATABASE_URL.\n"
    )


def refused(environ: Mapping[str, str]) -> str:
    """The one thing that a start says before it ends with 1."""
    result = manage("up", "--port", "0", environ=environ)
    assert result.returncode == 1, result.stdout
    assert "Traceback" not in result.stderr
    return result.stderr


def test_a_folder_that_cant_be_written_is_refused(tmp_path: Path) -> None:
    if os.geteuid() == 0:  # whom no mode stops
        (tmp_path / "file").touch()
        data = tmp_path / "file" / "data"
    else:
        tmp_path.chmod(0o555)
        data = tmp_path / "data"
    assert re.fullmatch(r"The data folder .* can't be written .*\n", refused(environment(data)))


@pytest.mark.parametrize(
    ("role", "problem"), [("postgres", "is a superuser"), (OWNER, "owns memoryapp's tables")]
)
def test_a_role_that_rules_dont_bind_is_refused(
    tmp_path: Path, committed_db: WorkerDatabase, role: str, problem: str
) -> None:
    url = postgres.url(committed_db.sockets, role, committed_db.name)
    said = refused(environment(tmp_path, DATABASE_URL=url))
    assert problem in said
    assert "DATABASE_URL must name the application's role" in said


def test_a_database_that_isnt_ready_is_refused_with_the_cure(
    tmp_path: Path, committed_db: WorkerDatabase
) -> None:
    admin_url = make_conninfo(committed_db.admin_url, dbname="postgres")
    name = f"{committed_db.name}_bare"
    database.prepare(admin_url, database=name, owner=OWNER, app=APP)
    environ = environment(tmp_path, DATABASE_URL=postgres.url(committed_db.sockets, APP, name))
    try:
        assert "manage.py migrate --database owner" in refused(environ)
        with psycopg.connect(make_conninfo(admin_url, dbname=name)) as inside:
            inside.execute("DROP EXTENSION vector")
        assert "CREATE EXTENSION vector" in refused(environ)
    finally:
        with psycopg.connect(admin_url, autocommit=True) as admin:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            admin.execute(drop)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"DATABASE_URL": "postgresql://me:secret@127.0.0.1:1/x"}, "doesn't answer"),
        ({"DATABASE_URL": "mysql://me:secret@127.0.0.1:1/x"}, "must name a Postgres database"),
        ({"DEBUG": "maybe"}, "DEBUG must be 1 or 0"),
    ],
)
def test_a_wrong_setting_is_told_in_a_sentence(
    tmp_path: Path, variables: dict[str, str], said: str
) -> None:
    environ = environment(tmp_path, BROKER_URL="memory://", **variables)
    message = refused({"DATABASE_URL": "postgresql://me:secret@127.0.0.1:1/x", **environ})
    assert said in message
    assert "secret" not in message


def test_a_broker_that_doesnt_answer_is_refused(
    tmp_path: Path, committed_db: WorkerDatabase
) -> None:
    environ = environment(
        tmp_path, DATABASE_URL=committed_db.url, BROKER_URL="redis://:secret@127.0.0.1:1/0"
    )
    message = refused(environ)
    assert "The broker at BROKER_URL doesn't answer" in message
    assert "secret" not in message


def test_an_incomplete_installation_is_told_in_a_sentence(tmp_path: Path) -> None:
    result = subprocess.run(
        # Without site-packages: what is left after an installation that broke off.
        [sys.executable, "-S", "manage.py", "up"],
        cwd=BASE_DIR,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert result.returncode == 1
    assert re.fullmatch(
        r"The installation isn't complete .* Remove the folder \.venv, .*\n", result.stderr
    )
