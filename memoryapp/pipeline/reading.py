"""Questions in, facts and passages out: the read path."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from numpy.typing import NDArray

from memoryapp import (
    audit,
    broker,
    excerpts,
    ground,
    providers,
    ranking,
    timewords,
    tokens,
    uses,
)
from memoryapp import (
    recall as recalling,
)
from memoryapp.context import acting_for
from memoryapp.pipeline.vectors import attributes_asked, query_vector
from memoryapp.records import (
    Grounding,
    RecallOptions,
    RecallResult,
)


def recall(
    *,
    user_id: UUID,
    query: str,
    options: RecallOptions,
    by: audit.Actor,
    via: uses.Via | None = "recall",
    keep: bool = True,
) -> RecallResult:
    """The facts that matter for the query, best first, and passages of past messages; or an
    abstention. Within ``options.token_budget``, the facts first.

    ``via`` is the way in, for the record of uses. With None nothing is used yet: the caller
    says so with ``used`` when it is, or only looks for something on the page. Without
    ``keep`` nothing of the question is stored, not even its vector.
    """
    started = time.perf_counter()
    now = providers.clock().now()
    question, undated = _question(user_id, query, now)
    vector = query_vector(user_id, question.text, keep=keep)
    # A fact has its time beside it, not in its words; a message has it in both.
    plain = vector if undated == question.text else query_vector(user_id, undated, keep=keep)
    near, named = attributes_asked(undated, plain)
    embedding = (time.perf_counter() - started) * 1000
    with acting_for(user_id):
        asked = replace(_asked(user_id, question, now), text=undated, vector=plain)
        question = _dated(question, asked, now)
        result = recalling.recall(
            user_id=user_id,
            asked=replace(asked, near=near, named=named),
            embedder=providers.embedder(),
            options=options,
            now=now,
        )
        result = _with_excerpts(user_id, question, vector, options, now, result)
        result = _within(result, options.token_budget)
        ids = [str(hit.fact["id"]) for hit in result.hits]
        if via is not None:
            used(user_id=user_id, fact_ids=ids, via=via, by=by, now=now)
        if by.kind != "user":
            details: dict[str, Any] = {"facts": ids}
            if result.excerpts:
                details["messages"] = [str(excerpt.message) for excerpt in result.excerpts]
            audit.record(
                user_id=user_id, by=by, events=[audit.Event("recall", "", details)], now=now
            )
    return replace(result, milliseconds={"embed": embedding, **result.milliseconds})


def context(*, user_id: UUID, query: str, options: RecallOptions, by: audit.Actor) -> Grounding:
    """The same as a block for a prompt, with its citations, within the token budget."""
    result = recall(
        user_id=user_id, query=query, options=replace(options, token_budget=None), by=by, via=None
    )
    grounding = ground.ground(result, token_budget=options.token_budget)
    used(
        user_id=user_id,
        fact_ids=[one.fact_id for one in grounding.citations],
        via="context",
        by=by,
        now=providers.clock().now(),
    )
    return grounding


def used(
    *,
    user_id: UUID,
    fact_ids: Iterable[UUID | str],
    via: uses.Via,
    by: audit.Actor,
    now: datetime,
    conversation_id: UUID | None = None,
    message_id: UUID | None = None,
) -> None:
    """Have it noted that an answer used the facts: in the background, after the transaction,
    so that it never slows the read path. The conversation and the message are those in which
    the answer is kept."""
    ids = sorted({str(fact_id) for fact_id in fact_ids})
    if not ids:
        return
    answer = {
        "via": via,
        "at": now.isoformat(),
        "application_id": by.id if by.kind == "app" else None,
        "conversation_id": str(conversation_id) if conversation_id else None,
        "message_id": str(message_id) if message_id else None,
    }
    broker.on_commit("memoryapp.tasks.count_recall", str(user_id), ids, answer)


def count_recall(
    *, user_id: UUID, fact_ids: Sequence[UUID], answer: Mapping[str, str | None] | None = None
) -> None:
    """Note that the facts were recalled, and for which ``answer``, as ``used`` describes it."""
    now = providers.clock().now()
    with acting_for(user_id):
        # What a checked answer says isn't recalled: it is held against it.
        if answer is None or answer["via"] != "check":
            recalling.usage(user_id=user_id, fact_ids=fact_ids, now=now)
        if answer is not None:
            uses.note(user_id=user_id, fact_ids=fact_ids, answer=_answer(answer, now))


def _answer(told: Mapping[str, str | None], now: datetime) -> uses.Answer:
    def id_of(name: str) -> UUID | None:
        text = told[name]
        return UUID(text) if text else None

    at = told["at"]
    return uses.Answer(
        via=cast(uses.Via, told["via"]),
        at=datetime.fromisoformat(at) if at else now,
        application_id=id_of("application_id"),
        conversation_id=id_of("conversation_id"),
        message_id=id_of("message_id"),
    )


def _question(user_id: UUID, query: str, now: datetime) -> tuple[ranking.Question, str]:
    """The question, and its words without those that name a time."""
    authors = ("user", "assistant")
    question = ranking.read(query, authors=authors, now=now, time_zone="UTC")
    if not question.spans:
        return question, question.text
    # Only a question that names a time needs to know where the user's day begins.
    zone = get_user_model().objects.values_list("time_zone", flat=True).get(pk=user_id)
    question = ranking.read(query, authors=authors, now=now, time_zone=zone)
    undated = query
    for time_ in reversed(timewords.find(query, now=now, time_zone=zone, prefer="past")):
        if time_.kind in ("date", "datetime", "range"):
            undated = f"{undated[: time_.start]} {undated[time_.end :]}"
    return question, " ".join(undated.split()) or question.text


def _asked(user_id: UUID, question: ranking.Question, now: datetime) -> recalling.Asked:
    """The question with the time that it names, by the calendar or by the user's own life."""
    since = min((span.since for span in question.spans), default=None)
    until = max((span.until for span in question.spans), default=None)
    if not question.spans and question.event is not None:
        meant = recalling.resolve(user_id=user_id, event=question.event, now=now)
        since, until = meant or (None, None)
    return recalling.Asked(text=question.text, vector=None, since=since, until=until)


