"""Which product a document comes from, by what is in it.

An array alone says nothing (most exports are one) and a file's name can be anything, so
each format is known by keys that only it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from memoryapp.importers import archive
from memoryapp.importers.common import (
    FORMATS,
    Document,
    Format,
    Found,
    Limits,
    Shape,
    Skipped,
    Source,
)
from memoryapp.importers.lists import looks_like_list
from memoryapp.importers.streams import events, json_stream

# Keys that decide, of a record or of the file's top; all of a set must be there.
_KEYS: tuple[tuple[Format, str], ...] = (
    ("memoryapp", "format exported_at settings"),
    ("chatgpt", "mapping"),
    ("chatgpt", "raw_provider_payload.mapping"),
    ("claude", "chat_messages"),
    ("claude", "conversations_memory"),
    ("claude", "prompt_template docs"),
    ("claude", "uuid project messages"),
    ("openwebui", "chat.history"),
    ("librechat", "conversationId endpoint messages"),
    ("librechat", "conversationId exportAt messages"),
    ("librechat", "conversationId messagesTree"),
    ("openmemory", "export_meta memories"),
    ("openmemory", "apps memories memory_categories"),
    ("gemini", "header time title"),
    ("gemini", "chunkedPrompt.chunks"),
    ("letta", "agents blocks"),
    ("letta", "core_memory messages"),
    ("mem0", "id memory"),
    ("mem0", "memory_id event new_memory"),
)
_DECISIVE = tuple((format_, frozenset(keys.split())) for format_, keys in _KEYS)
_OPENWEBUI_MEMORY = frozenset(["id", "user_id", "content", "created_at", "updated_at"])
_ELSEWHERE = frozenset(["state", "app_id", "role", "parent_id"])
CONTAINERS = frozenset({"conversations", "results", "memories"})
_VOCABULARY = (
    frozenset[str]().union(*(keys for _, keys in _DECISIVE))
    | _OPENWEBUI_MEMORY
    | _ELSEWHERE
    | CONTAINERS
    | frozenset({"next", "count", "relations"})
)
_RECORDS = 30
_EVENTS = 300_000
_HEAD = 256 * 1024


def detect(source: Source) -> Format | None:
    """The source's format, None when no format is recognised. Raises ImportRefused for an
    archive that isn't safe to open."""
    with archive.opened(source) as (documents, _):
        format_, _, _ = recognise(documents, source.limits)
    return format_


def recognise(
    documents: Sequence[Document], limits: Limits, wanted: Format | None = None
) -> tuple[Format | None, list[Found], list[Skipped]]:
    """The format that most documents have (the first in FORMATS of equals; or the one
    that is wanted), its documents, and the others as skipped."""
    shapes = [(document, shape_of(document, limits)) for document in documents]
    alone = len(shapes) == 1
    known = [(document, shape, format_of(shape, alone=alone)) for document, shape in shapes]
    votes = Counter(format_ for _, _, format_ in known if format_ is not None)
    if wanted is None and votes:
        most = max(votes.values())
        wanted = next(format_ for format_ in FORMATS if votes[format_] == most)
    if wanted == "paste" and alone and shapes[0][1].root not in ("archive", "binary"):
        return wanted, [Found(*shapes[0])], []
    found = [Found(document, shape) for document, shape, format_ in known if format_ == wanted]
    skipped = [
        Skipped("file", _why(shape, format_))
        for _, shape, format_ in known
        if format_ is None or format_ != wanted
    ]
    return (wanted if wanted and found else None), found, skipped


def _why(shape: Shape, format_: Format | None) -> str:
    if format_ is not None:
        return "other_format"
    return {"broken": "malformed", "archive": "nested_archive"}.get(shape.root, "not_needed")


def seen_in(documents: Sequence[Document], limits: Limits) -> tuple[str, ...]:
    """For the message to the user: the kind and first keys of the first documents."""
    names: list[str] = []
    for document in islice(documents, 5):
        shape = shape_of(document, limits)
        names.append(": ".join(filter(None, (shape.root, ", ".join(shape.seen)))))
    return tuple(names)


def format_of(shape: Shape, *, alone: bool = True) -> Format | None:
    """The format that a shape has. Text is a list of memories only when it is the whole
    source (``alone``)."""
    for name, keys in _DECISIVE:
        if keys <= shape.keys:
            return name
    memory = shape.root == "array" and shape.keys >= _OPENWEBUI_MEMORY
    if memory and not shape.keys & _ELSEWHERE:
        return "openwebui"
    if shape.root == "html" and "outer-cell" in shape.keys:
        return "gemini"
    if shape.root == "text" and alone:
        return "mem0" if "---" in shape.keys else "paste" if "list" in shape.keys else None
    return None


def shape_of(document: Document, limits: Limits) -> Shape:
    """What the document is, from its beginning. Bounded in time and memory."""
    with document.open() as file:
        head = file.read(_HEAD)
    if head.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        return Shape("archive")
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if wide else "utf-8-sig", "ignore").lstrip()
    if not text:
        return Shape("empty")
    if text[0] in '[{"' and not _dated_list(text):
        return _json_shape(document, limits)
    if text[0] == "<":
        return Shape("html", frozenset({"outer-cell"} if "outer-cell" in text else ()))
    if "\x00" in text:
        return Shape("binary")
    if text.startswith("---\n") and "\nid:" in text[:2000]:
        return Shape("text", frozenset({"---"}))
    return Shape("text", frozenset({"list"} if looks_like_list(text) else ()))


def _dated_list(text: str) -> bool:
    """ "[2026-01-05] - Lives in Porto" begins like JSON."""
    first = text.split("\n", 1)[0]
    return text[0] == "[" and "]" in first and looks_like_list(text)


def _json_shape(document: Document, limits: Limits) -> Shape:
    keys: set[str] = set()
    seen: list[str] = []
    root = ""
    path: list[str] = []
    elements = 0
    with json_stream(document, limits) as meter:
        for event, value in islice(events(meter), _EVENTS):
            meter.mark = meter.count
            if event == "error":
                return Shape(root if keys else "broken", frozenset(keys), tuple(seen))
            root = root or {"start_array": "array", "start_map": "object"}.get(event, "value")
            if event == "map_key":
                path[-1] = value
                _learn(path, keys, seen)
                if any(needed <= keys for _, needed in _DECISIVE):
                    break
            elif event in ("start_map", "start_array"):
                if event == "start_map" and path in (["item"], ["conversations", "item"]):
                    elements += 1
                    if elements > _RECORDS:
                        break
                path.append("item" if event == "start_array" else "")
            elif event in ("end_map", "end_array"):
                path.pop()
    return Shape(root, frozenset(keys), tuple(seen))


def _learn(path: list[str], keys: set[str], seen: list[str]) -> None:
    """Notes the key that ``path`` ends in, as a key of the record that holds it."""
    top = path[0] if path else ""
    if len(path) == 1:
        relative = path
    elif top == "item":
        relative = path[1:]
    elif top in CONTAINERS and path[1] == "item":
        relative = path[2:]
    else:
        relative = path
    if len(relative) == 1 and relative[0] not in seen and len(seen) < 12:
        seen.append(relative[0][:40])
    key = ".".join(relative)
    if len(relative) <= 2 and key in _VOCABULARY:
        keys.add(key)
