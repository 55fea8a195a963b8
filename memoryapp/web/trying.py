"""What stands beside a turn of the chat: what was recalled for it and why, and what it taught."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from memoryapp.models import Decision, ErasureRequest, Fact, Message
from memoryapp.pipeline.chatting import Reply, numbers
from memoryapp.records import Excerpt, Hit, ScoreParts
from memoryapp.web import cards

_CITED = re.compile(r"\[(\d{1,3})\]")
# From so much on, a share is called so.
_LEVELS: Sequence[tuple[float, Promise]] = (
    (0.85, pgettext_lazy("how much", "very much")),
    (0.6, pgettext_lazy("how much", "much")),
    (0.3, pgettext_lazy("how much", "somewhat")),
    (0.05, pgettext_lazy("how much", "little")),
)
_NONE = pgettext_lazy("how much", "not at all")
_BARS: Sequence[tuple[str, Promise]] = (
    ("vector", gettext_lazy("Means the same")),
    ("coverage", gettext_lazy("Has your words")),
    ("attribute", gettext_lazy("Is the kind of thing asked for")),
    ("recency", gettext_lazy("Hasn’t aged")),
    ("confidence", gettext_lazy("I am sure of it")),
    ("importance", gettext_lazy("Matters to you")),
)


# -- What was recalled ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of a score: its share of the most, in words and in hundredths."""

    name: str
    words: str
    percent: int