def _dated(question: ranking.Question, asked: recalling.Asked, now: datetime) -> ranking.Question:
    if question.spans or not (asked.since or asked.until):
        return question
    since = asked.since or recalling.FIRST
    return replace(question, spans=(ranking.Span(since, asked.until or now),))


def _with_excerpts(
    user_id: UUID,
    question: ranking.Question,
    vector: NDArray[Any] | None,
    options: RecallOptions,
    now: datetime,
    result: RecallResult,
) -> RecallResult:
    # Whoever asks for some facts alone, by what they are, asks for no passages.
    if not options.excerpts or options.kinds or options.attributes or options.subjects:
        return result
    started = time.perf_counter()
    found = excerpts.find(
        user_id=user_id,
        question=question,
        query_vector=vector,
        embedder=providers.embedder(),
        options=options,
        retention_days=settings.MESSAGE_RETENTION_DAYS,
        now=now,
        quotes=[proof.quote for hit in result.hits for proof in hit.evidence],
    )
    return replace(
        result,
        excerpts=found.excerpts,
        abstained=result.abstained and not found.excerpts,
        milliseconds={
            **result.milliseconds,
            "excerpts": (time.perf_counter() - started) * 1000,
        },
    )


def _within(result: RecallResult, budget: int | None) -> RecallResult:
    """What fits, best first; what is too long makes room for something shorter. A hit counts
    with its statement and its newest quote."""
    if budget is None:
        return result
    texts = [
        f"{hit.fact['statement']} {hit.evidence[0].quote if hit.evidence else ''}"
        for hit in result.hits
    ]
    texts += [excerpt.quote for excerpt in result.excerpts]
    fits = tokens.fitting(texts, budget)
    count = len(result.hits)
    return replace(
        result,
        hits=[result.hits[n] for n in fits if n < count],
        excerpts=[result.excerpts[n - count] for n in fits if n >= count],
    )
