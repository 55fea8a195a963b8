"""Having much forgotten: a topic, a person, a time, what an application brought, everything,
the account."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from memoryapp import erase, pipeline, preferences, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import ErasureReceipt, Message
from memoryapp.preferences import TopicKey
from memoryapp.rules.words import core
from memoryapp.web.forgetting import ids, is_large, preview
from memoryapp.web.forms import SearchForm
from memoryapp.web.receipts import worded
from memoryapp.web.still_you import NOT_NEEDED, proof
from memoryapp.web.views.common import me, missing, private, show, summary
from memoryapp.web.views.forgetting import ask, carry_out, through, was_confirmed
from memoryapp.web.ways import applications, somebodies
from memoryapp.web.wording import who

AROUND = 160
# Characters that a rule may have.
RULE = 200


# -- A topic, a person ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Passage:
    """A message that is about a topic, cut to the words around it."""

    id: UUID
    who: str
    sent_at: datetime
    words: str
    ticked: bool


@private
@require_http_methods(["GET", "POST"])
def forget_topic(request: HttpRequest) -> HttpResponse:
    """The topic comes in the body, as words or as whom it is about, so that it is in no
    address, history or log."""
    form = SearchForm(request.POST)
    words = form.cleaned_data["query"] if form.is_valid() else ""
    subject = request.POST.get("subject", "")[:120]
    if request.method == "GET" or not (words or subject):
        return _topic_page(request, {})
    if not was_confirmed(request):
        return _found(request, words, subject, set(), status=200)
    shown = erase.Choice(
        "topic",
        facts=ids(request.POST.get("shown_facts", "").split(",")),
        messages=ids(request.POST.get("shown_messages", "").split(",")),
    )
    facts = set(ids(request.POST.getlist("fact"))) & set(shown.facts)
    texts = set(ids(request.POST.getlist("message"))) & set(shown.messages)
    kept = ({*shown.facts} - facts) | ({*shown.messages} - texts)
    if not facts and not texts:
        messages.warning(request, _("Nothing was chosen, so nothing was forgotten."))
        return _found(request, words, subject, kept, status=422)
    choice = erase.Choice(
        "topic", facts=sorted(facts), messages=sorted(texts), forever="forever" in request.POST
    )
    try:
        receipt = carry_out(request, choice, shown)
    except store.NotFound:
        receipt = 409
    if isinstance(receipt, ErasureReceipt):
        if "rule" in request.POST and 0 < len(words) <= RULE and not subject:
            _make_rule(request, words)
        return redirect("receipt", receipt.id)
    return _found(request, words, subject, kept, status=receipt)


def _make_rule(request: HttpRequest, words: str) -> None:
    """The topic is never to be remembered from now on."""
    user = me(request)
    try:
        with acting_for(user.pk):
            held = [one.key for one in preferences.load(user=user).never_remember]
            preferences.change(
                user=user,
                changes={"never_remember": [*held, TopicKey(words=words)]},
                by=Actor.user(user),
            )
    except preferences.TooManyTopics:
        messages.warning(request, _("It was forgotten, but you have too many rules for one more."))
    else:
        messages.success(request, _("I won’t remember anything about this from now on."))


def _found(
    request: HttpRequest, words: str, subject: str, kept: Collection[UUID], *, status: int
) -> HttpResponse:
    """What is about the topic, everything ticked but what is ``kept``."""
    user = me(request)
    found = (
        pipeline.find_somebody(user_id=user.pk, subject=subject, name=who(subject))
        if subject
        else pipeline.find_topic(user_id=user.pk, words=words, by=Actor.user(user))
    )
    choice = erase.Choice("topic", facts=found.facts, messages=found.messages)
    name = who(subject) if subject else words
    with acting_for(user.pk):
        going = erase.look(user_id=user.pk, choice=choice)
        context = {
            **preview(user, going),
            "passages": _passages(user.pk, found.messages, name, kept),
            "shown_facts": ",".join(map(str, found.facts)),
            "shown_messages": ",".join(map(str, found.messages)),
            "kept": kept,
            "more": found.more,
            "asked": name,
            "query": words,
            "subject": subject,
            "changed": status == 409,
        }
    return _topic_page(request, context, status=status)


def _topic_page(
    request: HttpRequest, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        figures = summary(user.pk).context()
    return show(request, "web/forget_topic.html", {**figures, **context}, status=status)


def _passages(
    user_id: UUID, message_ids: Collection[UUID], name: str, kept: Collection[UUID]
) -> list[Passage]:
    names = {"user": _("You"), "assistant": _("The assistant")}
    rows = Message.objects.filter(user_id=user_id, id__in=message_ids)
    return [
        Passage(
            row.id,
            names.get(row.role, _("The application")),
            row.sent_at,
            _around(row.content, core(name)),
            row.id not in kept,
        )
        for row in rows.order_by("-sent_at", "-id")
    ]


def _around(text: str, words: Collection[str]) -> str:
    """The text from somewhat before the first of the words, on one line."""
    plain = " ".join(text.split())
    folded = plain.casefold()
    places = [place for word in words if (place := folded.find(word[:4])) >= 0]
    start = max(0, min(places, default=0) - AROUND // 2)
    start = plain.find(" ", start) + 1 if start else 0
    cut = plain[start : start + 2 * AROUND]
    return ("… " if start else "") + cut + ("…" if len(plain) > start + len(cut) else "")


@private
@require_GET
def forget_somebody(request: HttpRequest) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        context = {**summary(user.pk).context(), "people": somebodies(user.pk)}
    return show(request, "web/forget_somebody.html", context)


# -- A time ---------------------------------------------------------------------------------------


@private
@require_http_methods(["GET", "POST"])
def forget_dates(request: HttpRequest) -> HttpResponse:
    """What was said between two days, both included."""
    asked = request.POST if request.method == "POST" else request.GET
    first, last = _day(asked.get("from", "")), _day(asked.get("to", ""))
    if first is None or last is None or first > last:
        error = _("Choose two days, the earlier one first.") if "from" in asked else ""
        return _dates_page(request, asked.get("from", ""), asked.get("to", ""), error)
    since = timezone.make_aware(datetime.combine(first, time()))
    until = timezone.make_aware(datetime.combine(last + timedelta(days=1), time()))
    shown = erase.Choice("range", since=since, until=until, restore_previous=True)
    user = me(request)
    with acting_for(user.pk):
        going = erase.look(user_id=user.pk, choice=shown)
    context = {
        "question": _("Forget what was said in these days?"),
        "keep": _("Keep it"),
        "days": (since, until - timedelta(hours=1)),
        "fields": [("from", first.isoformat()), ("to", last.isoformat())],
        "back": reverse("forget_dates"),
    }
    needed = proof(request) if is_large(going) else NOT_NEEDED
    return through(request, shown, context, going=going, proof=needed)


def _day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 1900 <= found.year <= 2999 else None


def _dates_page(request: HttpRequest, first: str, last: str, error: str) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        said = Message.objects.filter(user_id=user.pk).order_by("sent_at")
        context = {
            **summary(user.pk).context(),
            "first": first,
            "last": last,
            "error": error,
            "earliest": said.values_list("sent_at", flat=True).first(),
            "today": timezone.localdate(),
        }
    return show(request, "web/forget_dates.html", context, status=422 if error else 200)


# -- What an application brought, everything, the account -----------------------------------------


@private
@require_http_methods(["GET", "POST"])
def forget_application(request: HttpRequest, application_id: UUID) -> HttpResponse:
    user = me(request)
    with acting_for(user.pk):
        known = {app.id: app for app in applications(user.pk)}
    if application_id not in known:
        missing(request, f"application:{application_id}")
    shown = erase.Choice("application", application=application_id, restore_previous=True)
    name = known[application_id].name
    context = {
        "question": _("Forget everything that “%(name)s” brought?") % {"name": name},
        "keep": _("Keep it"),
        "hint": _(
            "Its conversations, and what I learned only through it. It stays connected: "
            "what it may do from now on is chosen in Settings."
        ),
        "back": reverse("forgetting"),
    }
    return through(request, shown, context, proof=proof(request))


@private
@require_http_methods(["GET", "POST"])
def forget_everything(request: HttpRequest) -> HttpResponse:
    context = {
        "question": _("Forget everything?"),
        "keep": _("Keep it"),
        "hint": _(
            "Every memory and every word of your conversations. Your account, settings, "
            "rules and connected apps stay, and the log, which holds no words of yours."
        ),
        "button": _("Forget everything"),
        "back": reverse("forgetting"),
    }
    return through(request, erase.Choice("everything"), context, proof=proof(request))


@private
@require_http_methods(["GET", "POST"])
def forget_account(request: HttpRequest) -> HttpResponse:
    """Closes the account. The last page is the answer itself: there is nobody left who could
    sign in to see another."""
    user = me(request)
    choice, status = erase.Choice("account"), 200
    asked = proof(request)
    context: dict[str, Any] = {
        "question": _("Close your account and forget everything?"),
        "keep": _("Keep my account"),
        "hint": _("You are signed out everywhere, and nothing can bring it back."),
        "button": _("Close my account"),
        "back": reverse("forgetting"),
    }
    if was_confirmed(request):
        try:
            receipt = carry_out(request, choice, choice, asked)
        except store.Conflict:
            context["refused"] = _(
                "Other people’s memories come through an application of yours. Close the "
                "application first. Nothing was forgotten."
            )
            receipt = 409
        if isinstance(receipt, ErasureReceipt):
            logout(request)
            return show(request, "web/forget_last.html", {"receipt": worded(receipt)})
        status = receipt
    with acting_for(user.pk):
        going = erase.look(user_id=user.pk, choice=choice)
    if "refused" in context:
        context["changed"] = False
    return ask(request, choice, going, context, proof=asked, status=status)
