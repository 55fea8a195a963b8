"""The data folder and the supervisor, on real processes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from memoryapp.local_services import bootstrap, postgres, supervisor
from memoryapp.local_services.errors import StartError
from memoryapp.local_services.folder import DataFolder, running, socket_dir
from memoryapp.local_services.supervisor import Program, Supervisor

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def eventually(true: Callable[[], object], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def cmdline(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.NoSuchProcess:  # a zombie too
        return []


def test_a_folder_has_one_holder(tmp_path: Path) -> None:
    first = DataFolder(tmp_path / "data")
    with pytest.raises(StartError, match="already running"):
        DataFolder(tmp_path / "data")
    first.release()
    DataFolder(tmp_path / "data").release()


def test_a_folder_that_cant_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StartError, match=r"can't be written .* MEMORYAPP_DATA_DIR"):
        DataFolder(tmp_path / "file" / "data")


@pytest.mark.parametrize("name", ["x" * 200, "two words", "naïve", "a?b=c"])
def test_sockets_of_an_awkward_folder_lie_elsewhere(tmp_path: Path, name: str) -> None:
    assert socket_dir(Path("/srv/memory")) == Path("/srv/memory/run")
    path = socket_dir(Path("/srv") / name)
    assert re.fullmatch(r"[\w/.-]{1,80}", str(path), re.ASCII)
    assert path != socket_dir(Path("/srv") / f"{name}2")


def test_a_folder_ends_only_the_processes_that_it_started(tmp_path: Path) -> None:
    ours = subprocess.Popen(SLEEP)
    reused = subprocess.Popen(SLEEP)
    try:
        folder = DataFolder(tmp_path)
        folder.record(ours.pid, SLEEP, signal.SIGTERM)
        folder.record(reused.pid, [*SLEEP, "of another run"], signal.SIGTERM)
        folder.clear()
        assert ours.poll() is not None
        assert reused.poll() is None
        folder.release()
    finally:
        for process in (ours, reused):
            process.kill()
            process.wait()


def test_other_commands_find_what_runs_and_nothing_else(tmp_path: Path) -> None:
    environ = {"MEMORYAPP_DATA_DIR": str(tmp_path)}
    bootstrap.apply_running(environ)
    # Where the embedded server would answer; never a server that happens to be there.
    assert environ["DATABASE_URL"].endswith(f"host={socket_dir(tmp_path)}")
    assert "BROKER_URL" not in environ

    folder = DataFolder(tmp_path)
    folder.announce({"DATABASE_URL": "postgresql://here", "BROKER_URL": "redis://here"})
    assert (tmp_path / "services.json").stat().st_mode & 0o077 == 0
    environ = {"MEMORYAPP_DATA_DIR": str(tmp_path), "BROKER_URL": "redis://mine"}
    bootstrap.apply_running(environ)
    assert environ["DATABASE_URL"] == "postgresql://here"
    assert environ["BROKER_URL"] == "redis://mine"
    folder.release()
    assert running(tmp_path) == {}


def test_services_of_a_killed_run_are_not_taken_for_running(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / "services.json").write_text(
        json.dumps({"pid": gone.pid, "environ": {"DATABASE_URL": "postgresql://there"}})
    )
    assert running(tmp_path) == {}


def test_a_pid_file_whose_number_is_somebody_elses_is_removed(tmp_path: Path) -> None:
    lock = tmp_path / "postmaster.pid"
    lock.write_text(f"{os.getpid()}\n{tmp_path}\n")
    postgres.clear(tmp_path)
    assert not lock.exists()


class Terminal(list[str]):
    def __call__(self, line: str) -> None:
        self.append(line)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path)
    folder.clear()
    return folder


def python(name: str, code: str, **options: object) -> Program:
    return Program(name=name, command=[sys.executable, "-c", code], **options)  # type: ignore[arg-type]


def ours(before: set[psutil.Process]) -> list[psutil.Process]:
    """This process's children but for those of other tests: a browser's driver, say."""
    return [child for child in psutil.Process().children() if child not in before]


def test_a_child_that_ends_is_started_again(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(psutil.Process().children())
    monkeypatch.setattr(supervisor, "FIRST_WAIT", 0.01)
    terminal = Terminal()
    with Supervisor(folder, terminal) as children:
        children.add(Program(name="sleeper", command=SLEEP))
        (first,) = ours(before)
        eventually(lambda: cmdline(first) == SLEEP)
        first.kill()

        def again() -> bool:
            children.check()
            others = [child for child in ours(before) if child != first]
            return any(cmdline(child) == SLEEP for child in others)

        eventually(again)
        assert terminal == ["The sleeper ended (code -9) and is started again."]
    assert ours(before) == []


def test_a_child_that_never_comes_up_is_given_up(
    folder: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "FIRST_WAIT", 0.001)
    with Supervisor(folder, Terminal()) as children:
        children.add(python("broken", "import sys; print('the reason'); sys.exit(3)"))

        def check_for_ever() -> None:
            while True:
                children.check()
                time.sleep(0.01)

        with pytest.raises(StartError, match=r"The broken ended 5 times .*broken\.log"):
            check_for_ever()
    assert "the reason" in (folder.logs / "broken.log").read_text()


def test_logs_are_kept_and_warnings_are_seen(folder: DataFolder) -> None:
    code = """
import sys, time
print("a code for your eyes", flush=True)
print("12:00 INFO quiet", "12:01 WARNING loud", sep="\\n", file=sys.stderr, flush=True)
time.sleep(600)
"""
    terminal = Terminal()
    with Supervisor(folder, terminal) as children:
        children.add(python("web", code, speaks=True))
        eventually(lambda: len(terminal) == 2)
    assert sorted(terminal) == ["a code for your eyes", "web: 12:01 WARNING loud"]
    assert (folder.logs / "web.log").read_text() == "12:00 INFO quiet\n12:01 WARNING loud\n"


def test_children_end_in_the_reverse_order_and_by_force_if_they_must(
    folder: DataFolder, tmp_path: Path
) -> None:
    ended = tmp_path / "ended"
    polite = """
import signal, sys, time
def stop(*_):
    with open(sys.argv[1], "a") as file: file.write(sys.argv[2])
    sys.exit()
signal.signal(signal.SIGTERM, stop)
print("WARNING up", flush=True)
time.sleep(600)
"""
    stubborn = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("WARNING up", flush=True)
time.sleep(600)
"""
    before = set(psutil.Process().children())
    terminal = Terminal()
    with Supervisor(folder, terminal) as children:
        for name in ("a", "b"):
            children.add(
                Program(name=name, command=[sys.executable, "-c", polite, str(ended), name])
            )
        children.add(python("c", stubborn, grace=0.2))
        eventually(lambda: len(terminal) == 3)
    assert ended.read_text() == "ba"
    assert ours(before) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the next start ends them")
def test_children_die_with_a_parent_that_is_killed() -> None:
    code = """
import subprocess, sys
from memoryapp.local_services.supervisor import Program, launch
child = launch(Program(name="x", command=sys.argv[1:]), subprocess.DEVNULL, subprocess.DEVNULL)
print(child.pid, flush=True)
child.wait()
"""
    with subprocess.Popen([sys.executable, "-c", code, *SLEEP], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        eventually(lambda: cmdline(psutil.Process(pid)) == SLEEP)
        parent.kill()
    eventually(lambda: not alive(pid))
