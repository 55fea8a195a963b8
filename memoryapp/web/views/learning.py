"""What one conversation leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from memoryapp import rules
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Conversation
from memoryapp.web.views.common import me, missing, private

SAID: Mapping[str, Promise] = {
    "on": gettext_lazy("I learn from what follows in it."),
    "off": gettext_lazy("I keep what is said in it, and learn nothing from it."),
    "temporary": gettext_lazy("I keep nothing more of what is said in it."),
}


@private
@require_POST
def conversation_learning(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    user = me(request)
    learning = request.POST.get("learning", "")
    chosen = learning if learning in Conversation.Learning.values else ""
    with acting_for(user.pk):
        found = bool(chosen) and rules.set_learning(
            user_id=user.pk,
            conversation_id=conversation_id,
            learning=chosen,
            by=Actor.user(user),
            now=timezone.now(),
        )
    if not found:
        missing(request, f"conversation:{conversation_id}")
    messages.success(request, str(SAID[chosen]))
    return redirect("conversation", conversation_id)
