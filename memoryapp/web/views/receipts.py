"""The receipts of what was forgotten: when, and how much; never what."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from accounts.models import Application
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent, ErasureReceipt
from memoryapp.web import logbook
from memoryapp.web.receipts import worded
from memoryapp.web.views.common import me, missing, page_of, private, show, summary

PER_PAGE = 50


@private
@require_GET
def receipts(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        rows = ErasureReceipt.objects.filter(user_id=user_id).order_by("-completed_at", "-id")
        page = page_of(request, rows, PER_PAGE)
        context = {
            **summary(user_id).context(),
            "receipts": [worded(row) for row in page],
            "page": page,
        }
    return show(request, "web/receipts.html", context)


@private
@require_GET
def receipt(request: HttpRequest, receipt_id: UUID) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        row = ErasureReceipt.objects.filter(user_id=user_id, id=receipt_id).first()
        event = (
            AuditEvent.objects.filter(user_id=user_id, details__receipt=str(receipt_id))
            .order_by("seq")
            .first()
        )
        figures = summary(user_id).context()
    if row is None:
        missing(request, f"receipt:{receipt_id}")
    by = logbook.actor(event.actor, str(user_id), _names(event.actor)) if event else ""
    return show(request, "web/receipt.html", {**figures, "receipt": worded(row), "by": by})


def _names(actor: str) -> dict[str, str]:
    """The name of the application that acted, by its id; empty when it was none."""
    kind, _colon, found = actor.partition(":")
    if kind != "app":
        return {}
    return {str(one.id): one.name for one in Application.objects.filter(id=found)}
