"""The model server's answer on its way to the client: unchanged, but for ``memory`` in it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from memoryapp.api.proxy.turns import LONGEST
from memoryapp.ports import ProviderError

MOST_BYTES = 64 * 1024 * 1024
DONE = b"[DONE]"
_EVENT_ENDS = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE_ENDS = re.compile(rb"\r\n|\n|\r")
# What a client may learn of the server behind: the request's id, its limits, when to return.
_PASSED = re.compile(r"x-request-id|openai-.+|x-ratelimit-.+|retry-after(-ms)?|x-should-retry")


def passed(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if _PASSED.fullmatch(name)}


async def whole(pieces: AsyncIterator[bytes]) -> bytes:
    """The body. Raises ProviderError ``too_large``."""
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > MOST_BYTES:
            raise ProviderError("too_large")
    return bytes(body)


def answer_of(completion: Mapping[str, Any]) -> str | None:
    """The words of a whole completion's first choice; None when it doesn't say that it has
    ended. Empty when it calls a tool."""
    try:
        choice = completion["choices"][0]
        text = choice["message"].get("content")
        return (text if isinstance(text, str) else "") if choice.get("finish_reason") else None
    except (KeyError, IndexError, TypeError, AttributeError):
        return None


class Stream:
    """Server-sent events of a chat as they pass."""

    def __init__(self, memory: Mapping[str, Any]) -> None:
        self._memory = memory
        self._parts: list[str] = []
        self._length = 0
        self._ended = False

    @property
    def answer(self) -> str | None:
        """What the first choice has said; None unless it has said that it ends."""
        return "".join(self._parts) if self._ended else None

    async def events(self, pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        """Whole events as they are to be passed on; what is left at the end as it is."""
        held = b""
        async for piece in pieces:
            held += piece
            position = 0
            for found in _EVENT_ENDS.finditer(held):
                yield self._through(held[position : found.end()])
                position = found.end()
            held = held[position:]
            if len(held) > MOST_BYTES:
                raise ProviderError("too_large")
        if held:
            yield self._through(held)

    def _through(self, event: bytes) -> bytes:
        chunk = _chunk(event)
        if chunk is None:
            return event
        if not self._note(chunk):
            return event
        # The last one of a choice: usage may still follow, in a chunk without choices, which
        # not every client can read.
        return b"data: " + json.dumps({**chunk, "memory": self._memory}).encode() + b"\n\n"

    def _note(self, chunk: Mapping[str, Any]) -> bool:
        """Whether a choice ends with the chunk."""
        ends = False
        for choice in chunk.get("choices") or ():
            if not isinstance(choice, dict):
                continue
            ends = ends or bool(choice.get("finish_reason"))
            delta = choice.get("delta")
            if choice.get("index", 0) == 0:
                self._ended = self._ended or bool(choice.get("finish_reason"))
                text = delta.get("content") if isinstance(delta, dict) else None
                if isinstance(text, str) and self._length < LONGEST:
                    self._parts.append(text)
                    self._length += len(text)
        return ends


def is_done(event: bytes) -> bool:
    return _data(event).strip() == DONE


def _data(event: bytes) -> bytes:
    """The event's data, its lines joined (the HTML standard's 9.2.6)."""
    lines = [
        line[5:].removeprefix(b" ") for line in _LINE_ENDS.split(event) if line.startswith(b"data:")
    ]
    return b"\n".join(lines)


def _chunk(event: bytes) -> dict[str, Any] | None:
    try:
        chunk = json.loads(_data(event))
    except (ValueError, RecursionError):
        return None
    return chunk if isinstance(chunk, dict) and isinstance(chunk.get("choices"), list) else None
