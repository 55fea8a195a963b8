"""What the memory does for one chat request: looked into before, written to after.

It may take so long and no longer (``Patience``); when it is slow or down the chat goes on
without it, and ``Memory.status`` says so. After the answer the new turns of the user and the
assistant's whole answer are stored, before the client is told that the answer has ended: its
next request finds them. An answer that was cut off is not stored; when the chat goes on, its
client sends what the user has seen of it, and that is. When the memory was down, or a chat is
seen for the first time, the turns that are missing here are stored from the next request.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal, cast
from urllib.parse import quote
from uuid import UUID

from django.utils.translation import gettext as _

from memoryapp import audit, ground, ingest, pipeline, providers, store
from memoryapp.api.auth import Party, demand, key_of, party
from memoryapp.api.proxy import turns
from memoryapp.api.proxy.caller import DOWN, Call, in_thread
from memoryapp.api.proxy.errors import invalid
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Message
from memoryapp.records import Citation, Grounding, RecallOptions, RecallResult

logger = logging.getLogger(__name__)

Mode = Literal["on", "read", "off"]
# ``used``: what was recalled is before the model; ``none``: nothing matters here; ``off``: not
# asked; ``denied``: the user doesn't let the application; ``unavailable``: slow or down.
Status = Literal["used", "none", "off", "denied", "unavailable"]
TOKENS = 1500

_writing: set[asyncio.Task[None]] = set()


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the request asks of the memory. ``user`` and ``conversation`` are the client's."""

    mode: Mode
    user: str | None
    conversation: str | None


def wishes(call: Call, body: dict[str, Any]) -> Wishes:
    """Reads them from the headers, else from ``metadata`` and ``user``, and takes what is
    only for us out of the body. Raises Refused."""
    metadata = body.get("metadata")
    told = dict(metadata) if isinstance(metadata, dict) else {}
    mode = call.header("X-Memory") or told.pop("memory", None) or "on"
    told.pop("memory", None)
    mode = str(mode).lower()
    if mode not in ("on", "read", "off"):
        raise invalid("X-Memory", _("Use “on”, “read” or “off”."))
    conversation = call.header("X-Memory-Conversation") or told.pop("conversation", None)
    told.pop("conversation", None)
    if isinstance(metadata, dict):
        body["metadata"] = told
        if not told:
            del body["metadata"]
    user = call.header("X-Memory-User") or body.get("user")
    for name, value in (("conversation", conversation), ("user", user)):
        if value is not None and not (isinstance(value, str) and _nameable(value)):
            raise invalid(name, _("Send 1 to 200 visible characters."))
    return Wishes(cast(Mode, mode), user, conversation)


def _nameable(value: str) -> bool:
    return 0 < len(value) <= 200 and value.isprintable() and bool(value.strip())


@dataclass(slots=True)
class Memory:
    """``who`` is None while nobody knows for whom the request speaks, and when nothing is
    read or written."""

    chat: turns.Chat
    mode: Mode
    status: Status
    now: datetime
    who: Party | None = None
    writes: bool = False
    conversation: str | None = None
    result: RecallResult | None = None
    grounding: Grounding | None = None
    citations: tuple[Citation, ...] = field(default=())
    noted: bool = False

    @property
    def headers(self) -> dict[str, str]:
        """Ids only."""
        told: dict[str, str] = {"X-Memory-Status": self.status}
        if self.citations:
            told["X-Memory-Ids"] = ", ".join(str(one.fact_id) for one in self.citations)
        if self.conversation is not None:
            told["X-Memory-Conversation"] = quote(self.conversation, safe=" !#$&'()*+,/:;=?@[]~")
        return told

    @property
    def told(self) -> dict[str, Any]:
        """The ``memory`` of an answer."""
        passages = self.grounding.passages if self.grounding else ()
        return {
            "status": self.status,
            "mode": self.mode,
            "conversation": self.conversation,
            "used": [
                {
                    "number": one.number,
                    "fact_id": str(one.fact_id),
                    "quote": one.quote,
                    "sent_at": one.sent_at.isoformat() if one.sent_at else None,
                }
                for one in self.citations
            ],
            "passages": [
                {
                    "number": one.number,
                    "message_id": str(one.message),
                    "role": one.role,
                    "quote": one.quote,
                    "sent_at": one.sent_at.isoformat(),
                }
                for one in passages
            ],
        }


