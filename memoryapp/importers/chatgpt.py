"""ChatGPT: conversations.json, whole or in shards.

A conversation is a ``mapping`` of nodes; the branch that stands ends at ``current_node``.
The export has no file of memories, but conversations hold them three ways: what the
assistant saved (a message to ``bio``, with its time), snapshots of all saved memories
(numbered and dated), and the custom instructions, repeated in every conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memoryapp.importers.branches import Node, branch, heaviest_leaf
from memoryapp.importers.common import (
    Draft,
    Found,
    ImportedConversation,
    ImportedMemory,
    ImportRefused,
    Item,
    Limits,
    Tally,
    clean,
    content_id,
    conversation,
    name,
)
from memoryapp.importers.lists import Rejected, statements
from memoryapp.importers.streams import records
from memoryapp.importers.times import moment
from memoryapp.records import normalise

# Marks for citations: between private-use letters, and as 【4†source】.
_CITATION = re.compile(
    r"[ \t]?(?:\ue200[^\ue201]{0,400}\ue201|【\d{1,4}(?::\d{1,4})?†[^】]{0,200}】)"
)
_PRIVATE = re.compile(r"[\ue200-\ue2ff]")
_SNAPSHOT_LINE = re.compile(r"^[ \t]*\d{1,4}\.[ \t]*(?:\[(\d{4}-\d\d-\d\d)\]\.?\s*)?", re.MULTILINE)
_FENCED = re.compile(r"```\w*\n?(.*?)```", re.DOTALL)

_REASONS = {
    "thoughts": "reasoning",
    "reasoning_recap": "reasoning",
    "execution_output": "tool",
    "tether_quote": "tool",
    "tether_browsing_display": "tool",
    "sonic_webpage": "tool",
    "computer_output": "tool",
    "system_error": "error",
}


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """Conversations as they come, then memories, then what was left out."""
    tally = Tally()
    kept = _Kept(limits.records)
    for one in found:
        for raw in records(one, limits, tally, containers=("conversations",), what="conversation"):
            captured = raw.get("raw_provider_payload")  # a browser extension's wrapping
            imported = _conversation(captured if isinstance(captured, dict) else raw, kept, tally)
            if imported is not None:
                yield imported
    yield from kept.memories()
    yield from tally.items()


def _conversation(raw: dict[str, Any], kept: _Kept, tally: Tally) -> ImportedConversation | None:
    for flag, reason in (
        ("is_do_not_remember", "do_not_remember"),
        ("is_temporary_chat", "temporary"),
    ):
        if raw.get(flag) is True:
            tally.skip("conversation", reason)
            return None
    mapping = raw.get("mapping")
    if not isinstance(mapping, dict) or not mapping:
        tally.skip("conversation", "no_messages")
        return None
    created_at, updated_at = moment(raw.get("create_time")), moment(raw.get("update_time"))
    nodes = _nodes(mapping)
    leaf = name(raw.get("current_node"))
    standing = branch(nodes, leaf if leaf in nodes else heaviest_leaf(nodes))
    on_branch = set(standing)
    for key, node in mapping.items():
        if node is not None and not _readable(node):
            tally.skip("message", "malformed")
        elif key not in on_branch and _role(_message(node)) in ("user", "assistant"):
            tally.skip("message", "inactive_branch")
    drafts = []
    when = created_at or updated_at
    for key in standing:
        message = _message(mapping[key])
        if message:
            when = moment(message.get("create_time")) or when
            draft = _draft(key, message, when, updated_at, kept, tally)
            if draft is not None:
                drafts.append(draft)
    own_id = name(raw.get("conversation_id")) or name(raw.get("id"))
    return conversation(
        own_id or content_id("chatgpt", *(draft.external_id for draft in drafts)),
        raw.get("title"),
        drafts,
        tally,
        created_at=created_at,
        updated_at=updated_at,
    )


def _nodes(mapping: dict[str, Any]) -> dict[str, Node]:
    """Parents come from the parent pointers, or, where one is missing, from the lists of
    children."""
    by_child: dict[str, str] = {}
    for key, node in mapping.items():
        children = node.get("children") if isinstance(node, dict) else None
        for child in children if isinstance(children, list) else ():
            by_child.setdefault(name(child), key)
    nodes = {}
    for key, node in mapping.items():
        parent = name(node.get("parent")) if isinstance(node, dict) else ""
        nodes[key] = Node(key, parent or by_child.get(key, ""))
    return nodes


def _readable(node: object) -> bool:
    return isinstance(node, dict) and isinstance(node.get("message"), dict | None)


def _message(node: object) -> dict[str, Any]:
    message = node.get("message") if isinstance(node, dict) else None
    return message if isinstance(message, dict) else {}


def _role(message: dict[str, Any]) -> str:
    author = message.get("author")
    return name(author.get("role")) if isinstance(author, dict) else ""


def _draft(
    key: str,
    message: dict[str, Any],
    when: datetime | None,
    updated_at: datetime | None,
    kept: _Kept,
    tally: Tally,
) -> Draft | None:
    """The message as the user sees it, or None, counted. ``when`` is the latest time known
    on the branch."""
    role = _role(message)
    metadata = message.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    content = message.get("content")
    content = content if isinstance(content, dict) else {}
    kind = name(content.get("content_type"))
    if kept.instructions(kind, content, metadata, when, tally):
        return None
    if kind == "model_editable_context":
        kept.snapshot(clean(content.get("model_set_context")), updated_at or when)
        return None
    recipient = name(message.get("recipient")) or "all"
    if role == "assistant" and recipient == "bio":
        kept.saved(_text(content, Tally()), when)
        return None
    reason = _hidden(role, recipient, kind, metadata)
    if reason:
        tally.skip("message", reason)
        return None
    text = _text(content, tally, uploads=metadata.get("attachments"))
    if role == "assistant" and ("\ue200" in text or "【" in text):
        text = _PRIVATE.sub("", _CITATION.sub("", text)).strip()
    if not text:
        known = kind in ("", "text", "multimodal_text", "code")
        tally.skip("message", "empty" if known else "unknown_content")
        return None
    return Draft(
        "user" if role == "user" else "assistant",
        text,
        moment(message.get("create_time")),
        name(message.get("id")) or key,
    )


def _hidden(role: str, recipient: str, kind: str, metadata: dict[str, Any]) -> str:
    if role not in ("user", "assistant"):
        return role if role in ("system", "tool") else "unknown_role"
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden"
    if role == "assistant" and recipient != "all":
        return "tool_call"
    return _REASONS.get(kind, "")


def _text(content: dict[str, Any], tally: Tally, uploads: object = None) -> str:
    """The parts that are words; pictures and sounds are counted. A picture stands both in
    the parts and among the uploads."""
    parts = content.get("parts")
    texts: list[str] = []
    pictures = 0
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            texts.append(clean(part))
        elif isinstance(part, dict):
            kind = name(part.get("content_type"))
            if kind == "audio_transcription":
                texts.append(clean(part.get("text")))
            elif "audio" in kind:
                tally.skip("attachment", "audio")
            else:
                pictures += 1
    tally.skip(
        "attachment", "file", max(pictures, len(uploads) if isinstance(uploads, list) else 0)
    )
    if not texts and content.get("content_type") == "code":
        code = clean(content.get("text"))
        texts = [f"```\n{code}\n```"] if code else []
    return "\n".join(filter(None, texts))


@dataclass(slots=True)
class _Statement:
    text: str
    at: datetime | None
    metadata: dict[str, Any]


@dataclass(slots=True)
class _Kept:
    """Statements gathered from all conversations, each once, with its earliest time: that
    stays the same however often the user exports."""

    limit: int
    _statements: dict[tuple[str, str], _Statement] = field(default_factory=dict)
    _latest: tuple[datetime | None, frozenset[str]] = (None, frozenset())

    def saved(self, text: str, at: datetime | None) -> None:
        if text:
            self._add("saved", text, at, {"source": "saved_memory"}, exact=True)

    def snapshot(self, text: str, at: datetime | None) -> None:
        """A dated list of everything saved; what the newest list lacks, the user has
        removed or the assistant replaced."""
        pieces = _SNAPSHOT_LINE.split(text)[1:]
        keys = set()
        for day, line in zip(pieces[::2], pieces[1::2], strict=False):
            if line.strip():
                keys.add(normalise(line))
                self._add("saved", line.strip(), moment(day), {"source": "saved_memory"})
        newest = self._latest[0]
        if keys and (newest is None or (at is not None and at >= newest)):
            self._latest = (at, frozenset(keys))

    def instructions(
        self,
        kind: str,
        content: dict[str, Any],
        metadata: dict[str, Any],
        at: datetime | None,
        tally: Tally,
    ) -> bool:
        """True when the message holds the custom instructions, which are then kept."""
        if kind == "user_editable_context":
            pair = content.get("user_profile"), content.get("user_instructions")
        elif isinstance(older := metadata.get("user_context_message_data"), dict):
            pair = older.get("about_user_message"), older.get("about_model_message")
        else:
            return False
        for part, text in zip(("about_user", "about_replies"), map(clean, pair), strict=True):
            fenced = _FENCED.findall(text)
            for statement in statements("\n".join(fenced) if fenced else text):
                if isinstance(statement, Rejected):
                    tally.skip("custom instruction", statement.reason)
                    continue
                extra = {"source": "custom_instructions", "section": part}
                if not self._add(part, statement.text, at, extra):
                    tally.skip("custom instruction", "repeated")
        return True

    def _add(
        self,
        group: str,
        text: str,
        at: datetime | None,
        metadata: dict[str, Any],
        *,
        exact: bool = False,
    ) -> bool:
        key = group, normalise(text)
        known = self._statements.get(key)
        if known is None:
            if len(self._statements) >= self.limit:
                raise ImportRefused("too_many_records")
            self._statements[key] = _Statement(text, at, metadata | {"exact": exact})
            return True
        # The message that saved a memory has its time; a snapshot only the day.
        if exact and not known.metadata["exact"]:
            known.at, known.metadata["exact"] = at or known.at, True
        elif exact == known.metadata["exact"] and at and (known.at is None or at < known.at):
            known.at = at
        return False

    def memories(self) -> Iterator[ImportedMemory]:
        listed = self._latest[1]
        for (group, key), kept in self._statements.items():
            metadata = {name: value for name, value in kept.metadata.items() if name != "exact"}
            if group == "saved" and listed:
                metadata["current"] = key in listed
            yield ImportedMemory(
                f"{group}:{content_id(group, key)}", kept.text, kept.at, metadata=metadata
            )
