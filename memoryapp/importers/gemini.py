"""Gemini: Takeout's "My Activity" as JSON or as a page, and prompts from AI Studio.

Takeout has no conversations, only records, newest first: a prompt and mostly its answer.
The records of one day (UTC) become one conversation, whose id is the day: so it stays the
same when a later export begins or ends elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
from memoryapp.importers.pages import cells, visible_text
from memoryapp.importers.streams import records
from memoryapp.importers.times import moment, written

# How a prompt's record begins, by the account's language.
_PROMPT = re.compile(
    r"(?:Prompted|Asked|Live Prompt|Eingegebener Prompt\s?:|Prompt\s?:)(?:[\s:]+|$)", re.IGNORECASE
)
_PRODUCTS = ("gemini", "bard")


@dataclass(frozen=True, slots=True)
class _Record:
    at: datetime | None
    prompt: str
    answer: str


def read(found: Sequence[Found], limits: Limits) -> Iterator[Item]:
    """A conversation a day, in the files' order, then what was left out."""
    tally = Tally()
    for one in found:
        if one.shape.root == "html":
            yield from _days(_from_page(one, limits, tally), tally)
        elif "chunkedPrompt.chunks" in one.shape.keys:
            for raw in records(one, limits, tally, containers=(), what="conversation"):
                imported = _studio(raw, tally)
                if imported is not None:
                    yield imported
        else:
            listed = records(one, limits, tally, containers=(), what="record")
            yield from _days(_from_json(listed, tally), tally)
    yield from tally.items()


def _from_json(listed: Iterable[dict[str, Any]], tally: Tally) -> Iterator[_Record]:
    for raw in listed:
        products = raw.get("products")
        about = [raw.get("header"), *(products if isinstance(products, list) else ())]
        if not any(_ours(clean(product)) for product in about):
            tally.skip("record", "other_product")
            continue
        title = clean(raw.get("title"))
        begins = _PROMPT.match(title)
        if begins is None:
            tally.skip("record", "other_activity")
            continue
        attached = raw.get("attachedFiles")
        tally.skip("attachment", "file", len(attached) if isinstance(attached, list) else 0)
        tally.skip("attachment", "file", int(bool(raw.get("imageFile"))))
        answers = [visible_text(clean(part.get("html"))) for part in dicts(raw.get("safeHtmlItem"))]
        tally.skip("message", "malformed", answers.count(None))
        yield _Record(
            moment(raw.get("time")),
            title[begins.end() :].strip(),
            "\n\n".join(filter(None, answers)),
        )


def _ours(product: str) -> bool:
    return any(word in product.casefold() for word in _PRODUCTS)


def _from_page(found: Found, limits: Limits, tally: Tally) -> Iterator[_Record]:
    for cell in cells(found.document, limits):
        if cell is None:
            tally.skip("record", "record_too_large")
            continue
        header, body = cell
        if not any(_ours(line) for line in header[:1]):
            tally.skip("record", "other_product")
            continue
        # Either "Prompted …", time, answer, or the first two of them in the header.
        lines = header[1:] + body
        at = next((at for at, line in enumerate(lines) if written(line)), None)
        begins = _PROMPT.match(lines[0]) if lines else None
        if begins is None or at is None:
            tally.skip("record", "other_activity" if begins is None else "malformed")
            continue
        read_time = written(lines[at])
        if read_time is not None and not read_time[1]:
            tally.note("message", "zone_unknown")
        before, after = [lines[0][begins.end() :], *lines[1:at]], lines[at + 1 :]
        if not any(before):
            before, after = after[:1], after[1:]
        yield _Record(
            read_time[0] if read_time else None,
            clean("\n".join(filter(None, before))),
            clean("\n".join(after)),
        )


def _days(listed: Iterable[_Record], tally: Tally) -> Iterator[ImportedConversation]:
    day = ""
    gathered: list[_Record] = []
    for record in listed:
        if not record.prompt:
            tally.skip("record", "empty")
            continue
        its_day = record.at.date().isoformat() if record.at else day or "undated"
        if its_day != day and gathered:
            yield from _day(day, gathered, tally)
            gathered = []
        day = its_day
        gathered.append(record)
    if gathered:
        yield from _day(day, gathered, tally)


def _day(day: str, gathered: Sequence[_Record], tally: Tally) -> Iterator[ImportedConversation]:
    """Oldest first. Two records of one second are told apart by the prompt, and two of the
    same prompt by their order."""
    drafts: list[Draft] = []
    seen: Counter[str] = Counter()
    newest_first = list(gathered)[::-1]
    for record in sorted(newest_first, key=lambda record: (record.at is None, record.at or 0)):
        stamp = record.at.isoformat() if record.at else ""
        key = content_id("gemini", stamp, record.prompt)
        seen[key] += 1
        key = f"{key}:{seen[key]}"
        drafts.append(Draft("user", record.prompt, record.at, key))
        if record.answer:
            drafts.append(Draft("assistant", record.answer, record.at, f"{key}:answer"))
        else:
            tally.note("message", "answer_missing")
    imported = conversation(f"gemini:{day}", "", drafts, tally)
    if imported is not None:
        yield imported


def _studio(raw: dict[str, Any], tally: Tally) -> ImportedConversation | None:
    """One AI Studio prompt. It has no id and no title of its own."""
    whole = raw.get("chunkedPrompt")
    chunks = dicts(whole.get("chunks")) if isinstance(whole, dict) else []
    drafts: list[Draft] = []
    for chunk in chunks:
        role = name(chunk.get("role"))
        text = clean(chunk.get("text"))
        if chunk.get("isThought") is True:
            tally.skip("message", "reasoning")
        elif role not in ("user", "model"):
            tally.skip("message", "unknown_role")
        elif text:
            at = moment(chunk.get("createTime"))
            drafts.append(Draft("user" if role == "user" else "assistant", text, at))
        else:
            uploaded = any(key.startswith(("drive", "inline")) for key in chunk)
            tally.skip("attachment" if uploaded else "message", "file" if uploaded else "empty")
    first = drafts[0].content if drafts else ""
    began = next((draft.sent_at for draft in drafts if draft.sent_at), None)
    stamp = began.isoformat() if began else ""
    return conversation(f"studio:{content_id(stamp, first)}", "", drafts, tally)