async def look(call: Call, wished: Wishes, chat: turns.Chat, *, known: bool) -> Memory:
    """The memory of a request; ``known`` is false when the database couldn't say whose key
    it is. Raises what the API raises for a key or a user that won't do."""
    memory = Memory(chat, wished.mode, "unavailable", providers.clock().now())
    if not known:
        return memory
    scopes = ("recall:read", "messages:write") if wished.mode == "on" else ("recall:read",)
    demand(call.request, key_of(call.request), scopes)
    try:
        who = await call.patience.wait(in_thread(_party, call, wished))
        # From here on what the user said can be stored, even when the rest comes too late.
        memory.who = who
        memory.writes = wished.mode == "on" and who.may_write
        memory.conversation = wished.conversation
        reads = wished.mode != "off" and who.may_read
        memory = await call.patience.wait(in_thread(_look, memory, who, reads=reads))
    except DOWN as error:
        logger.warning("a chat goes on without its memory: %s", type(error).__name__)
    except Exception as error:
        if memory.who is None:
            raise
        # The chat goes on whatever has broken here; where, without words that may quote.
        frames = "".join(traceback.format_tb(error.__traceback__))
        logger.error("a chat goes on without its memory: %s\n%s", type(error).__name__, frames)
    return memory


def _party(call: Call, wished: Wishes) -> Party:
    return party(call.request, wished.user, ask_user=False)


def _look(memory: Memory, who: Party, *, reads: bool) -> Memory:
    """Needs the database, and no transaction. A copy: who waits for it may give up."""
    found = replace(memory, status="off" if memory.mode == "off" else "denied")
    denied = [
        scope
        for scope, refused in (
            ("recall:read", memory.mode != "off" and not who.may_read),
            ("messages:write", memory.mode == "on" and not who.may_write),
        )
        if refused
    ]
    with acting_for(who.user_id):
        if denied:
            events = [audit.Event("access.denied", scope) for scope in denied]
            audit.record(user_id=who.user_id, by=who.by, events=events)
        if found.writes and found.conversation is None:
            found.conversation = _find(found, who) or turns.new_name()
    if not reads:
        return found
    found.status = "none"
    question = memory.chat.question
    if question:
        options = RecallOptions(token_budget=TOKENS)
        result = pipeline.recall(
            user_id=who.user_id,
            query=question,
            options=options,
            by=who.by,
            via=None,
            keep=found.writes,
        )
        found.result = _elsewhere(result, found.conversation)
        found.grounding = ground.ground(found.result, token_budget=TOKENS)
        found.citations = tuple(found.grounding.citations)
        if not found.grounding.abstained:
            found.status = "used"
    return found


def _elsewhere(result: RecallResult, conversation: str | None) -> RecallResult:
    """Without passages of this very chat: the model has them before it."""
    excerpts = [one for one in result.excerpts if one.conversation != conversation]
    return replace(
        result, excerpts=excerpts, abstained=result.abstained or not (result.hits or excerpts)
    )


def _find(memory: Memory, who: Party) -> str | None:
    return turns.find(
        user=who.user, application_id=who.application_id, chat=memory.chat, now=memory.now
    )


# -- Afterwards ----------------------------------------------------------------------------------


async def keep(call: Call, memory: Memory, answer: str | None) -> None:
    """Stores the new turns, and the answer unless it is None, and has it noted which facts it
    used. Waits for it as long as the request's patience lasts; it goes on by itself then.
    Raises nothing: a failure is logged, and the turns come with the chat's next request."""
    if memory.who is None or not (_stores(memory) or (memory.citations and not memory.noted)):
        return
    task = asyncio.create_task(_kept(memory, memory.who, answer))
    _writing.add(task)
    task.add_done_callback(_writing.discard)
    if memory.status != "unavailable":
        await asyncio.wait({task}, timeout=max(call.patience.left, 0))


async def written(seconds: float) -> None:
    """Waits for what is being stored, as the server stops."""
    if _writing:
        await asyncio.wait(set(_writing), timeout=seconds)


