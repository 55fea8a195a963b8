"""``Idempotency-Key``: a request that is sent again is carried out once.

What is kept for a day is the status and ids or counts, from which the answer is made anew:
never a word of content. The key and the body are kept as hashes under the user's own key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Header

from memoryapp import providers
from memoryapp.api.auth import Party
from memoryapp.api.problems import Problem, field_problem
from memoryapp.context import acting_for
from memoryapp.models import IdempotencyKey

KEPT = timedelta(hours=24)
KEY_LENGTH = 255
KEY = re.compile(r"^[ -~]*[!-~][ -~]*$")

IdempotencyKeyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Up to 255 visible characters, such as a UUID. The same key with the same "
        "body gives the same answer for 24 hours, and the work is done once; with another body "
        "it is refused.",
    ),
]

Kept = Mapping[str, Any]
Keep = Callable[[Kept], None]


def once(
    request: HttpRequest,
    response: HttpResponse,
    who: Party,
    key: str | None,
    work: Callable[[Keep], Kept],
    *,
    status: int,
    body: bytes | None = None,
) -> Kept:
    """What ``work`` gave back, now or for an earlier request with the key; the header
    Idempotency-Replayed says which. ``work`` hands what is to be kept, ids and counts, to
    ``keep`` in the transaction that does it. ``body`` stands for a body that is
    streamed.
    Raises Problem when the key was another request's."""
    if key is None:
        return work(lambda kept: None)
    asked = _asked(request, who, key, status, body)
    if (kept := asked.found()) is not None:
        response["Idempotency-Replayed"] = "true"
        return kept
    try:
        return work(asked.keep)
    except Taken:
        # A request with the same key was faster: its transaction is over by now.
        if (kept := asked.found()) is not None:
            response["Idempotency-Replayed"] = "true"
            return kept
        raise Problem("conflict", _("Send the request again.")) from None


def check(key: str | None) -> None:
    """Raises Problem for a key that can't be one."""
    if key is not None and (len(key) > KEY_LENGTH or not KEY.fullmatch(key)):
        raise field_problem(
            "Idempotency-Key",
            "idempotency_key",
            _("The header Idempotency-Key can't be used."),
            _("Send 1 to 255 visible ASCII characters, for instance a UUID."),
        )


class Taken(Exception):
    """Another request has just been carried out under the same key."""


@dataclass(frozen=True, slots=True)
class _Asked:
    who: Party
    key: bytes
    request: bytes
    status: int
    now: datetime

    def found(self) -> Kept | None:
        """What was kept for the key; None when nothing was. Raises Problem when it was kept
        for another request."""
        with acting_for(self.who.user_id):
            row = IdempotencyKey.objects.filter(
                user_id=self.who.user_id, key_hash=self.key, created_at__gt=self.now - KEPT
            ).first()
        if row is None:
            return None
        if bytes(row.request_hash) != self.request:
            raise Problem(
                "key-reused",
                _("Use a new Idempotency-Key for a new request; this one has another body."),
            )
        kept: Kept = row.body
        return kept

    def keep(self, kept: Kept) -> None:
        """Raises Taken, which undoes the caller's transaction."""
        with acting_for(self.who.user_id):
            owned = IdempotencyKey.objects.filter(user_id=self.who.user_id)
            owned.filter(created_at__lte=self.now - KEPT).delete()
            try:
                with transaction.atomic():
                    IdempotencyKey.objects.create(
                        user_id=self.who.user_id,
                        key_hash=self.key,
                        request_hash=self.request,
                        status=self.status,
                        body=dict(kept),
                        created_at=self.now,
                    )
            except IntegrityError:
                raise Taken from None


def _asked(request: HttpRequest, who: Party, key: str, status: int, body: bytes | None) -> _Asked:
    check(key)
    digest = hashlib.sha256(request.body if body is None else body).hexdigest()
    return _Asked(
        who=who,
        key=who.user.keyed_hash("idempotency", str(who.by), key),
        request=who.user.keyed_hash("request", request.get_full_path(), digest),
        status=status,
        now=providers.clock().now(),
    )
