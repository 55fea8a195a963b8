"""``forget``: by id, or by words when they name exactly one memory."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryapp import pipeline, store
from memoryapp.api.auth import Party
from memoryapp.api.mcp.caller import Call
from memoryapp.api.mcp.schemas import ForgetIn, ForgetOut, Memory
from memoryapp.api.mcp.threads import in_thread
from memoryapp.api.mcp.wording import DATA, lines, quoted
from memoryapp.api.rendering import fact, note_reading
from memoryapp.api.schemas import ReceiptOut
from memoryapp.context import acting_for
from memoryapp.models import ErasureReceipt, Fact
from memoryapp.reconcile import named
from memoryapp.records import RecallOptions, normalise

BY_ID = ("facts:write",)
# Candidates show what is remembered.
BY_WORDS = ("facts:write", "facts:read")
CANDIDATES = 10


async def forget(call: Call, arguments: ForgetIn) -> tuple[ForgetOut, str]:
    told = await in_thread(lambda: _forget(call, arguments))
    shown = [DATA, lines(told.candidates)] if told.candidates else []
    return told, "\n".join([told.message, *shown])


def _forget(call: Call, arguments: ForgetIn) -> ForgetOut:
    if arguments.id is not None:
        who = call.who(*BY_ID)
        try:
            with acting_for(who.user_id):
                return _erased(_erase(who, arguments.id, arguments))
        except store.NotFound:
            # Noted here, where no transaction is left that would take the note back.
            raise who.not_found(f"fact:{arguments.id}") from None
    who = call.who(*BY_WORDS)
    words = str(arguments.words)
    with acting_for(who.user_id):
        # The one that is named now is the one that goes.
        store.lock(who.user_id)
        named = _named(who.user_id, words)
        if len(named) == 1:
            return _erased(_erase(who, named[0], arguments))
    return _asked(who, named[:CANDIDATES] or _near(who, words))


def _named(user_id: UUID, words: str) -> list[UUID]:
    """The current facts that the words name: by the whole statement, or else as "forget
    that …" does in a chat. Needs ``acting_for(user_id)``."""
    held = list(
        Fact.objects.filter(
            user_id=user_id, status=Fact.Status.CURRENT, operation="state"
        ).order_by("-last_stated_at", "-id")
    )
    whole = [row.id for row in held if normalise(row.statement) == normalise(words)]
    if whole:
        return whole
    return [row.id for row in named(words, held)]


def _near(who: Party, words: str) -> list[UUID]:
    """The current facts that the words may mean. Not inside a transaction: asking takes a
    model."""
    result = pipeline.recall(
        user_id=who.user_id,
        query=words,
        options=RecallOptions(k=CANDIDATES, excerpts=0),
        by=who.by,
        via=None,
    )
    return [UUID(str(hit.fact["id"])) for hit in result.hits]


def _erase(who: Party, fact_id: UUID, arguments: ForgetIn) -> ErasureReceipt:
    return pipeline.erase_facts(
        user_id=who.user_id,
        fact_ids=[fact_id],
        by=who.by,
        restore_previous=arguments.restore_previous,
        forever=arguments.forever,
    )


def _erased(receipt: ErasureReceipt) -> ForgetOut:
    facts = int(receipt.counts.get("facts", 0))
    return ForgetOut(
        outcome="forgotten",
        message=ngettext(
            "Forgotten for good: one memory, with its past.",
            "Forgotten for good: %(n)s memories, with their past.",
            facts,
        )
        % {"n": facts},
        candidates=[],
        receipt=ReceiptOut.model_validate(receipt),
    )


def _asked(who: Party, ids: Sequence[UUID]) -> ForgetOut:
    with acting_for(who.user_id):
        rows = {
            row.id: fact(row)
            for row in store.revised(Fact.objects.filter(user_id=who.user_id, id__in=ids))
        }
        shown = quoted(who.user_id, [rows[id] for id in ids if id in rows])
        note_reading(who, "facts.read", "facts", {"count": len(shown)})
    candidates = [Memory.model_validate(row) for row in shown]
    return ForgetOut(
        outcome="choose" if candidates else "not_found",
        message=_(
            "Nothing was erased. Ask the user which of these they mean, then call forget "
            "with its id."
        )
        if candidates
        else _("Nothing was erased: nothing like this is remembered."),
        candidates=candidates,
        receipt=None,
    )