async def _kept(memory: Memory, who: Party, answer: str | None) -> None:
    try:
        await in_thread(_keep, memory, who, answer)
    except Exception as error:
        frames = "".join(traceback.format_tb(error.__traceback__))
        logger.error("the turns of a chat weren't stored: %s\n%s", type(error).__name__, frames)


def _stores(memory: Memory) -> bool:
    return memory.writes and bool(memory.chat.turns)


def _keep(memory: Memory, who: Party, answer: str | None) -> None:
    conversation_id, message_id = _store(memory, who, answer) if _stores(memory) else (None, None)
    if not memory.noted:
        memory.noted = True
        pipeline.used(
            user_id=who.user_id,
            fact_ids=[one.fact_id for one in memory.citations],
            via="chat",
            by=who.by,
            now=memory.now,
            conversation_id=conversation_id,
            message_id=message_id,
        )


def _store(memory: Memory, who: Party, answer: str | None) -> tuple[UUID | None, UUID | None]:
    """Stores the turns; the conversation, and the message that holds the answer, which is None
    when it was there before or isn't to be stored. Both None while memory is paused."""
    chat, told = memory.chat, memory.chat.marks(who.user)
    with acting_for(who.user_id):
        # Two requests of one chat come one after the other.
        store.lock(who.user_id)
        name = memory.conversation or _find(memory, who) or turns.new_name()
        talk = Conversation.objects.filter(user_id=who.user_id, external_id=name).first()
        held: list[turns.Mark] = []
        number = 1
        if talk is not None:
            held, number = turns.stored(who.user_id, talk.id)
        again = talk is not None and memory.now - talk.last_message_at < turns.AGAIN
        fresh = turns.new(held, told, first=chat.first, again=again)
        new = [chat.turns[place] for place in fresh.places]
        # Nobody says when they were written: in this order, and the last of them now.
        times = [memory.now - timedelta(milliseconds=n) for n in reversed(range(len(new)))]
        text = turns.storable(answer or "")
        answered = False
        if text and turns.Turn("assistant", text).mark(who.user) not in fresh.answers:
            new.append(turns.Turn("assistant", text))
            times.append(max(providers.clock().now(), memory.now + timedelta(milliseconds=1)))
            answered = True
        if not new:
            return (talk.id if talk else None), None
        messages = [
            ingest.Incoming(
                role=turn.role,
                content=turn.text,
                sent_at=sent_at,
                id=f"chat:{turn.mark(who.user)}:{number + place}",
            )
            for place, (turn, sent_at) in enumerate(zip(new, times, strict=True))
        ]
        accepted = pipeline.accept(
            user_id=who.user_id,
            conversation=name,
            messages=messages,
            by=who.by,
            application_id=who.application_id,
        )
        if not answered or accepted.conversation_id is None:
            return accepted.conversation_id, None
        kept = Message.objects.filter(
            user_id=who.user_id,
            conversation_id=accepted.conversation_id,
            external_id=messages[-1].id,
        )
        return accepted.conversation_id, kept.values_list("id", flat=True).first()


# -- Before --------------------------------------------------------------------------------------


def inject(messages: list[Any], grounding: Grounding) -> list[Any]:
    """The messages with the memory block in the system message. The client's own comes
    first, unchanged: the block is added at its end, since many models take only one system
    message, the first. Without one, the block is it."""
    if messages and isinstance(messages[0], Mapping):
        first = messages[0]
        content = first.get("content")
        if first.get("role") in ("system", "developer"):
            if isinstance(content, str):
                added: Any = f"{content}\n\n{grounding.context}" if content else grounding.context
                return [{**first, "content": added}, *messages[1:]]
            if isinstance(content, list):
                part = {"type": "text", "text": grounding.context}
                return [{**first, "content": [*content, part]}, *messages[1:]]
    return [{"role": "system", "content": grounding.context}, *messages]


def check_messages(body: Mapping[str, Any]) -> list[Any]:
    """Raises Refused unless there are messages to answer."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid("messages", _("Send at least one message."))
    if not all(isinstance(message, dict) for message in messages):
        raise invalid("messages", _("Each message is a JSON object."))
    if not isinstance(body.get("model"), str):
        raise invalid("model", _("Name a model."))
    return messages
