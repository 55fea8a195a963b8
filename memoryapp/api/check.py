"""An assistant's answer held against memory before, or after, the user sees it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import HttpRequest
from ninja import Router

from memoryapp import pipeline
from memoryapp.api.auth import BearerKey, party
from memoryapp.api.schemas import CheckIn, CheckOut
from memoryapp.api.site import answers
from memoryapp.claims import Checked, Held

router = Router()


@router.post(
    "/check",
    auth=BearerKey("recall:read"),
    response=answers(200, CheckOut, 400, 411, 413, 415),
    operation_id="check",
    summary="What an answer claims about the user, and whether it is so",
)
def check(request: HttpRequest, body: CheckIn) -> Any:
    """Each claim about the user or their past, with its place in the answer: supported by a
    fact, outdated (it was so, and what took over), or unsupported. General knowledge, advice
    and questions claim nothing. Decided by rules; with a model, paraphrases are found too.
    Nothing of the answer is stored."""
    who = party(request, body.user)
    checked = pipeline.check(
        user_id=who.user_id, answer=body.answer, question=body.question or "", by=who.by
    )
    counts = Counter(one.verdict for one in checked)
    return CheckOut.model_validate(
        {
            "claims": [_claim(one) for one in checked],
            "supported": counts["supported"],
            "outdated": counts["outdated"],
            "unsupported": counts["unsupported"],
        }
    )


def _claim(one: Checked) -> dict[str, Any]:
    return {
        "start": one.claim.start,
        "end": one.claim.end,
        "text": one.claim.text,
        "verdict": one.verdict,
        "reason": one.reason,
        "facts": [_fact(fact) for fact in one.facts],
        "against": None if one.against is None else _fact(one.against),
        "ended_at": one.ended_at,
        "judge": one.judge,
    }


def _fact(fact: Held) -> dict[str, Any]:
    newest = fact.proof[0] if fact.proof else None
    names = (
        "id",
        "subject",
        "attribute",
        "scope",
        "value",
        "polarity",
        "statement",
        "status",
        "valid_from",
        "valid_to",
        "precision",
    )
    return {
        **{name: getattr(fact, name) for name in names},
        "quote": newest.quote if newest else "",
        "said_at": newest.sent_at if newest else None,
    }
