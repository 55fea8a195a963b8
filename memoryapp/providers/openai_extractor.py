"""The extractor that asks a chat model. Whatever it answers is checked here, one
candidate at a time: a bad one never loses a good one."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, cast, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memoryapp.ports import ChatModel, ProviderError
from memoryapp.providers.openai_prompt import (
    PROMPT_VERSION,
    SCHEMA,
    SENSITIVITIES,
    messages,
    turn_ids,
)
from memoryapp.records import (
    KINDS,
    Batch,
    Candidate,
    Dropped,
    ExtractionResult,
    ForgetRequest,
    Kind,
    Operation,
    Polarity,
    Precision,
    Quote,
    Turn,
)

ANSWER_TOKENS = 4096
LONGEST = {"subject": 100, "attribute": 64, "scope": 100, "value": 500, "statement": 500}
_DECODER = json.JSONDecoder(strict=False)  # raw newlines inside strings are common
# What models put before their answer: their thoughts, and a fence.
_PREFACE = re.compile(r"\A\s*(?:<think>.*?</think>\s*)?(?:```(?:json)?\s*)?", re.S | re.I)
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_SUBJECT = re.compile(r"user|[a-z_]+:\S.*")


class OpenAIExtractor:
    """Facts by a chat model. Raises ProviderError when the model's answer can't be used
    as a whole; ``truncated`` and ``too_large`` only for a single message, since longer
    batches are halved until they get through."""

    name = "openai"

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.version = f"{PROMPT_VERSION}/{model.name}"

    def extract(self, batch: Batch) -> ExtractionResult:
        if not any(turn.role == "user" and turn.content.strip() for turn in batch.turns):
            return ExtractionResult()  # nobody has said anything that could be evidence
        try:
            completion = self._model.complete(
                messages(batch),
                schema=SCHEMA,
                schema_name="facts",
                max_tokens=ANSWER_TOKENS,
            )
        except ProviderError as error:
            if error.code not in ("truncated", "too_large") or len(batch.turns) < 2:
                raise
        else:
            facts, forget, lost = parse(completion.text)
            return _checked(batch, facts, forget, lost, completion.tokens)
        return self._halves(batch)

    def _halves(self, batch: Batch) -> ExtractionResult:
        middle = len(batch.turns) // 2
        first, second = batch.turns[:middle], batch.turns[middle:]
        context = (*batch.context, *first)
        one = self.extract(dataclasses.replace(batch, turns=first))
        # As many turns of context as before: a growing one would be too long in its turn.
        two = self.extract(
            dataclasses.replace(batch, turns=second, context=context[-max(len(batch.context), 2) :])
        )
        return ExtractionResult(
            candidates=(*one.candidates, *two.candidates),
            forget=(*one.forget, *two.forget),
            dropped=(*one.dropped, *two.dropped),
            tokens=one.tokens + two.tokens,
        )


def parse(text: str) -> tuple[list[Any], list[Any], int]:
    """The items under ``facts`` and ``forget`` of a model's answer, and how many were lost
    to broken JSON. Takes fenced JSON, words around it, and raw newlines in strings. Raises
    ProviderError ``malformed`` when there are no such lists."""
    text = _PREFACE.sub("", text)
    answer = _root(text)
    if answer is None:
        facts, forget = _salvage(text, "facts"), _salvage(text, "forget")
        if not facts and not forget:
            raise ProviderError("malformed")
        return facts, forget, 1
    facts, forget = answer.get("facts") or [], answer.get("forget") or []
    if not isinstance(facts, list) or not isinstance(forget, list):
        raise ProviderError("malformed")
    return facts, forget, 0


def _root(text: str) -> dict[str, Any] | None:
    """The first object in the text that holds one of our lists; a bare list counts as
    ``facts``. None when there is none."""
    if text.startswith("["):
        facts = _decoded(text, 0)
        return None if facts is None else {"facts": facts}
    for opening in itertools.islice(re.finditer(r"\{", text), 20):
        found = _decoded(text, opening.start())
        if isinstance(found, dict) and {"facts", "forget"} & found.keys():
            return found
    return None


def _decoded(text: str, at: int) -> Any:
    try:
        return _DECODER.raw_decode(text, at)[0]
    except (ValueError, RecursionError):
        return None


def _salvage(text: str, key: str) -> list[Any]:
    """The whole objects at the start of the list under ``key`` in broken JSON."""
    found: list[Any] = []
    opening = re.search(rf'"{key}"\s*:\s*\[\s*', text)
    at = opening.end() if opening else len(text)
    while at < len(text):
        try:
            item, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(item)
        comma = re.compile(r"\s*,\s*").match(text, at)
        if comma is None:
            break
        at = comma.end()
    return found


class _Bad(Exception):
    """A candidate breaks a rule; the argument is the rule's name."""


