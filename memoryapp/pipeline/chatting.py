"""One turn of a chat with the memory: what matters for it, and an answer out of that.

The answer is the configured model's, which is given what was recalled as ``/v1`` gives it;
without a model, or when it fails, memory answers alone. Nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.utils.translation import gettext as _

from memoryapp import answering, audit, budget, ground, providers
from memoryapp.pipeline.reading import recall
from memoryapp.ports import ProviderError
from memoryapp.records import (
    ChatMessage,
    Citation,
    Grounding,
    PassageCitation,
    RecallOptions,
    RecallResult,
)

TOKENS = 1500


@dataclass(frozen=True, slots=True)
class Reply:
    """``given`` is the system message that a model gets, and got when ``by_model``.

    ``failure`` says why the configured model hasn't answered (a ProviderError's code); it is
    empty when it has, and when there is none. ``numbers`` are those by which ``text`` cites:
    of facts, also of replaced ones, and of messages, by their ids. ``used`` are the facts
    that the answer rests on.
    """

    text: str
    by_model: bool
    failure: str
    given: str
    result: RecallResult
    grounding: Grounding
    numbers: Mapping[UUID, int]
    used: Sequence[UUID] = ()


def reply(
    *,
    user_id: UUID,
    text: str,
    earlier: Sequence[ChatMessage],
    on_screen: Collection[UUID],
    learns: bool,
    options: RecallOptions,
    time_zone: str,
    by: audit.Actor,
) -> Reply:
    """The answer to ``text`` after the turns ``earlier``, whose messages are ``on_screen``: a
    model has them before it, and memory alone doesn't quote its own answers. ``learns`` says
    whether the turn will be read; where it won't, nothing of it is kept."""
    now = providers.clock().now()
    result = recall(user_id=user_id, query=text, options=options, by=by, via=None, keep=learns)
    model = providers.chat_model()
    result = _beside(result, on_screen, answers_only=model is None)
    grounding = ground.ground(result, token_budget=TOKENS)
    given = grounding.context
    if options.as_of is not None:
        given += f"\nAnswer as things stood on {options.as_of.date().isoformat()}."
    failure = ""
    if model is not None:
        messages = [ChatMessage("system", given), *earlier, ChatMessage("user", text)]
        try:
            answer = budget.Paid(model, user_id=user_id, now=now).complete(messages)
        except ProviderError as error:
            failure = error.code
        else:
            return Reply(
                text=answer.text.strip(),
                by_model=True,
                failure="",
                given=given,
                result=result,
                grounding=grounding,
                numbers=numbers(grounding),
                used=[one.fact_id for one in grounding.citations],
            )
    rests_on: Sequence[UUID] = ()
    if answering.asks(text):
        found = answering.answer(text, result, now, time_zone=time_zone)
        words = found.text
        cited = _numbers(found.citations, found.passages)
        rests_on = [one.fact_id for one in found.citations]
    else:
        words, cited = _heard(learns=learns), {}
    return Reply(
        text=words,
        by_model=False,
        failure=failure,
        given=given,
        result=result,
        grounding=grounding,
        numbers=cited,
        used=rests_on,
    )


def _beside(
    result: RecallResult, on_screen: Collection[UUID], *, answers_only: bool
) -> RecallResult:
    """Without passages of what stands there anyway."""
    excerpts = [
        one
        for one in result.excerpts
        if one.message not in on_screen or (answers_only and one.role == "user")
    ]
    return replace(result, excerpts=excerpts, abstained=not (result.hits or excerpts))


def numbers(grounding: Grounding) -> Mapping[UUID, int]:
    """The numbers of facts and messages in the block, by their ids."""
    return _numbers(grounding.citations, grounding.passages)


def _numbers(facts: Sequence[Citation], passages: Sequence[PassageCitation]) -> Mapping[UUID, int]:
    return {
        **{one.fact_id: one.number for one in facts},
        **{one.message: one.number for one in passages},
    }


def _heard(*, learns: bool) -> str:
    """The answer to what asks nothing."""
    if learns:
        return _("Thank you. I’m reading it, and show you what I learn from it.")
    return _("I’ve read it, and I keep and learn nothing of it.")
