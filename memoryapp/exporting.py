"""Everything of one user as one JSON document (Arts. 15 and 20), in pieces.

Each piece is read in a short transaction of its own, so that a slow reader holds nothing
back, erasing least of all. What is erased while the document is written is not in what
follows; what is added since it was begun may be missing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Model, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan

from accounts.models import User
from memoryapp import audit, preferences
from memoryapp.context import acting_for
from memoryapp.models import (
    AuditEvent,
    Conversation,
    Decision,
    ErasureReceipt,
    ErasureRequest,
    Evidence,
    Extraction,
    Fact,
    FactLink,
    FactUsage,
    HandAct,
    Import,
    MemoryUse,
    Message,
    SubjectAlias,
    TokenUse,
)

FORMAT = "memoryapp"
VERSION = 2
BATCH = 200
# Characters of a piece, about.
PIECE = 64 * 1024

Item = Mapping[str, Any]

FACT = (
    *("id", "subject", "attribute", "scope", "value", "polarity", "operation", "statement"),
    *("kind", "confidence", "importance", "chosen_importance", "pinned", "sensitivity", "status"),
    *("valid_from", "valid_to", "precision", "recorded_at", "closed_at", "retired_at"),
    *("superseded_by_id", "supersession", "last_stated_at", "expires_at", "expiry_chosen"),
)
EVIDENCE = (
    *("id", "source", "message_id", "conversation_id", "source_import_id", "start", "end"),
    *("quote", "sent_at", "valid_from", "valid_to", "precision", "correction", "confidence"),
    *("importance", "recorded_at"),
)
DECISION = ("id", "at", "outcome", "judge", "reason", "scores", "message_id")
LOOSE_DECISION = (*DECISION, "subject", "attribute", "scope", "value")
LINK = ("id", "source_id", "target_id", "kind", "weight", "made_at")
NAME = ("id", "alias", "subject", "made_at", "evidence")
USE = ("id", "fact_id", "at", "application_id", "via", "conversation_id", "message_id")
ACT = ("id", "act", "fact_id", "kind", "actor", "at", "undone_at")
CONVERSATION = (
    *("id", "external_id", "title", "application_id", "created_at", "last_message_at", "learning"),
)
MESSAGE = (
    *("id", "external_id", "role", "content", "sent_at", "received_at", "state", "redactions"),
    *("purged_at", "source_import_id"),
)
EXTRACTION = (
    *("id", "conversation_id", "extractor", "version", "started_at", "ended_at", "outcome"),
    *("messages", "candidates", "dropped", "tokens"),
)
WISH = ("id", "what", "state", "asked_at", "settled_at", "message_id")
IMPORT = (
    *("id", "format", "state", "size", "preview", "counts", "error"),
    *("created_at", "started_at", "ended_at"),
)
RECEIPT = (
    *("id", "target", "fact_ids", "counts", "requested_at", "completed_at"),
    "storage_completed_at",
)
TOKENS = ("day", "tokens")
EVENT = ("seq", "at", "actor", "action", "object", "details", "hash")
# Those of one key stand together, the oldest first: whoever reads them needs no more at once.
BY_KEY = ("subject", "attribute", "scope", "valid_from", "id")


def export(*, user: User, by: audit.Actor, now: datetime) -> Iterator[str]:
    """The document's text, piece by piece; joined, it is valid JSON of the form that
    ``ExportOut`` describes. The user's log notes it before the first piece."""
    with acting_for(user.pk):
        audit.record(user_id=user.pk, by=by, events=[audit.Event("export")], now=now)
        head = _head(user, now)
    return _gathered(_document(user.pk, head))


