"""Keeps child processes running, and ends them in order."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO

from memoryapp.local_services.errors import StartError
from memoryapp.local_services.folder import BASE_DIR, DataFolder

LAUNCHER = str(Path(__file__).with_name("child.py"))
# A child that ends within this many seconds of its start wasn't up yet.
QUICK = 15
GIVE_UP_AFTER = 5
FIRST_WAIT = 0.25
LOG_BYTES = 5_000_000
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TROUBLE = re.compile(r"\b(?:WARNING|ERROR|CRITICAL|PANIC)\b")


@dataclass(frozen=True)
class Program:
    """What to run. ``death_signal`` is what it gets when this process dies (Linux);
    ``user`` is the system user it runs as, or empty for the present one; ``environ`` is
    added to our environment, less the names in ``without``. With
    ``speaks``, its standard output is for the terminal; everything else goes to its
    log, and log lines that match ``trouble`` to the terminal too."""

    name: str
    command: Sequence[str]
    environ: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGTERM
    grace: float = 5
    user: str = ""
    files: tuple[int, ...] = ()
    speaks: bool = False
    trouble: re.Pattern[str] | None = TROUBLE


def launch(
    program: Program, stdout: int | IO[bytes], stderr: int | IO[bytes]
) -> subprocess.Popen[bytes]:
    """Starts a program in a session of its own (Ctrl-C reaches us alone), tied to
    this process's life. On Linux that is the life of the calling *thread*: call it
    from the main one."""
    return subprocess.Popen(  # noqa: S603
        [
            sys.executable,
            "-IS",
            LAUNCHER,
            str(os.getpid()),
            str(int(program.death_signal)),
            program.user,
            *program.command,
        ],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        env={
            name: value
            for name, value in {**os.environ, **program.environ}.items()
            if name not in program.without
        },
        cwd="/" if program.user else BASE_DIR,
        pass_fds=program.files,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[bytes], stop_signal: signal.Signals, grace: float) -> None:
    """Ends a launched program and everything in its session."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(stop_signal)
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class _Child:
    def __init__(self, program: Program, folder: DataFolder, say: Callable[[str], None]) -> None:
        self.program = program
        self.log = folder.logs / f"{program.name}.log"
        self._folder = folder
        self._say = say
        self._file = RotatingFileHandler(
            self.log, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", errors="replace"
        )
        self._pumps: list[threading.Thread] = []
        self.quiet = False
        self.quick_deaths = 0
        self.restart_at = 0.0
        self.started = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.started = time.monotonic()
        speaks = self.program.speaks
        process = launch(
            self.program, subprocess.PIPE, subprocess.PIPE if speaks else subprocess.STDOUT
        )
        self.process = process
        self._folder.record(process.pid, list(self.program.command), self.program.stop_signal)
        assert process.stdout is not None  # noqa: S101
        self._pumps = [self._pump(process.stdout, self._to_terminal if speaks else self._to_log)]
        if process.stderr is not None:
            self._pumps.append(self._pump(process.stderr, self._to_log))

    def _pump(self, stream: IO[bytes], to: Callable[[str], None]) -> threading.Thread:
        def pump() -> None:
            with stream:
                for line in stream:
                    to(line.decode("utf-8", "replace").rstrip("\n"))

        thread = threading.Thread(target=pump, daemon=True)
        thread.start()
        return thread

    def _to_terminal(self, line: str) -> None:
        self._say(line)

    def _to_log(self, line: str) -> None:
        self._file.emit(logging.LogRecord("", logging.INFO, "", 0, line, None, None))
        if self.program.trouble and not self.quiet and self.program.trouble.search(line):
            self._say(f"{self.program.name}: {line}")

    def stop(self) -> None:
        self.quiet = True
        if self.process is not None:
            finish(self.process, self.program.stop_signal, self.program.grace)
        for pump in self._pumps:
            pump.join(1)
        self._file.close()


class Supervisor:
    """Children, in the order they were added; they are ended in the reverse order."""

    def __init__(self, folder: DataFolder, say: Callable[[str], None]) -> None:
        self._folder = folder
        self._say = say
        self._children: list[_Child] = []
        self._starting = False
        self._interrupted = False

    def __enter__(self) -> Supervisor:
        """From here on Ctrl-C, SIGTERM and a closed terminal raise KeyboardInterrupt,
        though never between a child's start and its being known here."""
        self._handlers = {number: signal.signal(number, self._interrupt) for number in STOPS}
        return self

    def __exit__(self, *_: object) -> None:
        for number in STOPS:
            signal.signal(number, signal.SIG_IGN)
        for child in reversed(self._children):
            child.stop()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _interrupt(self, *_: object) -> None:
        self._interrupted = True
        if not self._starting:
            raise KeyboardInterrupt

    def add(self, program: Program) -> None:
        """Starts a program and keeps it running from now on."""
        child = _Child(program, self._folder, self._say)
        self._children.append(child)
        self._start(child)

    def _start(self, child: _Child) -> None:
        self._starting = True
        try:
            child.start()
        finally:
            self._starting = False
        if self._interrupted:
            raise KeyboardInterrupt

    def log(self, name: str) -> Path:
        return self._folder.logs / f"{name}.log"

    def ended(self, name: str) -> bool:
        """Whether this program isn't running at the moment."""
        child = next(child for child in self._children if child.program.name == name)
        return child.process is None or child.process.poll() is not None

    def check(self) -> None:
        """Restarts what has ended, later and later; raises StartError when a program
        ends again and again right after its start."""
        now = time.monotonic()
        for child in self._children:
            if child.process is None:
                if now >= child.restart_at:
                    self._start(child)
                continue
            if (code := child.process.poll()) is None:
                continue
            child.process = None
            child.quick_deaths = child.quick_deaths + 1 if now - child.started < QUICK else 1
            if child.quick_deaths >= GIVE_UP_AFTER:
                raise StartError(
                    f"The {child.program.name} ended {GIVE_UP_AFTER} times right after its "
                    f"start. The reason is at the end of {child.log}."
                )
            child.restart_at = now + FIRST_WAIT * 2**child.quick_deaths
            self._say(f"The {child.program.name} ended (code {code}) and is started again.")

    def watch(self) -> None:
        """Runs until it is interrupted (KeyboardInterrupt) or gives up (StartError)."""
        while True:
            self.check()
            time.sleep(0.25)
