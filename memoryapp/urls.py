"""All addresses."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from memoryapp.api import api

urlpatterns = [
    path("", include("memoryapp.web.urls")),
    path("", include("accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
]
