"""Django admin for auditors, under our own title."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _


class MemoryAdminSite(AdminSite):
    site_header = _("memoryapp audit")
    site_title = _("memoryapp audit")
    index_title = _("What the system did, without reading people's lives")

    def login(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """By the page's own sign-in, which asks for the second factor too."""
        # At the top, it would be imported before the applications are there.
        from allauth.account.decorators import secure_admin_login

        response: HttpResponse = secure_admin_login(super().login)(request, extra_context)
        return response


class MemoryAdminConfig(AdminConfig):
    default_site = "memoryapp.admin_site.MemoryAdminSite"
