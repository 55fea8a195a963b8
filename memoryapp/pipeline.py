"""The file that chains the stages. Read this one first. (What is brought in from other
products takes a way of its own to here: ``import_pipeline``.)

Writing: ``accept`` stores messages and queues their reading; ``read`` (in a worker)
extracts, reconciles and stores. Reading: ``recall`` and ``context``. The user's hand:
``edit_fact``, ``approve``, ``reject``, ``erase_facts``, ``erase_conversation``.

No transaction is held open while a model is called.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import numpy as np
from django.contrib.auth import get_user_model
from django.db import transaction
from numpy.typing import NDArray

from memoryapp import (
    audit,
    broker,
    budget,
    consolidate,
    erase,
    extract,
    ground,
    ingest,
    judge,
    providers,
    store,
    work,
)
from memoryapp import (
    recall as recalling,
)
from memoryapp import (
    registry as registries,
)
from memoryapp.context import acting_for
from memoryapp.folding import Names
from memoryapp.models import EmbeddingCache, ErasureReceipt, ErasureRequest, Fact
from memoryapp.ports import Extractor, Metered, ProviderError
from memoryapp.reconcile import means, names, tidied
from memoryapp.records import (
    Batch,
    Candidate,
    ExtractionResult,
    Fold,
    ForgetRequest,
    Grounding,
    RecallOptions,
    RecallResult,
    Ruling,
    Supersession,
)
from memoryapp.store.timelines import Vector

logger = logging.getLogger(__name__)
EXAMPLE = Path(__file__).parent / "data" / "example_conversation.json"


# -- Writing ----------------------------------------------------------------------------------


def accept(
    *,
    user_id: UUID,
    conversation: str,
    messages: Sequence[ingest.Incoming],
    by: audit.Actor,
    application_id: UUID | None = None,
    inside: Callable[[ingest.Accepted], None] | None = None,
) -> ingest.Accepted:
    """Store messages, each once, and have them read. ``inside`` runs in the same
    transaction, with what was accepted."""
    now = providers.clock().now()
    with acting_for(user_id):
        accepted = ingest.accept(
            user_id=user_id,
            conversation=conversation,
            messages=messages,
            by=by,
            now=now,
            application_id=application_id,
        )
        if inside is not None:
            inside(accepted)
        if accepted.accepted and accepted.conversation_id is not None:
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
        vectors = embed(user_id=user_id, texts=[registry.statement(c) for c in candidates])
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
                    store.apply(
                        user_id=user_id,
                        candidates=stated,
                        registry=registry,
                        by=by,
                        now=now,
                        vectors=vectors,
                        rulings=rulings,
                        folds=folds,
                        extraction=extraction,
                    )
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


def fold(
    candidates: Sequence[Candidate], registry: registries.Registry
) -> tuple[list[Candidate], dict[str, Fold]]:
    """The candidates under their canonical keys: known names and aliases first, open ones by
    the meaning of their names. Returns also what was folded: known key to its fold."""
    canonical = [registry.canonicalise(c) for c in candidates]
    unknown = {c.attribute for c in canonical if c.attribute not in registry}
    if not unknown:
        return canonical, {}
    try:
        names = _names(registry)
        found = {name: fold for name in unknown if (fold := names.fold(name)) is not None}
    except ProviderError as error:
        logger.warning("open attributes stay open: %s", error.code)
        return canonical, {}
    folded = [
        registry.canonicalise(replace(c, attribute=found[c.attribute].key))
        if c.attribute in found
        else c
        for c in canonical
    ]
    return folded, {registry.canonical(f.key): f for f in found.values()}


_known_names: dict[tuple[str, int], Names] = {}


def _names(registry: registries.Registry) -> Names:
    """The registry's names in the active embedder's space, made at the first open name."""
    embedder, names = providers.embedder(), registry.names()
    key = (embedder.model, hash(frozenset(names.items())))
    if key not in _known_names:
        _known_names.clear()
        _known_names[key] = Names(names, embedder)
    return _known_names[key]


def settle(
    *,
    user_id: UUID,
    candidates: Sequence[Candidate],
    vectors: Mapping[str, Vector],
    registry: registries.Registry,
) -> tuple[list[Candidate], dict[Candidate, Ruling]]:
    """Hold each candidate against its near neighbours under other keys: the rule first, the
    model when there is one, the user's review otherwise. Returns the candidates, those that
    say the same as a neighbour under the neighbour's key, and what was ruled of whom."""
    settled: list[Candidate] = []
    rulings: dict[Candidate, Ruling] = {}
    chat = providers.chat_model()
    model = chat and budget.Paid(chat, user_id=user_id, now=providers.clock().now())
    for candidate in candidates:
        if candidate.operation == "end":
            settled.append(candidate)
            continue
        statement = registry.statement(candidate)
        with acting_for(user_id):
            near = store.neighbours(
                user_id=user_id,
                candidate=candidate,
                vector=vectors.get(statement),
                near=judge.NEAR,
            )
        ruling = judge.rule(candidate, near, registry)
        if ruling is None:
            other = judge.open_question(candidate, near, with_model=model is not None)
            if other is not None:
                ruling = judge.undecided(other)
                if model is not None:
                    try:
                        ruling = judge.ask(model, candidate, statement, other)
                    except ProviderError as error:
                        logger.warning("no ruling for %s: %s", user_id, error.code)
        if ruling is not None:
            if ruling.verdict == "same":
                candidate = replace(
                    candidate,
                    attribute=ruling.neighbour.attribute,
                    scope=ruling.neighbour.scope,
                    value=ruling.neighbour.value,
                )
            rulings[tidied(candidate)] = ruling
        settled.append(candidate)
    return settled, rulings


