"""Letta: agent files (.af).

What an agent knows of its user stands in memory blocks, free text under a label. Ids count
from zero in each file, so none of them is used. Replies can be calls of ``send_message``.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import ijson

from memoryapp.importers.common import (
    Draft,
    Found,
    ImportedConversation,
    ImportedMemory,
    Item,
    Limits,
    Tally,
    clean,
    content_id,
    conversation,
    dicts,
    name,
)
from memoryapp.importers.lists import Rejected, Statement, statements
from memoryapp.importers.streams import Unreadable, values
from memoryapp.importers.times import moment
from memoryapp.records import normalise

_ABOUT_USER = frozenset({"human", "about_user", "preferences", "user"})
_PATHS = frozenset(
    {
        "agents.item",
        "blocks.item",
        "files.item",
        "name",
        "core_memory.item",
        "messages.item",
        "created_at",
    }
)


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """Conversations, one an agent, then the statements of the blocks about the user, then
    what was left out."""
    tally = Tally()
    for one in found:
        yield from _agent_file(one, limits, tally)
    yield from tally.items()


def _agent_file(found: Found, limits: Limits, tally: Tally) -> Iterator[Item]:
    blocks: list[dict[str, Any]] = []
    older: dict[str, Any] = {"messages": []}
    names: list[str] = []
    for path, value in values(found.document, _PATHS, limits):
        if isinstance(value, Unreadable):
            tally.skip("agent", value.reason)
        elif path in ("name", "created_at"):
            older[path] = value
        elif not isinstance(value, dict):
            tally.skip("agent", "malformed")
        elif path == "files.item":
            tally.skip("attachment", "file")
        elif path == "messages.item":
            older["messages"].append(value)
        elif path == "agents.item":
            names.append(name(value.get("name")))
            blocks += dicts(value.get("memory_blocks"))
            yield from _conversation(value, tally)
        else:
            blocks.append(value)
    if older["messages"]:
        names.append(name(older.get("name")))
        yield from _conversation(older, tally)
    written_at = moment(older.get("created_at"))
    for block in blocks:
        for memory in _memories(block, "/".join(names), tally):
            yield ImportedMemory(memory[0], memory[1], written_at, metadata=memory[2])


def _conversation(agent: dict[str, Any], tally: Tally) -> Iterator[ImportedConversation]:
    drafts: list[Draft] = []
    messages = dicts(agent.get("messages"))
    key = content_id(
        "letta",
        name(agent.get("name")),
        next((name(message.get("created_at")) for message in messages), ""),
    )
    for message in messages:
        draft = _draft(message, key, tally)
        if draft is not None:
            drafts.append(draft)
    if not messages:
        return
    imported = conversation(f"letta:{key}", agent.get("name"), drafts, tally)
    if imported is not None:
        yield imported


def _draft(message: dict[str, Any], agent: str, tally: Tally) -> Draft | None:
    role = name(message.get("role"))
    if role not in ("user", "assistant"):
        tally.skip("message", role if role in ("system", "tool") else "unknown_role")
        return None
    content = message.get("content", message.get("text"))
    if isinstance(content, str):
        text = clean(content)
    else:
        parts = [part for part in dicts(content) if part.get("type", "text") == "text"]
        text = "\n\n".join(filter(None, (clean(part.get("text")) for part in parts)))
    sent_at = moment(message.get("created_at"))
    if role == "user":
        wrapped = _object(text)
        if "type" in wrapped:  # the harness speaks as the user: heartbeats, sign-ins
            text = clean(wrapped.get("message")) if wrapped["type"] == "user_message" else ""
            if not text:
                tally.skip("message", "system")
                return None
    calls = dicts(message.get("tool_calls")) if role == "assistant" else []
    said = list(filter(None, map(_said, calls)))
    # Beside a spoken reply, the content is the agent's inner monologue.
    monologue = bool(said and text)
    text = "\n\n".join(said) or text
    if not text:
        tally.skip("message", "tool_call" if calls else "empty")
        return None
    tally.skip("block", "reasoning", int(monologue))
    tally.skip("block", "tool_call", len(calls) - len(said))
    stamp = name(message.get("created_at"))
    return Draft(
        "user" if role == "user" else "assistant",
        text,
        sent_at,
        content_id(agent, stamp, role, text),
    )


def _said(call: dict[str, Any]) -> str:
    """What a call of ``send_message`` says; "" for any other call."""
    function = call.get("function")
    if not isinstance(function, dict) or function.get("name") != "send_message":
        return ""
    return clean(_object(clean(function.get("arguments"))).get("message"))


def _object(text: str) -> dict[str, Any]:
    """The JSON object that the text is; empty when it is none."""
    if text.startswith("{"):
        with suppress(ijson.JSONError):
            for value in ijson.items(io.BytesIO(text.encode()), "", use_float=True):
                return value if isinstance(value, dict) else {}
    return {}


def _memories(
    block: dict[str, Any], agents: str, tally: Tally
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Id, text and metadata of a block's statements. Blocks begin and end with words
    about the block itself, so where it lists anything only the entries count."""
    label = name(block.get("label"))
    if label not in _ABOUT_USER:
        tally.skip("block", "not_about_user")
        return
    told = list(statements(clean(block.get("value"))))
    tabulated = any(isinstance(one, Rejected) or one.listed for one in told)
    for one in told:
        if isinstance(one, Rejected):
            tally.skip("memory", one.reason)
        elif tabulated and not one.listed:
            tally.skip("memory", "about_the_block")
        else:
            yield _one(one, label, agents)


def _one(statement: Statement, label: str, agents: str) -> tuple[str, str, dict[str, Any]]:
    key = content_id(agents, label, normalise(statement.text))
    return f"block:{key}", statement.text, {"source": "block", "section": label}
