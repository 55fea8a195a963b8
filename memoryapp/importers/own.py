"""An export of memoryapp itself (``docs/export.md``), brought back.

Every row is read on its own: one that isn't as documented is left out and counted, the
others come in. What is a record of the other place (its log, receipts, runs of extractors,
uses, imports, tokens) is no memory and stays there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar, get_args
from uuid import UUID

from memoryapp.brought import (
    Brought,
    BroughtConversation,
    BroughtDecision,
    BroughtFact,
    BroughtLink,
    BroughtMessage,
    BroughtName,
    BroughtProof,
    BroughtSettings,
)
from memoryapp.importers.common import Found, ImportRefused, Limits, Skipped, Tally, clean
from memoryapp.importers.streams import Unreadable, values
from memoryapp.records import KINDS, Operation, Outcome, Polarity, Precision, Role
from memoryapp.subjects import USER, canonical, nobody

T = TypeVar("T")

VERSIONS = (1, 2)
STATUSES = ("current", "superseded", "retracted", "pending", "rejected", "expired", "archived")
LINKS = ("follows_from", "derived_from", "contradicts")
_HEAD = frozenset({"format", "version"})
_SOURCES = frozenset({"conversations.item"})
_MEMORIES = frozenset({"facts.item", "links.item", "names.item", "settings"})
_SLUG = re.compile(r"[a-z0-9_-]{1,80}")
# Reasons of decisions are words of ours; in a file they are anything.
_REASON = re.compile(r"[a-zA-Z][a-zA-Z0-9 ',.:;()_-]{0,199}")
_BROUGHT = "brought in with an export"


class _Bad(ValueError):
    """A field that isn't as documented."""


def read(found: Sequence[Found], limits: Limits) -> Iterator[Brought | Skipped]:
    """Conversations first, since facts point to their messages; then facts, those of one key
    together as the export has them; then what links facts, names, and the settings. Raises
    ImportRefused ``unknown_format``, ``unknown_version``."""
    tally = Tally()
    for one in found:
        _check_head(one, limits)
        for _, row in values(one.document, _SOURCES, limits):
            yield from _row(row, _conversation, tally, "conversation")
        later: list[BroughtLink] = []
        names: list[BroughtName] = []
        settings: list[BroughtSettings] = []
        for path, row in values(one.document, _MEMORIES, limits):
            if path == "facts.item":
                for fact in _row(row, _fact, tally, "memory"):
                    yield fact
                    if fact.superseded_by is not None:
                        later.append(_heir(fact))
            elif path == "links.item":
                later.extend(_row(row, _link, tally, "link"))
            elif path == "names.item":
                names.extend(_row(row, _name, tally, "name"))
            elif isinstance(row, dict):
                settings.append(_settings(row))
        yield from later
        yield from names
        yield from settings
    yield from (item for item in tally.items() if isinstance(item, Skipped))


def _check_head(found: Found, limits: Limits) -> None:
    """``format`` and ``version`` come first in what we write, but may stand anywhere."""
    head: dict[str, Any] = {}
    for path, value in values(found.document, _HEAD, limits):
        head[path] = value
        if len(head) == len(_HEAD):
            break
    if head.get("format") != "memoryapp":
        raise ImportRefused("unknown_format")
    if head.get("version") not in VERSIONS:
        raise ImportRefused("unknown_version")


def _row(
    row: object, build: Callable[[Mapping[str, Any], Tally], T], tally: Tally, what: str
) -> Iterator[T]:
    if isinstance(row, Unreadable):
        tally.skip(what, row.reason)
    elif not isinstance(row, dict):
        tally.skip(what, "malformed")
    else:
        try:
            yield build(row, tally)
        except _Bad as error:
            tally.skip(what, str(error) or "malformed")


def _conversation(row: Mapping[str, Any], tally: Tally) -> BroughtConversation:
    said = row.get("messages")
    messages: list[BroughtMessage] = []
    for one in said if isinstance(said, list) else []:
        messages.extend(_row(one, _message, tally, "message"))
    created = _time(row, "created_at")
    return BroughtConversation(
        id=_id(row, "id"),
        external_id=_text(row, "external_id", 200),
        title=_text(row, "title", 200, empty=True),
        created_at=created,
        last_message_at=max([created, *(message.sent_at for message in messages)]),
        learning=_one_of({"learning": "on", **row}, "learning", ("on", "off", "temporary")),
        messages=messages,
    )


