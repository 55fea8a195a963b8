"""The auditors' pages, one a table."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from memoryapp.audit import verify_chain
from memoryapp.models import (
    Attribute,
    AuditEvent,
    Conversation,
    Decision,
    ErasureReceipt,
    ErasureRequest,
    Evidence,
    Extraction,
    Fact,
    Message,
    Outbox,
    TokenDay,
    TokenUse,
)

from .base import AnyModelAdmin, AuditorAdmin
from .reveal import RevealingAdmin


@admin.register(Fact)
class FactAdmin(RevealingAdmin):
    content = ("subject", "scope", "value", "value_key", "statement")
    shown = ("subject", "attribute", "scope", "value", "kind", "status", "confidence",
             "valid_from", "recorded_at")  # fmt: skip
    filters = ("status", "kind", "sensitivity", "recorded_at")
    ordering = ("-recorded_at", "-id")


@admin.register(Evidence)
class EvidenceAdmin(RevealingAdmin):
    content = ("quote",)
    shown = ("quote", "source", "sent_at", "recorded_at")
    filters = ("source", "recorded_at")
    ordering = ("-recorded_at", "-id")


@admin.register(Decision)
class DecisionAdmin(RevealingAdmin):
    content = ("subject", "scope", "value")
    shown = ("subject", "attribute", "value", "outcome", "judge", "reason", "at")
    filters = ("outcome", "judge", "at")
    ordering = ("-at", "-id")


@admin.register(Extraction)
class ExtractionAdmin(AuditorAdmin):
    shown = ("extractor", "version", "outcome", "messages", "candidates", "dropped", "tokens",
             "started_at", "ended_at")  # fmt: skip
    filters = ("outcome", "extractor", "started_at")
    ordering = ("-started_at", "-id")


@admin.register(Conversation)
class ConversationAdmin(RevealingAdmin):
    content = ("title",)
    shown = ("title", "application_id", "created_at", "last_message_at")
    filters = ("last_message_at",)
    ordering = ("-last_message_at", "-id")


@admin.register(Message)
class MessageAdmin(RevealingAdmin):
    content = ("content",)
    shown = ("role", "content", "state", "redactions", "sent_at", "received_at", "purged_at")
    filters = ("state", "role", "received_at")
    ordering = ("-received_at", "-id")


@admin.register(Outbox)
class OutboxAdmin(AuditorAdmin):
    shown = ("created_at", "not_before", "attempts", "done_at", "failed_at", "error")
    filters = ("error", "created_at", "failed_at")
    ordering = ("-created_at", "-id")


@admin.register(TokenUse)
class TokenUseAdmin(AuditorAdmin):
    shown = ("day", "tokens")
    filters = ("day",)
    ordering = ("-day", "-tokens")


@admin.register(TokenDay)
class TokenDayAdmin(AnyModelAdmin):
    """What reading costs: everybody's tokens, day by day. Counted, so nothing to edit."""

    list_display = ("day", "tokens")
    date_hierarchy = "day"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: TokenDay | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: TokenDay | None = None) -> bool:
        return False


@admin.register(ErasureRequest)
class ErasureRequestAdmin(RevealingAdmin):
    content = ("what",)
    shown = ("what", "state", "asked_at", "settled_at")
    filters = ("state", "asked_at")
    ordering = ("-asked_at", "-id")


@admin.register(ErasureReceipt)
class ErasureReceiptAdmin(AuditorAdmin):
    shown = ("target", "counts", "completed_at", "storage_completed_at")
    filters = ("target", "completed_at")
    ordering = ("-completed_at", "-id")


@admin.register(AuditEvent)
class AuditEventAdmin(AuditorAdmin):
    shown = ("seq", "at", "actor", "action", "object", "details")
    filters = ("action", "at")
    ordering = ("-at", "-seq")
    actions = ("check_chains",)

    @admin.action(
        description=_("Check the logs of the selected events' users"), permissions=["view"]
    )
    def check_chains(self, request: HttpRequest, queryset: QuerySet[AuditEvent]) -> None:
        for user_id in sorted(set(queryset.values_list("user_id", flat=True))):
            report = verify_chain(user_id=user_id)
            about: dict[str, Any] = {
                "user": user_id,
                "count": report.events,
                "seq": report.first_bad,
            }
            if report.whole:
                text = ngettext(
                    "The log of %(user)s is whole: %(count)d event.",
                    "The log of %(user)s is whole: %(count)d events.",
                    report.events,
                )
            else:
                text = gettext("The log of %(user)s is broken at event %(seq)d.")
            level = messages.SUCCESS if report.whole else messages.ERROR
            self.message_user(request, text % about, level)


@admin.register(Attribute)
class AttributeAdmin(AnyModelAdmin):
    """The registry of known attributes: nobody's data, so it can be edited. One in use is
    not deleted: its facts would lose their words."""

    list_display = ("key", "kind", "cardinality", "sensitive", "ttl_days", "half_life_days")
    list_filter = ("kind", "cardinality", "sensitive")
    search_fields: ClassVar[tuple[str, ...]] = ("key", "aliases")

    def has_delete_permission(self, request: HttpRequest, obj: Attribute | None = None) -> bool:
        return False
