"""Exports of other products: upload, look, start, follow, undo."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status

from memoryapp import import_pipeline, importing, uploads
from memoryapp.api import cursors, problems
from memoryapp.api.auth import BearerKey, Party, party
from memoryapp.api.once import IdempotencyKeyHeader, Keep, Kept, once
from memoryapp.api.problems import Problem
from memoryapp.api.schemas import (
    ImportOut,
    ImportsOut,
    PageQuery,
    UndoneOut,
    UploadQuery,
    UserQuery,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for
from memoryapp.models import Import

router = Router(auth=BearerKey("facts:write", "messages:write"))
BODY = {
    "requestBody": {
        "required": True,
        "description": "The file itself, as its product gave it: JSON, an archive, or text.",
        "content": {
            "application/octet-stream": {
                "schema": {"type": "string", "format": "binary", "minLength": 1}
            }
        },
    }
}


@router.post(
    "/imports",
    response=answers(201, ImportOut, 400, 411, 413),
    operation_id="uploadImport",
    summary="Upload an export and see what it holds",
    openapi_extra=BODY,
)
def upload_import(
    request: HttpRequest,
    response: HttpResponse,
    query: Query[UploadQuery],
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """Keeps the file and looks into it; nothing of it is remembered until `start`. A large
    file is looked into later: `state` is `looking` until then. Unstarted uploads are removed
    after a day. With an `Idempotency-Key`, a body of the same length counts as the same."""
    who = party(request, query.user)
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if not length:
        raise Problem("malformed", _("Send the file as the body of the request."))

    def work(keep: Keep) -> Kept:
        import_id = import_pipeline.receive(
            user_id=who.user_id,
            content=uploads.Stream(request),
            by=who.by,
            application_id=who.application_id,
            pasted=query.pasted,
        )
        kept = {"import": str(import_id)}
        keep(kept)
        return kept

    try:
        # The file is read once, and may be large: its length stands for it.
        body = str(length).encode()
        kept = once(request, response, who, idempotency_key, work, status=201, body=body)
    except uploads.TooLarge:
        raise problems.upload_too_large() from None
    return Status(201, _import(who, UUID(kept["import"])))


@router.get(
    "/imports",
    response=answers(200, ImportsOut),
    operation_id="listImports",
    summary="What was brought in",
)
def list_imports(request: HttpRequest, query: Query[PageQuery]) -> Any:
    """The newest first, unstarted uploads among them."""
    who = party(request, query.user)
    with acting_for(who.user_id):
        page = cursors.page(
            Import.objects.filter(user_id=who.user_id),
            cursors.by_id(),
            cursor=query.cursor,
            limit=query.limit,
        )
        items = [_shown(row) for row in page.items]
    return {"items": items, "next_cursor": page.next_cursor}


@router.get(
    "/imports/{import_id}",
    response=answers(200, ImportOut, 404),
    operation_id="getImport",
    summary="What an import holds and how far it is",
)
def get_import(request: HttpRequest, import_id: UUID, query: Query[UserQuery]) -> Any:
    """The preview, and once it was started, the progress and the outcome."""
    return _import(party(request, query.user), import_id)


@router.post(
    "/imports/{import_id}/start",
    response=answers(202, ImportOut, 404, 409),
    operation_id="startImport",
    summary="Take an upload in",
)
def start_import(
    request: HttpRequest,
    response: HttpResponse,
    import_id: UUID,
    query: Query[UserQuery],
    idempotency_key: IdempotencyKeyHeader = None,
) -> Any:
    """Starts the work, which goes on in the background. What is known already isn't stored
    again."""
    who = party(request, query.user)

    def work(keep: Keep) -> Kept:
        kept = {"import": str(import_id)}
        with acting_for(who.user_id):
            import_pipeline.start(user_id=who.user_id, import_id=import_id, by=who.by)
            keep(kept)
        return kept

    try:
        once(request, response, who, idempotency_key, work, status=202)
    except importing.NotFound:
        raise who.not_found(f"import:{import_id}") from None
    except importing.NotNow as error:
        if str(error) == "paused":
            detail = _("The user has paused the memory: nothing can come in.")
        else:
            detail = _("Only an import in the state “ready” can be started.")
        raise Problem("conflict", detail) from None
    return Status(202, _import(who, import_id))


@router.delete(
    "/imports/{import_id}",
    response=answers(200, UndoneOut, 404, 409),
    operation_id="undoImport",
    summary="Undo an import",
)
def undo_import(request: HttpRequest, import_id: UUID, query: Query[UserQuery]) -> Any:
    """Erases all that it brought and all that was learnt only from it; what it had replaced
    holds again. An upload that wasn't started is removed."""
    who = party(request, query.user)
    try:
        receipt = import_pipeline.undo(user_id=who.user_id, import_id=import_id, by=who.by)
    except importing.NotFound:
        raise who.not_found(f"import:{import_id}") from None
    except importing.NotNow:
        raise Problem("conflict", _("This import was undone before.")) from None
    return {"receipt": receipt}


def _import(who: Party, import_id: UUID) -> dict[str, Any]:
    try:
        with acting_for(who.user_id):
            return _shown(importing.get(user_id=who.user_id, import_id=import_id))
    except importing.NotFound:
        raise who.not_found(f"import:{import_id}") from None


def _shown(row: Import) -> dict[str, Any]:
    """Needs ``acting_for``."""
    return {
        "id": row.id,
        "state": row.state,
        "format": row.format,
        "preview": row.preview,
        "progress": importing.progress(row=row),
        "counts": {key: n for key, n in row.counts.items() if isinstance(n, int)},
        "skipped": row.counts.get("skipped", {}),
        "error": row.error,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
    }
