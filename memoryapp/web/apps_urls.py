"""Addresses of "Apps and keys", below ``apps/``."""

from __future__ import annotations

from django.urls import path

from memoryapp.web.views.apps import app_access, app_disconnect, apps, key_new, key_revoke
from memoryapp.web.views.developing import (
    application,
    application_close,
    application_key,
    application_new,
    application_origins,
)

urlpatterns = [
    path("", apps, name="apps"),
    path("<uuid:application_id>/access/", app_access, name="app_access"),
    path("<uuid:application_id>/disconnect/", app_disconnect, name="app_disconnect"),
    path("keys/new/", key_new, name="key_new"),
    path("keys/<uuid:key_id>/revoke/", key_revoke, name="key_revoke"),
    path("mine/new/", application_new, name="application_new"),
    path("mine/<uuid:application_id>/", application, name="application"),
    path("mine/<uuid:application_id>/key/", application_key, name="application_key"),
    path("mine/<uuid:application_id>/origins/", application_origins, name="application_origins"),
    path("mine/<uuid:application_id>/close/", application_close, name="application_close"),
]
