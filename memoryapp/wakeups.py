"""Waking those who wait for a user's events, in every process, over the broker.

Why the broker's pub/sub and not Postgres's LISTEN/NOTIFY: a commit with a NOTIFY waits for
every other such commit of the whole server, and LISTEN doesn't work behind PgBouncer. What
is lost here (a broker that is away) costs only time: the streams also look for themselves
now and then. A message is a user's id and nothing else.
"""

from __future__ import annotations

import hashlib
import logging
import time
from typing import Any
from uuid import UUID

import redis
import redis.asyncio
from celery import current_app
from django.conf import settings
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

# A broker that is away is left alone for so long: nobody waits for it at each commit.
REST_SECONDS = 5.0
_OPTIONS: dict[str, Any] = {"socket_connect_timeout": 2, "socket_timeout": 2}


def channel() -> str:
    """One for each installation: several may share a broker."""
    mark = hashlib.sha256(f"events {settings.SECRET_KEY}".encode()).hexdigest()[:16]
    return f"memoryapp:events:{mark}"


def address() -> str | None:
    """The broker as redis-py names it; None when it isn't one that it knows."""
    url = str(current_app.conf.broker_url or "")
    if url.startswith("redis+socket://"):
        return url.replace("redis+socket://", "unix://", 1).replace("virtual_host=", "db=")
    return url if url.startswith(("redis://", "rediss://")) else None


def listener(url: str) -> redis.asyncio.Redis:
    """A client for one process to listen with."""
    client: redis.asyncio.Redis = redis.asyncio.Redis.from_url(url, socket_connect_timeout=2)
    return client


class _Publisher:
    def __init__(self) -> None:
        self._url: str | None = None
        self._client: redis.Redis | None = None
        self._resting_until = 0.0

    def publish(self, user_id: UUID) -> None:
        url = address()
        if url is None or time.monotonic() < self._resting_until:
            return
        if self._client is None or url != self._url:
            self._url, self._client = url, redis.Redis.from_url(url, **_OPTIONS)
        try:
            self._client.publish(channel(), str(user_id))
        except RedisError as error:
            self._resting_until = time.monotonic() + REST_SECONDS
            logger.warning("streams are not woken: %s", type(error).__name__)


_publisher = _Publisher()


def publish(user_id: UUID) -> None:
    """Wake the user's streams. Never a reason to fail: they look for themselves too."""
    _publisher.publish(user_id)
