"""The user's log: who did what, and whether it is whole."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router

from memoryapp import audit
from memoryapp.api import cursors
from memoryapp.api.auth import BearerKey, party
from memoryapp.api.rendering import note_reading
from memoryapp.api.schemas import AuditOut, AuditQuery, UserQuery, VerificationOut
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent

router = Router()


@router.get(
    "/audit",
    auth=BearerKey("audit:read"),
    response=answers(200, AuditOut),
    operation_id="listEvents",
    summary="Who did what, and when",
)
def list_events(request: HttpRequest, query: Query[AuditQuery]) -> Any:
    """The newest first. `action` and `actor` that end in `.` or `:` match all that begin so."""
    who = party(request, query.user)
    given: dict[str, Any] = {"object": query.object, "at__gte": query.from_time}
    given["at__lt"] = query.to_time
    for name, value, end in (("action", query.action, "."), ("actor", query.actor, ":")):
        if value is not None:
            given[f"{name}__startswith" if value.endswith(end) else name] = value
    with acting_for(who.user_id):
        page = cursors.page(
            AuditEvent.objects.filter(
                user_id=who.user_id,
                **{name: value for name, value in given.items() if value is not None},
            ),
            cursors.by_number("seq"),
            cursor=query.cursor,
            limit=query.limit,
        )
        note_reading(who, "audit.read", "audit", {"count": len(page.items)})
    return {"items": [_event(row) for row in page.items], "next_cursor": page.next_cursor}


@router.get(
    "/audit/verification",
    auth=BearerKey("audit:read"),
    response=answers(200, VerificationOut),
    operation_id="verifyAudit",
    summary="Whether the log is whole",
)
def verify(request: HttpRequest, query: Query[UserQuery]) -> Any:
    """Computes the chain of hashes anew: any edit, gap or fork shows. A lost tail shows
    against a `head` that you noted before."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        report = audit.verify_chain(user_id=who.user_id)
    return {
        "events": report.events,
        "whole": report.whole,
        "first_bad": report.first_bad,
        "head": report.head.hex(),
    }


def _event(row: AuditEvent) -> dict[str, Any]:
    names = ("seq", "at", "actor", "action", "object", "details")
    return {**{name: getattr(row, name) for name in names}, "hash": bytes(row.hash).hex()}
