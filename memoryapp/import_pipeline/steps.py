"""A slice of an import's work: looking into the file, or storing what it holds."""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from memoryapp import (
    audit,
    broker,
    erase,
    importers,
    importing,
    ingest,
    providers,
    uploads,
)
from memoryapp.context import acting_for
from memoryapp.importers import (
    Format,
    ImportedConversation,
    ImportedMemory,
    ImportRefused,
    Item,
    Limits,
    Skipped,
    Source,
)
from memoryapp.models import Import

from . import reading, restoring
from .restoring import Paused

logger = logging.getLogger(__name__)

TASK = "memoryapp.tasks.import_step"
MEMORIES_AT_ONCE = 50


def step(*, user_id: UUID, outbox_id: UUID) -> bool:
    """Go on with an import for a while, and have the rest done by another step. False when
    somebody else holds it or there is nothing to do."""
    held = importing.claim(user_id=user_id, outbox_id=outbox_id, now=providers.clock().now())
    if held is None:
        return False
    claim, row = held
    try:
        if row.state == Import.State.LOOKING:
            _look(claim, row)
            return True
        more = _store(claim, row) if row.state == Import.State.STORING else reading.read(claim)
    except importing.Stopped:
        return False
    except ImportRefused as error:
        return _failed(claim, error.code)
    except FileNotFoundError:
        return _failed(claim, "file_gone")
    except Paused:
        return _failed(claim, "paused")
    with acting_for(user_id):
        if more:
            importing.pause(claim=claim, now=providers.clock().now())
            broker.on_commit(TASK, str(user_id), str(outbox_id))
    return True


def _failed(claim: importing.Claim, code: str) -> bool:
    logger.warning("the import %s of %s ended: %s", claim.import_id, claim.user_id, code)
    with acting_for(claim.user_id):
        importing.fail(claim=claim, code=code, now=providers.clock().now())
    return True


def _limits() -> Limits:
    return Limits(upload=uploads.most_bytes())


def _look(claim: importing.Claim, row: Import) -> None:
    with uploads.opened(row.file) as file:
        source = Source.of(file, limits=_limits())
        try:
            preview = importers.preview(source)
        except ImportRefused as error:
            if error.code != "unknown_format" or row.format != "paste" or _is_json(row.file):
                raise
            # A few words that look like no list may be statements all the same.
            preview = importers.preview(source, format="paste")
    if not (preview.conversations or preview.memories or preview.skipped):
        raise ImportRefused("nothing_found")
    now = providers.clock().now()
    with acting_for(claim.user_id):
        importing.looked(claim=claim, preview=preview, now=now)


def _is_json(file: str) -> bool:
    with uploads.opened(file) as content:
        try:
            return isinstance(json.loads(content.read(8 * uploads.MIB)), dict | list)
        except ValueError:
            return False


def _store(claim: importing.Claim, row: Import) -> bool:
    """Store what the file holds, from where the last slice stopped; True when the slice was
    over before the file."""
    skipped: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    position = 0
    began: float | None = None
    with uploads.opened(row.file) as file:
        source = Source.of(file, limits=_limits())
        chosen: Format = row.format  # type: ignore[assignment]  # as the preview had it
        items = importers.read(source, format=chosen)
        own = chosen == "memoryapp"
        for group in restoring.together(items) if own else _groups(items):
            if not isinstance(group, list):
                (skipped if isinstance(group, Skipped) else notes)[group.reason] += group.count
                continue
            position += len(group)
            if position <= row.position:
                continue
            # The way to here was gone before: the slice's time begins now.
            began = began or time.monotonic()
            (restoring.take_in if own else _take_in)(claim, row, group, position)
            if time.monotonic() - began > reading.SLICE_SECONDS:
                return True
    with acting_for(claim.user_id):
        importing.hold(claim=claim, state=Import.State.STORING, now=providers.clock().now())
        importing.stored(claim=claim, skipped=skipped, notes=notes)
    return True


def _groups(items: Iterator[Item]) -> Iterator[Any]:
    """Conversations one by one and memories by the dozen, as lists; what was skipped or noted
    as it is."""
    waiting: list[ImportedMemory] = []
    for item in items:
        if isinstance(item, ImportedMemory):
            waiting.append(item)
            if len(waiting) < MEMORIES_AT_ONCE:
                continue
        if waiting:
            yield waiting
            waiting = []
        if not isinstance(item, ImportedMemory):
            yield [item] if isinstance(item, ImportedConversation) else item
    if waiting:
        yield waiting


def _take_in(claim: importing.Claim, row: Import, group: list[Any], position: int) -> None:
    user = get_user_model().objects.get(pk=claim.user_id)
    now = providers.clock().now()
    with acting_for(claim.user_id):
        importing.hold(claim=claim, state=Import.State.STORING, now=now)
        if isinstance(group[0], ImportedConversation):
            counts = _take_conversation(row, importing.talk(user=user, row=row, item=group[0]))
        else:
            counts = _take_memories(claim, row, user, group)
        importing.advance(claim=claim, position=position, counts=counts)


def _accept(row: Import, talk: importing.Talk) -> ingest.Accepted:
    accepted = ingest.accept(
        user_id=row.user_id,
        conversation=talk.name,
        messages=[
            ingest.Incoming(role=role, content=content, sent_at=sent_at, id=id)
            for id, role, content, sent_at in talk.messages
        ],
        by=_actor(row),
        now=providers.clock().now(),
        application_id=row.application_id,
        title=talk.title,
        began=talk.began,
        source_import_id=row.id,
    )
    if accepted.paused:
        raise Paused
    return accepted


def _actor(row: Import) -> audit.Actor:
    kind, _colon, id = row.actor.partition(":")
    return audit.Actor(kind, id)


def _take_conversation(row: Import, talk: importing.Talk) -> Mapping[str, int]:
    accepted = _accept(row, talk)
    if accepted.conversation_id is not None and accepted.accepted:
        importing.queue_reading(
            row=row, conversation_id=accepted.conversation_id, began=talk.began,
            now=providers.clock().now(),
        )  # fmt: skip
    return {
        "conversations": int(accepted.accepted > 0),
        "messages": accepted.accepted,
        "duplicates": accepted.duplicates,
    }


def _take_memories(
    claim: importing.Claim, row: Import, user: Any, items: list[ImportedMemory]
) -> Mapping[str, int]:
    deleted = [item for item in items if item.deleted]
    retracted = importing.retracted(user=user, row=row, items=deleted)
    if retracted:
        erase.erase_messages(
            user_id=claim.user_id, message_ids=retracted, by=_actor(row),
            now=providers.clock().now(),
        )  # fmt: skip
    kept = [item for item in items if not item.deleted]
    counts = {"retracted": len(retracted), "deleted": len(deleted)}
    if not kept:
        return counts
    product = importing.PRODUCTS.get(row.format)
    title = _("Memories from %(product)s") % {"product": product} if product else _("Pasted lists")
    accepted = _accept(row, importing.memories(user=user, row=row, title=title, items=kept))
    return {
        **counts, "memories": accepted.accepted, "memory_duplicates": accepted.duplicates,
    }  # fmt: skip
