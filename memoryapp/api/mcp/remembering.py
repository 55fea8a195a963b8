"""``remember``: the user's words go the ordinary way of a message, and what was learned
comes back if it is known soon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import anyio
from django.utils.translation import gettext as _

from memoryapp import ingest, pipeline, providers
from memoryapp.api.auth import Party
from memoryapp.api.mcp.caller import Call
from memoryapp.api.mcp.schemas import Change, Memory, Outcome, RememberIn, RememberOut
from memoryapp.api.mcp.threads import in_thread
from memoryapp.api.mcp.wording import DATA, lines, quoted
from memoryapp.api.rendering import fact, note_reading
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Decision, ErasureRequest, Extraction, Fact, Message
from memoryapp.store import LEFT_OUT, revised
from memoryapp.web import logbook

SCOPES = ("messages:write",)
# Looked for so often: reading takes the local extractor a tenth of a second or so.
LOOK_EVERY = 0.25

_DONE = ("add", "corroborate", "supersede", "retract")


@dataclass(frozen=True, slots=True)
class Stored:
    """A statement on its way: whose, and under which ids of ours. ``shown`` is whether the
    caller may see what is remembered."""

    who: Party
    conversation_id: UUID
    message: str
    shown: bool


async def remember(call: Call, arguments: RememberIn) -> tuple[RememberOut, str]:
    stored = await in_thread(lambda: _store(call, arguments))
    if not isinstance(stored, Stored):
        told = _told(call, stored)
        return told, told.message
    began = anyio.current_time()
    wait = arguments.wait_seconds
    while True:
        found = await in_thread(lambda: _found(call, stored))
        waited = anyio.current_time() - began
        if found.outcome != "pending" or waited >= wait:
            return found, _text(found)
        await call.progress(min(waited, wait), wait, _("Reading what was said"))
        await anyio.sleep(min(LOOK_EVERY, wait - waited))


def _store(call: Call, arguments: RememberIn) -> Stored | Outcome:
    """The outcome when nothing was stored, for the user has paused the memory or wants
    nothing of the conversation kept."""
    who = call.who(*SCOPES)
    now = providers.clock().now()
    message = str(uuid4())
    accepted = pipeline.accept(
        user_id=who.user_id,
        # A day's statements are one conversation, in which "it" may mean what came before.
        conversation=f"mcp:{now.date().isoformat()}",
        messages=[
            ingest.Incoming(role="user", content=arguments.statement, sent_at=now, id=message)
        ],
        by=who.by,
        application_id=who.application_id,
    )
    if accepted.conversation_id is None:
        return "paused"
    if accepted.temporary:
        return "left_out"
    shown = who.may_read and call.allows("facts:read")
    return Stored(who, accepted.conversation_id, message, shown)


def _found(call: Call, stored: Stored) -> RememberOut:
    """What has become of the statement by now."""
    user_id = stored.who.user_id
    with acting_for(user_id):
        message = Message.objects.filter(
            user_id=user_id,
            conversation_id=stored.conversation_id,
            external_id=stored.message,
        ).first()
        if message is None:  # erased meanwhile
            return _told(call, "nothing")
        if message.state == Message.State.PENDING:
            return _told(call, "pending", redacted=message.redactions)
        if message.state == Message.State.FAILED:
            return _told(call, "failed", redacted=message.redactions)
        decisions = list(
            Decision.objects.filter(user_id=user_id, message_id=message.id).order_by("at", "id")
        )
        wishes = set(
            ErasureRequest.objects.filter(user_id=user_id, message_id=message.id).values_list(
                "state", flat=True
            )
        )
        changes = _changes(stored.who, decisions) if stored.shown else []
        outcome = _outcome(user_id, decisions, wishes)
        if outcome == "nothing" and _left_out(user_id, message):
            outcome = "left_out"
        if changes:
            note_reading(stored.who, "facts.read", "facts", {"count": len(changes)})
    return _told(call, outcome, changes=changes, redacted=message.redactions)


def _outcome(user_id: UUID, decisions: Sequence[Decision], wishes: set[str]) -> Outcome:
    """Needs ``acting_for(user_id)``."""
    ids = [d.fact_id for d in decisions if d.fact_id is not None and d.outcome in _DONE]
    waiting = Fact.objects.filter(user_id=user_id, id__in=ids, status=Fact.Status.PENDING)
    asked = any(decision.outcome == "conflict" for decision in decisions)
    if len(ids) > waiting.count():
        return "learned"
    if ids or asked:
        return "needs_approval"
    if ErasureRequest.State.DONE in wishes:
        return "forgotten"
    return "asked" if wishes else "nothing"


def _left_out(user_id: UUID, message: Message) -> bool:
    """Whether the reading that came to nothing left something out for the user's rules, or
    nothing is learned from the conversation. Needs ``acting_for(user_id)``."""
    talk = Conversation.objects.get(user_id=user_id, id=message.conversation_id)
    if talk.learning != Conversation.Learning.ON:
        return True
    return Extraction.objects.filter(
        user_id=user_id,
        conversation_id=talk.id,
        ended_at__gte=message.received_at,
        dropped__has_key=LEFT_OUT,
    ).exists()


def _changes(who: Party, decisions: Sequence[Decision]) -> list[Change]:
    """Needs ``acting_for``."""
    rows = revised(
        Fact.objects.filter(
            user_id=who.user_id,
            id__in=[d.fact_id for d in decisions if d.fact_id is not None],
            operation="state",
        )
    )
    memories = {
        row["id"]: Memory.model_validate(row)
        for row in quoted(who.user_id, [fact(row) for row in rows])
    }
    return [
        Change(
            outcome=decision.outcome,
            why=logbook.decision(decision.outcome, decision.reason),
            memory=memories.get(decision.fact_id) if decision.fact_id else None,
        )
        for decision in decisions
    ]


def _told(call: Call, outcome: Outcome, **more: Any) -> RememberOut:
    page = call.page("review" if outcome in {"needs_approval", "asked"} else "memories")
    messages: dict[Outcome, str] = {
        "learned": _("Remembered."),
        "needs_approval": _(
            "Not remembered yet: it is delicate or contradicts something, so the user is asked "
            "first. They can say yes at %(page)s"
        ),
        "forgotten": _("The user asked to have something forgotten, and it is erased."),
        "asked": _(
            "The user asked to have something forgotten, but it isn't clear which memory. They "
            "can choose at %(page)s, or call forget with its id."
        ),
        "nothing": _(
            "No lasting fact was found in it. Send the user's own words, in the first person, "
            "one statement a sentence; questions, guesses and passing moods are left out."
        ),
        "pending": _(
            "It is stored and still being read. Don't send it again: recall or list_memories "
            "will show what was learned."
        ),
        "left_out": _(
            "Nothing was kept: the user asked never to remember this. They can change their "
            "rules in the settings at %(page)s"
        ),
        "paused": _(
            "The user has paused the memory, so nothing was kept. They can switch it on again "
            "in the settings at %(page)s"
        ),
        "failed": _("It is stored but couldn't be read yet. Don't send it again."),
    }
    return RememberOut(
        outcome=outcome,
        message=messages[outcome] % {"page": page},
        changes=more.get("changes", []),
        redacted=more.get("redacted", 0),
    )


def _text(told: RememberOut) -> str:
    memories = [change.memory for change in told.changes if change.memory is not None]
    return "\n".join([told.message, *([DATA, lines(memories)] if memories else [])])
