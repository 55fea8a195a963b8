"""Candidates in, decisions out: the write half of reconciling (DESIGN section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import OuterRef, Subquery
from uuid_utils.compat import uuid7

from memoryapp import audit, rules
from memoryapp.models import (
    Decision,
    Evidence,
    Extraction,
    FactLink,
    Import,
    MemorySettings,
    Message,
)
from memoryapp.reconcile import Verdict, fact_key, tidied, value_key
from memoryapp.reconcile import verdict as judge
from memoryapp.records import Candidate, Fold, Ruling
from memoryapp.registry import Known, Registry

from .aside import set_aside
from .common import lock
from .links import link
from .names import Names
from .neighbours import end_neighbour
from .timelines import New, Vector, rewrite
from .tombstones import Graves
from .wanted import Unwanted, verdict_on

ERASED = "erased by the user"
UNCONSENTED = "sensitive: waits for the user's consent"
UNREAD = "not understood: waits for the user's eye"
DOUBTFUL = "may be about a topic never to remember: waits for the user's eye"
# How a run counts what it left out for the user's rules.
LEFT_OUT = "never_remember"


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of one candidate; ``fact_id`` is None when nothing holds it."""

    candidate: Candidate
    verdict: Verdict
    fact_id: UUID | None
    ruling: Ruling | None = None


def apply(
    *,
    user_id: UUID,
    candidates: Sequence[Candidate],
    registry: Registry,
    by: audit.Actor,
    now: datetime,
    vectors: Mapping[str, Vector] | None = None,
    rulings: Mapping[Candidate, Ruling] | None = None,
    folds: Mapping[str, Fold] | None = None,
    extraction: Extraction | None = None,
    source: str = Evidence.Source.MESSAGE,
    review: bool = False,
    topics: rules.Topics | None = None,
) -> list[Decided]:
    """Reconcile the candidates with what is held and write the outcome, one decision each.

    ``vectors`` maps statements to embeddings, and ``rulings`` canonical candidates to what
    the judge said of a neighbour under another key; both were made beforehand: no model is
    called here. ``folds`` names the known attributes that stand for an open name.

    Candidates that the user erased, or whose words were erased while they were read, are
    ignored; sensitive ones without the user's consent wait for review. The same words read
    twice change nothing. Only the user's own hand (source ``edit``) brings back what was
    erased. With ``review`` all of them wait for the user's word.

    What is about a topic never to remember is left out: it is counted, and there is no
    decision, which would hold its words; what may be about one waits for review. By the
    user's own hand it raises Unwanted. ``topics`` is what was embedded of them beforehand.
    """
    if not candidates:
        return []
    lock(user_id)
    user = get_user_model().objects.get(pk=user_id)
    graves, names = Graves(user), Names(user_id)
    consents = set(
        MemorySettings.objects.filter(user_id=user_id)
        .values_list("sensitive_opt_in", flat=True)
        .first()
        or []
    )
    messages = {
        message.id: message
        for message in Message.objects.filter(
            user_id=user_id,
            id__in={c.quote.message_id for c in candidates if c.quote is not None},
        )
        .only("id", "conversation_id", "content", "sent_at", "source_import_id")
        .annotate(imported_at=_import_time(user_id))
    }
    conversations = {id: message.conversation_id for id, message in messages.items()}
    topics = rules.load(user_id=user_id, names=registry.names()).knowing(topics)
    left_out: list[tuple[UUID, UUID | None]] = []

    decided: list[Decided | None] = [None] * len(candidates)
    by_key: dict[tuple[str, str, str, str], list[tuple[int, New, Known]]] = {}
    for index, raw in enumerate(candidates):
        candidate = names.under_one(tidied(registry.canonicalise(raw)))
        ruling = (rulings or {}).get(candidate)
        known = registry.get(candidate.attribute, kind=candidate.kind)
        if source != Evidence.Source.EDIT and (
            _buried(graves, names.under_all(candidate), messages, source)
            or _words_erased(candidate, messages)
        ):
            decided[index] = Decided(candidate, Verdict("ignore", ERASED), None)
            continue
        about = verdict_on(topics, user_id, candidate, known)
        if about is not None and about.sure:
            if source == Evidence.Source.EDIT:
                raise Unwanted(about.topic)
            left_out.append((about.topic, _brought_by(candidate, messages)))
            continue
        doubtful = about is not None and source != Evidence.Source.EDIT
        new = _new(user_id, candidate, known, conversations, vectors or {}, source, now)
        sensitive = known.sensitive or candidate.sensitivity
        delicate = sensitive and sensitive not in consents and source != Evidence.Source.EDIT
        if doubtful or delicate or review:
            held = set_aside(
                user_id, candidate, known, new, now, outcome="add",
                reason=DOUBTFUL if doubtful else UNCONSENTED if delicate else UNREAD,
            )  # fmt: skip
            if held is not None:
                decided[index] = Decided(candidate, *held)
                continue
        if ruling is not None and ruling.verdict == "conflicts":
            held = set_aside(
                user_id, candidate, known, new, now, outcome="conflict", reason=ruling.reason
            )
            if held is not None:
                decided[index] = Decided(candidate, *held, ruling)
                link(
                    user_id=user_id,
                    source_id=held[1],
                    target_id=ruling.neighbour.fact_id,
                    kind=FactLink.Kind.CONTRADICTS,
                    now=now,
                )
                continue
        key = fact_key(candidate, single=known.single)
        by_key.setdefault(key, []).append((index, new, known))

    for key, members in by_key.items():
        fresh = _unread(user_id, key, members)
        known = members[0][2]
        taken = None
        if fresh:
            taken = rewrite(
                user_id=user_id, key=key, known=known, new=[new for _, new in fresh], now=now
            )
        read = {index for index, _ in fresh}
        for index, new, _ in members:
            if taken is None or index not in read:
                decided[index] = Decided(
                    new.candidate, Verdict("ignore", "these words were read before"), None
                )
                continue
            ruling = (rulings or {}).get(new.candidate)
            carrier = taken.fact_of(new.evidence.id).id
            if ruling is not None and ruling.verdict == "replaces":
                end_neighbour(user_id, ruling, new, carrier, registry, now)
            decided[index] = Decided(
                new.candidate, judge(taken.runs, new.evidence.id), carrier, ruling
            )

    outcome = [d for d in decided if d is not None]
    if left_out:
        _note_left_out(user_id, left_out, extraction, by, now)
    log(
        user_id=user_id,
        decided=outcome,
        by=by,
        now=now,
        extraction=extraction,
        folds=folds,
    )
    return outcome


