"""Tokens a day: set aside before a model is asked, counted by the server's figure after.

Days are UTC's. A limit of 0 is no limit; what is used is counted all the same. A call is
let through while the day's tokens and its own estimate stay within the limit; the first of
a day always is, or a message longer than the limit would wait for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import Greatest

from memoryapp.context import acting_for
from memoryapp.models import TokenDay, TokenUse
from memoryapp.ports import ChatModel, ProviderError
from memoryapp.records import ChatMessage, Completion
from memoryapp.tokens import count

# A user's days older than this are dropped when a new one begins.
KEPT = timedelta(days=92)
# What a short answer takes, for the estimate.
ANSWER = 100


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens set aside for one call, on the day on which it was made."""

    user_id: UUID
    day: date
    tokens: int


class Spent(Exception):
    """The budget of the day doesn't allow the call."""


class Paid:
    """A chat model whose calls a user's budget pays for; raises ProviderError ``budget`` for
    one that it doesn't allow."""

    def __init__(self, model: ChatModel, *, user_id: UUID, now: datetime) -> None:
        self.name = model.name
        self._model, self._user_id, self._now = model, user_id, now

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        schema_name: str = "answer",
        max_tokens: int = 2048,
    ) -> Completion:
        asked = sum(count(message.content) for message in messages)
        try:
            reserved = reserve(
                user_id=self._user_id, tokens=asked + min(max_tokens, ANSWER), now=self._now
            )
        except Spent:
            raise ProviderError("budget") from None
        try:
            answer = self._model.complete(
                messages, schema=schema, schema_name=schema_name, max_tokens=max_tokens
            )
        except ProviderError as error:
            settle(reservation=reserved, used=error.tokens)
            raise
        settle(reservation=reserved, used=answer.tokens)
        return answer


def reserve(*, user_id: UUID, tokens: int, now: datetime) -> Reservation:
    """Set the estimate aside, in the user's budget and in everybody's; raises ``Spent``, and
    sets nothing aside then. Of two calls that together pass the limit one is refused. A
    worker that is killed leaves its estimate counted: nobody knows what it used."""
    day = now.date()
    with acting_for(user_id), transaction.atomic():
        mine = TokenUse.objects.filter(user_id=user_id, day=day)
        if not mine.exists():
            TokenUse.objects.filter(user_id=user_id, day__lt=day - KEPT).delete()
            TokenUse.objects.bulk_create(
                [TokenUse(user_id=user_id, day=day)], ignore_conflicts=True
            )
        _take(mine, tokens, settings.TOKENS_PER_USER_DAY)
        # Everybody's row last: it is held until the commit, by one worker at a time.
        everybody = TokenDay.objects.filter(day=day)
        if not everybody.exists():
            TokenDay.objects.bulk_create([TokenDay(day=day)], ignore_conflicts=True)
        _take(everybody, tokens, settings.TOKENS_PER_DAY)
    return Reservation(user_id, day, tokens)


def _take(row: QuerySet[TokenUse] | QuerySet[TokenDay], tokens: int, limit: int) -> None:
    if limit:
        row = row.filter(Q(tokens=0) | Q(tokens__lte=limit - tokens))
    if not row.update(tokens=F("tokens") + tokens):
        raise Spent


def settle(*, reservation: Reservation, used: int) -> None:
    """Put what was used in place of the estimate."""
    change = Greatest(F("tokens") + Value(used - reservation.tokens), Value(0))
    with acting_for(reservation.user_id):
        TokenUse.objects.filter(user_id=reservation.user_id, day=reservation.day).update(
            tokens=change
        )
        TokenDay.objects.filter(day=reservation.day).update(tokens=change)


def renewed(now: datetime) -> datetime:
    """When the next day's budget begins."""
    return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
