"""The app as people run it, for tests: `manage.py up` in a data folder of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from memoryapp.local_services.folder import BASE_DIR

SECONDS = 120


def environment(data: Path, **more: str) -> dict[str, str]:
    """What a developer's shell has: none of the tests' own settings."""
    ours = ("DATABASE_URL", "DATABASE_POOL", "BROKER_URL", "SECRET_KEY")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "memoryapp.settings",
        "MEMORYAPP_DATA_DIR": str(data),
        **more,
    }


def manage(*arguments: str, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=BASE_DIR,
        env=environ,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


@dataclass
class Running:
    process: subprocess.Popen[str]
    lines: list[str]
    children: list[psutil.Process]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def found(self, pattern: str) -> str:
        match = re.search(pattern, self.text)
        assert match, self.text
        return match.group(1)

    def ended(self) -> bool:
        _, alive = psutil.wait_procs(self.children, timeout=30)
        return not alive


@contextmanager
def up(data: Path, **more: str) -> Iterator[Running]:
    """Started, answering, and ended in the end whatever the test does."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", "0"],
        cwd=BASE_DIR,
        env=environment(data, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("Ctrl-C"):
                break
        else:
            raise AssertionError("\n".join(lines))
        yield Running(process, lines, psutil.Process(process.pid).children(recursive=True))
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)


def child(running: Running, word: str) -> psutil.Process | None:
    for process in psutil.Process(running.process.pid).children():
        with suppress(psutil.NoSuchProcess):  # a zombie counts as none
            if word in process.cmdline():
                return process
    return None
