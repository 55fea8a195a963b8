"""Read-only pages over every user's rows, with content masked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import UUID

from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memoryapp.audit import Actor, Event, record
from memoryapp.context import acting_for, auditing

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
else:  # Generic in the type stubs only.
    AnyModelAdmin = admin.ModelAdmin

REVEAL = "memoryapp.reveal_content"


def hidden(text: str) -> str:
    """That there is a text, and how long; empty when there is none."""
    if not text:
        return ""
    return ngettext("••••• (%(count)d character)", "••••• (%(count)d characters)", len(text)) % {
        "count": len(text)
    }


def masked(name: str) -> Callable[[Any], str]:
    """A column that stands for a field without showing it."""

    def column(row: Any) -> str:
        text = str(getattr(row, name) or "")
        if name in {"subject", "scope"}:
            # The kind is ours ("person:", "project:"), the name is not.
            kind, colon, who = text.partition(":")
            return f"{kind}{colon}{hidden(who)}"
        return hidden(text)

    column.__name__ = f"masked_{name}"
    column.short_description = name.replace("_", " ")  # type: ignore[attr-defined]
    return column


class UserFilter(admin.SimpleListFilter):
    """One user's rows, chosen by the link in the column or by the id in the search box;
    a list of all users would be no help."""

    title = _("user")
    parameter_name = "user"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        chosen = request.GET.get(self.parameter_name)
        return [(chosen, chosen[-8:])] if chosen else []

    def has_output(self) -> bool:
        return self.value() is not None

    def queryset(
        self, request: HttpRequest, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        try:
            return queryset.filter(user_id=UUID(self.value())) if self.value() else queryset
        except ValueError:
            return queryset.none()


class AuditorAdmin(AnyModelAdmin):
    """Nothing can be added, changed or deleted. The database lets an auditor's transaction
    see all rows, so every page is made inside one, to its last line."""

    content: ClassVar[tuple[str, ...]] = ()  # shown masked, revealed one object at a time
    shown: ClassVar[tuple[str, ...]] = ()
    filters: ClassVar[tuple[str, ...]] = ()
    search_fields = ("=id", "=user__id")
    search_help_text = _("An id, of a row or of a user. Content can't be searched.")
    show_full_result_count = False
    list_per_page = 50
    actions: Any = None

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return ["short_id", "user_link", *self._columns(self.shown)]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return [UserFilter, *self.filters]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        names = [field.name for field in self.model._meta.concrete_fields]
        return self._columns(["user_link" if name == "user" else name for name in names])

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return self.get_fields(request, obj)

    def _columns(self, names: tuple[str, ...] | list[str]) -> list[Any]:
        return [masked(name) if name in self.content else name for name in names]

    @admin.display(description=_("id"), ordering="id")
    def short_id(self, row: Any) -> str:
        return str(row.pk)[-8:]

    @admin.display(description=_("user"))
    def user_link(self, row: Any) -> str:
        name = f"admin:{row._meta.app_label}_{row._meta.model_name}_changelist"
        return format_html(
            '<a href="{}?user={}">{}</a>', reverse(name), row.user_id, str(row.user_id)[-8:]
        )

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        # Django allows every field of the model in the address, which would let one guess
        # content by filtering on it.
        field = lookup.partition("__")[0]
        return lookup == UserFilter.parameter_name or field in self.filters

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        with auditing(auditor(request)):
            return _made(super().changelist_view(request, extra_context))

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        with auditing(auditor(request)):
            row = self.get_object(request, object_id) if object_id else None
            if row is not None and self.content and request.user.has_perm(REVEAL):
                name = f"admin:{row._meta.app_label}_{row._meta.model_name}_reveal"
                extra_context = {
                    **(extra_context or {}),
                    "reveal_url": reverse(name, args=[row.pk]),
                }
            response = _made(super().changeform_view(request, object_id, form_url, extra_context))
        if row is not None and response.status_code == 200:
            note(request, row, "admin.view")
        return response

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        with auditing(auditor(request)):
            return _made(super().history_view(request, object_id, extra_context))


def auditor(request: HttpRequest) -> Any:
    """The id under which the database lets this request read."""
    return request.user.pk


def _made(response: HttpResponse) -> HttpResponse:
    """The page, rendered now: its queries need the transaction that is open here."""
    if isinstance(response, SimpleTemplateResponse):
        response.render()
    return response


def note(request: HttpRequest, row: Any, action: str, **details: str) -> None:
    """Log in the row's user's own log that an auditor looked."""
    with acting_for(row.user_id):
        record(
            user_id=row.user_id,
            by=Actor.admin(request.user),
            events=[Event(action, f"{row._meta.model_name}:{row.pk}", details)],
        )
