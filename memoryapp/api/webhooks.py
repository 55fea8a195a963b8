"""An application's webhooks: set up, changed, tried, followed, replayed."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query, Router, Status
from pydantic import BaseModel, Field

from accounts.models import Application, EndUser
from memoryapp import audit, providers, webhooks
from memoryapp.api import cursors
from memoryapp.api.auth import BearerKey, key_of
from memoryapp.api.fields import Text
from memoryapp.api.problems import Problem, field_problem, not_found
from memoryapp.api.schemas import (
    DeliveriesOut,
    ReplayedOut,
    ReplayIn,
    RotateIn,
    TriedOut,
    WebhookChange,
    WebhookIn,
    WebhookMadeOut,
    WebhookOut,
    WebhooksOut,
)
from memoryapp.api.site import answers
from memoryapp.context import acting_for, relaying
from memoryapp.models import WebhookDelivery, WebhookEndpoint

router = Router(auth=BearerKey("webhooks:write"))


class DeliveriesQuery(BaseModel):
    state: Literal["pending", "delivered", "failed"] | None = None
    cursor: Annotated[Text | None, Field(description="next_cursor of the page before.")] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50


@router.get(
    "/webhooks",
    response=answers(200, WebhooksOut),
    operation_id="listWebhooks",
    summary="The application's webhooks",
)
def list_webhooks(request: HttpRequest) -> Any:
    """The newest first. Needs an application's key, as all of these do."""
    return {"items": [_shown(row) for row in webhooks.of_application(_application(request).pk)]}


@router.post(
    "/webhooks",
    response=answers(201, WebhookMadeOut, 400, 409, 411, 413, 415),
    operation_id="createWebhook",
    summary="Set a webhook up",
)
def create_webhook(request: HttpRequest, body: WebhookIn) -> Any:
    """From now on events of all of the application's users are posted there, as ids, signed
    after [Standard Webhooks](https://www.standardwebhooks.com). The secret is in this answer
    alone."""
    application = _application(request)
    try:
        row, secret = webhooks.create(
            application=application,
            url=body.url,
            description=body.description,
            events=body.events,
            by=audit.Actor.application(application.pk),
            now=providers.clock().now(),
        )
    except webhooks.Refused as error:
        raise _refusal(error) from None
    return Status(201, {**_shown(row), "secret": secret})


@router.get(
    "/webhooks/{uuid:webhook_id}",
    response=answers(200, WebhookOut, 404),
    operation_id="getWebhook",
    summary="One webhook",
)
def get_webhook(request: HttpRequest, webhook_id: UUID) -> Any:
    return _shown(_find(request, webhook_id))


@router.patch(
    "/webhooks/{uuid:webhook_id}",
    response=answers(200, WebhookOut, 400, 404, 411, 413, 415),
    operation_id="changeWebhook",
    summary="Change a webhook, or switch it off or on",
)
def change_webhook(request: HttpRequest, webhook_id: UUID, body: WebhookChange) -> Any:
    """What is left out stays as it is. What happens while it is off isn't sent later, unless
    it is replayed."""
    row = _find(request, webhook_id)
    by, now = audit.Actor.application(row.application_id), providers.clock().now()
    given: Any = {
        name: getattr(body, name)
        for name in ("url", "description", "events")
        if name in body.model_fields_set
    }
    if given:
        try:
            webhooks.update(row=row, changes=given, by=by, now=now)
        except webhooks.Refused as error:
            raise _refusal(error) from None
    if "enabled" in body.model_fields_set:
        if not body.enabled:
            webhooks.disable(row=row, by=by, now=now)
        elif row.disabled_at is not None:
            webhooks.enable(row=row, by=by, now=now)
    return _shown(row)


@router.delete(
    "/webhooks/{uuid:webhook_id}",
    response=answers(204, None, 404),
    operation_id="deleteWebhook",
    summary="Remove a webhook",
)
def delete_webhook(request: HttpRequest, webhook_id: UUID) -> Any:
    """What is on its way to it is not sent any more."""
    row = _find(request, webhook_id)
    by = audit.Actor.application(row.application_id)
    webhooks.delete(row=row, by=by, now=providers.clock().now())
    return HttpResponse(status=204)


@router.post(
    "/webhooks/{uuid:webhook_id}/rotate",
    response=answers(200, WebhookMadeOut, 400, 404, 411, 413, 415),
    operation_id="rotateWebhookSecret",
    summary="A new secret",
)
def rotate_secret(request: HttpRequest, webhook_id: UUID, body: RotateIn) -> Any:
    """Shown once. Until the overlap is over each message has two signatures: one by the new
    secret and one by the old, of which either may be checked."""
    row = _find(request, webhook_id)
    secret = webhooks.rotate(
        row=row,
        by=audit.Actor.application(row.application_id),
        now=providers.clock().now(),
        overlap=timedelta(seconds=body.overlap_seconds),
    )
    return {**_shown(row), "secret": secret}


