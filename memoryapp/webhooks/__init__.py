"""Webhooks after the Standard Webhooks specification (standardwebhooks.com): signed, ids only,
tried again for more than a day, sent again on demand.

An event becomes a delivery in the transaction of the change (``memoryapp.events``); here are
the endpoints, and what sends the deliveries after the commit.
"""

from .deliveries import Replayed, deliver, listed, replay, replay_range, sweep, tidy, types
from .endpoints import (
    Refused,
    check_room,
    check_url,
    create,
    delete,
    disable,
    enable,
    host,
    note_owner,
    of_application,
    rotate,
    test,
    update,
)
from .message import message_id
from .sending import Answer

__all__ = [
    "Answer",
    "Refused",
    "Replayed",
    "check_room",
    "check_url",
    "create",
    "delete",
    "deliver",
    "disable",
    "enable",
    "host",
    "listed",
    "message_id",
    "note_owner",
    "of_application",
    "replay",
    "replay_range",
    "rotate",
    "sweep",
    "test",
    "tidy",
    "types",
    "update",
]
