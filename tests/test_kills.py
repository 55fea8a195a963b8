"""A worker, the broker or the database killed midway: nothing is lost, nothing doubled."""

from __future__ import annotations

import json
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.running import Running, child, up

pytestmark = [pytest.mark.slow, pytest.mark.timeout(500)]

TALKS = 24
SECONDS = 240
LIKES = [
    *("chess", "hiking", "rowing", "pottery", "jazz", "opera", "sushi", "ramen", "curry"),
    *("kayaking", "origami", "baking", "gardening", "fencing", "archery", "judo", "yoga"),
    *("sailing", "cycling", "karaoke", "knitting", "surfing", "skating", "birdwatching"),
]


@pytest.fixture
def data() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="memoryapp-kills-") as folder:
        yield Path(folder) / "data"


class Client:
    """A frontend that tries again, as one must, with the same ids."""

    def __init__(self, running: Running) -> None:
        self.base = running.found(r"running at (\S+)") + "/api/v1"
        self.key = running.found(r"API key[^:]*: (\S+)")

    def call(self, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            self.base + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.key}",
                "Content-Type": "application/json",
            },
        )
        until = time.monotonic() + SECONDS
        while True:
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                error.close()
                if error.code < 500 or time.monotonic() > until:
                    raise
            except OSError:
                if time.monotonic() > until:
                    raise
            time.sleep(0.3)


def kill(running: Running, word: str) -> None:
    """Kill -9 the child whose command line names ``word``."""
    process = child(running, word) or next(
        (
            p
            for p in psutil.Process(running.process.pid).children()
            if any(word in part for part in p.cmdline())
        ),
        None,
    )
    assert process is not None, word
    process.kill()


def eventually(check: Callable[[], bool]) -> None:
    until = time.monotonic() + SECONDS
    while not check():
        assert time.monotonic() < until, "not in time"
        time.sleep(0.5)


def test_everything_killed_in_turn_and_nothing_lost(data: Path) -> None:
    with up(data, CLAIM_SECONDS="5", OUTBOX_SWEEP_SECONDS="2") as running:
        client = Client(running)
        victims = {4: "worker", 9: "valkey", 14: "postgres", 19: "worker"}
        for number, liked in enumerate(LIKES[:TALKS]):
            messages = [
                {
                    "id": f"m{number}",
                    "role": "user",
                    "content": f"I love {liked}.",
                    "sent_at": f"2026-01-{number + 1:02d}T10:00:00Z",
                },
                {
                    "id": f"n{number}",
                    "role": "user",
                    "content": "I use light mode in my IDE."
                    if number % 2
                    else "I use dark mode in my IDE.",
                    "sent_at": f"2026-01-{number + 1:02d}T10:01:00Z",
                },
            ]
            client.call("/messages", {"conversation": f"c{number}", "messages": messages})
            if number in victims:
                kill(running, victims[number])

        def all_read() -> bool:
            counts = [client.call(f"/conversations/c{n}/status") for n in range(TALKS)]
            return all((c["pending"], c["processed"], c["failed"]) == (0, 2, 0) for c in counts)

        eventually(all_read)
        likes = client.call("/facts?attribute=likes&limit=100")["items"]
        assert sorted(f["value"] for f in likes) == sorted(LIKES[:TALKS])
        themes = client.call("/facts?attribute=theme&status=all&limit=100")["items"]
        assert len(themes) == TALKS  # dark, light, dark …: each day's is an interval of its own
        assert [f["value"] for f in themes if f["status"] == "current"] == ["light mode"]
