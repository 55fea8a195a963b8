"""An answer in, its claims about the user out, each held against memory."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import UUID

from django.contrib.auth import get_user_model

from memoryapp import audit, budget, providers, registry
from memoryapp.claims import Checked, Judge, ask, find, load, searched
from memoryapp.context import acting_for
from memoryapp.pipeline.reading import used
from memoryapp.pipeline.vectors import embed
from memoryapp.ports import ProviderError

logger = logging.getLogger(__name__)


def check(*, user_id: UUID, answer: str, question: str = "", by: audit.Actor) -> Sequence[Checked]:
    """The claims about the user in an assistant's answer, in its order, each with its
    verdict; an empty list when it makes none. ``question`` is what the user had asked.

    The rules decide alone where no model is configured, or where its budget is spent.
    """
    claims = find(answer, question=question)
    if not claims:
        return []
    now = providers.clock().now()
    vectors = embed(user_id=user_id, texts=searched(claims))
    zone = get_user_model().objects.values_list("time_zone", flat=True).get(pk=user_id)
    with acting_for(user_id):
        near = load(
            user_id=user_id,
            claims=claims,
            vectors={text: vector.values for text, vector in vectors.items()},
            model=providers.embedder().model,
        )
        hints = registry.load().hints()
    judge = Judge(near.held, hints, now=now, time_zone=zone)
    checked = judge.check(claims, answer)
    if chat := providers.chat_model():
        nearest = {claims[place].start: ids for place, ids in near.nearest.items()}
        model = budget.Paid(chat, user_id=user_id, now=now)
        try:
            checked = ask(model, checked, judge, nearest)
        except ProviderError as error:
            logger.warning("claims of %s judged by rules alone: %s", user_id, error.code)
    named = {fact.id for one in checked for fact in (*one.facts, one.against) if fact}
    used(user_id=user_id, fact_ids=named, via="check", by=by, now=now)
    if by.kind != "user":
        event = audit.Event("check", "", {"facts": sorted(str(fact) for fact in named)})
        with acting_for(user_id):
            audit.record(user_id=user_id, by=by, events=[event], now=now)
    return checked
