"""Things that wait in the review, of each sort, for tests of it."""

from __future__ import annotations

from uuid import UUID

from accounts.models import User
from memoryapp import audit, registry, store
from memoryapp.context import acting_for
from memoryapp.models import Fact
from memoryapp.records import Candidate, Neighbour, Quote, Ruling
from tests.memory import day, heard

BY = audit.Actor.system("extractor:test")


def note(user: User, text: str, *, on: float = 1.0) -> UUID:
    """Something that wasn't understood, and waits as it was said."""
    [fact_id] = _noted(user, [(text, on)])
    return fact_id


def notes(user: User, count: int) -> list[UUID]:
    return _noted(
        user, [(f"Remark number {number} of many.", 1 + number / 1000) for number in range(count)]
    )


def _noted(user: User, said: list[tuple[str, float]]) -> list[UUID]:
    messages = [heard(user, text, on=on) for text, on in said]
    with acting_for(user.pk):
        decided = store.apply(
            user_id=user.pk,
            candidates=[
                Candidate(
                    subject="user",
                    attribute="note",
                    value=message.content,
                    quote=Quote(message.id, 0, len(message.content), message.content),
                    sent_at=message.sent_at,
                    kind="personal",
                    statement=message.content,
                    confidence=0.5,
                )
                for message in messages
            ],
            registry=registry.load(),
            by=BY,
            now=messages[-1].sent_at,
            review=True,
        )
    ids = [one.fact_id for one in decided if one.fact_id is not None]
    assert len(ids) == len(said)
    return ids


def both(user: User, *, on: float = 2.0) -> tuple[UUID, UUID]:
    """Two that contradict each other: the one that waits, and the one that holds."""
    said = heard(user, "I like rice.", on=on - 1)
    text = "I never eat rice."
    message = heard(user, text, on=on)
    with acting_for(user.pk):
        [first] = store.apply(
            user_id=user.pk,
            candidates=[
                Candidate(
                    subject="user", attribute="likes", value="rice", sent_at=said.sent_at,
                    quote=Quote(said.id, 0, len(said.content), said.content),
                )
            ],
            registry=registry.load(), by=BY, now=day(on),
        )  # fmt: skip
        assert first.fact_id
        held = Fact.objects.get(user_id=user.pk, id=first.fact_id)
        waits = Candidate(
            subject="user", attribute="diet", value="no rice", sent_at=message.sent_at,
            kind="constraint", quote=Quote(message.id, 0, len(text), text),
        )  # fmt: skip
        ruling = Ruling(
            "conflicts",
            "model",
            "contradicts what is held under another name",
            Neighbour(
                held.id, held.attribute, held.scope, held.value, held.value_key, "affirmed",
                "preference", held.statement, held.last_stated_at, 0.7,
            ),
        )  # fmt: skip
        [second] = store.apply(
            user_id=user.pk,
            candidates=[waits],
            registry=registry.load(),
            by=BY,
            now=day(on),
            rulings={waits: ruling},
        )
    assert second.fact_id
    return second.fact_id, first.fact_id