def _message(row: Mapping[str, Any], tally: Tally) -> BroughtMessage:
    return BroughtMessage(
        id=_id(row, "id"),
        external_id=_text(row, "external_id", 200, empty=True),
        role=_one_of(row, "role", get_args(Role)),
        content=_whole(row, "content"),
        sent_at=_time(row, "sent_at"),
        received_at=_time(row, "received_at"),
        pending=row.get("state") == "pending",
        redactions=_count(row, "redactions"),
        purged_at=_time_or_none(row, "purged_at"),
    )


def _fact(row: Mapping[str, Any], tally: Tally) -> BroughtFact:
    subject = _text(row, "subject", 120)
    if canonical(subject) != subject or nobody(subject):
        raise _Bad
    attribute = _text(row, "attribute", 80)
    if _SLUG.fullmatch(attribute) is None:
        raise _Bad
    given = row.get("evidence")
    proofs: list[BroughtProof] = []
    for one in given if isinstance(given, list) else []:
        proofs.extend(_row(one, _proof, tally, "proof"))
    if not proofs:
        raise _Bad("no_proof")
    made = row.get("decisions")
    decisions: list[BroughtDecision] = []
    for one in made if isinstance(made, list) else []:
        decisions.extend(_row(one, _decision, tally, "decision"))
    valid_from, valid_to = _time(row, "valid_from", world=True), _world_or_none(row, "valid_to")
    recorded, retired = _time(row, "recorded_at"), _time_or_none(row, "retired_at")
    if (valid_to and valid_to < valid_from) or (retired and retired < recorded):
        raise _Bad
    return BroughtFact(
        id=_id(row, "id"),
        subject=subject,
        attribute=attribute,
        scope=_text(row, "scope", 120, empty=True),
        value=_text(row, "value", 500),
        polarity=_one_of(row, "polarity", get_args(Polarity)),
        operation=_one_of(row, "operation", get_args(Operation)),
        statement=_text(row, "statement", 4000),
        kind=_one_of(row, "kind", KINDS),
        confidence=_share(row, "confidence"),
        importance=_share(row, "importance"),
        chosen_importance=(
            None if row.get("chosen_importance") is None else _share(row, "chosen_importance")
        ),
        pinned=row.get("pinned") is True,
        sensitivity=_text(row, "sensitivity", 20, empty=True),
        status=_one_of(row, "status", STATUSES),
        valid_from=valid_from,
        valid_to=valid_to,
        precision=_one_of(row, "precision", get_args(Precision)),
        recorded_at=recorded,
        closed_at=_time_or_none(row, "closed_at"),
        retired_at=retired,
        superseded_by=_id_or_none(row, "superseded_by"),
        supersession=_one_of(row, "supersession", ("", "change", "correction", "end")),
        last_stated_at=_time(row, "last_stated_at"),
        expires_at=_world_or_none(row, "expires_at"),
        expiry_chosen=row.get("expiry_chosen") is True,
        recalls=_count(row, "recalls"),
        last_recalled_at=_time_or_none(row, "last_recalled_at"),
        proofs=proofs,
        decisions=decisions,
    )


def _proof(row: Mapping[str, Any], tally: Tally) -> BroughtProof:
    start, end = _count(row, "start"), _count(row, "end")
    if end < start:
        raise _Bad
    return BroughtProof(
        id=_id(row, "id"),
        message=_id_or_none(row, "message"),
        start=start,
        end=end,
        quote=_whole(row, "quote"),
        sent_at=_time(row, "sent_at"),
        valid_from=_world_or_none(row, "valid_from"),
        valid_to=_world_or_none(row, "valid_to"),
        precision=_one_of(row, "precision", get_args(Precision)),
        correction=row.get("correction") is True,
        confidence=_share(row, "confidence"),
        importance=_share(row, "importance"),
        recorded_at=_time(row, "recorded_at"),
    )


def _decision(row: Mapping[str, Any], tally: Tally) -> BroughtDecision:
    reason, scores = row.get("reason"), row.get("scores")
    ours = isinstance(reason, str) and _REASON.fullmatch(reason)
    return BroughtDecision(
        id=_id(row, "id"),
        at=_time(row, "at"),
        outcome=_one_of(row, "outcome", get_args(Outcome)),
        judge=_one_of(row, "judge", ("rule", "model")),
        reason=str(reason) if ours else _BROUGHT,
        scores={
            key: value
            for key, value in (scores if isinstance(scores, dict) else {}).items()
            if (key in ("confidence", "folded", "cosine") and isinstance(value, int | float)
            and math.isfinite(value)) or (key in ("against", "ruling")
            and isinstance(value, str) and len(value) <= 40)
        },
        message=_id_or_none(row, "message"),
    )  # fmt: skip


