"""Erasing as it was shown: first a look, then, with the look's own word, the erasing. And
what a topic in somebody's words is about."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.models import User
from memoryapp import audit, erase, providers, store
from memoryapp import registry as registries
from memoryapp.context import acting_for
from memoryapp.models import Attribute, ErasureReceipt, Evidence, Fact, Message
from memoryapp.pipeline.reading import recall
from memoryapp.recall import MOST, searchable
from memoryapp.records import RecallOptions
from memoryapp.rules.words import Meant, core, meant, named

# What one look finds, at most; it says when there is more.
MOST_FACTS, MOST_MESSAGES = 200, 100
PASSAGES = 20
PAST = (Fact.Status.SUPERSEDED, Fact.Status.RETRACTED)


class Changed(RuntimeError):
    """Other things would go by now than were shown."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is about a topic: facts, those in the past and those that wait included, and
    messages, the newest first; ``more`` when there was more than one erasure takes."""

    facts: Sequence[UUID]
    messages: Sequence[UUID]
    more: bool = False


def forget(
    *,
    user: User,
    choice: erase.Choice,
    by: audit.Actor,
    word: str | None,
    shown: erase.Choice | None = None,
    options: Sequence[str] = (),
    inside: Callable[[ErasureReceipt], None] | None = None,
) -> ErasureReceipt:
    """Erase what is chosen, all in one transaction, in which ``inside`` gets the receipt.

    ``word`` is ``Going.confirm`` of the look at what was ``shown`` (the choice itself unless
    given); None for what needs no look. Raises Changed, store.NotFound and store.Conflict,
    and erases nothing then.
    """
    with acting_for(user.pk):
        store.lock(user.pk)
        if word is not None:
            going = erase.look(user_id=user.pk, choice=shown or choice)
            if not going.confirmed(user, word, *options):
                raise Changed("other things would go than were shown")
        receipt = erase.carry_out(
            user_id=user.pk, choice=choice, by=by, now=providers.clock().now()
        )
        if inside is not None:
            inside(receipt)
    return receipt


def find_topic(*, user_id: UUID, words: str, by: audit.Actor) -> Found:
    """What is about the topic, by meaning and by words. A current fact comes with its past,
    a past value alone where what followed is about something else."""
    words = searchable(words).strip()
    if not words:
        return Found((), ())
    near = recall(
        user_id=user_id,
        query=words,
        options=RecallOptions(k=MOST, excerpts=PASSAGES),
        by=by,
        via=None,
    )
    close = {UUID(str(hit.fact["id"])) for hit in near.hits}
    about = core(words)
    with acting_for(user_id):
        topic = meant(words, registries.load().names())
        areas = dict(Attribute.objects.values_list("key", "group")) if topic.area else {}
        proven = _proven(user_id, about) | close
        rows = [
            row
            for row in _facts(user_id)
            if row.id in proven or _is_about(row, about, topic, areas)
        ]
        return _together(user_id, rows, _said(user_id, about, [e.message for e in near.excerpts]))


def find_somebody(*, user_id: UUID, subject: str, name: str) -> Found:
    """What is about a person or a pet, and what names them, as ``find_topic`` has it."""
    about = core(searchable(name))
    with acting_for(user_id):
        proven = _proven(user_id, about)
        rows = [
            row
            for row in _facts(user_id)
            if row.subject == subject or row.id in proven or _is_about(row, about, Meant(), {})
        ]
        return _together(user_id, rows, _said(user_id, about, ()))


def _facts(user_id: UUID) -> QuerySet[Fact]:
    return Fact.objects.filter(user_id=user_id, operation="state").order_by("-id")


def _together(user_id: UUID, rows: Sequence[Fact], said: Sequence[UUID]) -> Found:
    held = [row.id for row in rows if row.status not in PAST][:MOST_FACTS]
    chain = erase.chain(user_id=user_id, fact_ids=held) if held else ()
    facts = dict.fromkeys(fact.id for fact in chain)
    facts |= dict.fromkeys(row.id for row in rows if row.status in PAST)
    return Found(
        list(facts)[:MOST_FACTS],
        said[:MOST_MESSAGES],
        max(len(facts), len(rows)) > MOST_FACTS or len(said) > MOST_MESSAGES,
    )


def _is_about(row: Fact, about: Sequence[str], topic: Meant, areas: dict[str, str]) -> bool:
    if (
        row.attribute in topic.attributes
        or (topic.sensitivity and topic.sensitivity == row.sensitivity)
        or (topic.area and topic.area == areas.get(row.attribute))
    ):
        return True
    keys = row.subject.replace(":", " ").replace("-", " ")
    return named(about, f"{keys} {row.attribute} {row.value} {row.statement}")


def _proven(user_id: UUID, about: Sequence[str]) -> set[UUID]:
    """The facts whose quotes hold the topic's words."""
    quotes = Evidence.objects.filter(_may_hold("quote", about), user_id=user_id)
    return {
        fact_id for fact_id, quote in quotes.values_list("fact_id", "quote") if named(about, quote)
    }


def _said(user_id: UUID, about: Sequence[str], near: Collection[UUID]) -> list[UUID]:
    messages = Message.objects.filter(
        _may_hold("content", about) | Q(id__in=near), user_id=user_id
    ).exclude(content="")
    return [
        id
        for id, content in messages.order_by("-sent_at", "-id").values_list("id", "content")
        if id in near or named(about, content)
    ]


def _may_hold(column: str, words: Sequence[str]) -> Q:
    """Rows that may hold all the words in some form, to be looked at one by one: a word's
    beginning is in each of its forms. None for no words."""
    found = Q() if words else Q(pk=None)
    for word in words:
        found &= Q(**{f"{column}__icontains": word[:3]})
    return found
