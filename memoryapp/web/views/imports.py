"""Bringing memories in: choose a file, look at what it would bring, say yes, undo."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NoReturn
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryapp import import_pipeline, importing, uploads
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Import
from memoryapp.web import import_wording
from memoryapp.web.forgetting import said
from memoryapp.web.lists import listed
from memoryapp.web.views.common import is_fragment, me, missing, private, show, summary

LISTED = 50
# The other fields of a form beside the file.
FRAME = 64 * 1024


class ImportForm(forms.Form):
    """A file, or a pasted list."""

    file = forms.FileField(label=gettext_lazy("File"), required=False, allow_empty_file=True)
    text = forms.CharField(label=gettext_lazy("List"), required=False, strip=False)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("file") is None and not (data.get("text") or "").strip():
            raise forms.ValidationError(_("Choose a file, or paste a list."))
        return data


# The check of the token reads the body, so it waits until the size and the user are known.
@csrf_exempt
@private
@require_http_methods(["GET", "POST"])
def imports(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        length = int(request.META.get("CONTENT_LENGTH") or 0)
        if length > uploads.most_bytes() + FRAME:
            _drain(request, length)
            return _too_large(request)
    try:
        return _checked(request)
    except RequestDataTooBig:  # raised by whoever looks at the form first
        return _too_large(request, pasted=True)


@csrf_protect
def _checked(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, error=str(next(iter(form.errors.values()))[0]), status=422)
    user = me(request)
    file, text = form.cleaned_data["file"], form.cleaned_data["text"]
    try:
        import_id = import_pipeline.receive(
            user_id=user.pk,
            content=file if file is not None else text.encode("utf-8", "ignore"),
            by=Actor.user(user),
            pasted=file is None,
        )
    except uploads.TooLarge:
        return _too_large(request)
    return redirect("import", import_id)


def _drain(request: HttpRequest, length: int) -> None:
    """Read what still comes, and drop it: a browser that is cut off while it sends shows
    no answer. Up to four times what is allowed."""
    left = min(length, 4 * uploads.most_bytes())
    while left > 0 and (data := request.read(min(left, uploads.MIB))):
        left -= len(data)


def _too_large(request: HttpRequest, *, pasted: bool = False) -> HttpResponse:
    if pasted:
        error = _("That is too much to paste. Save it as a file and choose that.")
    else:
        error = _("The file is too large: %(most)s MB at most. Nothing of it was kept.") % {
            "most": uploads.most_bytes() // uploads.MIB
        }
    return _page(request, error=error, status=413)


def _page(request: HttpRequest, *, error: str = "", status: int = 200) -> HttpResponse:
    user_id = me(request).pk
    with acting_for(user_id):
        rows = list(
            Import.objects.filter(user_id=user_id)
            .exclude(state=Import.State.RECEIVING)
            .order_by("-created_at")[:LISTED]
        )
        context = summary(user_id).context()
    context |= {
        "imports": [
            {"row": row, "name": import_wording.product(row.format), "standing": _standing(row)}
            for row in rows
        ],
        "error": error,
        "most": uploads.most_bytes() // uploads.MIB,
    }
    return show(request, "web/imports.html", context, status=status)


def _standing(row: Import) -> str:
    state = Import.State
    words = {
        state.LOOKING: _("I’m looking into it."),
        state.REFUSED: _("I couldn’t read it."),
        state.READY: _("It waits for your yes."),
        state.STORING: _("It is coming in."),
        state.READING: _("I’m reading it."),
        state.FAILED: _("It stopped half way."),
        state.UNDONE: _("You had me forget it."),
    }
    return words.get(state(row.state)) or _brought(row)


def _brought(row: Import) -> str:
    parts = []
    if talks := row.counts.get("conversations", 0):
        parts.append(ngettext("%(n)s conversation", "%(n)s conversations", talks) % {"n": talks})
    if kept := row.counts.get("memories", 0):
        parts.append(ngettext("%(n)s memory", "%(n)s memories", kept) % {"n": kept})
    return listed(parts) or _("It brought nothing new.")


def _none(request: HttpRequest, import_id: UUID) -> NoReturn:
    missing(request, f"import:{import_id}")


def _found(request: HttpRequest, import_id: UUID) -> dict[str, Any]:
    """All that the page of one import shows. Raises Http404."""
    user_id = me(request).pk
    try:
        with acting_for(user_id):
            row = importing.get(user_id=user_id, import_id=import_id)
            progress = importing.progress(row=row)
            figures = summary(user_id).context()
    except importing.NotFound:
        _none(request, import_id)
    preview, counts = row.preview, row.counts
    noted = counts.get("noted", preview.get("notes", {}))
    return {
        **figures,
        "row": row,
        "name": import_wording.product(row.format),
        "progress": progress,
        "standing": _standing(row),
        "working": row.state in importing.WORKING,
        "first_at": _time(preview.get("first_at")),
        "last_at": _time(preview.get("last_at")),
        "skipped": import_wording.skipped(counts.get("skipped", preview.get("skipped", {}))),
        "notes": import_wording.notes(noted),
        "warnings": import_wording.warnings(noted),
        "why": import_wording.refused(row.error) if row.error else "",
        "duplicates": counts.get("duplicates", 0) + counts.get("memory_duplicates", 0),
        "undoable": row.state in (*importing.WORKING, Import.State.DONE, Import.State.FAILED),
    }


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@private
@require_GET
def import_one(request: HttpRequest, import_id: UUID) -> HttpResponse:
    return show(request, "web/import.html", _found(request, import_id))


@private
@require_GET
def import_status(request: HttpRequest, import_id: UUID) -> HttpResponse:
    if not is_fragment(request):
        return redirect("import", import_id)
    return show(request, "web/_import.html", _found(request, import_id))


@private
@require_POST
def import_start(request: HttpRequest, import_id: UUID) -> HttpResponse:
    user = me(request)
    try:
        import_pipeline.start(
            user_id=user.pk,
            import_id=import_id,
            by=Actor.user(user),
            mine=request.POST.get("mine") == "yes",
        )
    except importing.NotFound:
        _none(request, import_id)
    except importing.NotNow as error:
        if str(error) == "paused":
            messages.warning(
                request, _("Memory is paused. Let it go on first, then bring this in.")
            )
    return redirect("import", import_id)


@private
@require_http_methods(["GET", "POST"])
def import_forget(request: HttpRequest, import_id: UUID) -> HttpResponse:
    user = me(request)
    context = _found(request, import_id)
    row: Import = context["row"]
    if request.method == "POST":
        try:
            receipt = import_pipeline.undo(
                user_id=user.pk, import_id=import_id, by=Actor.user(user)
            )
        except importing.NotFound:
            _none(request, import_id)
        except importing.NotNow:
            return redirect("import", import_id)
        if receipt is None:
            messages.success(request, _("Put away. Nothing of it was kept."))
            return redirect("imports")
        messages.success(request, said(receipt))
        return redirect("import", import_id)
    progress: importing.Progress = context["progress"]
    context |= {
        "goes": [
            _brought(row),
            ngettext(
                "What it taught me: %(n)s memory, unless you said it elsewhere too",
                "What it taught me: %(n)s memories, unless you said them elsewhere too",
                progress.found,
            )
            % {"n": progress.found},
            _("The same file would bring nothing of it back."),
        ],
        "question": _("Forget this import?"),
        "keep": _("Keep it"),
        "action": request.path,
        "back": reverse("import", args=[import_id]),
    }
    return show(request, "web/forget.html", context)
