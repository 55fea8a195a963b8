"""Everything of one user, to take away."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router

from memoryapp import exporting, providers
from memoryapp.api.auth import BearerKey, party
from memoryapp.api.schemas import ExportOut, UserQuery
from memoryapp.api.site import answers

router = Router()


@router.get(
    "/export",
    auth=BearerKey("facts:read", "messages:read", "settings:read", "audit:read"),
    response=answers(200, ExportOut),
    operation_id="exportEverything",
    summary="Everything of one user as a document",
)
def export(request: HttpRequest, query: Query[UserQuery]) -> Any:
    """Facts with their history, proof and decisions, conversations with their messages,
    settings, receipts and the log. It is written while it is read: a document that doesn't
    end in `}` broke off, and has to be asked for again."""
    who = party(request, query.user)
    now = providers.clock().now()
    return StreamingHttpResponse(
        exporting.export(user=who.user, by=who.by, now=now),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="memories-{now:%Y-%m-%d}.json"'},
    )
