"""Claude: conversations.json, memories.json, design chats, and the single conversation
that the API and browser extensions give.

Branches show only in ``parent_message_uuid``; the official export names no leaf, so the
last one written stands. Words are in ``content``; ``text`` can hold a placeholder for what
a device couldn't show, so it counts only where ``content`` has nothing.
"""

from __future__ import annotations

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
    quoted,
)
from memoryapp.importers.lists import Rejected, statements
from memoryapp.importers.streams import records
from memoryapp.importers.times import moment
from memoryapp.records import Role, normalise

_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}
_BLOCKS = {
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "tool_use": "tool_call",
    "tool_result": "tool_call",
    "image": "file",
}
_TECHNICAL = frozenset({"token_budget", "flag"})


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """Conversations and memories in the files' order, then what was left out."""
    tally = Tally()
    for one in found:
        for raw in records(one, limits, tally, containers=("conversations",), what="conversation"):
            if "conversations_memory" in raw or "project_memories" in raw:
                yield from _memories(raw, tally)
            elif "prompt_template" in raw or "docs" in raw:
                tally.skip("project", "project_instructions")
                tally.skip("attachment", "file", len(dicts(raw.get("docs"))))
            else:
                imported = _conversation(raw, tally)
                if imported is not None:
                    yield imported
    yield from tally.items()


def _conversation(raw: dict[str, Any], tally: Tally) -> ImportedConversation | None:
    listed = raw.get("chat_messages", raw.get("messages"))
    if not isinstance(listed, list):
        tally.skip("conversation", "no_messages")
        return None
    messages = dicts(listed)
    tally.skip("message", "malformed", len(listed) - len(messages))
    own_id = name(raw.get("uuid")) or name(raw.get("id"))
    drafts = []
    standing = _standing(messages, name(raw.get("current_leaf_message_uuid")))
    for position, message in enumerate(messages):
        if position not in standing:
            tally.skip("message", "inactive_branch")
            continue
        draft = _draft(message, tally)
        if draft is not None:
            drafts.append(draft)
    return conversation(
        own_id or content_id("claude", *(draft.content for draft in drafts)),
        raw.get("name"),
        drafts,
        tally,
        created_at=moment(raw.get("created_at")),
        updated_at=moment(raw.get("updated_at")),
    )


def _standing(messages: Sequence[dict[str, Any]], leaf: str) -> set[int]:
    """The positions of the messages on the branch that stands; all of them where the
    export has no parents. A message without a parent follows the one before it."""
    if not any(message.get("parent_message_uuid") for message in messages):
        return set(range(len(messages)))
    ids = [name(message.get("uuid")) or f"#{at}" for at, message in enumerate(messages)]
    nodes = {
        own: Node(
            own,
            name(message.get("parent_message_uuid")) or (ids[at - 1] if at else ""),
            moment(message.get("created_at")),
        )
        for at, (own, message) in enumerate(zip(ids, messages, strict=True))
    }
    kept = set(branch(nodes, leaf if leaf in nodes else latest_leaf(nodes)))
    return {at for at, own in enumerate(ids) if own in kept}


def _draft(message: dict[str, Any], tally: Tally) -> Draft | None:
    sent_at = moment(message.get("created_at"))
    inner = message.get("content")
    if isinstance(inner, dict):  # a design chat wraps the message once more
        sent_at = sent_at or moment(inner.get("timestamp"))
        message = {**message, "text": inner.get("content"), "content": inner.get("content")}
    sender = name(message.get("sender")) or name(message.get("role"))
    role = _ROLES.get(sender)
    if role is None:
        tally.skip("message", sender if sender in ("system", "tool") else "unknown_role")
        return None
    text, left_out = _text(message)
    pasted = _attachments(message, tally)
    content = "\n\n".join(filter(None, (text, *pasted)))
    if not content:
        tally.skip("message", left_out[-1] if left_out else "empty")
        return None
    for reason in left_out:
        tally.skip("block", reason)
    return Draft(role, content, sent_at, name(message.get("uuid")))


def _text(message: dict[str, Any]) -> tuple[str, list[str]]:
    """The words, and why each other block is none."""
    texts: list[str] = []
    left_out: list[str] = []
    for block in dicts(message.get("content")):
        kind = name(block.get("type"))
        if kind in ("text", "voice_note"):
            texts.append(_spoken(clean(block.get("text"))))
        elif kind not in _TECHNICAL:
            left_out.append(_BLOCKS.get(kind, "unknown_content"))
    text = "\n\n".join(filter(None, texts))
    if not text and not left_out:
        text = _spoken(clean(message.get("text")))
    return text, left_out


def _spoken(text: str) -> str:
    """The text without what older models thought aloud."""
    first, *rest = text.split("<antThinking>")
    return clean(first + "".join(piece.partition("</antThinking>")[2] for piece in rest))


def _attachments(message: dict[str, Any], tally: Tally) -> list[str]:
    """What was pasted as a file, quoted: a long paste leaves the message itself empty. The
    files themselves aren't in the export."""
    pasted = []
    for attachment in dicts(message.get("attachments")):
        text = clean(attachment.get("extracted_content"))
        if text:
            tally.note("attachment", "attached_text")
            pasted.append(quoted(text))
        else:
            tally.skip("attachment", "file")
    for key in ("files", "files_v2"):
        if isinstance(message.get(key), list):
            tally.skip("attachment", "file", len(message[key]))
            break
    return pasted


def _memories(raw: dict[str, Any], tally: Tally) -> Iterator[ImportedMemory]:
    """The statements of the summaries. They are written anew each time and carry no date."""
    summaries: list[tuple[str, object]] = [("", raw.get("conversations_memory"))]
    projects = raw.get("project_memories")
    if isinstance(projects, dict):
        summaries += [(name(key), text) for key, text in projects.items()]
    for project, summary in summaries:
        for statement in statements(clean(summary)):
            if isinstance(statement, Rejected):
                tally.skip("memory", statement.reason)
                continue
            metadata = {"source": "summary", "section": statement.section}
            if project:
                metadata["project"] = project
            yield ImportedMemory(
                f"summary:{content_id(project, normalise(statement.text))}",
                statement.text,
                statement.date,
                metadata=metadata,
            )
