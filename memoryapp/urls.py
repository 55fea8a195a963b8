"""All addresses."""

from __future__ import annotations

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from accounts.views import session_end
from memoryapp.api import api
from memoryapp.api.docs import docs

urlpatterns = [
    path("", include("memoryapp.web.urls")),
    path("", include("accounts.urls")),
    path("accounts/sessions/<int:pk>/end/", session_end, name="session_end"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    # Browsers ask for it on pages that name no icon, Django's admin among them.
    path("favicon.ico", RedirectView.as_view(url=static("favicon.svg"))),
    path("api/v1/docs", docs, name="api_docs"),
    path("api/v1/", api.urls),
]
