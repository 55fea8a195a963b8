"""The answer of a view that streams."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator

from django.db import Error as DatabaseError
from django.http import HttpRequest, StreamingHttpResponse

from .hub import Hub
from .reading import (
    MOST_AT_ONCE,
    RETRY_MILLISECONDS,
    Place,
    Reader,
    after,
    at_once,
    opening,
    place,
    text,
)

logger = logging.getLogger(__name__)

HEARTBEAT = 15.0
# A stream ends after so long and its reader comes back, with a key that may be revoked by now.
LONGEST = 300.0


class EventStream(StreamingHttpResponse):
    """Asynchronous: it goes on as long as the reader stays. A server without an event loop
    sends what there is by now; the reader comes back for more."""

    def __init__(self, reader: Reader, start: Place) -> None:
        self._reader, self._start = reader, start
        super().__init__(
            _stream(reader, start),
            content_type="text/event-stream; charset=utf-8",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    def __iter__(self) -> Iterator[bytes]:
        found = after(self._reader, self._start.seq) or ()
        return map(self.make_bytes, at_once(self._start, found, self._reader))


def respond(request: HttpRequest, reader: Reader, *, after_id: str = "") -> EventStream:
    """The reader's events after the one that the header Last-Event-ID, or else ``after_id``,
    names; from now on when neither does."""
    last_id = request.headers.get("Last-Event-ID", "").strip() or after_id
    return EventStream(reader, place(reader.user_id, last_id))


def end() -> None:
    """End the streams of this event loop: its server stops."""
    Hub.current().end()


async def _stream(reader: Reader, start: Place) -> AsyncIterator[str]:
    hub = Hub.current()
    if hub.full(reader.user_id):
        rows = await hub.ask(lambda: after(reader, start.seq)) or ()
        for each in at_once(start, rows, reader):
            yield each
        return
    until = asyncio.get_running_loop().time() + LONGEST
    with hub.waiting(reader.user_id, start.seq) as seat:
        yield opening(start, RETRY_MILLISECONDS)
        while not hub.ending and asyncio.get_running_loop().time() < until:
            if seat.bell.is_set():
                seat.bell.clear()
                try:
                    found = await hub.ask(lambda: after(reader, seat.seq))
                except DatabaseError as error:
                    logger.warning("a stream ends: %s", type(error).__name__)
                    return
                if found is None:
                    return
                for row in found:
                    yield text(row, reader)
                    seat.seq = row.seq
                if len(found) == MOST_AT_ONCE:
                    seat.bell.set()
                continue
            try:
                await asyncio.wait_for(seat.bell.wait(), HEARTBEAT)
            except TimeoutError:
                yield ": \n\n"
