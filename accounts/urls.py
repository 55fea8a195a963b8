from __future__ import annotations

from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    path("enter/<slug:token>/", views.enter, name="enter"),
    # Within a frame only: see ``accounts.embedding``.
    path("theme.css", views.embed_theme, name="embed_theme"),
    path("sure/", views.embed_confirm, name="embed_confirm"),
]
