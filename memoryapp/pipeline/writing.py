"""Messages in, facts out: the write path, in a worker from ``read`` on."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from memoryapp import (
    audit,
    broker,
    budget,
    erase,
    extract,
    ingest,
    providers,
    rules,
    store,
    work,
)
from memoryapp import (
    registry as registries,
)
from memoryapp.context import acting_for
from memoryapp.models import ErasureRequest, Fact
from memoryapp.pipeline.linking import link_reasons
from memoryapp.pipeline.settling import fold, settle
from memoryapp.pipeline.vectors import embed
from memoryapp.ports import Extractor, Metered, ProviderError
from memoryapp.reconcile import named
from memoryapp.records import (
    Batch,
    Candidate,
    ExtractionResult,
    ForgetRequest,
)

EXAMPLE = Path(__file__).parent.parent / "data" / "example_conversation.json"


def accept(
    *,
    user_id: UUID,
    conversation: str,
    messages: Sequence[ingest.Incoming],
    by: audit.Actor,
    application_id: UUID | None = None,
    learning: ingest.Learning = "on",
    title: str = "",
    inside: Callable[[ingest.Accepted], None] | None = None,
) -> ingest.Accepted:
    """Store messages, each once, and have them read. ``inside`` runs in the same
    transaction, with what was accepted. ``learning`` and ``title`` as ``ingest.accept`` has
    them."""
    now = providers.clock().now()
    with acting_for(user_id):
        accepted = ingest.accept(
            user_id=user_id,
            conversation=conversation,
            messages=messages,
            by=by,
            now=now,
            application_id=application_id,
            learning=learning,
            title=title,
        )
        if inside is not None:
            inside(accepted)
        if accepted.accepted and accepted.learns and accepted.conversation_id is not None:
            queued = work.queue(user_id=user_id, conversation_id=accepted.conversation_id, now=now)
            if not queued.error:
                broker.on_commit("memoryapp.tasks.read", str(user_id), str(queued.id))
    return accepted


def read(*, user_id: UUID, outbox_id: UUID) -> int:
    """Read a conversation's pending messages, batch by batch, until none is left; returns
    how many were read.

    Returns 0 when somebody else holds the work or it is done. Before its time, or when the
    day's tokens are used up, it waits. When a model fails, the messages that it failed on
    stay pending and the work is due again later; after too many attempts they are set aside
    as failed, visibly. Raises nothing for a provider's failure.
    """
    claim = work.claim(user_id=user_id, outbox_id=outbox_id, now=providers.clock().now())
    if claim is None:
        return 0
    extractor, done, finished = providers.extractor(), 0, False
    while not finished:
        started_at = providers.clock().now()
        batch = work.load(claim=claim, now=started_at)
        if batch is None:
            finished = work.finish(claim=claim, now=started_at)
            continue
        if work.hold_back(claim=claim, now=started_at):
            return done
        with acting_for(user_id):
            registry = registries.load()
            topics = rules.load(user_id=user_id, names=registry.names())
            people = store.Names(user_id)
        batch = replace(batch, attributes=registry.hints())
        try:
            found = find(user_id, batch, extractor, started_at)
        except budget.Spent:
            work.put_off(claim=claim, reason="budget", until=budget.renewed(started_at))
            return done
        except ProviderError as error:
            work.postpone(
                claim=claim,
                messages=[turn.message_id for turn in batch.turns],
                extractor=extractor,
                error=error,
                started_at=started_at,
                now=providers.clock().now(),
            )
            return done
        candidates, folds = fold(found.candidates, registry)
        candidates = [people.under_one(c) for c in candidates]
        vectors = embed(user_id=user_id, texts=[registry.statement(c) for c in candidates])
        topics.learn(told(candidates, registry))
        candidates, rulings = settle(
            user_id=user_id, candidates=candidates, vectors=vectors, registry=registry
        )
        now = providers.clock().now()
        with acting_for(user_id):
            # Before the messages' own locks: who erases takes them in this order too.
            store.lock(user_id)
            unread = work.still_unread(claim=claim, batch=batch) - found.unread
            if unread:
                extraction = work.note_extraction(
                    claim=claim, extractor=extractor, found=found, messages=len(unread),
                    started_at=started_at, now=now,
                )  # fmt: skip
                by = audit.Actor.system(f"extractor:{extractor.name}")
                for wish, stated in in_order(batch, candidates, found.forget, unread):
                    decided = store.apply(
                        user_id=user_id,
                        candidates=stated,
                        registry=registry,
                        by=by,
                        now=now,
                        vectors=vectors,
                        rulings=rulings,
                        folds=folds,
                        extraction=extraction,
                        topics=topics,
                    )
                    link_reasons(user_id=user_id, batch=batch, decided=decided, now=now)
                    if wish is not None:
                        _forget(user_id, wish, _sent_at(batch, wish), now)
                work.mark_read(claim=claim, messages=unread)
            finished = not found.unread and work.finish(claim=claim, now=now)
        done += len(unread)
        if found.unread:
            work.postpone(
                claim=claim,
                messages=found.unread,
                extractor=extractor,
                error=ProviderError(found.unread_reason),
                started_at=started_at,
                now=now,
            )
            return done
    return done


def told(candidates: Sequence[Candidate], registry: registries.Registry) -> list[str]:
    """The texts by which it is judged whether candidates are about a topic."""
    statements = [registry.statement(c) for c in candidates]
    return statements + [c.quote.text for c in candidates if c.quote is not None]


def in_order(
    batch: Batch,
    candidates: Sequence[Candidate],
    wishes: Sequence[ForgetRequest],
    unread: Collection[UUID],
) -> Iterator[tuple[ForgetRequest | None, list[Candidate]]]:
    """What was found in the unread messages, in the order of its telling: each wish to
    forget with what was stated before it, then what was stated after the last."""
    place = {turn.message_id: number for number, turn in enumerate(batch.turns)}
    left = [c for c in candidates if c.quote is not None and c.quote.message_id in unread]
    for wish in sorted(wishes, key=lambda w: (place[w.quote.message_id], w.quote.start)):
        if wish.quote.message_id not in unread:
            continue
        at = place[wish.quote.message_id]
        yield wish, [c for c in left if c.quote and place[c.quote.message_id] < at]
        left = [c for c in left if c.quote and place[c.quote.message_id] >= at]
    yield None, left


def _sent_at(batch: Batch, wish: ForgetRequest) -> datetime:
    return next(t.sent_at for t in batch.turns if t.message_id == wish.quote.message_id)


def find(user_id: UUID, batch: Batch, extractor: Extractor, now: datetime) -> ExtractionResult:
    """What the extractor finds, its tokens counted. Raises ProviderError, and
    ``budget.Spent`` before any model is asked."""
    tokens = extractor.estimate(batch) if isinstance(extractor, Metered) else 0
    if not tokens:
        return extract.extract(batch, extractor)
    reserved = budget.reserve(user_id=user_id, tokens=tokens, now=now)
    try:
        found = extract.extract(batch, extractor)
    except ProviderError as error:
        budget.settle(reservation=reserved, used=error.tokens)
        raise
    budget.settle(reservation=reserved, used=found.tokens)
    return found


def _forget(user_id: UUID, wish: ForgetRequest, said_at: datetime, now: datetime) -> None:
    """Carry out "forget that …" from the chat: erase the match when it is exact and single,
    else ask the user on the page. The request's own words are masked once it is done."""
    held = Fact.objects.filter(user_id=user_id, status=Fact.Status.CURRENT, operation="state")
    matches = named(wish.what, list(held))
    asked = ErasureRequest.objects.filter(user_id=user_id, message_id=wish.quote.message_id)
    if len(matches) == 1:
        by = audit.Actor("user", str(user_id))
        erase.erase_facts(user_id=user_id, fact_ids=[matches[0].id], by=by, until=said_at, now=now)
        work.mask(user_id=user_id, quote=wish.quote)
        state, what = ErasureRequest.State.DONE, ""
    else:
        state, what = ErasureRequest.State.OPEN, wish.what
    if not asked.exists():
        ErasureRequest.objects.create(
            user_id=user_id,
            message_id=wish.quote.message_id,
            what=what,
            state=state,
            asked_at=now,
            settled_at=now if state == ErasureRequest.State.DONE else None,
        )


def load_example(*, user_id: UUID, by: audit.Actor) -> int:
    """Have the bundled example conversations read; returns how many messages were new.
    They are moved by whole days so that the last one was yesterday: a plan "in three weeks"
    is still ahead."""
    talks = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    last = max(datetime.fromisoformat(m["sent_at"]) for talk in talks for m in talk["messages"])
    shift = timedelta(days=(providers.clock().now() - last).days)
    accepted = 0
    for talk in talks:
        accepted += accept(
            user_id=user_id,
            conversation=talk["conversation"],
            messages=[
                ingest.Incoming(
                    role=m["role"],
                    content=m["content"],
                    sent_at=datetime.fromisoformat(m["sent_at"]) + shift,
                    id=f"example-{number}",
                )
                for number, m in enumerate(talk["messages"])
            ],
            by=by,
        ).accepted
    return accepted
