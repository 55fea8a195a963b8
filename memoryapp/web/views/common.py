"""What every page shares: sign-in, privacy of the answer, the counts at the top."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, NoReturn, cast
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from memoryapp import audit
from memoryapp.context import acting_for
from memoryapp.models import Fact, Message, Outbox
from memoryapp.web.cards import Card

View = Callable[..., HttpResponse]


def private(view: View) -> View:
    """For signed-in people, and kept nowhere: not by the browser, not by a proxy.

    A fragment asked for after signing out answers 403: a redirect would put the
    sign-in page inside a list.
    """
    signed_in = login_required(view)

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if is_fragment(request) and not request.user.is_authenticated:
            raise PermissionDenied
        response = signed_in(request, *args, **kwargs)
        patch_cache_control(response, private=True, no_store=True)
        patch_vary_headers(response, ["HX-Request"])
        return _compressed(request, response)

    return answer


# Pages are compressed although they hold what is private (BREACH). That attack guesses a secret
# by its length beside words of the attacker's in the same answer: a page repeats no more of its
# address than words of ours, days and ids of the reader's own, a search needs a token that other
# sites haven't, session cookies don't go along with other sites' requests (SameSite), tokens are
# masked anew in each answer, and Django makes each answer longer by up to 100 random bytes.
# Answers that flow, and files, stay as they are.
_compress = GZipMiddleware(lambda _request: HttpResponse())


def _compressed(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if response.streaming or not response.get("Content-Type", "").startswith("text/html"):
        return response
    return cast(HttpResponse, _compress.process_response(request, response))


def is_fragment(request: HttpRequest) -> bool:
    return bool(request.htmx)  # type: ignore[attr-defined]  # set by django_htmx's middleware


def me(request: HttpRequest) -> User:
    return cast(User, request.user)


def missing(request: HttpRequest, name: str) -> NoReturn:
    """404 for what isn't this user's or isn't there, and a line in the log."""
    user = me(request)
    with acting_for(user.pk):
        audit.refused(user_id=user.pk, by=audit.Actor.user(user), object=name)
    raise Http404


def missing_fact(request: HttpRequest, fact_id: UUID) -> NoReturn:
    missing(request, f"fact:{fact_id}")


@dataclass(frozen=True, slots=True)
class Reading:
    """How far the conversations under work are read."""

    read: int
    total: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures that pages show; ``reading`` is None when nothing waits. ``held`` says why
    what waits isn't read now (``budget``, ``hours``, ``paused``), and ``held_until`` till when."""

    total: int
    to_review: int
    failed: int
    reading: Reading | None
    held: str = ""
    held_until: datetime | None = None

    @property
    def lede(self) -> str:
        """ "I remember 42 things about you. Three need your eye." """
        if not self.total and not self.to_review:
            return _("I remember nothing about you yet.")
        text = ngettext(
            "I remember one thing about you.",
            "I remember %(total)s things about you.",
            self.total,
        ) % {"total": intcomma(self.total)}
        if not self.total:
            text = _("I remember nothing about you for sure yet.")
        if self.to_review:
            text += " " + ngettext(
                "One needs your eye.", "%(n)s need your eye.", self.to_review
            ) % {"n": intcomma(self.to_review)}
        return text

    def context(self) -> dict[str, Any]:
        return {
            "lede": self.lede,
            "total": self.total,
            "review_count": self.to_review,
            "pending": self.reading is not None,
            "reading": self.reading,
            "failed": self.failed,
            "held": self.held,
            "held_until": self.held_until,
        }


def summary(user_id: UUID, *, total: int | None = None) -> Summary:
    """``total`` is how many memories hold now, for who has counted them already. Needs
    ``acting_for(user_id)``."""
    facts = Fact.objects.filter(user_id=user_id)
    messages = Message.objects.filter(user_id=user_id)
    waiting = messages.filter(state=Message.State.PENDING)
    reading, held = None, None
    if unread := waiting.count():
        together = messages.filter(conversation_id__in=waiting.values("conversation_id")).count()
        reading = Reading(read=together - unread, total=together)
        held = (
            Outbox.objects.filter(
                user_id=user_id,
                done_at__isnull=True,
                failed_at__isnull=True,
                error__in=("budget", "hours", "paused"),
                not_before__gt=timezone.now(),
            )
            .order_by("not_before")
            .values_list("error", "not_before")
            .first()
        )
    if total is None:
        total = facts.filter(status=Fact.Status.CURRENT).count()
    return Summary(
        total=total,
        to_review=facts.filter(status=Fact.Status.PENDING).count(),
        failed=messages.filter(state=Message.State.FAILED).count(),
        reading=reading,
        held=held[0] if held else "",
        held_until=held[1] if held else None,
    )


def number_of(text: str | None) -> int:
    """The number of the page asked for; the first when that is none."""
    try:
        return max(1, min(int(text or 1), 10**6))
    except ValueError:
        return 1


def page_of(request: HttpRequest, items: Any, size: int) -> Page[Any]:
    """The page that the address asks for; the nearest one when there is no such."""
    return Paginator(items, size).get_page(request.GET.get("page"))


def back_of(card: Card) -> str:
    """Where a fact stands in its list, for links that lead back."""
    name = "review" if card.status == Fact.Status.PENDING else "memories"
    return f"{reverse(name)}#fact-{card.id}"


def show(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    return render(request, template, context, status=status)
