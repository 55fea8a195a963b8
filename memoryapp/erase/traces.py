"""What an erasure wipes beside the facts themselves, and what it writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from accounts.models import User
from memoryapp import audit
from memoryapp.models import (
    Conversation,
    Decision,
    EmbeddingCache,
    ErasureReceipt,
    ErasureRequest,
    Evidence,
    Fact,
    HandAct,
    Message,
)
from memoryapp.records import normalise
from memoryapp.store import tombstones
from memoryapp.store.many import among

from . import journal
from .choice import Choice
from .masking import Spoken, mask, occurrences, positions
from .selection import FactKey, key_of, values_of


def mask_words(
    user_id: UUID,
    rows: Sequence[Fact],
    evidence: Sequence[Evidence],
    mentions: Collection[UUID],
) -> set[UUID]:
    """Mask the quotes of ``evidence`` in their messages, and the rows' values in the
    messages of ``mentions``, there and in the quotes of other facts' evidence. Returns the
    messages that changed."""
    row_of = {row.id: row for row in rows}
    spoken: dict[UUID, list[Spoken]] = {}
    for e in evidence:
        if e.message_id is not None:
            spoken.setdefault(e.message_id, []).append(
                Spoken(e.start, e.quote, row_of[e.fact_id].value)
            )
    touched = {*spoken, *mentions}
    others: dict[UUID, list[Evidence]] = {}
    for e in Evidence.objects.filter(user_id=user_id, message_id__in=touched).exclude(
        id__in=[e.id for e in evidence]
    ):
        if e.message_id is not None:
            others.setdefault(e.message_id, []).append(e)

    changed: set[UUID] = set()
    for message in Message.objects.filter(user_id=user_id, id__in=touched):
        kept = others.get(message.id, [])
        masked = positions(spoken.get(message.id, []), [range(e.start, e.end) for e in kept])
        if message.id in mentions:
            for value in {row.value for row in rows}:
                masked |= {i for place in occurrences(message.content, value) for i in place}
        for e in kept:
            quote = mask(e.quote, masked, offset=e.start)
            if quote != e.quote:
                e.quote = quote
                e.save(update_fields=["quote"])
        content = mask(message.content, masked)
        if content != message.content:
            message.content = content
            message.save(update_fields=["content"])
            changed.add(message.id)
    _mask_titles(user_id, touched, {row.value for row in rows})
    return changed


def _mask_titles(user_id: UUID, messages: Collection[UUID], values: Collection[str]) -> None:
    """Mask the values in the titles of the messages' conversations."""
    talks = Conversation.objects.filter(user_id=user_id, messages__in=messages).exclude(title="")
    for talk in talks.distinct():
        masked = {i for value in values for place in occurrences(talk.title, value) for i in place}
        if masked:
            talk.title = mask(talk.title, masked)
            talk.save(update_fields=["title"])


def empty_decisions(
    user_id: UUID, rows: Sequence[Fact], *, whole_keys: Collection[FactKey] = ()
) -> int:
    """Take the text out of the decisions about the rows and cut their links; under
    ``whole_keys`` out of every decision. Returns how many."""
    about, wanted = among(row.id for row in rows), values_of(rows)
    found = set(
        Decision.objects.filter(user_id=user_id, fact_id__in=about).values_list("id", flat=True)
    )
    for row in Decision.objects.filter(
        user_id=user_id, attribute__in={attribute for _, attribute, _ in wanted}
    ).exclude(value=""):
        key = (row.subject, row.attribute, row.scope)
        loose = row.fact_id is None and normalise(row.value) in wanted.get(key, ())
        if key in whole_keys or loose:
            found.add(row.id)
    return Decision.objects.filter(user_id=user_id, id__in=among(found)).update(value="", fact=None)


def forget_acts(user_id: UUID, rows: Sequence[Fact]) -> None:
    """Drop what would undo the hand's work on other rows of the same timelines: it may tell
    of what is going. The rows' own goes with them."""
    keys = {key_of(row) for row in rows}
    acts = HandAct.objects.filter(
        user_id=user_id, fact__attribute__in={attribute for _, attribute, _ in keys}
    ).values_list("id", "fact__subject", "fact__attribute", "fact__scope")
    HandAct.objects.filter(
        user_id=user_id, id__in=[id for id, *key in acts if tuple(key) in keys]
    ).delete()


