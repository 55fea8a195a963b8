"""The chain of an import: ``receive`` keeps an upload and looks into it, ``start`` has it
taken in, ``step`` (in a worker) goes on with it, ``undo`` takes it back as a whole.

A step is a slice of some seconds: it stores in small transactions, each with how far it
came, or reads in order, so that chats find room between the slices and a killed worker
loses nothing. No transaction is held open while a model is called or a file is read.
"""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.files.base import File
from django.utils.translation import gettext as _

from memoryapp import (
    audit,
    broker,
    budget,
    erase,
    extract,
    importers,
    importing,
    ingest,
    pipeline,
    providers,
    store,
    uploads,
    work,
)
from memoryapp import registry as registries
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
from memoryapp.models import ErasureReceipt, Evidence, Import
from memoryapp.ports import Extractor, ProviderError
from memoryapp.records import ExtractionResult

logger = logging.getLogger(__name__)

# Looking into so much is quicker than asking a worker.
AT_ONCE = 8 * uploads.MIB
SLICE_SECONDS = 20.0
MEMORIES_AT_ONCE = 50
TASK = "memoryapp.tasks.import_step"


class _Paused(Exception):
    """The user paused the memory while an import ran."""


# -- What the user does ---------------------------------------------------------------------------


def receive(
    *,
    user_id: UUID,
    content: File[Any] | bytes,
    by: audit.Actor,
    application_id: UUID | None = None,
    pasted: bool = False,
    look: bool | None = None,
) -> UUID:
    """Keep an upload and look what is in it, at once when it is small (or ``look`` says so),
    else in a worker; returns the import's id. What was ``pasted`` may be plain sentences.
    Raises uploads.TooLarge; nothing is kept then."""
    now = providers.clock().now()
    with acting_for(user_id):
        row = importing.begin(
            user_id=user_id,
            by=by,
            application_id=application_id,
            format="paste" if pasted else "",
            now=now,
        )
    try:
        file, size = uploads.keep(str(row.id), content)
    except BaseException:
        with acting_for(user_id):
            importing.discard(row=row)
        raise
    at_once = size <= AT_ONCE if look is None else look
    with acting_for(user_id):
        queued = importing.received(row=row, file=file, size=size, now=now)
        if not at_once:
            broker.on_commit(TASK, str(user_id), str(queued.id))
    if at_once:
        step(user_id=user_id, outbox_id=queued.id)
    return row.id


def start(*, user_id: UUID, import_id: UUID, by: audit.Actor) -> UUID:
    """Have a previewed import taken in; returns its work's id. Raises importing.NotFound, and
    importing.NotNow (``state``, ``paused``)."""
    with acting_for(user_id):
        queued = importing.start(
            user_id=user_id, import_id=import_id, by=by, now=providers.clock().now()
        )
        broker.on_commit(TASK, str(user_id), str(queued.id))
    return queued.id


def undo(*, user_id: UUID, import_id: UUID, by: audit.Actor) -> ErasureReceipt | None:
    """Erase all that an import brought and all that was learnt only from it; one that
    has brought nothing yet is removed, and there is no receipt. Raises importing.NotFound,
    and importing.NotNow when it was undone before."""
    now = providers.clock().now()
    with acting_for(user_id):
        row = importing.get(user_id=user_id, import_id=import_id)
        if row.state in importing.BEFORE:
            importing.discard(row=row)
            return None
        if row.state == Import.State.UNDONE:
            raise importing.NotNow("state")
        receipt = erase.erase_import(user_id=user_id, import_id=import_id, by=by, now=now)
        importing.undone(user_id=user_id, import_id=import_id, now=now)
    return receipt


def tidy(*, user_id: UUID) -> int:
    """Remove uploads that nobody went on with for a day; returns how many."""
    with acting_for(user_id):
        rows = importing.abandoned(user_id=user_id, now=providers.clock().now())
        for row in rows:
            importing.discard(row=row)
    return len(rows)


def sweep() -> int:
    """Send imports to the workers again that a lost broker or worker left behind."""
    now = providers.clock().now()
    sent = 0
    for user_id, outbox_id in work.due(now=now, limit=100, imports=True):
        if work.take_for_sweep(user_id=user_id, outbox_id=outbox_id, now=now):
            sent += broker.send(TASK, str(user_id), str(outbox_id))
    return sent


# -- The work -------------------------------------------------------------------------------------


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
        more = _store(claim, row) if row.state == Import.State.STORING else _read(claim, row)
    except importing.Stopped:
        return False
    except ImportRefused as error:
        return _failed(claim, error.code)
    except FileNotFoundError:
        return _failed(claim, "file_gone")
    except _Paused:
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
            return isinstance(json.loads(content.read(AT_ONCE)), dict | list)
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
        for group in _groups(importers.read(source, format=chosen)):
            if not isinstance(group, list):
                (skipped if isinstance(group, Skipped) else notes)[group.reason] += group.count
                continue
            position += len(group)
            if position <= row.position:
                continue
            # The way to here was gone before: the slice's time begins now.
            began = began or time.monotonic()
            _take_in(claim, row, group, position)
            if time.monotonic() - began > SLICE_SECONDS:
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
        raise _Paused
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


