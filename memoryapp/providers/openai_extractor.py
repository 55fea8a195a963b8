"""The extractor that asks a chat model. Whatever it answers is checked, one candidate at a
time: a bad one never loses a good one, and a message that can't be read no other."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memoryapp import tokens
from memoryapp.ports import ChatModel, ProviderError
from memoryapp.providers.openai_checks import Broken, checked, settings_of
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
from memoryapp.regions import excluded, overlaps

ANSWER_TOKENS = 4096
# What an answer takes beside the prompt, for the estimate: a third of the turns, at least this.
LEAST_ANSWER = 300
# How often a batch is halved at most: enough to single out a few of forty messages.
HALVINGS = 12
LONGEST = {"subject": 100, "attribute": 64, "scope": 100, "value": 500, "statement": 500}
_DECODER = json.JSONDecoder(strict=False)  # raw newlines inside strings are common
# What models put before their answer: their thoughts, and a fence.
_PREFACE = re.compile(r"\A\s*(?:<think>.*?</think>\s*)?(?:```(?:json)?\s*)?", re.S | re.I)
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_SUBJECT = re.compile(r"user|[a-z_]+:\S.*")


class OpenAIExtractor:
    """Facts by a chat model. A batch that fails over its text is halved until the fault is
    with single messages: they come back as ``unread``. Raises ProviderError for an outage,
    and when no message could be read; its ``tokens`` are those of every attempt."""

    name = "openai"

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.version = f"{PROMPT_VERSION}/{model.name}"

    def extract(self, batch: Batch) -> ExtractionResult:
        return self._read(batch, [HALVINGS])

    def estimate(self, batch: Batch) -> int:
        """The prompt's tokens and as many again as an answer of usual length has."""
        if not _speaks(batch):
            return 0
        asked = sum(tokens.count(message.content) for message in messages(batch))
        said = sum(tokens.count(turn.content) for turn in batch.turns if turn.role == "user")
        return asked + min(ANSWER_TOKENS, max(LEAST_ANSWER, said // 3))

    def _read(self, batch: Batch, left: list[int]) -> ExtractionResult:
        """The batch, in halves when need be, as long as halvings are ``left``."""
        if not _speaks(batch):
            return ExtractionResult()
        try:
            return self._whole(batch)
        except ProviderError as error:
            if not _about_text(error) or len(batch.turns) < 2 or not left[0]:
                raise
            spent = error.tokens
        left[0] -= 1
        return self._halves(batch, spent, left)

    def _whole(self, batch: Batch) -> ExtractionResult:
        completion = self._model.complete(
            messages(batch), schema=SCHEMA, schema_name="facts", max_tokens=ANSWER_TOKENS
        )
        try:
            facts, forget, lost = parse(completion.text)
        except ProviderError as error:
            raise ProviderError(error.code, tokens=completion.tokens) from None
        return _checked(batch, facts, forget, lost, completion.tokens)

    def _halves(self, batch: Batch, spent: int, left: list[int]) -> ExtractionResult:
        middle = len(batch.turns) // 2
        halves = (batch.turns[:middle], batch.turns[middle:])
        # As many turns of context as before: a growing one would be too long in its turn.
        context = (*batch.context, *halves[0])[-max(len(batch.context), 2) :]
        results: list[ExtractionResult] = []
        failed: ProviderError | None = None
        for turns, before in zip(halves, (batch.context, context), strict=True):
            try:
                found = self._read(dataclasses.replace(batch, turns=turns, context=before), left)
            except ProviderError as error:
                spent += error.tokens
                if not _about_text(error):
                    used = spent + sum(result.tokens for result in results)
                    raise ProviderError(
                        error.code, retry_after=error.retry_after, permanent=error.permanent,
                        tokens=used,
                    ) from None  # fmt: skip
                failed = error
                found = ExtractionResult(
                    unread=frozenset(turn.message_id for turn in turns), unread_reason=error.code
                )
            results.append(found)
        one, two = results
        unread = one.unread | two.unread
        if failed is not None and unread >= {turn.message_id for turn in batch.turns}:
            raise ProviderError(failed.code, permanent=failed.permanent, tokens=spent)
        return ExtractionResult(
            candidates=(*one.candidates, *two.candidates),
            forget=(*one.forget, *two.forget),
            dropped=(*one.dropped, *two.dropped),
            tokens=spent + one.tokens + two.tokens,
            unread=unread,
            unread_reason=one.unread_reason or two.unread_reason,
        )


def _speaks(batch: Batch) -> bool:
    """Whether the user says anything that could be evidence."""
    return any(turn.role == "user" and turn.content.strip() for turn in batch.turns)


def _about_text(error: ProviderError) -> bool:
    """Whether the failure is over what was asked, so that less of it may pass. An answer
    that isn't the protocol's at all says nothing about the text."""
    return error.code in ("truncated", "too_large", "refused") or (
        error.code == "malformed" and error.tokens > 0
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


def _checked(
    batch: Batch, facts: Iterable[Any], forget: Iterable[Any], lost: int, tokens: int
) -> ExtractionResult:
    turns = turn_ids(batch)
    order = {turn.message_id: number for number, turn in enumerate(batch.turns)}
    zone = _zone(batch.time_zone)
    candidates: list[tuple[tuple[int, int], Candidate]] = []
    requests: list[ForgetRequest] = []
    dropped = [Dropped("malformed")] * lost
    around = settings_of(batch)
    for item in facts:
        try:
            turn, quote = _quoted(item, turns)
            candidate = checked(_candidate(item, turn, quote, zone), around[turn.message_id])
        except Broken as bad:
            dropped.append(Dropped(str(bad)))
        else:
            candidates.append(((order[turn.message_id], quote.start), candidate))
    for item in forget:
        try:
            _, quote = _quoted(item, turns)
            requests.append(ForgetRequest(quote, _text(item, "what", LONGEST["value"])))
        except Broken as bad:
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
        raise Broken("off_schema")
    words = item.get("quote")
    if not isinstance(words, str) or not words.strip():
        raise Broken("no_quote")
    words = words.strip()
    turn, is_new = turns.get(str(item.get("message", "")).strip(), (None, False))
    if turn is None:
        raise Broken("unknown_message")
    if turn.role != "user":
        raise Broken("not_user")
    start = _start(turn.content, words)
    if start < 0:
        others = (other for other, _ in turns.values() if other.role != "user")
        raise Broken("not_user" if any(words in other.content for other in others) else "no_quote")
    if not is_new:
        raise Broken("unknown_message")  # extracted before: it would be counted twice
    return turn, Quote(turn.message_id, start, start + len(words), words)


def _start(text: str, words: str) -> int:
    """Where the words stand: in the user's own part of the message if they stand there too,
    and not in the middle of a word; -1 when they stand nowhere."""
    places = [
        start
        for start in _places(text, words)
        if not (text[start - 1 : start] + words[:1]).isalnum() or not start or _joined(words[0])
    ] or list(_places(text, words))
    if len(places) < 2:
        return places[0] if places else -1
    regions = excluded(text)
    own = [start for start in places if not overlaps(regions, start, start + len(words))]
    return (own or places)[0]


def _joined(char: str) -> bool:
    """Whether the letter is of a script that writes no spaces between words."""
    return "\u0e00" <= char <= "\u0eff" or "\u3040" <= char <= "\u9fff"


def _places(text: str, words: str) -> Iterator[int]:
    start = text.find(words)
    while start >= 0:
        yield start
        start = text.find(words, start + 1)


def _candidate(item: Mapping[str, Any], turn: Turn, quote: Quote, zone: ZoneInfo) -> Candidate:
    subject = _text(item, "subject", LONGEST["subject"], "user").lower()
    attribute = re.sub(r"[^a-z0-9]+", "_", _text(item, "attribute", 200).lower()).strip("_")
    if not _SUBJECT.fullmatch(subject) or not attribute or len(attribute) > LONGEST["attribute"]:
        raise Broken("off_schema")
    sensitivity = _one_of(item, "sensitivity", ("none", "", *SENSITIVITIES), "none")
    valid_from, precision = _moment(item.get("valid_from"), zone)
    valid_to, precision_to = _moment(item.get("valid_to"), zone)
    if valid_from and valid_to and valid_to <= valid_from:
        raise Broken("off_schema")
    correction = item.get("correction") or False
    if not isinstance(correction, bool):
        raise Broken("off_schema")
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
        raise Broken("off_schema")
    if not raw.strip() and default is None:
        raise Broken("off_schema")
    return raw.strip()


def _one_of(item: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str) -> str:
    raw = default if item.get(key) is None else item[key]
    if raw not in allowed:
        raise Broken("off_schema")
    return cast(str, raw)


def _share(item: Mapping[str, Any], key: str, default: float) -> float:
    """A number brought into [0, 1]."""
    raw = default if item.get(key) is None else item[key]
    try:
        number = float(raw) if isinstance(raw, (int, float, str)) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(raw, bool) or math.isnan(number):
        raise Broken("off_schema")
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
        raise Broken("off_schema") from None
