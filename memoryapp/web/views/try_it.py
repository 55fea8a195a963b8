"""Trying the memory: a chat, and beside each turn what was recalled for it and what it taught.

What is kept goes the way of every message, into a conversation of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Literal
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryapp import ingest, pipeline, providers, rules, store
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Decision, Message
from memoryapp.pipeline.chatting import Reply, reply
from memoryapp.records import ChatMessage, RecallOptions
from memoryapp.web import trying
from memoryapp.web.forms import TryForm
from memoryapp.web.views.common import is_fragment, me, missing, private, show, summary
from memoryapp.web.views.learned import WHY

CONVERSATION = "try-it"
SHOWN = 10
# So many of the last exchanges a model is given with the new turn.
REMEMBERED = 6
# How often the page looks whether a turn has been read, and how long it waits each time:
# a minute and a half in all.
LOOKS = 20

EXAMPLES: Mapping[str, Promise] = {
    "tell": gettext_lazy("I moved to Porto last month and work as a nurse."),
    "person": gettext_lazy("My sister Mira plays the cello."),
    "ask": gettext_lazy("Where do I live?"),
}

_FAILURES: Mapping[str, Promise] = {
    "budget": gettext_lazy(
        "The model’s tokens for today are used up, so this comes from memory alone."
    ),
    "refused": gettext_lazy("The model declined to answer, so this comes from memory alone."),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """An exchange as it is shown. ``reply`` and what comes from it are there while the turn
    is the one just sent: what was recalled is kept nowhere. ``kept`` is why nothing of it
    is: ``temporary`` or ``paused``; empty when it is kept."""

    id: UUID
    text: str
    pieces: Sequence[trying.Piece]
    learned: trying.Learned | None = None
    reply: Reply | None = None
    notes: Sequence[trying.Note] = ()
    passages: Sequence[trying.Passage] = ()
    unkept: Literal["", "temporary", "paused"] = ""
    failure: str = ""
    as_of: datetime | None = None


@private
@require_http_methods(["GET", "POST"])
def try_it(request: HttpRequest) -> HttpResponse:
    """Words come in the body alone. A turn that is sent twice is answered once."""
    if request.method == "GET":
        return _page(request)
    data = request.POST.copy()
    if (example := EXAMPLES.get(data.get("example", ""))) is not None:
        data["text"] = str(example)
    form = TryForm(data)
    if not form.is_valid():
        return _refused(request, form)
    said = form.cleaned_data
    user = me(request)
    with acting_for(user.pk):
        if _sent(user.pk, said["turn"]).exists():
            return _again(request)
        paused = rules.paused(user_id=user.pk, now=providers.clock().now())
        before = trying.exchanges(user.pk, CONVERSATION, REMEMBERED)
        on_screen = list(_recent(user.pk, before))
    unkept: Literal["", "temporary", "paused"] = (
        "temporary" if said["temporary"] else "paused" if paused else ""
    )
    kept_nowhere: Sequence[ChatMessage] = said["earlier"] if unkept else []
    now, as_of = providers.clock().now(), _end_of(said["as_of"])
    answer = reply(
        user_id=user.pk,
        text=said["text"],
        earlier=[*_as_chat(before), *kept_nowhere],
        on_screen=on_screen,
        learns=not unkept,
        options=RecallOptions(as_of=as_of),
        time_zone=user.time_zone,
        by=Actor.user(user),
    )
    kept = (
        (None, None)
        if unkept
        else _keep(user.pk, Actor.user(user), said["turn"], said["text"], answer.text, now)
    )
    pipeline.used(
        user_id=user.pk,
        fact_ids=answer.used,
        via="try",
        by=Actor.user(user),
        now=now,
        conversation_id=kept[0],
        message_id=kept[1],
    )
    with acting_for(user.pk):
        turn = Turn(
            id=said["turn"],
            text=said["text"],
            pieces=trying.pieces(answer.text, answer.numbers),
            learned=None if unkept else _learned_of(user.pk, said["turn"]),
            reply=answer,
            notes=trying.notes(user.pk, answer),
            passages=trying.passages(user.pk, answer),
            unkept=unkept,
            failure=_failure(answer),
            as_of=as_of,
        )
    earlier = [
        *kept_nowhere,
        *([ChatMessage("user", turn.text), ChatMessage("assistant", answer.text)] * bool(unkept)),
    ]
    if not is_fragment(request):
        data["text"] = ""  # sent; the rest holds for the next turn too
        form.data = data
        return _page(request, turn=turn, form=form, earlier=_written(earlier))
    context = {
        "turn": turn,
        "heard": answer.text,
        "next_turn": uuid4(),
        "earlier": _written(earlier),
        "look": 0,
        "looks": LOOKS,
    }
    return show(request, "web/_try_swap.html", context)


def _page(
    request: HttpRequest,
    *,
    turn: Turn | None = None,
    form: TryForm | None = None,
    earlier: str = "[]",
) -> HttpResponse:
    """``turn`` is the one just sent, and ``form`` what was sent with it."""
    user_id = me(request).pk
    with acting_for(user_id):
        kept = trying.exchanges(user_id, CONVERSATION, SHOWN)
        taught = trying.learned(user_id, [one.id for one in kept])
        turns = [
            Turn(
                id=one.id,
                text=one.text,
                pieces=trying.pieces(one.answer, {}),
                learned=taught.get(one.id),
            )
            for one in kept
            if not (turn and turn.learned and turn.learned.message_id == one.id)
        ]
        context = {
            **summary(user_id).context(),
            "paused": rules.paused(user_id=user_id, now=providers.clock().now()),
            "conversation_id": Conversation.objects.filter(
                user_id=user_id, external_id=CONVERSATION
            )
            .values_list("id", flat=True)
            .first(),
        }
    context |= {
        "turns": [*turns, *([turn] if turn else [])],
        "kept_turns": bool(kept),
        "form": form,
        "examples": EXAMPLES.items(),
        "today": timezone.localdate().isoformat(),
        "has_model": providers.chat_model() is not None,
        "next_turn": uuid4(),
        "earlier": earlier,
        "look": 0,
        "looks": LOOKS,
    }
    refused = form is not None and bool(form.errors)
    return show(request, "web/try_it.html", context, status=422 if refused else 200)


def _refused(request: HttpRequest, form: TryForm) -> HttpResponse:
    """What was written stays where it was; a word says what is wrong with it."""
    if "turn" in form.errors and len(form.errors) == 1:
        return redirect("try_it")
    if is_fragment(request):
        return show(request, "web/_try_errors.html", {"form": form, "swap": True}, status=422)
    return _page(request, form=form, earlier=form.data.get("earlier", "[]"))


def _again(request: HttpRequest) -> HttpResponse:
    if is_fragment(request):
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return redirect(reverse("try_it") + "#latest")


def _end_of(day: date | None) -> datetime | None:
    """The day's last moment, where the user is."""
    if day is None:
        return None
    midnight = datetime.combine(day + timedelta(days=1), time.min)
    return timezone.make_aware(midnight) - timedelta(microseconds=1)