def _forget(user_id: UUID, wish: ForgetRequest, said_at: datetime, now: datetime) -> None:
    """Carry out "forget that …" from the chat: erase the match when it is exact and single,
    else ask the user on the page. The request's own words are masked once it is done."""
    held = Fact.objects.filter(user_id=user_id, status=Fact.Status.CURRENT, operation="state")
    matches = [fact for fact in held if names(wish.what, fact.value)]
    if len(matches) > 1:
        # "… my favourite band is Kneecap" names one of two memories of Kneecap.
        matches = [f for f in matches if means(wish.what, f.attribute)] or matches
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


# -- Vectors ----------------------------------------------------------------------------------


def embed(*, user_id: UUID, texts: Sequence[str]) -> Mapping[str, Vector]:
    """Vectors of the texts in the active model's space. Texts that the embedder can't take,
    or all when it fails, are left out: text search finds such facts until ``reembed`` has
    been by."""
    wanted = sorted(set(texts))
    if not wanted:
        return {}
    embedder = providers.embedder()
    try:
        rows = embedder.documents(wanted)
    except ProviderError as error:
        if error.code == "malformed" and len(wanted) > 1:
            # One text of them can't be embedded; the others can.
            return {
                k: v for text in wanted for k, v in embed(user_id=user_id, texts=[text]).items()
            }
        logger.warning("no vectors for %d texts of %s: %s", len(wanted), user_id, error.code)
        return {}
    return {
        text: Vector(model=embedder.model, values=row)
        for text, row in zip(wanted, rows, strict=True)
    }


def reembed(*, user_id: UUID, size: int = 32) -> Iterator[int]:
    """Give every fact of the user a vector of the active model and drop the others';
    yields how many were done, batch by batch. Can be stopped and started again."""
    embedder = providers.embedder()
    while True:
        with acting_for(user_id):
            rows = work.without_vector(user_id=user_id, model=embedder.model, limit=size)
        if not rows:
            break
        vectors = embedder.documents([statement for _, statement in rows])
        with acting_for(user_id):
            work.put_vectors(
                user_id=user_id,
                model=embedder.model,
                vectors={fact_id: v for (fact_id, _), v in zip(rows, vectors, strict=True)},
            )
        yield len(rows)
    with acting_for(user_id):
        work.drop_other_vectors(user_id=user_id, model=embedder.model)


def _query_vector(user_id: UUID, query: str) -> NDArray[np.float32] | None:
    """The query's vector, from the user's own cache where a model is dear; None when the
    embedder fails: text search alone answers then."""
    embedder = providers.embedder()
    if not work.worth_caching(embedder):
        return _embedded_query(query)
    key = get_user_model().objects.get(pk=user_id).keyed_hash("query", embedder.model, query)
    with acting_for(user_id):
        row = EmbeddingCache.objects.filter(user_id=user_id, key=key, model=embedder.model).first()
    if row is not None:
        return np.asarray(row.embedding.to_numpy(), dtype=np.float32)
    vector = _embedded_query(query)
    if vector is not None:
        with acting_for(user_id):
            work.cache_vector(
                user_id=user_id, key=key, model=embedder.model, vector=vector,
                now=providers.clock().now(),
            )  # fmt: skip
    return vector


def _embedded_query(query: str) -> NDArray[np.float32] | None:
    try:
        return providers.embedder().query(query)
    except ProviderError as error:
        logger.warning("no vector for a query: %s", error.code)
        return None


# -- Reading ----------------------------------------------------------------------------------


def recall(*, user_id: UUID, query: str, options: RecallOptions, by: audit.Actor) -> RecallResult:
    """The facts that matter for the query, best first, or an abstention."""
    started = time.perf_counter()
    vector = _query_vector(user_id, query)
    embedding = (time.perf_counter() - started) * 1000
    now = providers.clock().now()
    with acting_for(user_id):
        result = recalling.recall(
            user_id=user_id,
            query_text=query,
            query_vector=vector,
            embedder=providers.embedder(),
            options=options,
            now=now,
        )
        ids = [str(hit.fact["id"]) for hit in result.hits]
        if ids:
            # After the answer: counts never slow the read path.
            broker.on_commit("memoryapp.tasks.count_recall", str(user_id), ids)
        if by.kind != "user":
            audit.record(
                user_id=user_id, by=by, events=[audit.Event("recall", "", {"facts": ids})], now=now
            )
    return replace(result, milliseconds={"embed": embedding, **result.milliseconds})


