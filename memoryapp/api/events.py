"""A user's events as they happen."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from accounts.models import ApiKey, EndUser
from memoryapp import streams
from memoryapp.api.auth import BearerKey, Party, key_of, party
from memoryapp.api.schemas import UserQuery
from memoryapp.api.site import answers

router = Router()
STREAM: dict[str, Any] = {
    "parameters": [
        {
            "in": "header",
            "name": "Last-Event-ID",
            "required": False,
            "description": "The id of the last event that you have: what came after it is sent "
            "first. `0` means from the beginning of what is kept.",
            "schema": {"type": "string"},
        }
    ],
    "responses": {
        200: {
            "description": "Server-sent events. `ready` comes first; `resync` instead, when "
            "events after Last-Event-ID are gone: then read again what you show. A line with a "
            "colon alone is a heartbeat.",
            "content": {
                "text/event-stream": {
                    "schema": {
                        "type": "string",
                        "examples": [
                            "id: 019a…\nevent: memory.created\n"
                            'data: {"type":"memory.created","timestamp":"…","data":{"facts":[…]}}'
                        ],
                    }
                }
            },
        }
    },
}


@router.get(
    "/events",
    auth=BearerKey("facts:read"),
    response=answers(200, None),
    operation_id="streamEvents",
    summary="A user's events as they happen",
    openapi_extra=STREAM,
)
def stream_events(request: HttpRequest, query: Query[UserQuery]) -> Any:
    """Ids only, as webhooks send them. The stream ends after some minutes; come back with
    Last-Event-ID, as `EventSource` does by itself."""
    who = party(request, query.user)
    return streams.respond(request, _reader(request, who, query.user))


def _reader(request: HttpRequest, who: Party, user: str | None) -> streams.Reader:
    key_id = key_of(request).pk

    def allowed() -> bool:
        key = ApiKey.objects.select_related("owner", "application").filter(pk=key_id).first()
        if key is None or not key.is_usable(timezone.now()):
            return False
        return (
            key.application_id is None
            or EndUser.objects.filter(
                user_id=who.user_id, may_read=True, user__is_active=True
            ).exists()
        )

    return streams.Reader(who.user_id, user, allowed)
