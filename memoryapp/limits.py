"""How often one may ask: a token bucket for each API key and each user.

A bucket holds a minute's worth of requests and fills evenly, so a burst is fine and a stream
isn't. Buckets are rows of an unlogged table: every web server sees the same count, and a
request costs one statement that waits for no disk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal
from uuid import UUID

from django.db import connection
from django.db.models.functions import Now

from memoryapp import sql
from memoryapp.models import RateBucket

SECONDS = 60
# Nobody's bucket is less than full after this: the row says what no row says.
IDLE = timedelta(seconds=2 * SECONDS)
# One new bucket in so many takes the idle ones away.
SWEEP = 64

Name = Literal["key", "user"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A bucket after a request: ``left`` requests go through at once, ``full_in`` seconds
    fill it again. When there was none to take, ``wait`` is in how many seconds there will
    be; 0 otherwise."""

    name: Name
    limit: int
    left: int
    full_in: int
    wait: int

    @property
    def refused(self) -> bool:
        return self.wait > 0


def take(*, name: Name, bucket: UUID, limit: int) -> Standing:
    """Take one request of ``limit`` a minute from the bucket. A refused one takes nothing:
    who keeps asking isn't kept out by it. Of two requests for the last token one gets it."""
    with connection.cursor() as cursor:
        cursor.execute(sql.load("take_token"), {"id": str(bucket), "limit": limit})
        row = cursor.fetchone()
        if row is None:
            cursor.execute(sql.load("look_at_tokens"), {"id": str(bucket), "limit": limit})
            # Swept away in between: nobody has asked for long.
            (tokens,) = cursor.fetchone() or (float(limit),)
            wait = max(1, math.ceil((1 - tokens) * SECONDS / limit))
            return _standing(name, limit, tokens, wait)
    tokens, made = row
    if made and bucket.int % SWEEP == 0:
        RateBucket.objects.filter(at__lt=Now() - IDLE).delete()
    return _standing(name, limit, tokens, 0)


def _standing(name: Name, limit: int, tokens: float, wait: int) -> Standing:
    return Standing(
        name=name,
        limit=limit,
        left=math.floor(tokens),
        full_in=math.ceil((limit - tokens) * SECONDS / limit),
        wait=wait,
    )