def requests_about(
    user_id: UUID, rows: Sequence[Fact], messages: Collection[UUID]
) -> list[ErasureRequest]:
    """The requests that name one of the values, or that one of the messages made."""
    return [
        request
        for request in ErasureRequest.objects.filter(user_id=user_id).exclude(what="")
        if request.message_id in messages
        or any(occurrences(request.what, row.value) for row in rows)
    ]


def settle(user_id: UUID, requests: Iterable[ErasureRequest], now: datetime) -> int:
    """Empty the requests; those still open are done. Returns how many."""
    ids = [request.id for request in requests]
    mine = ErasureRequest.objects.filter(user_id=user_id, id__in=ids)
    mine.filter(state=ErasureRequest.State.OPEN).update(
        state=ErasureRequest.State.DONE, settled_at=now
    )
    return mine.update(what="")


def untitle(user_id: UUID, talks: Collection[UUID]) -> None:
    """Take the titles off those conversations that say nothing any more."""
    said = Message.objects.filter(user_id=user_id, conversation_id__in=talks).exclude(content="")
    silent = set(talks) - set(said.values_list("conversation_id", flat=True))
    Conversation.objects.filter(user_id=user_id, id__in=silent).update(title="")


def empty_cache(user_id: UUID) -> int:
    """All of the user's cached vectors: their keys are hashes, which can't be told apart,
    and they are cheap to make again. Returns how many."""
    return EmbeddingCache.objects.filter(user_id=user_id).delete()[0]


def bury(
    user: User,
    gone: Sequence[Fact],
    evidence: Sequence[tuple[str, str]],
    *,
    now: datetime,
    forever: bool = False,
) -> int:
    """Tombstones for the values of the rows that are gone, unless the same value is still
    held under its key, and for the words (``(attribute, quote)``). Returns how many."""
    hashes = [
        tombstones.quote_hash(user, attribute=attribute, quote=quote)
        for attribute, quote in evidence
        if quote
    ]
    wanted = values_of(gone)
    held: dict[FactKey, set[str]] = {}
    for subject, attribute, scope, value in Fact.objects.filter(
        user_id=user.pk, attribute__in={attribute for _, attribute, _ in wanted}
    ).values_list("subject", "attribute", "scope", "value_key"):
        held.setdefault((subject, attribute, scope), set()).add(value)
    for key, values in wanted.items():
        left = values - held.get(key, set())
        hashes += [_value_hash(user, key, value) for value in left if value]
    return tombstones.bury(user, hashes, now=now, forever=forever)


def _value_hash(user: User, key: FactKey, value: str) -> bytes:
    subject, attribute, scope = key
    return tombstones.fact_hash(
        user, subject=subject, attribute=attribute, scope=scope, value_key=value
    )


def sign(
    *,
    user_id: UUID,
    choice: Choice,
    counts: Mapping[str, int],
    gone: Sequence[Fact],
    by: audit.Actor,
    now: datetime,
    masked: Collection[UUID] = (),
    event: audit.Event | None = None,
) -> ErasureReceipt:
    """Write the receipt, the journal's entry and, last in the transaction, the audit
    events: one a fact, and ``event``. In the messages of ``masked`` words were masked."""
    receipt = ErasureReceipt.objects.create(
        user_id=user_id,
        target=choice.what,
        requested_at=now,
        completed_at=now,
        counts=dict(counts),
        fact_ids=sorted(str(row.id) for row in gone),
        choice={**choice.plain(), **({"masked": [str(id) for id in masked]} if masked else {})},
    )
    journal.note(receipt)
    reference = {"receipt": str(receipt.id)}
    audit.record(
        user_id=user_id,
        by=by,
        events=[
            *(
                audit.Event("fact.erase", f"fact:{row.id}", reference)
                for row in gone
                if row.operation == "state"
            ),
            *([replace(event, details=reference)] if event else []),
        ],
        now=now,
    )
    return receipt
