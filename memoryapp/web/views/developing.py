"""A developer's own applications: their keys, and the sites that may show the page.

URL names: ``application_new``, and with an application's id ``application``,
``application_key``, ``application_origins``, ``application_close``.
"""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import Application
from memoryapp import webhooks
from memoryapp.web.key_forms import ApplicationForm, OriginsForm
from memoryapp.web.views.apps import connecting, key_form, key_rows, own, page, record
from memoryapp.web.views.common import me, missing


@own
@require_http_methods(["GET", "POST"])
def application_new(request: HttpRequest) -> HttpResponse:
    user = me(request)
    form = ApplicationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            with transaction.atomic():
                made = Application.objects.create(owner=user, name=form.cleaned_data["name"])
                record(user, "app.make", f"application:{made.pk}")
        except IntegrityError:
            form.add_error("name", _("You have an application of this name already."))
        else:
            return redirect("application", made.pk)
    return page(
        request, "web/application_new.html", {"form": form}, status=422 if form.is_bound else 200
    )


def _mine(request: HttpRequest, application_id: UUID) -> Application:
    found = me(request).applications.filter(pk=application_id).first()
    if found is None:
        missing(request, f"application:{application_id}")
    return found


def _show(
    request: HttpRequest, application: Application, form: OriginsForm, *, status: int = 200
) -> HttpResponse:
    context = {
        "application": application,
        "people": application.end_users.count(),
        "keys": key_rows(application.api_keys.select_related("owner", "application")),
        "webhooks": webhooks.of_application(application.pk),
        "form": form,
        **connecting(request),
    }
    return page(request, "web/application.html", context, status=status)


@own
@require_GET
def application(request: HttpRequest, application_id: UUID) -> HttpResponse:
    found = _mine(request, application_id)
    return _show(request, found, OriginsForm(initial={"origins": "\n".join(found.embed_origins)}))


@own
@require_http_methods(["GET", "POST"])
def application_key(request: HttpRequest, application_id: UUID) -> HttpResponse:
    found = _mine(request, application_id)
    if found.revoked_at is not None:
        return redirect("application", found.pk)
    return key_form(request, found)


@own
@require_POST
def application_origins(request: HttpRequest, application_id: UUID) -> HttpResponse:
    found = _mine(request, application_id)
    form = OriginsForm(request.POST)
    if not form.is_valid():
        return _show(request, found, form, status=422)
    if form.cleaned_data["origins"] != found.embed_origins:
        found.embed_origins = form.cleaned_data["origins"]
        with transaction.atomic():
            found.save(update_fields=["embed_origins"])
            record(me(request), "app.origins", f"application:{found.pk}")
    messages.success(request, _("Saved."))
    return redirect("application", found.pk)


@own
@require_http_methods(["GET", "POST"])
def application_close(request: HttpRequest, application_id: UUID) -> HttpResponse:
    """Asks, then closes: its keys and links stop working; what its users have stays theirs."""
    found = _mine(request, application_id)
    if request.method == "POST":
        with transaction.atomic():
            open_still = Application.objects.filter(pk=found.pk, revoked_at=None)
            if open_still.update(revoked_at=timezone.now()):
                record(me(request), "app.close", f"application:{found.pk}")
        messages.success(request, _("It is closed. Its keys and links don’t work any more."))
        return redirect("apps")
    context = {"application": found, "people": found.end_users.count()}
    return page(request, "web/application_close.html", context)
