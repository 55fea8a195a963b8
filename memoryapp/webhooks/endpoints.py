"""Endpoints: made, changed, rotated, tried, disabled, deleted; each noted in the log of the
application's owner."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypedDict
from uuid import UUID

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import override
from uuid_utils.compat import uuid7

from accounts.models import Application
from memoryapp import audit
from memoryapp.context import acting_for
from memoryapp.models import MemoryEvent, WebhookEndpoint

from . import addresses, message, signing
from .sending import Answer, post

logger = logging.getLogger(__name__)

MOST_ENDPOINTS = 20
# For so long a rotated secret signs beside the new one.
OVERLAP = timedelta(hours=24)
MOST_OVERLAP = timedelta(days=7)


class Refused(ValueError):
    """``code``: ``url``, ``https``, ``too_many``, ``events``."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Changes(TypedDict, total=False):
    url: str
    description: str
    events: Sequence[str]


def of_application(application_id: UUID) -> QuerySet[WebhookEndpoint]:
    return WebhookEndpoint.objects.filter(application_id=application_id)


def create(
    *,
    application: Application,
    url: str,
    by: audit.Actor,
    now: datetime,
    description: str = "",
    events: Sequence[str] = (),
) -> tuple[WebhookEndpoint, str]:
    """A new endpoint and its secret, which can't be shown again. Raises Refused."""
    check_room(application)
    check_url(url)
    salt = signing.new_salt()
    row = WebhookEndpoint(
        id=uuid7(),
        application=application,
        url=url,
        description=description,
        events=_events(events),
        salt=salt,
        check_hash=signing.check_hash(salt),
        created_at=now,
    )
    with acting_for(application.owner_id):
        row.save(force_insert=True)
        note_owner(row, "webhook.create", by=by, now=now)
    return row, signing.secret(salt)


def update(*, row: WebhookEndpoint, changes: Changes, by: audit.Actor, now: datetime) -> None:
    """Raises Refused. A new address begins without the failures of the old one."""
    names = ["description"] if "description" in changes else []
    row.description = changes.get("description", row.description)
    if "events" in changes:
        row.events = _events(changes["events"])
        names.append("events")
    if "url" in changes and changes["url"] != row.url:
        check_url(changes["url"])
        row.url, row.failing_since = changes["url"], None
        names += ["url", "failing_since"]
    with acting_for(row.application.owner_id):
        row.save(update_fields=names)
        note_owner(row, "webhook.change", by=by, now=now)


def rotate(
    *, row: WebhookEndpoint, by: audit.Actor, now: datetime, overlap: timedelta = OVERLAP
) -> str:
    """A new secret, shown once. The old one signs too until ``overlap`` is over: one of two
    signatures fits whichever the receiver has."""
    salt = signing.new_salt()
    knows = bytes(row.check_hash) == signing.check_hash(bytes(row.salt))
    row.previous_salt = bytes(row.salt) if knows and overlap else None
    row.previous_until = now + min(overlap, MOST_OVERLAP) if row.previous_salt else None
    row.salt, row.check_hash = salt, signing.check_hash(salt)
    with acting_for(row.application.owner_id):
        row.save(update_fields=["previous_salt", "previous_until", "salt", "check_hash"])
        note_owner(row, "webhook.rotate", by=by, now=now)
    return signing.secret(salt)


def enable(*, row: WebhookEndpoint, by: audit.Actor, now: datetime) -> None:
    """Events are sent again from now on. What it missed can be replayed by time."""
    row.disabled_at, row.disabled_reason, row.failing_since = None, "", None
    with acting_for(row.application.owner_id):
        row.save(update_fields=["disabled_at", "disabled_reason", "failing_since"])
        note_owner(row, "webhook.enable", by=by, now=now)