def log(
    *,
    user_id: UUID,
    decided: Sequence[Decided],
    by: audit.Actor,
    now: datetime,
    extraction: Extraction | None = None,
    folds: Mapping[str, Fold] | None = None,
) -> None:
    """Write the decisions and, last in the transaction, the audit events."""
    messages = {d.candidate.quote.message_id for d in decided if d.candidate.quote is not None}
    ours = set(
        Message.objects.filter(user_id=user_id, id__in=messages).values_list("id", flat=True)
    )
    Decision.objects.bulk_create(
        Decision(
            id=uuid7(),
            user_id=user_id,
            extraction_id=extraction.id if extraction else None,
            message_id=(
                d.candidate.quote.message_id
                if d.candidate.quote is not None and d.candidate.quote.message_id in ours
                else None
            ),
            fact_id=d.fact_id,
            outcome=d.verdict.outcome,
            judge=d.ruling.judge if d.ruling else "rule",
            reason=_reason(d),
            scores=_scores(d, folds or {}),
            subject=d.candidate.subject,
            attribute=d.candidate.attribute,
            scope=d.candidate.scope,
            # What was erased leaves no text behind, here either.
            value="" if d.verdict.reason == ERASED else d.candidate.value,
            at=now,
        )
        for d in decided
    )
    audit.record(
        user_id=user_id,
        by=by,
        events=[
            audit.Event(f"fact.{d.verdict.outcome}", f"fact:{d.fact_id}")
            for d in decided
            if d.verdict.outcome != "ignore"
        ],
        now=now,
    )


def _note_left_out(
    user_id: UUID,
    left_out: Sequence[tuple[UUID, UUID | None]],
    extraction: Extraction | None,
    by: audit.Actor,
    now: datetime,
) -> None:
    if extraction is not None:
        dropped = extraction.dropped
        dropped[LEFT_OUT] = dropped.get(LEFT_OUT, 0) + len(left_out)
        extraction.save(update_fields=["dropped"])
    rules.note_left_out(
        user_id=user_id,
        topics=[topic for topic, _ in left_out],
        imports=[brought for _, brought in left_out if brought is not None],
        by=by,
        now=now,
    )


