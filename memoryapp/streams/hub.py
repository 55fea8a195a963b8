"""What wakes the streams of a process: one connection to the broker, and a look now and then."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar
from uuid import UUID
from weakref import WeakKeyDictionary

from django.db import Error as DatabaseError
from django.db.models import Max
from redis.exceptions import RedisError

from memoryapp import wakeups
from memoryapp.context import relaying
from memoryapp.models import MemoryEvent
from memoryapp.threads import Threads

logger = logging.getLogger(__name__)

T = TypeVar("T")

# The streams' own look into the database, for what the broker lost.
LOOK = 20.0
# At once in a process; one more gets what there is, and comes back later.
MOST_STREAMS, MOST_OF_A_USER = 1000, 20


@dataclass(eq=False, slots=True)
class Seat:
    """One stream's place in the hub: it rings when there may be something after ``seq``."""

    seq: int
    bell: asyncio.Event = field(default_factory=asyncio.Event)


class Hub:
    """The streams of one event loop, and what wakes them: from the first stream on, as long
    as the loop runs."""

    _hubs: ClassVar[WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]] = WeakKeyDictionary()

    def __init__(self) -> None:
        self._seats: dict[UUID, set[Seat]] = defaultdict(set)
        self._tasks: list[asyncio.Task[None]] = []
        self._threads = Threads(2, "streams")
        self.ending = False

    @classmethod
    def current(cls) -> Hub:
        loop = asyncio.get_running_loop()
        if loop not in cls._hubs:
            cls._hubs[loop] = cls()
        return cls._hubs[loop]

    def full(self, user_id: UUID) -> bool:
        """Whether there is no seat left for the user."""
        taken = sum(map(len, self._seats.values()))
        return taken >= MOST_STREAMS or len(self._seats.get(user_id, ())) >= MOST_OF_A_USER

    async def ask(self, question: Callable[[], T]) -> T:
        """What the database says, asked in a thread of the hub's own, which keeps no
        connection."""
        return await self._threads.run(question)

    @contextmanager
    def waiting(self, user_id: UUID, seq: int) -> Iterator[Seat]:
        """A seat, which rings once at the start: something may have come in between."""
        seat = Seat(seq)
        seat.bell.set()
        self._seats[user_id].add(seat)
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._look())]
        try:
            yield seat
        finally:
            self._seats[user_id].discard(seat)
            if not self._seats[user_id]:
                del self._seats[user_id]

    def end(self) -> None:
        """Every stream ends; no new one begins."""
        self.ending = True
        for user_id in self._seats:
            self.ring(user_id)

    def ring(self, user_id: UUID) -> None:
        for seat in self._seats.get(user_id, ()):
            seat.bell.set()

    async def _listen(self) -> None:
        rest = 1.0
        while True:
            url = wakeups.address()
            if url is None:
                return  # a broker without channels: the look has to do
            client = wakeups.listener(url)
            try:
                async with client.pubsub() as channel:
                    await channel.subscribe(wakeups.channel())
                    rest = 1.0
                    for user_id in list(self._seats):
                        self.ring(user_id)  # what came while nobody listened
                    async for heard in channel.listen():
                        if heard["type"] == "message":
                            self.ring(UUID(heard["data"].decode()))
            except (RedisError, OSError) as error:
                logger.warning("nothing wakes the streams: %s", type(error).__name__)
            finally:
                await client.aclose()
            await asyncio.sleep(rest)
            rest = min(rest * 2, LOOK)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            users = list(self._seats)
            if not users:
                continue
            try:
                newest = await self.ask(lambda users=users: _newest(users))  # type: ignore[misc]
            except DatabaseError as error:
                logger.warning("the streams see nothing: %s", type(error).__name__)
                continue
            for user_id, seq in newest.items():
                if any(seat.seq < seq for seat in self._seats.get(user_id, ())):
                    self.ring(user_id)


def _newest(users: Sequence[UUID]) -> dict[UUID, int]:
    with relaying():
        rows = MemoryEvent.objects.filter(user_id__in=users).values_list("user_id")
        return dict(rows.annotate(Max("seq")))
