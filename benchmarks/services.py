"""A Postgres, a broker and a web server for one run, gone afterwards."""

from __future__ import annotations

import contextlib
import http.client
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from memoryapp.local_services import postgres, valkey
from memoryapp.local_services.supervisor import Program, finish, launch

DATABASE, OWNER, APP = "memoryapp", "memoryapp_owner", "memoryapp_app"
SECONDS = 60


@dataclass
class Running:
    folder: Path
    admin_url: str
    app_url: str
    _started: list[tuple[subprocess.Popen[bytes], Program]] = field(default_factory=list)

    def run(self, program: Program) -> tuple[subprocess.Popen[bytes], Path]:
        log = self.folder / f"{program.name}.log"
        with log.open("wb") as file:
            process = launch(program, file, file)
        self._started.append((process, program))
        return process, log

    def web(self) -> int:
        """Starts the web server as ``manage.py up`` does; its port. Raises RuntimeError when
        it doesn't answer."""
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(128)
            port: int = listener.getsockname()[1]
            _process, log = self.run(
                Program(
                    name="web",
                    command=[
                        *(sys.executable, "-m", "memoryapp.server"),
                        *("--fd", str(listener.fileno())),
                    ],
                    environ={"LOG_LEVEL": "WARNING"},
                    without=("DATABASE_OWNER_URL",),
                    files=(listener.fileno(),),
                )
            )
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        try:
            connection.request("HEAD", "/favicon.ico")
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            raise RuntimeError(f"The web server doesn't start; its log is {log}.") from None
        finally:
            connection.close()
        return port

    def cpu(self) -> float:
        """Seconds of processor time that all of it has taken so far: unlike time on the wall,
        it says little of what else the machine does."""
        total = 0.0
        for started, _program in self._started:
            parent = psutil.Process(started.pid)
            for process in (parent, *parent.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess):
                    times = process.cpu_times()
                    total += times.user + times.system
        return total

    def stop(self) -> None:
        for process, program in reversed(self._started):
            finish(process, program.stop_signal, program.grace)


@contextmanager
def services() -> Iterator[Running]:
    """Both services, a migrated database, and Django set up on them as the application's role."""
    folder = Path(tempfile.mkdtemp(prefix="memoryapp-bench-"))
    sockets, data = folder / "run", folder / "postgres"
    sockets.mkdir(mode=0o700)
    running = Running(
        folder=folder,
        admin_url=postgres.url(sockets, "postgres", DATABASE),
        app_url=postgres.url(sockets, APP, DATABASE),
    )
    try:
        user = postgres.prepare_files(data, sockets, durable=False, say=lambda _line: None)
        process, log = running.run(postgres.program(data, sockets, user, durable=False))
        root = postgres.url(sockets, "postgres", "postgres")
        postgres.wait(root, lambda: process.poll() is not None, log)
        broker, log = running.run(valkey.program(folder / "valkey", sockets))
        valkey.wait(sockets, lambda: broker.poll() is not None, log)
        _set_up_django(
            root,
            {
                "DJANGO_SETTINGS_MODULE": "memoryapp.settings",
                "SECRET_KEY": secrets.token_hex(),
                "MEMORYAPP_DATA_DIR": str(folder),
                "DATABASE_URL": running.app_url,
                "DATABASE_OWNER_URL": postgres.url(sockets, OWNER, DATABASE),
                "BROKER_URL": valkey.url(sockets),
            },
        )
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder)


def _set_up_django(root: str, environ: dict[str, str]) -> None:
    os.environ.update(environ)
    (Path(environ["MEMORYAPP_DATA_DIR"]) / "static").mkdir()
    import django

    django.setup()
    from django.core.management import call_command

    from memoryapp import database

    database.prepare(root, database=DATABASE, owner=OWNER, app=APP)
    call_command("migrate", database="owner", verbosity=0, interactive=False)
