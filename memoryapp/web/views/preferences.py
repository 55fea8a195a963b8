"""Settings: language, time zone, what may be remembered without asking, and what
applications may do."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp import audit, preferences
from memoryapp.context import acting_for
from memoryapp.web.forms import AccessForm, SettingsForm
from memoryapp.web.views.common import me, private, show, summary


@private
@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        held = preferences.load(user=user)
        context = summary(user.pk).context()
    access = [
        (
            one,
            AccessForm(
                request.POST if request.method == "POST" else None,
                prefix=str(one.application_id),
                initial={"may_read": one.may_read, "may_write": one.may_write},
            ),
        )
        for one in held.applications
    ]
    if request.method == "POST":
        form = SettingsForm(request.POST)
        if form.is_valid() and all(each.is_valid() for _one, each in access):
            with acting_for(user.pk):
                preferences.change(
                    user=user,
                    changes={
                        "language": form.cleaned_data["language"],
                        "time_zone": form.cleaned_data["time_zone"],
                        "sensitive_opt_in": form.cleaned_data["sensitive_opt_in"],
                        "applications": {
                            one.application_id: (
                                each.cleaned_data["may_read"],
                                each.cleaned_data["may_write"],
                            )
                            for one, each in access
                        },
                    },
                    by=audit.Actor.user(user),
                )
            with translation.override(user.language):
                messages.success(request, _("Saved."))
            return redirect("settings")
    else:
        form = SettingsForm(
            initial={
                "language": held.language,
                "time_zone": held.time_zone,
                "sensitive_opt_in": held.sensitive_opt_in,
            }
        )
    context |= {
        "form": form,
        "fields": [form["language"], form["time_zone"]],
        "access": [{"name": one.name, "form": each} for one, each in access],
    }
    return show(request, "web/settings.html", context, status=422 if form.is_bound else 200)
