"""Reading what an import brought: memories first, then conversations in their order."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model

from memoryapp import (
    audit,
    budget,
    extract,
    importing,
    pipeline,
    providers,
    rules,
    store,
    work,
)
from memoryapp import registry as registries
from memoryapp.context import acting_for
from memoryapp.models import Evidence, Import
from memoryapp.ports import Extractor, ProviderError
from memoryapp.records import ExtractionResult

SLICE_SECONDS = 20.0


def read(claim: importing.Claim) -> bool:
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
    fails, the day's tokens are used up, or the memory is paused: then the import goes on
    later. What a provider fails on again and again waits for the user's eye in the end."""
    user = get_user_model().objects.get(pk=claim.user_id)
    now = providers.clock().now()
    with acting_for(claim.user_id):
        importing.hold(claim=claim, state=Import.State.READING, now=now)
        pause = rules.pause_of(user_id=claim.user_id, now=now)
        if pause is not None:
            until = pause.paused_until or now + work.LOOK_AGAIN
            importing.put_off(claim=claim, code="paused", until=until)
        rows = importing.unread_memories(claim=claim, limit=work.BATCH_MESSAGES)
        batch = importing.batch(user=user, rows=rows)
        registry = registries.load()
    if pause is not None:
        raise importing.Stopped
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
    with acting_for(claim.user_id):
        topics = rules.load(user_id=claim.user_id, names=registry.names())
    topics.learn(pipeline.told([*candidates, *said.notes], registry))
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
                topics=topics,
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