def context(*, user_id: UUID, query: str, options: RecallOptions, by: audit.Actor) -> Grounding:
    """The same as a block for a prompt, with its citations."""
    result = recall(user_id=user_id, query=query, options=options, by=by)
    return ground.ground(result, token_budget=options.token_budget)


def count_recall(*, user_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Note that the facts were recalled."""
    with acting_for(user_id):
        recalling.usage(user_id=user_id, fact_ids=fact_ids, now=providers.clock().now())


# -- The user's hand --------------------------------------------------------------------------


def edit_fact(
    *,
    user_id: UUID,
    fact_id: UUID,
    value: str,
    supersession: Supersession,
    by: audit.Actor,
) -> UUID:
    """Replace a current fact's value; returns the fact that is current now. Raises
    ``store.NotFound``, ``store.Conflict``, and ValueError for a value that can't be."""
    with acting_for(user_id):
        registry = registries.load()
        fact = Fact.objects.filter(user_id=user_id, id=fact_id, operation="state").first()
    if fact is None:
        raise store.NotFound("no such fact")
    statement = work.edited_statement(registry, fact, value)
    vectors = embed(user_id=user_id, texts=[statement])
    with acting_for(user_id):
        return store.edit(
            user_id=user_id,
            fact_id=fact_id,
            value=value,
            supersession=supersession,
            registry=registry,
            by=by,
            vector=vectors.get(statement),
            now=providers.clock().now(),
        )


def approve(*, user_id: UUID, fact_id: UUID, by: audit.Actor) -> UUID:
    """Take a pending fact in; returns the fact that carries it. Raises as ``store.approve``."""
    with acting_for(user_id):
        registry = registries.load()
        fact = Fact.objects.filter(user_id=user_id, id=fact_id).first()
    vectors = embed(user_id=user_id, texts=[fact.statement] if fact else [])
    with acting_for(user_id):
        carrier = store.approve(
            user_id=user_id, fact_id=fact_id, registry=registry, by=by,
            now=providers.clock().now(),
        )  # fmt: skip
        for vector in vectors.values():
            work.put_vectors(user_id=user_id, model=vector.model, vectors={carrier: vector.values})
    return carrier


def reject(*, user_id: UUID, fact_id: UUID, by: audit.Actor) -> None:
    """Refuse a pending fact. Raises as ``store.reject``."""
    with acting_for(user_id):
        store.reject(user_id=user_id, fact_id=fact_id, by=by, now=providers.clock().now())


def erase_facts(
    *,
    user_id: UUID,
    fact_ids: Sequence[UUID],
    by: audit.Actor,
    restore_previous: bool = False,
) -> ErasureReceipt:
    """Erase facts across every tier; raises ``store.NotFound``, and erases nothing then."""
    with acting_for(user_id):
        return erase.erase_facts(
            user_id=user_id,
            fact_ids=fact_ids,
            by=by,
            restore_previous=restore_previous,
            now=providers.clock().now(),
        )


def erase_conversation(*, user_id: UUID, conversation_id: UUID, by: audit.Actor) -> ErasureReceipt:
    """Erase a conversation and all that it alone taught; raises ``store.NotFound``."""
    with acting_for(user_id):
        return erase.erase_conversation(
            user_id=user_id, conversation_id=conversation_id, by=by, now=providers.clock().now()
        )


# -- Upkeep -----------------------------------------------------------------------------------


def due(*, limit: int = 500) -> list[tuple[UUID, UUID]]:
    """Work that no worker holds and that is due, as (user, outbox) ids."""
    return work.due(now=providers.clock().now(), limit=limit)


def sweep() -> int:
    """Send due work to the workers again: what a lost broker or worker left behind."""
    sent = 0
    for user_id, outbox_id in due():
        with transaction.atomic():
            if work.take_for_sweep(
                user_id=user_id, outbox_id=outbox_id, now=providers.clock().now()
            ):
                broker.on_commit("memoryapp.tasks.read", str(user_id), str(outbox_id))
                sent += 1
    return sent


def retry_failed(*, user_id: UUID) -> int:
    """Queue again what was set aside; returns how many messages."""
    with acting_for(user_id):
        count, queued = work.requeue_failed(user_id=user_id, now=providers.clock().now())
        for outbox_id in queued:
            broker.on_commit("memoryapp.tasks.read", str(user_id), str(outbox_id))
    return count


def upkeep(*, user_id: UUID, archive_after: timedelta, retention: timedelta) -> consolidate.Report:
    """One user's nightly consolidation."""
    with acting_for(user_id):
        return consolidate.consolidate(
            user_id=user_id,
            registry=registries.load(),
            now=providers.clock().now(),
            by=audit.Actor.system("consolidate"),
            archive_after=archive_after,
            retention=retention,
        )
