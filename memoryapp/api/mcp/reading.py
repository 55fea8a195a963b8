"""``recall`` and ``list_memories``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from memoryapp import ground, pipeline, store
from memoryapp.api import cursors
from memoryapp.api.mcp.caller import Call
from memoryapp.api.mcp.schemas import (
    Earlier,
    Excerpt,
    Listed,
    ListIn,
    ListOut,
    Recalled,
    RecallIn,
    RecallOut,
)
from memoryapp.api.mcp.threads import in_thread
from memoryapp.api.mcp.wording import DATA, lines, quoted
from memoryapp.api.rendering import fact, note_reading
from memoryapp.context import acting_for
from memoryapp.models import Fact
from memoryapp.records import Hit, RecallOptions, RecallResult
from memoryapp.web import cards
from memoryapp.web.wording import group_of

if TYPE_CHECKING:
    from memoryapp.store.common import RevisedFact

RECALL = ("recall:read",)
LIST = ("facts:read",)


async def recall(call: Call, arguments: RecallIn) -> tuple[RecallOut, str]:
    result = await in_thread(lambda: recalled(call, arguments))
    told = RecallOut(
        memories=[_recalled(hit) for hit in result.hits],
        excerpts=[Excerpt.model_validate(each) for each in result.excerpts],
        abstained=result.abstained,
    )
    return told, block(result)


def recalled(call: Call, arguments: RecallIn) -> RecallResult:
    """Needs the database, and no transaction."""
    who = call.who(*RECALL)
    return pipeline.recall(
        user_id=who.user_id,
        query=arguments.query,
        options=RecallOptions(
            k=arguments.k,
            as_of=arguments.as_of,
            kinds=tuple(arguments.kinds),
            subjects=tuple(arguments.subjects),
        ),
        by=who.by,
        via="mcp",
    )


def block(result: RecallResult) -> str:
    """The fenced block with its rules, which is known again when a client sends it back, and
    the ids that ``forget`` takes."""
    grounding = ground.ground(result)
    ids = [f"[{citation.number}] {citation.fact_id}" for citation in grounding.citations]
    return "\n".join([grounding.context, *(["Ids: " + ", ".join(ids)] if ids else [])])


def _recalled(hit: Hit) -> Recalled:
    newest = hit.evidence[0] if hit.evidence else None
    return Recalled.model_validate(
        {
            **hit.fact,
            "quote": newest.quote if newest else None,
            "said_at": newest.sent_at if newest else None,
            "score": hit.score,
            "reason": hit.reason,
            "earlier": [Earlier.model_validate(link) for link in hit.chain],
        }
    )


async def list_memories(call: Call, arguments: ListIn) -> tuple[ListOut, str]:
    told = await in_thread(lambda: listed(call, arguments))
    if not told.memories:
        return told, "Nothing is remembered here."
    more = f'\nThere are more: cursor "{told.next_cursor}".' if told.next_cursor else ""
    return told, f"{DATA}\n{lines(told.memories)}{more}"


def listed(call: Call, arguments: ListIn) -> ListOut:
    """One page of the user's facts, the newest first. Needs the database."""
    who = call.who(*LIST)
    given = {
        "status": None if arguments.status == "all" else arguments.status,
        "kind": arguments.kind,
        "subject": arguments.subject,
        "attribute": arguments.attribute,
    }
    with acting_for(who.user_id):
        rows = Fact.objects.filter(
            user_id=who.user_id,
            operation="state",
            **{name: value for name, value in given.items() if value is not None},
        )
        page = cursors.page(
            store.revised(rows), cursors.by_id(), cursor=arguments.cursor, limit=arguments.limit
        )
        memories = shown(who.user_id, page.items)
        note_reading(who, "facts.read", "facts", {"count": len(memories)})
    return ListOut(memories=memories, next_cursor=page.next_cursor)


def shown(user_id: UUID, rows: Sequence[RevisedFact]) -> list[Listed]:
    """Needs ``acting_for(user_id)``."""
    known = cards.registry()
    return [
        Listed.model_validate(
            {**row, "area": group_of(row["subject"], row["attribute"], row["kind"], known)}
        )
        for row in quoted(user_id, [fact(row) for row in rows])
    ]