# -- Reading --------------------------------------------------------------------------------------


def _read(claim: importing.Claim, row: Import) -> bool:
    """Read memories, then conversations, the oldest first; True when the slice was over
    before they were all read."""
    until = time.monotonic() + SLICE_SECONDS
    while _read_memories(claim):
        if time.monotonic() > until:
            return True
    tried: set[UUID] = set()
    while fresh := [id for id in _next(claim) if id not in tried]:
        for outbox_id in fresh:
            with acting_for(claim.user_id):
                importing.hold(claim=claim, state=Import.State.READING, now=providers.clock().now())
            tried.add(outbox_id)
            pipeline.read(user_id=claim.user_id, outbox_id=outbox_id)
            if time.monotonic() > until:
                return True
    with acting_for(claim.user_id):
        importing.hold(claim=claim, state=Import.State.READING, now=providers.clock().now())
        importing.finish(claim=claim, now=providers.clock().now())
    return False


def _next(claim: importing.Claim) -> list[UUID]:
    with acting_for(claim.user_id):
        return importing.next_to_read(claim=claim, limit=50)


def _read_memories(claim: importing.Claim) -> bool:
    """Read some memories; False when none is left. Raises importing.Stopped when a provider
    fails or the day's tokens are used up: then the import goes on later. What a provider
    fails on again and again waits for the user's eye in the end."""
    user = get_user_model().objects.get(pk=claim.user_id)
    now = providers.clock().now()
    with acting_for(claim.user_id):
        importing.hold(claim=claim, state=Import.State.READING, now=now)
        rows = importing.unread_memories(claim=claim, limit=work.BATCH_MESSAGES)
        batch = importing.batch(user=user, rows=rows)
        registry = registries.load()
    if not rows:
        return False
    last = claim.attempts >= settings.EXTRACTION_ATTEMPTS
    extractor = providers.extractor()
    batch = replace(batch, attributes=registry.hints())
    try:
        found = pipeline.find(claim.user_id, batch, extractor, now)
    except budget.Spent:
        with acting_for(claim.user_id):
            importing.put_off(claim=claim, code="budget", until=budget.renewed(now))
        raise importing.Stopped from None
    except ProviderError as error:
        if not (error.permanent or last):
            _postpone(claim, error)
        found = ExtractionResult()
    failed = frozenset() if last else found.unread
    said = importing.understood(
        rows=[row for row in rows if row.id not in failed],
        found=found,
        instructs=extract.looks_like_instruction,
    )
    _keep(claim, registry, extractor, found, said, [r.id for r in rows if r.id not in failed], now)
    if failed:
        _postpone(claim, ProviderError(found.unread_reason))
    return True


def _postpone(claim: importing.Claim, error: ProviderError) -> None:
    with acting_for(claim.user_id):
        importing.postpone(
            claim=claim, code=error.code, retry_after=error.retry_after,
            now=providers.clock().now(),
        )  # fmt: skip
    raise importing.Stopped


def _keep(
    claim: importing.Claim,
    registry: registries.Registry,
    extractor: Extractor,
    found: ExtractionResult,
    said: importing.Understood,
    read: list[UUID],
    started_at: datetime,
) -> None:
    """Reconcile and store what memories came to, as with what is said in a chat."""
    candidates, folds = pipeline.fold(said.facts, registry)
    vectors = pipeline.embed(
        user_id=claim.user_id,
        texts=[registry.statement(c) for c in (*candidates, *said.notes)],
    )
    facts, rulings = pipeline.settle(
        user_id=claim.user_id, candidates=candidates, vectors=vectors, registry=registry
    )
    now = providers.clock().now()
    with acting_for(claim.user_id):
        store.lock(claim.user_id)
        importing.hold(claim=claim, state=Import.State.READING, now=now)
        unread = importing.still_unread(claim=claim, ids=read)
        extraction = importing.note_extraction(
            claim=claim, name=extractor.name, version=extractor.version, found=found,
            messages=len(unread), started_at=started_at, now=now,
        )  # fmt: skip
        for group, review in ((facts, False), (said.notes, True)):
            store.apply(
                user_id=claim.user_id,
                candidates=[c for c in group if c.quote and c.quote.message_id in unread],
                registry=registry,
                by=audit.Actor.system(f"extractor:{extractor.name}"),
                now=now,
                vectors=vectors,
                rulings=rulings,
                folds=folds,
                extraction=extraction,
                source=Evidence.Source.IMPORT,
                review=review,
            )
        importing.memories_read(
            claim=claim,
            ids=unread,
            counts={
                "notes": len(said.notes),
                "instructions": said.instructions,
                "secrets": said.secrets,
            },
        )
