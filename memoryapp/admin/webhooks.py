"""Webhooks for those who look after an application; events and deliveries for auditors."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memoryapp import audit, providers, webhooks
from memoryapp.models import MemoryEvent, WebhookDelivery, WebhookEndpoint

from .base import AnyModelAdmin, AuditorAdmin

_REFUSED = {
    "url": _("Nothing can be sent to this address: it needs https://, a host, no password."),
    "https": _("The address isn't encrypted: send one with https://."),
    "too_many": _("The application has as many webhooks as it may have. Remove one."),
}


class WebhookForm(forms.ModelForm):  # type: ignore[type-arg]  # Generic in the stubs only.
    events = forms.MultipleChoiceField(
        label=_("Events"),
        choices=MemoryEvent.Type.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None means all."),
    )

    class Meta:
        model = WebhookEndpoint
        fields = ("application", "url", "description", "events")

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        application = given.get("application")
        try:
            if url := given.get("url"):
                webhooks.check_url(url)
            if application is not None and self.instance._state.adding:
                webhooks.check_room(application)
        except webhooks.Refused as error:
            self.add_error("url" if error.code != "too_many" else None, str(_REFUSED[error.code]))
        return given


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(AnyModelAdmin):
    """The secret is shown once, when a webhook is made or its secret rotated. An address may
    hold a token: the list shows only where it leads."""

    form = WebhookForm
    list_display = ("id", "application", "host", "is_enabled", "failing_since", "last_success_at")
    list_select_related = ("application",)
    list_filter = ("disabled_reason",)
    search_fields = ("=id", "application__name")
    readonly_fields = ("id", "created_at", "disabled_at", "disabled_reason", "failing_since",
                       "last_success_at", "previous_until")  # fmt: skip
    actions = ("try_it", "rotate", "switch_off", "switch_on")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        given = ["application", "url", "description", "events"]
        return given if obj is None else [*given, *self.readonly_fields]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [] if obj is None else ["application", *self.readonly_fields]

    @admin.display(description=_("host"))
    def host(self, row: WebhookEndpoint) -> str:
        return webhooks.host(row.url)

    @admin.display(description=_("on"), boolean=True)
    def is_enabled(self, row: WebhookEndpoint) -> bool:
        return row.disabled_at is None

    def save_model(
        self, request: HttpRequest, obj: WebhookEndpoint, form: Any, change: bool
    ) -> None:
        by, now = audit.Actor.admin(request.user), providers.clock().now()
        given = form.cleaned_data
        if change:
            row = WebhookEndpoint.objects.select_related("application__owner").get(pk=obj.pk)
            wanted: Any = {name: given[name] for name in ("url", "description", "events")}
            webhooks.update(row=row, changes=wanted, by=by, now=now)
            return
        row, secret = webhooks.create(
            application=given["application"],
            url=given["url"],
            description=given["description"],
            events=given["events"],
            by=by,
            now=now,
        )
        obj.pk = row.pk
        obj._state.adding = False
        self._show(request, row, secret)

    def delete_model(self, request: HttpRequest, obj: WebhookEndpoint) -> None:
        webhooks.delete(row=obj, by=audit.Actor.admin(request.user), now=providers.clock().now())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[WebhookEndpoint]) -> None:
        for row in queryset.select_related("application__owner"):
            self.delete_model(request, row)

    def _show(self, request: HttpRequest, row: WebhookEndpoint, secret: str) -> None:
        text = _("The secret of %(webhook)s, shown now and never again: %(secret)s")
        self.message_user(request, str(text) % {"webhook": row, "secret": secret}, messages.WARNING)

    @admin.action(description=_("Send a test"), permissions=["change"])
    def try_it(self, request: HttpRequest, queryset: QuerySet[WebhookEndpoint]) -> None:
        for row in queryset:
            answer = webhooks.test(row=row, now=providers.clock().now())
            words = (
                _("%(webhook)s accepted it (%(status)d, %(ms)d ms).")
                if answer.delivered
                else _("%(webhook)s did not accept it: %(error)s (%(status)d, %(ms)d ms).")
            )
            about = {"webhook": row, "status": answer.status, "error": answer.error,
                     "ms": answer.milliseconds}  # fmt: skip
            level = messages.SUCCESS if answer.delivered else messages.ERROR
            self.message_user(request, str(words) % about, level)

    @admin.action(description=_("Make a new secret"), permissions=["change"])
    def rotate(self, request: HttpRequest, queryset: QuerySet[WebhookEndpoint]) -> None:
        for row in queryset.select_related("application__owner"):
            by = audit.Actor.admin(request.user)
            secret = webhooks.rotate(row=row, by=by, now=providers.clock().now())
            self._show(request, row, secret)

    @admin.action(description=_("Switch off"), permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet[WebhookEndpoint]) -> None:
        by = audit.Actor.admin(request.user)
        count = sum(
            webhooks.disable(row=row, by=by, now=providers.clock().now())
            for row in queryset.select_related("application__owner")
        )
        text = ngettext("%(count)d switched off.", "%(count)d switched off.", count)
        self.message_user(request, text % {"count": count}, messages.SUCCESS)

    @admin.action(description=_("Switch on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet[WebhookEndpoint]) -> None:
        by = audit.Actor.admin(request.user)
        rows = list(queryset.select_related("application__owner").exclude(disabled_at=None))
        for row in rows:
            webhooks.enable(row=row, by=by, now=providers.clock().now())
        text = ngettext("%(count)d switched on.", "%(count)d switched on.", len(rows))
        self.message_user(request, text % {"count": len(rows)}, messages.SUCCESS)


@admin.register(MemoryEvent)
class MemoryEventAdmin(AuditorAdmin):
    shown = ("seq", "type", "at")
    filters = ("type", "at")
    ordering = ("-at", "-seq")


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(AuditorAdmin):
    shown = ("endpoint", "state", "status", "error", "attempts", "created_at", "not_before")
    filters: ClassVar[tuple[str, ...]] = ("state", "error", "created_at")
    ordering = ("-created_at", "-id")