def _gathered(pieces: Iterable[str]) -> Iterator[str]:
    """The same in fewer, larger pieces."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= PIECE:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


def _document(user_id: UUID, head: Item) -> Iterator[str]:
    yield _json(head)[:-1]
    for name, items in _parts(user_id):
        yield f', "{name}": ['
        for number, item in enumerate(items):
            yield ", " if number else ""
            yield from item
        yield "]"
    with acting_for(user_id):
        chain = audit.verify_chain(user_id=user_id)
    verified = {"events": chain.events, "whole": chain.whole, "head": chain.head.hex()}
    yield f', "log_verified": {_json(verified)}}}\n'


def _json(item: Item) -> str:
    return json.dumps(item, ensure_ascii=False)


def _head(user: User, now: datetime) -> dict[str, Any]:
    held = preferences.load(user=user)
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": _plain(now),
        "user": {
            "id": str(user.pk),
            "email": user.email,
            "display_name": user.display_name,
            "joined_at": _plain(user.date_joined),
        },
        "settings": {
            "language": held.language,
            "time_zone": held.time_zone,
            "paused": held.paused,
            "paused_until": _plain(held.paused_until),
            "retention_days": held.retention_days,
            "sensitive_opt_in": list(held.sensitive_opt_in),
            "expiry": dict(held.expiry),
            "never_remember": [
                {
                    "id": str(one.id),
                    "words": one.words,
                    "attribute": one.attribute,
                    "area": one.area,
                    "sensitivity": one.sensitivity,
                    "left_out": one.left_out,
                    "last_left_out_at": _plain(one.last_left_out_at),
                }
                for one in held.never_remember
            ],
            "review_keys": held.review_keys,
            "applications": [
                {
                    "application": str(one.application_id),
                    "name": one.name,
                    "may_read": one.may_read,
                    "may_write": one.may_write,
                }
                for one in held.applications
            ],
        },
    }


def _parts(user_id: UUID) -> Iterator[tuple[str, Iterator[Iterable[str]]]]:
    """The lists of the document: their names, and each item's text in pieces."""

    def plain(
        model: type[Model], names: Sequence[str], key: str = "id", **only: Any
    ) -> Iterator[Iterable[str]]:
        found = model._base_manager.filter(user_id=user_id, **only)
        for rows in batches(user_id, found, (key,)):
            yield from ([_json(_item(row, names))] for row in rows)

    yield "conversations", _conversations(user_id)
    yield "facts", ([_json(fact)] for fact in _facts(user_id))
    yield "links", plain(FactLink, LINK)
    yield "names", plain(SubjectAlias, NAME)
    yield "decisions", plain(Decision, LOOSE_DECISION, fact=None)
    yield "uses", plain(MemoryUse, USE)
    yield "acts", plain(HandAct, ACT)
    yield "extractions", plain(Extraction, EXTRACTION)
    yield "wishes", plain(ErasureRequest, WISH)
    yield "imports", plain(Import, IMPORT)
    yield "tokens", plain(TokenUse, TOKENS)
    yield "erasures", plain(ErasureReceipt, RECEIPT)
    yield "log", plain(AuditEvent, EVENT, "seq")


def batches(
    user_id: UUID,
    rows: QuerySet[Any],
    key: Sequence[str] = ("id",),
    more: Callable[[Any], Any] = lambda _: None,
    *,
    size: int | None = None,
) -> Iterator[list[Any]]:
    """The rows in the order of ``key``, a transaction a batch; ``more`` reads what belongs
    to a batch in the same one. ``size`` is how many rows a batch has."""
    after = rows.order_by(*key)
    while True:
        with acting_for(user_id):
            batch = list(after[: size or BATCH])
            more(batch)
        if not batch:
            return
        yield batch
        last = [getattr(batch[-1], name) for name in key]
        if len(key) == 1:
            after = rows.filter(**{f"{key[0]}__gt": last[0]}).order_by(*key)
        else:
            beyond = TupleGreaterThan(Tuple(*(F(name) for name in key)), last)
            after = rows.filter(beyond).order_by(*key)


def _facts(user_id: UUID) -> Iterator[Item]:
    evidence: dict[UUID, list[Item]] = {}
    decisions: dict[UUID, list[Item]] = {}
    usage: dict[UUID, FactUsage] = {}

    def more(batch: Sequence[Fact]) -> None:
        ids = [row.id for row in batch]
        evidence.clear()
        decisions.clear()
        usage.clear()
        evidence.update(_by_fact(user_id, Evidence, ids, ("sent_at", "id"), EVIDENCE))
        decisions.update(_by_fact(user_id, Decision, ids, ("at", "id"), DECISION))
        for used in FactUsage.objects.filter(user_id=user_id, fact_id__in=ids):
            usage[used.fact_id] = used

    for batch in batches(user_id, Fact.objects.filter(user_id=user_id), BY_KEY, more):
        for row in batch:
            used = usage.get(row.id)
            yield {
                **_item(row, FACT),
                "recalls": used.recall_count if used else 0,
                "last_recalled_at": _plain(used.last_recalled_at) if used else None,
                "evidence": evidence.get(row.id, []),
                "decisions": decisions.get(row.id, []),
            }


def _by_fact(
    user_id: UUID,
    model: type[Evidence] | type[Decision],
    ids: Iterable[UUID],
    order: Sequence[str],
    names: Sequence[str],
) -> dict[UUID, list[Item]]:
    found: dict[UUID, list[Item]] = defaultdict(list)
    rows: QuerySet[Any] = model._base_manager.filter(user_id=user_id, fact_id__in=ids)
    for row in rows.order_by(*order):
        found[row.fact_id].append(_item(row, names))
    return found


def _conversations(user_id: UUID) -> Iterator[Iterable[str]]:
    for talks in batches(user_id, Conversation.objects.filter(user_id=user_id)):
        for talk in talks:
            yield _conversation(user_id, talk)


def _conversation(user_id: UUID, talk: Conversation) -> Iterator[str]:
    yield _json(_item(talk, CONVERSATION))[:-1] + ', "messages": ['
    said = Message.objects.filter(user_id=user_id, conversation_id=talk.id)
    comma = ""
    for rows in batches(user_id, said):
        for row in rows:
            yield comma + _json(_item(row, MESSAGE))
            comma = ", "
    yield "]}"


def _item(row: Any, names: Sequence[str]) -> Item:
    """Links go by the name of what they lead to: ``message``, not ``message_id``."""
    return {
        name if name == "external_id" else name.removesuffix("_id"): _plain(getattr(row, name))
        for name in names
    }


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value) if isinstance(value, UUID | date) else value
