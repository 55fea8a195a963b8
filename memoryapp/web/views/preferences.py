"""Settings: language, time zone, and what may be remembered without asking."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp import audit
from memoryapp.context import acting_for
from memoryapp.models import MemorySettings
from memoryapp.web.forms import SettingsForm
from memoryapp.web.views.common import me, private, show, summary


@private
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        held = MemorySettings.objects.filter(user_id=user.pk).first()
        context = summary(user.pk).context()
    before = sorted(held.sensitive_opt_in) if held else []
    if request.method == "POST":
        form = SettingsForm(request.POST)
        if form.is_valid():
            _save(request, form, before)
            with translation.override(user.language):
                messages.success(request, _("Saved."))
            return redirect("settings")
    else:
        form = SettingsForm(
            initial={
                "language": user.language,
                "time_zone": user.time_zone,
                "sensitive_opt_in": before,
            }
        )
    context |= {"form": form, "fields": [form["language"], form["time_zone"]]}
    return show(request, "web/settings.html", context, status=422 if form.is_bound else 200)


def _save(request: HttpRequest, form: SettingsForm, before: list[str]) -> None:
    user = me(request)
    user.language = form.cleaned_data["language"]
    user.time_zone = form.cleaned_data["time_zone"]
    user.save(update_fields=["language", "time_zone"])
    wanted = sorted(form.cleaned_data["sensitive_opt_in"])
    if wanted == before:
        return
    with acting_for(user.pk):
        MemorySettings.objects.update_or_create(
            user_id=user.pk, defaults={"sensitive_opt_in": wanted}
        )
        audit.record(
            user_id=user.pk,
            by=audit.Actor.user(user),
            events=[audit.Event("settings.change", "settings")],
        )