def _as_chat(before: Sequence[trying.Exchange]) -> list[ChatMessage]:
    return [
        message
        for one in before
        for message in (ChatMessage("user", one.text), ChatMessage("assistant", one.answer))
        if message.content
    ]


def _written(earlier: Sequence[ChatMessage]) -> str:
    last = earlier[-TryForm.MOST_EARLIER :]
    return json.dumps([[one.role, one.content] for one in last], ensure_ascii=False)


def _failure(answer: Reply) -> str:
    if not answer.failure:
        return ""
    other = _("The model couldn’t be reached, so this comes from memory alone.")
    return str(_FAILURES.get(answer.failure, other))


# -- What is kept ----------------------------------------------------------------------------------


def _sent(user_id: UUID, turn: UUID) -> Any:
    return Message.objects.filter(
        user_id=user_id, conversation__external_id=CONVERSATION, external_id=f"{turn}:user"
    )


def _recent(user_id: UUID, before: Sequence[trying.Exchange]) -> Any:
    """The messages that a model is given anyway."""
    if not before:
        return []
    return Message.objects.filter(
        user_id=user_id,
        conversation__external_id=CONVERSATION,
        sent_at__gte=before[0].sent_at,
    ).values_list("id", flat=True)


def _keep(
    user_id: UUID, by: Actor, turn: UUID, text: str, answer: str, now: datetime
) -> tuple[UUID | None, UUID | None]:
    """The conversation, and the message that holds the answer; None when memory is paused."""
    later = max(providers.clock().now(), now + timedelta(milliseconds=1))

    held: UUID | None = None

    def name(accepted: ingest.Accepted) -> None:
        nonlocal held
        # It has a fixed name, which says nothing: also when its first turns were forgotten.
        if accepted.conversation_id is None:
            return
        Conversation.objects.filter(user_id=user_id, id=accepted.conversation_id, title="").update(
            title=_("Try it")
        )
        held = (
            Message.objects.filter(
                user_id=user_id,
                conversation_id=accepted.conversation_id,
                external_id=f"{turn}:answer",
            )
            .values_list("id", flat=True)
            .first()
        )

    accepted = pipeline.accept(
        user_id=user_id,
        conversation=CONVERSATION,
        messages=[
            ingest.Incoming(role="user", content=text, sent_at=now, id=f"{turn}:user"),
            ingest.Incoming(role="assistant", content=answer, sent_at=later, id=f"{turn}:answer"),
        ],
        by=by,
        inside=name,
    )
    return accepted.conversation_id, held


