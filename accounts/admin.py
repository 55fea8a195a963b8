from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.mfa import admin as mfa_admin  # noqa: F401  (registers what is taken back below)
from allauth.mfa.models import Authenticator
from allauth.usersessions import admin as usersessions_admin  # noqa: F401
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.models import ApiKey, Application, EndUser, User

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
    UserModelAdmin = admin.ModelAdmin[User]
else:  # Generic in the type stubs only.
    AnyModelAdmin = UserModelAdmin = admin.ModelAdmin


# Nobody needs to see the keys of others' second factors, or where they are signed in.
admin.site.unregister([Authenticator, UserSession])


class ReadOnlyAdmin(AnyModelAdmin):
    """Rows can be looked at and, by an action, revoked; nothing else."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [str(name) for name in self.fields or ()]

    @admin.action(description=_("Revoke the selected rows"), permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        rows = list(queryset.filter(revoked_at=None))
        now = timezone.now()
        for row in rows:
            # The condition again: somebody may have revoked it in between.
            queryset.model.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=now)
            self.log_change(request, row, "revoked")
        message = ngettext("%(count)d revoked.", "%(count)d revoked.", len(rows))
        self.message_user(request, message % {"count": len(rows)}, messages.SUCCESS)


@admin.register(User)
class UserAdmin(UserModelAdmin):
    """Accounts, without password and secret. Rights are given by superusers only.
    Erasing an account means erasing a memory, which has a way of its own."""

    list_display = ("id", "email", "display_name", "is_active", "is_staff", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("id", "email", "display_name")
    ordering = ("-date_joined",)
    filter_horizontal = ("groups", "user_permissions")
    fieldsets = (
        (None, {"fields": ("id", "email", "display_name", "time_zone", "language")}),
        (
            _("Rights"),
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        (_("Dates"), {"fields": ("date_joined", "last_login")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        fields = ["id", "date_joined", "last_login"]
        if obj is not None:
            # Addresses are changed by their owner, who proves the new one by a code.
            fields.append("email")
        if not request.user.is_superuser:
            fields += ["is_staff", "is_superuser", "groups", "user_permissions"]
        return fields

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        if obj is not None and obj.is_superuser and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if not change:
            obj.set_unusable_password()
        super().save_model(request, obj, form, change)


@admin.register(Application)
class ApplicationAdmin(ReadOnlyAdmin):
    list_display = ("name", "owner", "created_at", "revoked_at")
    list_select_related = ("owner",)
    search_fields = ("id", "name")
    fields = ("id", "name", "owner", "created_at", "revoked_at", "embed_origins")
    actions = ("revoke",)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = (
        "prefix",
        "name",
        "owner",
        "application",
        "expires_at",
        "revoked_at",
        "last_used_at",
    )
    list_select_related = ("owner", "application")
    search_fields = ("id", "prefix", "name")
    fields = (
        "id",
        "prefix",
        "name",
        "owner",
        "application",
        "scopes",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
    )
    actions = ("revoke",)


@admin.register(EndUser)
class EndUserAdmin(ReadOnlyAdmin):
    list_display = ("external_id", "application", "user", "created_at")
    list_select_related = ("application", "user")
    search_fields = ("id", "external_id")
    fields = ("id", "application", "external_id", "user", "may_read", "may_write", "created_at")

    def has_change_permission(self, request: HttpRequest, obj: EndUser | None = None) -> bool:
        return False
