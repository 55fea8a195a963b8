"""What follows from what, as the user said it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memoryapp import store
from memoryapp.models import FactLink
from memoryapp.reasons import reasons
from memoryapp.records import Batch

# Who somebody is gives no reason; what is said of them does.
_NO_REASON = {"relation"}


def link_reasons(
    *, user_id: UUID, batch: Batch, decided: Sequence[store.Decided], now: datetime
) -> int:
    """Note which of the facts just stated the user gave as reasons for others, and return how
    many notes are new. Needs ``acting_for(user_id)`` and the user's lock."""
    stated: dict[UUID, list[tuple[tuple[int, int], UUID]]] = defaultdict(list)
    for one in decided:
        candidate, quote = one.candidate, one.candidate.quote
        if (
            quote is not None
            and one.fact_id is not None
            and candidate.operation == "state"
            and candidate.attribute not in _NO_REASON
        ):
            stated[quote.message_id].append(((quote.start, quote.end), one.fact_id))
    texts = {turn.message_id: turn.content for turn in batch.turns}
    made = 0
    for message_id, facts in stated.items():
        for reason in reasons(texts[message_id], [span for span, _ in facts]):
            made += store.link(
                user_id=user_id,
                source_id=facts[reason.effect][1],
                target_id=facts[reason.cause][1],
                kind=FactLink.Kind.FOLLOWS_FROM,
                now=now,
                weight=reason.weight,
            )
    return made
