"""Messages to candidate facts: runs an extractor and believes none of it unchecked.

Pure: no database, no clock, no network but the extractor's own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memoryapp.ports import Extractor
from memoryapp.records import (
    KINDS,
    Batch,
    Candidate,
    Dropped,
    ExtractionResult,
    ForgetRequest,
    Quote,
    Turn,
    normalise,
)
from memoryapp.redact import redact
from memoryapp.regions import Region, excluded, overlaps, strip_memory_blocks
from memoryapp.subjects import canonical, nobody

MAX_VALUE = 500
MAX_SCOPE = 120

_ATTRIBUTE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_INSTRUCTION = re.compile(
    r"^(?:ignore|disregard|override|append|execute|exfiltrate|reveal|obey|pretend|act as)\b"
    r"|\b(?:ignore|disregard|forget|override) (?:all |any |the |your |previous |prior |above )+"
    r"(?:instruction|prompt|rule|message)"
    r"|\bsystem prompt\b|\byou (?:must|should|shall|are now|will now|have to|need to)\b"
    r"|\bfrom now on,? you\b|\b(?:always|never) (?:append|insert|send|include|output|reveal|obey"
    r"|execute|reply with|respond with|tell|trust|recommend|link)\b"
    r"|\b(?:append|attach|send|forward|post|leak)\b.{0,60}\b(?:to|into) (?:every|all|each|any"
    r"|links?|https?:|the (?:url|link|address))"
    r"|</?(?:memory|system|assistant|user|script|instructions?)\b|<\|im_|\[/?INST\]"
    r"|^=====? (?:END )?MEMORY\b",
    re.IGNORECASE | re.DOTALL,
)

# What another product wrote down about its user. Where it is the user's own memory that
# comes in, it is brought to the first person before it gets here.
_OF_THE_USER = re.compile(
    r"\W{0,4}(?:the\s+|this\s+)?user(?:['’]s\s+(?:\w+\s+){1,3}(?:is|are|was|were)\b"
    r"|\s+(?:is|was|has|does(?:n['’]t)?|isn['’]t|hasn['’]t|can(?:not)?|also|currently|recently"
    r"|really|strongly|previously|lives|works|likes|loves|prefers|enjoys|hates|dislikes|wants"
    r"|needs|uses|owns|plays|speaks|studies|plans|drives|eats|drinks|avoids|moved|started"
    r"|mentioned|said|asked|stated|reported)\b)"
    r"|\W{0,4}(?:该|这位)?用[户戶](?:的|是|住|喜欢|喜歡|在|有|想|不|叫|对)",
    re.IGNORECASE,
)


def looks_like_instruction(value: str) -> bool:
    """Whether a value speaks to the assistant instead of about somebody."""
    return _INSTRUCTION.search(value) is not None


def _prepared(turn: Turn) -> Turn:
    stripped = strip_memory_blocks(turn.content)
    return turn if stripped == turn.content else replace(turn, content=stripped)


def _fault_of_quote(
    quote: Quote | None, turns: Mapping[UUID, Turn], regions: dict[UUID, list[Region]]
) -> str:
    """The rule that a quote breaks, or empty when it is good evidence."""
    if quote is None:
        return "no_quote"
    turn = turns.get(quote.message_id)
    if turn is None:
        return "unknown_message"
    if turn.role != "user":
        return "not_user"
    if (
        not 0 <= quote.start < quote.end
        or not quote.text.strip()
        or turn.content[quote.start : quote.end] != quote.text
    ):
        return "no_quote"
    if quote.message_id not in regions:
        regions[quote.message_id] = excluded(turn.content)
    if overlaps(regions[quote.message_id], quote.start, quote.end):
        return "excluded_region"
    if _OF_THE_USER.match(quote.text):
        return "not_user"
    return ""


def _aware(moment: datetime | None) -> bool:
    return moment is None or moment.tzinfo is not None


def _fault_of_shape(candidate: Candidate) -> str:
    fits = (
        len(candidate.attribute) <= 64
        and _ATTRIBUTE.fullmatch(candidate.attribute)
        and (subject := canonical(candidate.subject))
        and not nobody(subject)
        and 0 < len(candidate.value.strip()) <= MAX_VALUE
        and len(candidate.scope) <= MAX_SCOPE
        and candidate.kind in KINDS
        and candidate.polarity in ("affirmed", "negated")
        and candidate.operation in ("state", "end")
        and candidate.precision in ("instant", "day", "month", "year")
        and math.isfinite(candidate.confidence)
        and math.isfinite(candidate.importance)
        and _aware(candidate.valid_from)
        and _aware(candidate.valid_to)
    )
    if not fits:
        return "off_schema"
    if candidate.valid_from and candidate.valid_to and candidate.valid_to <= candidate.valid_from:
        return "off_schema"
    text = f"{candidate.value}\n{candidate.statement}\n{candidate.scope}"
    if looks_like_instruction(candidate.value) or looks_like_instruction(candidate.statement):
        return "instruction"
    if "[redacted:" in text or redact(text).spans:
        return "secret"
    return ""


def _tidied(candidate: Candidate, turn: Turn) -> Candidate:
    return replace(
        candidate,
        subject=canonical(candidate.subject),
        value=candidate.value.strip(),
        sent_at=turn.sent_at,
        confidence=min(1.0, max(0.0, candidate.confidence)),
        importance=min(1.0, max(0.0, candidate.importance)),
    )


def extract(batch: Batch, extractor: Extractor) -> ExtractionResult:
    """What the extractor found and the rules let through, in the order found,
    and a ``Dropped`` for everything they didn't: ``no_quote``, ``not_user``,
    ``unknown_message``, ``excluded_region``, ``off_schema``, ``instruction``,
    ``secret``, ``duplicate``. Raises what the extractor raises (ProviderError)."""
    prepared = replace(
        batch,
        turns=tuple(_prepared(turn) for turn in batch.turns),
        context=tuple(_prepared(turn) for turn in batch.context),
    )
    raw = extractor.extract(prepared)
    turns = {turn.message_id: turn for turn in batch.turns}
    regions: dict[UUID, list[Region]] = {}
    dropped = list(raw.dropped)
    kept: list[Candidate] = []
    # One message proves a value once. Another message that repeats it is evidence of its own,
    # whatever batch the two came in.
    said: set[tuple[object, ...]] = set()
    for candidate in raw.candidates:
        fault = _fault_of_quote(candidate.quote, turns, regions) or _fault_of_shape(candidate)
        if fault or candidate.quote is None:
            dropped.append(Dropped(fault))
            continue
        tidy = _tidied(candidate, turns[candidate.quote.message_id])
        identity = (
            candidate.quote.message_id,
            (tidy.subject, tidy.attribute, tidy.scope),
            (normalise(tidy.value), tidy.polarity, tidy.operation),
        )
        if identity in said:
            dropped.append(Dropped("duplicate"))
            continue
        said.add(identity)
        kept.append(tidy)
    forget: list[ForgetRequest] = []
    for request in raw.forget:
        if fault := _fault_of_quote(request.quote, turns, regions):
            dropped.append(Dropped(fault))
        elif not request.what.strip() or len(request.what) > MAX_VALUE:
            dropped.append(Dropped("off_schema"))
        elif request not in forget:
            forget.append(request)
    return replace(raw, candidates=tuple(kept), forget=tuple(forget), dropped=tuple(dropped))