@router.post(
    "/webhooks/{uuid:webhook_id}/test",
    response=answers(200, TriedOut, 404, 411, 413),
    operation_id="testWebhook",
    summary="Try a webhook",
)
def test_webhook(request: HttpRequest, webhook_id: UUID) -> Any:
    """Posts a `webhook.test` at once and tells what came of it."""
    return TriedOut.model_validate(
        webhooks.test(row=_find(request, webhook_id), now=providers.clock().now())
    )


@router.get(
    "/webhooks/{uuid:webhook_id}/deliveries",
    response=answers(200, DeliveriesOut, 404),
    operation_id="listWebhookDeliveries",
    summary="What was sent",
)
def list_deliveries(request: HttpRequest, webhook_id: UUID, query: Query[DeliveriesQuery]) -> Any:
    """Each message with its attempts, the newest first. What receivers answered isn't kept,
    but for the status."""
    row = _find(request, webhook_id)
    with relaying():
        rows = webhooks.listed(row)
        if query.state is not None:
            rows = rows.filter(state=query.state)
        page = cursors.page(rows, cursors.by_id(), cursor=query.cursor, limit=query.limit)
        types = webhooks.types(page.items)
    names = dict(
        EndUser.objects.filter(
            application_id=row.application_id, user_id__in={each.user_id for each in page.items}
        ).values_list("user_id", "external_id")
    )
    return {
        "items": [
            _delivery(each, types[each.event_id], names.get(each.user_id)) for each in page.items
        ],
        "next_cursor": page.next_cursor,
    }


@router.post(
    "/webhooks/{uuid:webhook_id}/replay",
    response=answers(202, ReplayedOut, 400, 404, 409, 411, 413, 415),
    operation_id="replayWebhook",
    summary="Send again",
)
def replay(request: HttpRequest, webhook_id: UUID, body: ReplayIn) -> Any:
    """Sends deliveries again, or all events of a time, those among them that the webhook
    missed while it was off. A message keeps its `webhook-id`, by which receivers know that
    they have it already."""
    row, now = _find(request, webhook_id), providers.clock().now()
    if row.disabled_at is not None:
        raise Problem("conflict", _("The webhook is switched off. Switch it on, then replay."))
    if body.since is None:
        done = webhooks.replay(endpoint=row, delivery_ids=body.deliveries, now=now)
    else:
        done = webhooks.replay_range(
            endpoint=row, since=body.since, until=body.until or now, now=now
        )
    return Status(202, ReplayedOut.model_validate(done))


def _application(request: HttpRequest) -> Application:
    application = key_of(request).application
    if application is None:
        raise Problem("forbidden", _("Webhooks belong to an application: use its key."))
    return application


def _find(request: HttpRequest, webhook_id: UUID) -> WebhookEndpoint:
    application = _application(request)
    row = (
        webhooks.of_application(application.pk)
        .select_related("application__owner")
        .filter(pk=webhook_id)
        .first()
    )
    if row is None:
        owner = application.owner_id
        with acting_for(owner):
            by = audit.Actor.application(application.pk)
            audit.refused(user_id=owner, by=by, object=f"webhook:{webhook_id}")
        raise not_found()
    return row


def _refusal(error: webhooks.Refused) -> Problem:
    if error.code == "too_many":
        return Problem("conflict", _("An application has at most 20 webhooks. Remove one."))
    if error.code == "https":
        return field_problem(
            "url", "https", _("The address isn't encrypted."), _("Send one with https.")
        )
    return field_problem(
        "url",
        "url",
        _("Nothing can be sent to this address."),
        _("Send https://, a host, and no user name, password or fragment, in ASCII."),
    )


def _shown(row: WebhookEndpoint) -> dict[str, Any]:
    names = ("id", "url", "description", "events", "disabled_reason", "created_at",
             "disabled_at", "failing_since", "last_success_at")  # fmt: skip
    return {
        **{name: getattr(row, name) for name in names},
        "enabled": row.disabled_at is None,
        "previous_secret_until": row.previous_until,
    }


def _delivery(row: WebhookDelivery, type_: str, user: str | None) -> dict[str, Any]:
    waits = row.state == WebhookDelivery.State.PENDING
    return {
        "id": row.id,
        "message": webhooks.message_id(row.event_id),
        "type": type_,
        "user": user,
        "state": row.state,
        "created_at": row.created_at,
        "next_attempt_at": row.not_before if waits else None,
        "ended_at": row.ended_at,
        "error": row.error,
        "attempts": row.log,
    }
