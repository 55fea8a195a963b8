"""Import and export: what there is to take away, how large it is, and the files themselves,
each written while it is read."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Sum
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from memoryapp import exporting
from memoryapp.api.schemas import ExportOut
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent, Conversation, Fact, Import, Message
from memoryapp.web.notebook_file import notebook
from memoryapp.web.spoken import download, spoken
from memoryapp.web.views.common import me, private, show, summary

# Bytes of one row in the file for programs, about, beside a message's own words.
FACT, MESSAGE, EVENT = 2000, 420, 330
# Nothing in the file may run or load, wherever it is opened from.
SEALED = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


@private
@require_GET
def exports(request: HttpRequest) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        context = summary(user_id).context() | _figures(user_id)
        context["latest"] = AuditEvent.objects.filter(user_id=user_id, action="export").order_by(
            "-seq"
        ).first()  # fmt: skip
        context["imports"] = (
            Import.objects.filter(user_id=user_id).exclude(state=Import.State.RECEIVING).count()
        )
    return show(request, "web/exports.html", context)


def _figures(user_id: UUID) -> dict[str, Any]:
    messages = Message.objects.filter(user_id=user_id)
    facts = Fact.objects.filter(user_id=user_id, operation="state").count()
    newest = AuditEvent.objects.filter(user_id=user_id).order_by("-seq").first()
    said = messages.count()
    letters = messages.aggregate(all=Sum(Length("content")))["all"] or 0
    events = newest.seq if newest else 0
    return {
        "facts": facts,
        "talks": Conversation.objects.filter(user_id=user_id).count(),
        "said": said,
        "events": events,
        "size": letters + facts * FACT + said * MESSAGE + events * EVENT,
    }


@private
@require_GET
def export_json(request: HttpRequest) -> Any:
    user, now = me(request), timezone.now()
    pieces = exporting.export(user=user, by=Actor.user(user), now=now)
    return download(pieces, "application/json", f"memories-{timezone.localdate():%Y-%m-%d}.json")


@require_GET
def export_schema(request: HttpRequest) -> JsonResponse:
    """The form of the file for programs, as JSON Schema; ``docs/export.schema.json``."""
    return JsonResponse(ExportOut.model_json_schema(), json_dumps_params={"indent": 2})


@private
@require_GET
def export_page(request: HttpRequest) -> Any:
    user = me(request)
    pieces = notebook(user=user, by=Actor.user(user), now=timezone.now())
    response = download(
        spoken(pieces), "text/html; charset=utf-8", f"memories-{timezone.localdate():%Y-%m-%d}.html"
    )
    response["Content-Security-Policy"] = SEALED
    return response