@dataclass(frozen=True, slots=True)
class Note:
    """A recalled fact. ``number`` is that by which the answer cites it, and ``in_block`` its
    number in what a model is given; 0 for neither. ``past`` when it no longer holds."""

    card: cards.Card
    number: int
    in_block: int
    reason: str
    score: Bar
    bars: Sequence[Bar]
    during: bool
    past: bool
    earlier: Sequence[tuple[int, cards.Earlier, str]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A recalled passage of a past message; ``conversation_id`` is None when it is gone."""

    excerpt: Excerpt
    number: int
    in_block: int
    conversation_id: UUID | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an answer: words, or a citation with its number."""

    text: str
    number: int = 0


def notes(user_id: UUID, reply: Reply) -> list[Note]:
    """The facts that were recalled, best first. Needs ``acting_for(user_id)``."""
    hits = reply.result.hits
    ids = {UUID(str(hit.fact["id"])) for hit in hits} | {n.id for hit in hits for n in hit.chain}
    found = {card.id: card for card in cards.cards(user_id, list(ids))}
    block = numbers(reply.grounding)
    return [
        _note(hit, card, found, reply.numbers, block)
        for hit in hits
        if (card := found.get(UUID(str(hit.fact["id"]))))
    ]


def _note(
    hit: Hit,
    card: cards.Card,
    found: Mapping[UUID, cards.Card],
    cited: Mapping[UUID, int],
    block: Mapping[UUID, int],
) -> Note:
    return Note(
        card=card,
        number=cited.get(card.id, 0),
        in_block=block.get(card.id, 0),
        reason=hit.reason,
        score=_bar(_("All in all"), hit.score),
        bars=_bars(hit.parts),
        during=hit.parts.during > 0,
        past=hit.fact["status"] != Fact.Status.CURRENT,
        earlier=[
            (
                cited.get(link.id, 0),
                cards.Earlier(
                    id=link.id,
                    sentence=before.covered or before.sentence,
                    valid_from=link.valid_from,
                    valid_to=link.valid_to,
                    precision=before.precision,
                    never=link.supersession == "correction",
                ),
                before.covered,
            )
            for link in hit.chain
            if (before := found.get(link.id)) and link.valid_from is not None
        ],
    )


def _bars(parts: ScoreParts) -> list[Bar]:
    return [_bar(str(name), getattr(parts, key)) for key, name in _BARS]


def _bar(name: str, share: float) -> Bar:
    share = min(1.0, max(0.0, share))
    words = next((words for least, words in _LEVELS if share >= least), _NONE)
    return Bar(name, str(words), round(share * 100))


def passages(user_id: UUID, reply: Reply) -> list[Passage]:
    """The passages that were recalled. Needs ``acting_for(user_id)``."""
    found = reply.result.excerpts
    talks = dict(
        Message.objects.filter(
            user_id=user_id, id__in=[excerpt.message for excerpt in found]
        ).values_list("id", "conversation_id")
    )
    block = numbers(reply.grounding)
    return [
        Passage(
            excerpt=excerpt,
            number=reply.numbers.get(excerpt.message, 0),
            in_block=block.get(excerpt.message, 0),
            conversation_id=talks.get(excerpt.message),
        )
        for excerpt in found
    ]


def pieces(text: str, known: Mapping[UUID, int]) -> list[Piece]:
    """The answer's text, its citations of what was recalled apart."""
    there = set(known.values())
    found, at = [], 0
    for match in _CITED.finditer(text):
        if (number := int(match[1])) in there:
            found += [Piece(text[at : match.start()]), Piece(match[0], number)]
            at = match.end()
    return [piece for piece in (*found, Piece(text[at:])) if piece.text]


# -- What was learned -----------------------------------------------------------------------------

_LEARNED: Mapping[str, Promise] = {
    "add": gettext_lazy("New"),
    "supersede": gettext_lazy("Changed"),
    "retract": gettext_lazy("No longer so"),
    "corroborate": gettext_lazy("You said it again"),
    "conflict": gettext_lazy("I need to ask you"),
}
_CLOSED = ("superseded", "retracted")


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing that a message taught. ``decision_id`` is None when it can't be taken back."""

    what: str
    card: cards.Card
    decision_id: UUID | None
    waits: bool
    taken_back: bool


@dataclass(frozen=True, slots=True)
class Learned:
    """What a message taught so far. ``wish`` says what became of a "forget that …" in it:
    ``done`` or ``open``, else empty."""

    message_id: UUID
    state: str
    lessons: Sequence[Lesson]
    wish: str

    @property
    def unread(self) -> bool:
        return self.state == Message.State.PENDING


def learned(user_id: UUID, message_ids: Sequence[UUID]) -> dict[UUID, Learned]:
    """By message; ids that aren't this user's messages are left out. Needs
    ``acting_for(user_id)``."""
    states = dict(
        Message.objects.filter(user_id=user_id, id__in=message_ids).values_list("id", "state")
    )
    decisions = list(
        Decision.objects.filter(
            user_id=user_id, message_id__in=states, outcome__in=_LEARNED, fact__isnull=False
        )
        .select_related("fact")
        .order_by("at", "id")
    )
    rows: dict[UUID, Sequence[UUID]] = {one.id: _about(user_id, one) for one in decisions}
    ids = {id for some in rows.values() for id in some}
    found = {card.id: card for card in cards.cards(user_id, list(ids))}
    wishes = dict(
        ErasureRequest.objects.filter(user_id=user_id, message_id__in=states).values_list(
            "message_id", "state"
        )
    )
    lessons: dict[UUID, dict[UUID, Lesson]] = defaultdict(dict)
    for one in decisions:
        for id in rows[one.id]:
            if one.message_id is not None and id in found:
                lessons[one.message_id][id] = _lesson(one, found[id])
    return {
        id: Learned(id, state, list(lessons[id].values()), wishes.get(id, ""))
        for id, state in states.items()
    }


def _about(user_id: UUID, decision: Decision) -> Sequence[UUID]:
    """The facts that a decision is about: of the mark of a "no longer", those it ended."""
    fact = decision.fact
    if fact is None:
        return []
    if fact.operation == "state":
        return [fact.id]
    closed = Fact.objects.filter(
        Q(closed_at=decision.at) | Q(retired_at=decision.at),
        user_id=user_id,
        subject=fact.subject,
        attribute=fact.attribute,
        scope=fact.scope,
        operation="state",
        status__in=_CLOSED,
    )
    if not fact.single:
        closed = closed.filter(value_key=fact.value_key)
    return list(closed.values_list("id", flat=True))


def _lesson(decision: Decision, card: cards.Card) -> Lesson:
    taken_back = card.status == Fact.Status.REJECTED
    undoable = decision.outcome != "corroborate" and not taken_back
    return Lesson(
        what=str(_LEARNED[decision.outcome]),
        card=card,
        decision_id=decision.id if undoable else None,
        waits=card.status == Fact.Status.PENDING,
        taken_back=taken_back,
    )


def told(lessons: Sequence[Lesson]) -> str:
    """What was learned, to be heard; delicate things stay covered."""
    return " ".join(f"{one.what}: {one.card.covered or one.card.sentence}" for one in lessons)


# -- The talk so far ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message of the user's in the chat that is kept, and its answer, if there is one."""

    id: UUID
    text: str
    answer: str
    sent_at: datetime


def exchanges(user_id: UUID, conversation: str, most: int) -> list[Exchange]:
    """The last exchanges, in their order; words that are gone are left out. Needs
    ``acting_for(user_id)``."""
    rows = list(
        Message.objects.filter(user_id=user_id, conversation__external_id=conversation)
        .exclude(content="")
        .order_by("-sent_at", "-id")[: 2 * most]
    )[::-1]
    found: list[Exchange] = []
    for row in rows:
        if row.role == "user":
            found.append(Exchange(row.id, row.content, "", row.sent_at))
        elif found and not found[-1].answer:
            last = found[-1]
            found[-1] = Exchange(last.id, last.text, row.content, last.sent_at)
    return found[-most:]
