"""The settings' addresses: a section's name, never a word of the user's."""

from __future__ import annotations

from django.urls import path

from memoryapp.web.views.preferences import settings, settings_save

urlpatterns = [
    path("", settings, name="settings"),
    path("<slug:section>/", settings_save, name="settings_save"),
]