def _checked(
    batch: Batch, facts: Iterable[Any], forget: Iterable[Any], lost: int, tokens: int
) -> ExtractionResult:
    turns = turn_ids(batch)
    order = {turn.message_id: number for number, turn in enumerate(batch.turns)}
    zone = _zone(batch.time_zone)
    candidates: list[tuple[tuple[int, int], Candidate]] = []
    requests: list[ForgetRequest] = []
    dropped = [Dropped("malformed")] * lost
    for item in facts:
        try:
            turn, quote = _quoted(item, turns)
            candidate = _candidate(item, turn, quote, zone)
        except _Bad as bad:
            dropped.append(Dropped(str(bad)))
        else:
            candidates.append(((order[turn.message_id], quote.start), candidate))
    for item in forget:
        try:
            _, quote = _quoted(item, turns)
            requests.append(ForgetRequest(quote, _text(item, "what", LONGEST["value"])))
        except _Bad as bad:
            dropped.append(Dropped(str(bad)))
    candidates.sort(key=lambda pair: pair[0])
    return ExtractionResult(
        candidates=tuple(candidate for _, candidate in candidates),
        forget=tuple(requests),
        dropped=tuple(dropped),
        tokens=tokens,
    )


def _quoted(item: Any, turns: Mapping[str, tuple[Turn, bool]]) -> tuple[Turn, Quote]:
    """The message that an item names, and where in it the quote is."""
    if not isinstance(item, dict):
        raise _Bad("off_schema")
    words = item.get("quote")
    if not isinstance(words, str) or not words.strip():
        raise _Bad("no_quote")
    words = words.strip()
    turn, is_new = turns.get(str(item.get("message", "")).strip(), (None, False))
    if turn is None:
        raise _Bad("unknown_message")
    if turn.role != "user":
        raise _Bad("not_user")
    start = turn.content.find(words)
    if start < 0:
        others = (other for other, _ in turns.values() if other.role != "user")
        raise _Bad("not_user" if any(words in other.content for other in others) else "no_quote")
    if not is_new:
        raise _Bad("unknown_message")  # extracted before: it would be counted twice
    return turn, Quote(turn.message_id, start, start + len(words), words)


def _candidate(item: Mapping[str, Any], turn: Turn, quote: Quote, zone: ZoneInfo) -> Candidate:
    subject = _text(item, "subject", LONGEST["subject"], "user").lower()
    attribute = re.sub(r"[^a-z0-9]+", "_", _text(item, "attribute", 200).lower()).strip("_")
    if not _SUBJECT.fullmatch(subject) or not attribute or len(attribute) > LONGEST["attribute"]:
        raise _Bad("off_schema")
    sensitivity = _one_of(item, "sensitivity", ("none", "", *SENSITIVITIES), "none")
    valid_from, precision = _moment(item.get("valid_from"), zone)
    valid_to, precision_to = _moment(item.get("valid_to"), zone)
    if valid_from and valid_to and valid_to <= valid_from:
        raise _Bad("off_schema")
    correction = item.get("correction") or False
    if not isinstance(correction, bool):
        raise _Bad("off_schema")
    return Candidate(
        subject=subject,
        attribute=attribute,
        value=_text(item, "value", LONGEST["value"]),
        quote=quote,
        sent_at=turn.sent_at,
        kind=cast(Kind, _one_of(item, "kind", KINDS, "preference")),
        scope=_text(item, "scope", LONGEST["scope"], "").lower(),
        polarity=cast(Polarity, _one_of(item, "polarity", get_args(Polarity), "affirmed")),
        operation=cast(Operation, _one_of(item, "operation", get_args(Operation), "state")),
        statement=_text(item, "statement", LONGEST["statement"], ""),
        confidence=_share(item, "confidence", 0.8),
        importance=_share(item, "importance", 0.5),
        sensitivity="" if sensitivity == "none" else sensitivity,
        valid_from=valid_from,
        valid_to=valid_to,
        precision=precision if valid_from else precision_to,
        correction=correction,
    )


def _text(item: Mapping[str, Any], key: str, longest: int, default: str | None = None) -> str:
    """A field's text. Without a default it must be there and not be empty."""
    raw = item.get(key)
    if raw is None and default is not None:
        return default
    if isinstance(raw, (int, float)) and not isinstance(raw, bool):
        raw = str(raw)  # "value": 42
    if not isinstance(raw, str) or len(raw.strip()) > longest or "\0" in raw:
        raise _Bad("off_schema")
    if not raw.strip() and default is None:
        raise _Bad("off_schema")
    return raw.strip()


def _one_of(item: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str) -> str:
    raw = default if item.get(key) is None else item[key]
    if raw not in allowed:
        raise _Bad("off_schema")
    return cast(str, raw)


def _share(item: Mapping[str, Any], key: str, default: float) -> float:
    """A number brought into [0, 1]."""
    raw = default if item.get(key) is None else item[key]
    try:
        number = float(raw) if isinstance(raw, (int, float, str)) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(raw, bool) or math.isnan(number):
        raise _Bad("off_schema")
    return min(1.0, max(0.0, number))


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def _moment(raw: Any, zone: ZoneInfo) -> tuple[datetime | None, Precision]:
    """The first moment, in UTC, of the year, month or day (in the user's time zone) or of
    the instant that ``raw`` names in ISO form. None when it names none."""
    if raw is None or raw == "":
        return None, "instant"
    text = str(raw).strip()
    try:
        if date := _DATE.fullmatch(text):
            year, month, day = date.groups()
            moment = datetime(int(year), int(month or 1), int(day or 1))
            precision: Precision = "day" if day else "month" if month else "year"
        else:
            moment, precision = datetime.fromisoformat(text), "instant"
        local = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return local.astimezone(UTC), precision
    except (ValueError, OverflowError):
        raise _Bad("off_schema") from None
