"""Django admin for auditors, under our own title."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.utils.translation import gettext_lazy as _


class MemoryAdminSite(AdminSite):
    site_header = _("memoryapp audit")
    site_title = _("memoryapp audit")
    index_title = _("What the system did, without reading people's lives")


class MemoryAdminConfig(AdminConfig):
    default_site = "memoryapp.admin_site.MemoryAdminSite"
