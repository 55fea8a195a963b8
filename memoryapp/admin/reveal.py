"""One object's content, shown once, to who may and says why."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext_lazy as _

from memoryapp.context import auditing

from .base import REVEAL, AuditorAdmin, auditor, note


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        min_length=10,
        max_length=200,
        help_text=_("The user will see in their log that you looked, and this reason."),
    )


class RevealingAdmin(AuditorAdmin):
    """An auditor's page whose masked content can be revealed, one object at a time."""

    def get_urls(self) -> list[Any]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_reveal"
        view = self.admin_site.admin_view(self.reveal_view)
        return [path("<uuid:object_id>/reveal/", view, name=name), *super().get_urls()]

    def reveal_view(self, request: HttpRequest, object_id: Any) -> HttpResponse:
        """Asks for the reason, logs it in the user's log, then shows the content."""
        if not (request.user.has_perm(REVEAL) and self.has_view_permission(request)):
            raise PermissionDenied
        form = ReasonForm(request.POST if request.method == "POST" else None)
        with auditing(auditor(request)):
            row = self.get_object(request, str(object_id))
        if row is None:
            raise Http404
        revealed: list[tuple[str, str]] = []
        if form.is_valid():
            note(request, row, "admin.reveal", reason=form.cleaned_data["reason"])
            revealed = [
                (str(self.opts.get_field(name).verbose_name), getattr(row, name))  # type: ignore[union-attr]
                for name in self.content
            ]
        response = TemplateResponse(
            request,
            "admin/memoryapp/reveal.html",
            {
                **self.admin_site.each_context(request),
                "title": _("Reveal content"),
                "opts": self.opts,
                "original": row,
                "form": form,
                "revealed": revealed,
            },
        )
        add_never_cache_headers(response)
        return response