def _learned_of(user_id: UUID, turn: UUID) -> trying.Learned | None:
    id = _sent(user_id, turn).values_list("id", flat=True).first()
    return trying.learned(user_id, [id]).get(id) if id else None


# -- What was learned ------------------------------------------------------------------------------


@private
@require_GET
def try_learned(request: HttpRequest, message_id: UUID) -> HttpResponse:
    """What a message taught, for the page that waits for it. It asks again by itself while
    the message is unread, ``LOOKS`` times."""
    user_id = me(request).pk
    with acting_for(user_id):
        found = trying.learned(user_id, [message_id]).get(message_id)
        context = summary(user_id).context()
    if found is None:
        missing(request, f"message:{message_id}")
    if not is_fragment(request):
        return redirect(reverse("try_it") + "#latest")
    look = request.GET.get("look", "")
    return _lessons(request, found, {**context, "look": int(look) if look.isdecimal() else 0})


def _lessons(request: HttpRequest, found: trying.Learned, context: dict[str, Any]) -> HttpResponse:
    context |= {
        "learned": found,
        "looks": LOOKS,
        "look": min(context.get("look", 0), LOOKS - 1) + 1,
        "wait": 1 + min(context.get("look", 0) // 2, 5),
        "heard": trying.told(found.lessons),
        "lede": "",
    }
    return show(request, "web/_try_learned_swap.html", context)


@private
@require_POST
def try_undo(request: HttpRequest, decision_id: UUID) -> HttpResponse:
    """Take back one thing that was learned; what it had replaced holds again."""
    user = me(request)
    with acting_for(user.pk):
        message_id = (
            Decision.objects.filter(user_id=user.pk, id=decision_id)
            .values_list("message_id", flat=True)
            .first()
        )
    try:
        pipeline.undo(user_id=user.pk, decision_id=decision_id, by=Actor.user(user))
    except store.NotFound:
        missing(request, f"decision:{decision_id}")
    except store.NotUndoable as error:
        words = str(WHY.get(error.code) or _("There was nothing to take back."))
    else:
        words = _("Taken back.")
    if not is_fragment(request) or message_id is None:
        messages.success(request, words)
        return redirect(reverse("try_it") + "#latest")
    with acting_for(user.pk):
        found = trying.learned(user.pk, [message_id])[message_id]
        context = summary(user.pk).context()
    return _lessons(request, found, {**context, "undone": words})