def _brought_by(candidate: Candidate, messages: Mapping[UUID, Message]) -> UUID | None:
    message = messages.get(candidate.quote.message_id) if candidate.quote is not None else None
    return message.source_import_id if message is not None else None


def _import_time(user_id: UUID) -> Subquery:
    return Subquery(
        Import.objects.filter(user_id=user_id, id=OuterRef("source_import_id")).values("created_at")
    )


def _buried(
    graves: Graves, candidates: Sequence[Candidate], messages: Mapping[UUID, Any], source: str
) -> bool:
    return any(graves.hold(c, undated=_undated(c, messages, source)) for c in candidates)


def _undated(candidate: Candidate, messages: Mapping[UUID, Any], source: str) -> bool:
    """Whether it isn't known when the words were said, so that they can't count as said
    after an erasure: another product's note, or a message whose export had no time and which
    got the import's own."""
    message = messages.get(candidate.quote.message_id) if candidate.quote is not None else None
    return source == Evidence.Source.IMPORT or (
        message is not None and message.sent_at == message.imported_at
    )


def _reason(decided: Decided) -> str:
    ruling = decided.ruling
    if ruling is None or ruling.reason == decided.verdict.reason:
        return decided.verdict.reason
    return f"{decided.verdict.reason}; {ruling.reason}"


def _scores(decided: Decided, folds: Mapping[str, Fold]) -> dict[str, Any]:
    scores: dict[str, Any] = {"confidence": round(decided.candidate.confidence, 3)}
    if fold := folds.get(decided.candidate.attribute):
        scores["folded"] = round(fold.cosine, 3)
    if decided.ruling is not None:
        scores["against"] = str(decided.ruling.neighbour.fact_id)
        scores["cosine"] = round(decided.ruling.neighbour.cosine, 3)
        scores["ruling"] = decided.ruling.verdict
    return scores


def _words_erased(candidate: Candidate, messages: Mapping[UUID, Message]) -> bool:
    """Whether the quote is no longer in its message: it was erased after an extractor, which
    works without the user's lock, had read it."""
    quote = candidate.quote
    message = messages.get(quote.message_id) if quote is not None else None
    return (
        quote is not None
        and message is not None
        and message.content[quote.start : quote.end] != quote.text
    )


def _new(
    user_id: UUID,
    candidate: Candidate,
    known: Known,
    conversations: Mapping[UUID, UUID],
    vectors: Mapping[str, Vector],
    source: str,
    now: datetime,
) -> New:
    statement = known.statement(candidate)
    quote = candidate.quote
    evidence = Evidence(
        id=uuid7(),
        user_id=user_id,
        message_id=quote.message_id if quote and quote.message_id in conversations else None,
        conversation_id=conversations.get(quote.message_id) if quote else None,
        source=source,
        start=quote.start if quote else 0,
        end=quote.end if quote else 0,
        quote=quote.text if quote else "",
        sent_at=candidate.sent_at,
        valid_from=candidate.valid_from,
        valid_to=candidate.valid_to,
        precision=candidate.precision,
        correction=candidate.correction,
        confidence=candidate.confidence,
        importance=candidate.importance,
        recorded_at=now,
    )
    return New(
        evidence=evidence,
        candidate=candidate,
        statement=statement,
        vector=vectors.get(statement),
    )


def _unread(
    user_id: UUID,
    key: tuple[str, str, str, str],
    members: Sequence[tuple[int, New, Known]],
) -> list[tuple[int, New]]:
    """Those whose words aren't evidence of the same value already."""
    seen: set[tuple[Any, ...]] = set()
    subject, attribute, scope, _ = key
    messages = {m for _, new, _ in members if (m := new.evidence.message_id) is not None}
    for row in Evidence.objects.filter(
        user_id=user_id,
        message_id__in=messages,
        fact__user_id=user_id,
        fact__subject=subject,
        fact__attribute=attribute,
        fact__scope=scope,
    ).values_list(
        "message_id", "start", "end", "fact__value_key", "fact__polarity", "fact__operation"
    ):
        seen.add(row)
    fresh = []
    for index, new, known in members:
        e, c = new.evidence, new.candidate
        ends = c.operation == "end" or (known.single and c.polarity == "negated")
        mark = (
            e.message_id,
            e.start,
            e.end,
            value_key(c),
            "negated" if ends else c.polarity,
            "end" if ends else "state",
        )
        if e.message_id is None or mark not in seen:
            seen.add(mark)
            fresh.append((index, new))
    return fresh
