"""The data folder: where it is, who holds it, and what a killed run left in it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from memoryapp.local_services.errors import StartError

BASE_DIR = Path(__file__).resolve().parent.parent.parent
# A Unix socket's address holds about 100 characters, its file's name included.
LONGEST_SOCKET_FOLDER = 80


def data_dir(environ: Mapping[str, str]) -> Path:
    """Where `make run` keeps everything (the same rule as ``settings.DATA_DIR``)."""
    return Path(environ.get("MEMORYAPP_DATA_DIR", "").strip() or BASE_DIR / ".data").absolute()


def socket_dir(folder: Path) -> Path:
    """Where the sockets of this data folder are: inside it, or, when its path is too
    long or too odd for a socket's address, in a private folder for temporary files."""
    path = folder / "run"
    if len(str(path)) <= LONGEST_SOCKET_FOLDER and re.fullmatch(r"[\w/.-]+", str(path), re.A):
        return path
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"memoryapp-{name}"


class DataFolder:
    """The data folder, held by this process alone until ``release`` or its end."""

    def __init__(self, path: Path) -> None:
        """Makes the folder and takes its lock. Raises StartError."""
        self.path = path
        self.logs = path / "logs"
        self.sockets = socket_dir(path)
        self._processes = path / "processes.json"
        self._services = path / "services.json"
        self._recorded: list[dict[str, Any]] = []
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            self.logs.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise StartError(
                f"The data folder {path} can't be written ({error.strerror}). "
                "Set MEMORYAPP_DATA_DIR to a folder that you may write to."
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise StartError(
                f"memoryapp is already running on the data folder {path}. "
                "Stop it first, or set MEMORYAPP_DATA_DIR to another folder."
            ) from None

    def release(self) -> None:
        self._services.unlink(missing_ok=True)
        self._processes.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            # A server that had to be killed leaves its socket.
            shutil.rmtree(self.sockets)
        os.close(self._lock)

    def clear(self) -> None:
        """Ends the processes that a killed run left behind and removes its stale files."""
        for entry in _read(self._processes) or ():
            if process := _same_process(entry["pid"], entry["command"]):
                end(process, entry["signal"])
        self._services.unlink(missing_ok=True)
        self._processes.unlink(missing_ok=True)
        try:
            self.sockets.mkdir(mode=0o700, exist_ok=True)
            if self.sockets.lstat().st_uid not in _own_uids() or self.sockets.is_symlink():
                raise StartError(
                    f"The folder {self.sockets} belongs to somebody else. Remove it, "
                    "or set MEMORYAPP_DATA_DIR to a folder with a shorter path."
                )
            for leftover in self.sockets.iterdir():
                leftover.unlink()
        except OSError as error:
            raise StartError(
                f"The folder {self.sockets} can't be written ({error.strerror}). "
                "Set MEMORYAPP_DATA_DIR to a folder that you may write to."
            ) from None

    def record(self, pid: int, command: list[str], stop_signal: signal.Signals) -> None:
        """Notes a child, so that the next start can end it if nothing else did."""
        self._recorded = [entry for entry in self._recorded if psutil.pid_exists(entry["pid"])]
        self._recorded.append({"pid": pid, "command": command, "signal": int(stop_signal)})
        _write(self._processes, self._recorded)

    def announce(self, addresses: Mapping[str, str]) -> None:
        """Lets other commands find the running services (``running``)."""
        _write(self._services, {"pid": os.getpid(), "environ": dict(addresses)})


def running(folder: Path) -> dict[str, str]:
    """The addresses of the services that run on a data folder; empty when none do."""
    noted = _read(folder / "services.json")
    if not noted or not psutil.pid_exists(noted["pid"]):
        return {}
    return dict(noted["environ"])


def end(process: psutil.Process, first: int, grace: float = 10) -> None:
    """Ends a process: by ``first``, then, after ``grace`` seconds, by SIGKILL."""
    with contextlib.suppress(psutil.NoSuchProcess):
        children = process.children(recursive=True)
        process.send_signal(first)
        try:
            process.wait(grace)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(grace)
        _, alive = psutil.wait_procs(children, timeout=3)
        for child in alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()


def remove_tree(path: Path) -> None:
    if path.exists():
        shutil.rmtree(path)


def let_pass(path: Path) -> list[Path]:
    """Lets every user pass through (not list) the folders above ``path``: the
    embedded Postgres can't run as root and must reach its files. Returns what was
    changed."""
    changed = []
    for parent in path.parents:
        mode = parent.stat().st_mode
        if not mode & stat.S_IXOTH:
            parent.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)
            changed.append(parent)
    return changed


def _own_uids() -> set[int]:
    uids = {os.geteuid()}
    if os.geteuid() == 0:
        # As root the folder is handed to the user that Postgres runs as.
        from memoryapp.local_services.postgres import system_user

        if entry := system_user():
            uids.add(entry.pw_uid)
    return uids


def _same_process(pid: int, command: list[str]) -> psutil.Process | None:
    """The process, when it still is the one that was noted: pids are used again."""
    try:
        process = psutil.Process(pid)
        return process if process.cmdline() == command else None
    except psutil.Error:
        return None


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return None


def _write(path: Path, value: object) -> None:
    partial = path.with_suffix(".partial")
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(value, file)
    partial.replace(path)