def disable(*, row: WebhookEndpoint, by: audit.Actor, now: datetime, reason: str = "asked") -> bool:
    """Nothing is sent any more; False when it was disabled before. ``reason``: ``asked``,
    ``failing``, ``gone`` (the receiver answered 410), ``key_changed``. When it wasn't asked,
    the owner gets a mail as well."""
    with acting_for(row.application.owner_id):
        claimed = WebhookEndpoint.objects.filter(pk=row.pk, disabled_at=None).update(
            disabled_at=now, disabled_reason=reason
        )
        if not claimed:
            return False
        row.disabled_at, row.disabled_reason = now, reason
        note_owner(row, "webhook.disable", by=by, now=now, reason=reason)
    if reason != "asked":
        logger.warning("the webhook %s was disabled: %s", row.pk, reason)
        _mail(row)
    return True


def delete(*, row: WebhookEndpoint, by: audit.Actor, now: datetime) -> None:
    """What is on its way to it goes nowhere."""
    with acting_for(row.application.owner_id):
        note_owner(row, "webhook.delete", by=by, now=now)
        row.delete()


def test(*, row: WebhookEndpoint, now: datetime) -> Answer:
    """Send a ``webhook.test`` at once, whether or not it is disabled; tells what came of it."""
    body = message.encode("webhook.test", now, {})
    headers = signing.headers(f"msg_test_{uuid7().hex}", now, body, keys(row, now))
    return post(row.url, body, {**message.HEADERS, **headers})


def keys(row: WebhookEndpoint, now: datetime) -> list[bytes]:
    """What signs now, the newest first; none when the server's SECRET_KEY is another one
    than when the secret was made."""
    if bytes(row.check_hash) != signing.check_hash(bytes(row.salt)):
        return []
    found = [signing.key(bytes(row.salt))]
    if row.previous_salt is not None and row.previous_until and now < row.previous_until:
        found.append(signing.key(bytes(row.previous_salt)))
    return found


def note_owner(
    row: WebhookEndpoint, action: str, *, by: audit.Actor, now: datetime, **details: str
) -> None:
    """A line in the log of the application's owner. Needs ``acting_for`` them."""
    event = audit.Event(action, f"webhook:{row.pk}", details)
    audit.record(user_id=row.application.owner_id, by=by, events=[event], now=now)


def _mail(row: WebhookEndpoint) -> None:
    owner = row.application.owner
    if not owner.email:
        return
    with override(owner.language):
        subject = _("A webhook of %(application)s was switched off") % {
            "application": " ".join(row.application.name.split())
        }
        reasons = {
            "failing": _("It has not accepted anything for %(days)s days.")
            % {"days": settings.WEBHOOK_DISABLE_DAYS},
            "gone": _("It answered that it is gone for good (410)."),
            "key_changed": _("The server's SECRET_KEY was changed: its secret must be rotated."),
        }
        text = "\n".join(
            (
                _("The webhook %(id)s was switched off.") % {"id": row.pk},
                reasons.get(row.disabled_reason, ""),
                _("Switch it on again over the API, and have what it missed sent again."),
            )
        )
    try:
        send_mail(subject, text, None, [owner.email])
    except OSError as error:
        logger.warning("the owner of %s got no mail: %s", row.pk, type(error).__name__)


def check_url(url: str) -> None:
    """Raises Refused for an address that nothing can be sent to."""
    try:
        addresses.parse(url)
    except addresses.Unfit as error:
        raise Refused(error.code) from None


def check_room(application: Application) -> None:
    """Raises Refused when the application has as many as it may have."""
    if of_application(application.pk).count() >= MOST_ENDPOINTS:
        raise Refused("too_many")


def host(url: str) -> str:
    """Where an address leads, without the rest of it; empty when it can't be said."""
    try:
        return addresses.parse(url).authority
    except addresses.Unfit:
        return ""


def _events(events: Sequence[str]) -> list[str]:
    if not set(events) <= set(MemoryEvent.Type.values):
        raise Refused("events")
    return [each for each in MemoryEvent.Type.values if each in events]
