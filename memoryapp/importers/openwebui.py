"""Open WebUI: exported chats, and what its memories API lists.

The branch that stands ends at ``history.currentId``. Reasoning and tool calls stand in the
content as ``<details>``; newer exports have the plain answer in ``output``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from memoryapp.importers.branches import Node, branch, latest_leaf
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
from memoryapp.importers.streams import records
from memoryapp.importers.times import moment
from memoryapp.records import normalise

_USERS = 1000
_DETAILS = re.compile(r"<details\b[^>]{0,500}>|</details>", re.IGNORECASE)


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """Conversations and memories in the files' order, then what was left out."""
    tally = Tally()
    users: set[str] = set()
    for one in found:
        for raw in records(one, limits, tally, containers=("conversations",), what="conversation"):
            if len(users) < _USERS:
                users.add(name(raw.get("user_id")))
            item = _conversation(raw, tally) if "chat" in raw else _memory(raw, tally)
            if item is not None:
                yield item
    if len(users) > 1:  # an administrator can export everybody's chats
        tally.note("file", "several_users", len(users))
    yield from tally.items()


def _memory(raw: dict[str, Any], tally: Tally) -> ImportedMemory | None:
    text = clean(raw.get("content"))
    if not text:
        tally.skip("memory", "empty")
        return None
    return ImportedMemory(
        name(raw.get("id")) or content_id("openwebui", normalise(text)),
        text,
        moment(raw.get("created_at")),
        moment(raw.get("updated_at")),
        metadata={"source": "openwebui"},
    )


def _conversation(raw: dict[str, Any], tally: Tally) -> ImportedConversation | None:
    chat = raw.get("chat")
    chat = chat if isinstance(chat, dict) else {}
    history = chat.get("history")
    history = history if isinstance(history, dict) else {}
    stored = history.get("messages")
    messages: dict[str, dict[str, Any]] = {}
    if isinstance(stored, dict) and stored:
        for key, message in stored.items():
            if isinstance(message, dict):
                messages[key] = message
            else:
                tally.skip("message", "malformed")
        standing = _standing(messages, name(history.get("currentId")))
        tally.skip("message", "inactive_branch", len(messages) - len(standing))
    else:  # older chats have only the branch that stood
        for at, message in enumerate(dicts(chat.get("messages"))):
            messages[name(message.get("id")) or f"#{at}"] = message
        standing = list(messages)
    drafts = []
    for key in standing:
        draft = _draft(key, messages[key], tally)
        if draft is not None:
            drafts.append(draft)
    own_id = name(raw.get("id"))
    return conversation(
        own_id or content_id("openwebui", *(draft.external_id for draft in drafts)),
        raw.get("title") or chat.get("title"),
        drafts,
        tally,
        created_at=moment(raw.get("created_at")),
        updated_at=moment(raw.get("updated_at")),
    )


def _standing(messages: dict[str, dict[str, Any]], current: str) -> list[str]:
    nodes = {
        key: Node(key, name(message.get("parentId")), moment(message.get("timestamp")))
        for key, message in messages.items()
    }
    return branch(nodes, current if current in nodes else latest_leaf(nodes))


def _draft(key: str, message: dict[str, Any], tally: Tally) -> Draft | None:
    role = name(message.get("role"))
    if role not in ("user", "assistant"):
        tally.skip("message", role if role in ("system", "tool") else "unknown_role")
        return None
    if role == "assistant" and (message.get("error") or message.get("done") is False):
        tally.skip("message", "error" if message.get("error") else "unfinished")
        return None
    tally.skip("attachment", "file", len(dicts(message.get("files"))))
    text = _answer(message, tally) if role == "assistant" else _plain(message, tally)
    if not text:
        tally.skip("message", "empty")
        return None
    return Draft(
        "user" if role == "user" else "assistant",
        text,
        moment(message.get("timestamp")),
        "" if key.startswith("#") else key,
    )


def _plain(message: dict[str, Any], tally: Tally) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return clean(content)
    texts = []
    for part in dicts(content):
        if part.get("type") == "text":
            texts.append(clean(part.get("text")))
        else:
            tally.skip("attachment", "file")
    return "\n\n".join(filter(None, texts))


def _answer(message: dict[str, Any], tally: Tally) -> str:
    output = dicts(message.get("output"))
    texts = [
        clean(part.get("text"))
        for item in output
        if item.get("type") == "message"
        for part in dicts(item.get("content"))
    ]
    for item in output:
        if item.get("type") != "message":
            reasoning = item.get("type") == "reasoning"
            tally.skip("block", "reasoning" if reasoning else "tool_call")
    text = "\n\n".join(filter(None, texts))
    if text:
        return text
    text, blocks = without_details(_plain(message, tally))
    if not output:
        tally.skip("block", "reasoning", blocks)
    return text


def without_details(text: str) -> tuple[str, int]:
    """The text without its ``<details>``, nested or never closed, and how many there were."""
    kept: list[str] = []
    depth = start = blocks = 0
    for match in _DETAILS.finditer(text):
        if match[0].startswith("</"):
            depth = max(0, depth - 1)
            if depth == 0:
                start = match.end()
            continue
        if depth == 0:
            kept.append(text[start : match.start()])
            blocks += 1
        depth += 1
    if depth == 0:
        kept.append(text[start:])
    return clean("".join(kept)), blocks
