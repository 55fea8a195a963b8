"""What `manage.py` does before Django reads its settings.

``up`` starts the embedded services here and finds their addresses in the environment
afterwards; every other command finds the services of a running ``up``.
"""

from __future__ import annotations

import argparse
import os
import socket
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass

from memoryapp.local_services.errors import StartError
from memoryapp.local_services.folder import DataFolder, data_dir, running, socket_dir
from memoryapp.local_services.supervisor import Supervisor

DATABASE = "memoryapp"
OWNER = "memoryapp_owner"
APP = "memoryapp_app"
NOT_RUNNING = "The database isn't running. Start the app with `make run`, or set DATABASE_URL."


@dataclass
class Runtime:
    """What the command ``up`` is handed."""

    supervisor: Supervisor
    folder: DataFolder
    listener: socket.socket
    address: str
    # A superuser's, for the embedded database alone; children never see it.
    admin_url: str
    environ: MutableMapping[str, str]
    # What the environment said of the children's connection pool.
    pool: str

    def announce(self) -> None:
        """Lets other commands find the services from now on."""
        names = ("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL")
        addresses = {n: self.environ[n] for n in names if self.environ.get(n)}
        self.folder.announce({**addresses, "SITE_URL": self.address})


_runtime: Runtime | None = None


def runtime() -> Runtime:
    if _runtime is None:
        raise StartError("`up` runs on its own: start it with `make run` or `manage.py up`.")
    return _runtime


def say(line: str) -> None:
    print(line, flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default=os.environ.get("HOST") or "127.0.0.1")
    parser.add_argument("--port", default=os.environ.get("PORT") or "8000")


@contextmanager
def for_command(argv: list[str], environ: MutableMapping[str, str]) -> Iterator[None]:
    """The services a command needs, for as long as it runs. Raises StartError."""
    if argv[1:2] == ["up"] and not {"-h", "--help"} & set(argv):
        with _up(argv[2:], environ):
            yield
        return
    named = bool(environ.get("DATABASE_URL", "").strip())
    apply_running(environ)
    try:
        yield
    except Exception as error:
        from django.db import OperationalError

        if named or running(data_dir(environ)) or not isinstance(error, OperationalError):
            raise
        raise StartError(NOT_RUNNING) from None


def apply_running(environ: MutableMapping[str, str]) -> None:
    """Fills in the addresses of the running embedded services, where the environment
    names none. When nothing runs, the address is one that nobody answers: never some
    other Postgres that happens to be there."""
    folder = data_dir(environ)
    environ["MEMORYAPP_DATA_DIR"] = str(folder)
    found = running(folder)
    if not environ.get("DATABASE_URL", "").strip():
        from memoryapp.local_services import postgres

        environ["DATABASE_URL"] = found.get("DATABASE_URL") or postgres.url(
            socket_dir(folder), APP, DATABASE
        )
        if owner_url := found.get("DATABASE_OWNER_URL"):
            environ.setdefault("DATABASE_OWNER_URL", owner_url)
    if not environ.get("BROKER_URL", "").strip() and "BROKER_URL" in found:
        environ["BROKER_URL"] = found["BROKER_URL"]
    if "SITE_URL" in found:
        environ.setdefault("SITE_URL", found["SITE_URL"])
    _use_no_pool(environ)


def _use_no_pool(environ: MutableMapping[str, str]) -> None:
    """One command needs one connection, and no threads that keep it from ending."""
    environ["DATABASE_POOL"] = "0"


@contextmanager
def _up(arguments: list[str], environ: MutableMapping[str, str]) -> Iterator[None]:
    global _runtime
    parser = argparse.ArgumentParser(prog="manage.py up", add_help=False)
    add_arguments(parser)
    options, _ = parser.parse_known_args(arguments)
    folder = DataFolder(data_dir(environ))
    environ["MEMORYAPP_DATA_DIR"] = str(folder.path)
    try:
        with _listen(options.host, options.port) as listener:
            folder.clear()
            with Supervisor(folder, say) as supervisor:
                admin_url = _start_services(supervisor, folder, environ)
                _runtime = Runtime(
                    supervisor=supervisor,
                    folder=folder,
                    listener=listener,
                    address=_address(options.host, listener.getsockname()[1]),
                    admin_url=admin_url,
                    environ=environ,
                    pool=environ.get("DATABASE_POOL", "1"),
                )
                _use_no_pool(environ)
                yield
    finally:
        folder.release()


def _listen(host: str, port: str) -> socket.socket:
    """The web server's socket: held by us, so that a restarted web server never loses
    it, and nobody else can take it while we start."""
    if not port.isdigit() or int(port) > 65535:
        raise StartError(f"The port must be a number up to 65535; {port!r} is not.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), int(port)))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise StartError(
            f"Port {port} on {host} can't be used ({error.strerror}). "
            "Choose another, for instance `make run PORT=8001`."
        ) from None
    return listener


def _address(host: str, port: int) -> str:
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104
    shown = everywhere.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}"


def _start_services(
    supervisor: Supervisor, folder: DataFolder, environ: MutableMapping[str, str]
) -> str:
    """Starts what the environment names no address for. Returns the administrator's
    address of the embedded database, or "" when the database is somebody else's."""
    from memoryapp.local_services import postgres, valkey

    admin_url = ""
    if not environ.get("DATABASE_URL", "").strip():
        data = folder.path / "postgres"
        if not data.exists():
            say("First start: making the database …")
        postgres.clear(data)
        user = postgres.prepare_files(data, folder.sockets, say=say)
        supervisor.add(postgres.program(data, folder.sockets, user))
        admin_url = postgres.url(folder.sockets, "postgres", "postgres")
        environ["DATABASE_URL"] = postgres.url(folder.sockets, APP, DATABASE)
        environ["DATABASE_OWNER_URL"] = postgres.url(folder.sockets, OWNER, DATABASE)
        environ["DATABASE_APP_ROLE"] = APP
    if not environ.get("BROKER_URL", "").strip():
        supervisor.add(valkey.program(folder.path / "valkey", folder.sockets))
        environ["BROKER_URL"] = valkey.url(folder.sockets)
        valkey.wait(folder.sockets, lambda: supervisor.ended("broker"), supervisor.log("broker"))
    if admin_url:
        postgres.wait(admin_url, lambda: supervisor.ended("postgres"), supervisor.log("postgres"))
    return admin_url