def _link(row: Mapping[str, Any], tally: Tally) -> BroughtLink:
    weight = row.get("weight")
    fine = isinstance(weight, int | float) and math.isfinite(weight) and 0 <= weight <= 1000
    return BroughtLink(
        source=_id(row, "source"),
        target=_id(row, "target"),
        kind=_one_of(row, "kind", LINKS),
        weight=float(weight) if fine and weight is not None else 1.0,
        made_at=_time(row, "made_at"),
    )


def _name(row: Mapping[str, Any], tally: Tally) -> BroughtName:
    alias, subject = _text(row, "alias", 120), _text(row, "subject", 120)
    for one in (alias, subject):
        if one == USER or canonical(one) != one or nobody(one):
            raise _Bad
    if alias == subject:
        raise _Bad
    proofs = row.get("evidence")
    return BroughtName(
        alias=alias,
        subject=subject,
        made_at=_time(row, "made_at"),
        proofs=[_id({"id": one}, "id") for one in proofs] if isinstance(proofs, list) else [],
    )


def _heir(fact: BroughtFact) -> BroughtLink:
    if fact.superseded_by is None:
        raise ValueError("nothing replaced it")
    return BroughtLink(
        fact.id, fact.superseded_by, "superseded_by", 1.0, None, fact.supersession or "change"
    )


def _settings(row: Mapping[str, Any]) -> BroughtSettings:
    sensitive, expiry = row.get("sensitive_opt_in"), row.get("expiry")
    topics = row.get("never_remember")
    return BroughtSettings(
        language=row["language"] if isinstance(row.get("language"), str) else None,
        time_zone=row["time_zone"] if isinstance(row.get("time_zone"), str) else None,
        retention_days=row["retention_days"] if _days(row.get("retention_days")) else None,
        sensitive=[one for one in sensitive if isinstance(one, str)]
        if isinstance(sensitive, list)
        else (),
        expiry={
            kind: days
            for kind, days in (expiry.items() if isinstance(expiry, dict) else ())
            if kind in KINDS and (days is None or _days(days))
        },
        topics=[
            topic
            for one in (topics if isinstance(topics, list) else ())
            if isinstance(one, dict) and (topic := _topic(one)) is not None
        ],
        review_keys=row["review_keys"] if isinstance(row.get("review_keys"), bool) else None,
    )


def _days(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 3650


def _topic(row: Mapping[str, Any]) -> tuple[str, str, str, str] | None:
    """None when it says none of the four, or several."""
    try:
        said = tuple(
            _text(row, name, most, empty=True)
            for name, most in (
                ("words", 200), ("attribute", 80), ("area", 20), ("sensitivity", 20),
            )
        )  # fmt: skip
    except _Bad:
        return None
    words, attribute, area, sensitivity = said
    return (words, attribute, area, sensitivity) if sum(map(bool, said)) == 1 else None


def _id(row: Mapping[str, Any], name: str) -> UUID:
    try:
        return UUID(row[name])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _Bad from None


def _id_or_none(row: Mapping[str, Any], name: str) -> UUID | None:
    return None if row.get(name) is None else _id(row, name)


def _text(row: Mapping[str, Any], name: str, most: int, *, empty: bool = False) -> str:
    """The field with no space around it; null counts as empty."""
    value = row.get(name)
    text = clean("" if value is None and empty else value)
    if (
        len(text) > most
        or not (text or empty)
        or (value is not None and not isinstance(value, str))
    ):
        raise _Bad
    return text


def _whole(row: Mapping[str, Any], name: str) -> str:
    """Words as they were said, to the letter: proofs point into them by place."""
    value = row.get(name)
    if not isinstance(value, str) or "\x00" in value:
        raise _Bad
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _Bad from None
    return value


def _one_of(row: Mapping[str, Any], name: str, allowed: Sequence[Any]) -> Any:
    value = row.get(name)
    if not isinstance(value, str) or value not in allowed:
        raise _Bad
    return value


def _time(row: Mapping[str, Any], name: str, *, world: bool = False) -> datetime:
    """A time with its zone. What is said of the world may be of any century."""
    value = row.get(name)
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or not 1 < found.year < 9998:
        raise _Bad
    if not world and not 2000 <= found.year < 2100:
        raise _Bad
    return found


def _time_or_none(row: Mapping[str, Any], name: str) -> datetime | None:
    return None if row.get(name) is None else _time(row, name)


def _world_or_none(row: Mapping[str, Any], name: str) -> datetime | None:
    return None if row.get(name) is None else _time(row, name, world=True)


def _count(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise _Bad
    return value


def _share(row: Mapping[str, Any], name: str) -> float:
    value = row.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise _Bad
    return float(value)
