"""LibreChat: one conversation a file, its messages flat or nested.

No leaf is named and siblings are all there, so the last one written stands. Nested
messages have no time of their own, and ``exportAt`` is a time of day without a date.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memoryapp.importers.branches import Node, branch, latest_leaf
from memoryapp.importers.common import (
    Draft,
    Found,
    ImportedConversation,
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


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """Conversations in the files' order, then what was left out."""
    tally = Tally()
    for one in found:
        for raw in records(one, limits, tally, containers=("conversations",), what="conversation"):
            imported = _conversation(raw, tally)
            if imported is not None:
                yield imported
    yield from tally.items()


def _conversation(raw: dict[str, Any], tally: Tally) -> ImportedConversation | None:
    listed = raw.get("messages") or raw.get("messagesTree")
    if not isinstance(listed, list):
        tally.skip("conversation", "no_messages")
        return None
    messages = _flat(listed, tally)
    nodes = {
        key: Node(key, parent, moment(message.get("createdAt")))
        for key, (parent, message) in messages.items()
    }
    standing = branch(nodes, latest_leaf(nodes))
    tally.skip("message", "inactive_branch", len(messages) - len(standing))
    drafts = []
    for key in standing:
        draft = _draft(key, messages[key][1], tally)
        if draft is not None:
            drafts.append(draft)
    own_id = name(raw.get("conversationId"))
    return conversation(
        own_id or content_id("librechat", *(draft.external_id for draft in drafts)),
        raw.get("title"),
        drafts,
        tally,
        created_at=moment(raw.get("createdAt")),
        updated_at=moment(raw.get("updatedAt")),
    )


def _flat(listed: Sequence[object], tally: Tally) -> dict[str, tuple[str, dict[str, Any]]]:
    """Parent and message by id, in the file's order, children after their parents."""
    flat: dict[str, tuple[str, dict[str, Any]]] = {}
    waiting: list[tuple[str, object]] = [("", message) for message in reversed(listed)]
    linear = not any(message.get("parentMessageId") for message in dicts(list(listed)))
    before = ""
    while waiting:
        above, message = waiting.pop()
        if not isinstance(message, dict):
            tally.skip("message", "malformed")
            continue
        key = name(message.get("messageId")) or f"#{len(flat)}"
        parent = above or name(message.get("parentMessageId"))
        if linear and not parent:
            parent = before  # a list without any links is read as it stands
        before = key
        flat[key] = parent, message
        children = message.get("children")
        if isinstance(children, list):
            waiting.extend((key, child) for child in reversed(children))
    return flat


def _draft(key: str, message: dict[str, Any], tally: Tally) -> Draft | None:
    by_user = message.get("isCreatedByUser")
    if not isinstance(by_user, bool):
        by_user = clean(message.get("sender")).casefold() == "user"
    for flag in ("error", "unfinished"):
        if message.get(flag) is True and not (by_user and flag == "unfinished"):
            tally.skip("message", flag)
            return None
    for uploads in ("files", "attachments"):
        tally.skip("attachment", "file", len(dicts(message.get(uploads))))
    text = clean(message.get("text")) or _parts(message.get("content"), tally)
    if not text:
        tally.skip("message", "empty")
        return None
    return Draft(
        "user" if by_user else "assistant",
        text,
        moment(message.get("createdAt")),
        "" if key.startswith("#") else key,
    )


def _parts(content: object, tally: Tally) -> str:
    texts = []
    for part in dicts(content):
        kind = name(part.get("type"))
        if kind == "text":
            text = part.get("text")
            texts.append(clean(text.get("value") if isinstance(text, dict) else text))
        elif kind == "think":
            tally.skip("block", "reasoning")
        elif kind == "tool_call":
            tally.skip("block", "tool_call")
        else:
            tally.skip("block", "unknown_content")
    return "\n\n".join(filter(None, texts))
