"""Topics never to remember, and whether something is about one of them.

A topic chosen from the vocabulary (an attribute, an area of life, a kind of delicate thing)
is a comparison of keys. A topic in the user's words matches by the words themselves, by the
vocabulary that they name, and by meaning: the cosine between "About {topic}." and a
statement, always in the local embedder's space, so that the thresholds hold whichever
embedder recall uses. How they were chosen, and what they do: ``docs/rules.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import F
from numpy.typing import NDArray

from memoryapp import audit, providers
from memoryapp.models import Import, Message, MessageEmbedding, NeverTopic
from memoryapp.records import Candidate

from .words import Meant, core, meant, named

# From here on it is left out; from there on the user is asked whether it is what they meant.
SURE, MAYBE = 0.35, 0.26


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic; ``core`` are the words that say what it is about, ``meant`` the vocabulary
    that they stand for."""

    id: UUID
    words: str = ""
    attribute: str = ""
    area: str = ""
    sensitivity: str = ""
    core: Sequence[str] = ()
    meant: Meant = field(default_factory=Meant)

    @property
    def question(self) -> str:
        """What statements are held against by meaning."""
        return f"About {' '.join(self.core)}."


@dataclass(frozen=True, slots=True)
class Said:
    """What is to be judged: a fact's keys, and the texts that tell it, its statement first."""

    subject: str
    attribute: str
    area: str
    sensitivity: str
    texts: Sequence[str]

    @classmethod
    def of(cls, candidate: Candidate, *, statement: str, area: str, sensitivity: str) -> Said:
        quote = candidate.quote.text if candidate.quote is not None else ""
        return cls(
            subject=candidate.subject,
            attribute=candidate.attribute,
            area=area,
            sensitivity=sensitivity,
            texts=[text for text in (statement, quote) if text],
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The topic that something is about; not ``sure`` when the user must say."""

    topic: UUID
    sure: bool


class Topics:
    """A user's topics. What is embedded once is kept for as long as this lives."""

    def __init__(self, topics: Collection[Topic]) -> None:
        self._topics = list(topics)
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def __bool__(self) -> bool:
        return bool(self._topics)

    @property
    def by_meaning(self) -> bool:
        """Whether any of them needs an embedder."""
        return any(topic.words for topic in self._topics)

    def learn(self, texts: Collection[str]) -> Topics:
        """Embed the texts beforehand, outside of any transaction; returns itself."""
        if self.by_meaning:
            self._embed([*texts, *(topic.question for topic in self._topics if topic.words)])
        return self

    def knowing(self, earlier: Topics | None) -> Topics:
        """Itself, with what an earlier one has embedded."""
        if earlier is not None:
            self._vectors = earlier._vectors
        return self

    def judge(self, said: Said) -> Verdict | None:
        """The topic that it is about, the surest; None when it is about none."""
        found: tuple[float, Topic] | None = None
        for topic in self._topics:
            if _by_keys(topic, said) or _by_words(topic, said):
                return Verdict(topic.id, sure=True)
            if topic.words and (near := self._near(topic, said.texts)) >= MAYBE:
                found = max(found or (0.0, topic), (near, topic), key=lambda one: one[0])
        return Verdict(found[1].id, sure=found[0] >= SURE) if found is not None else None

    def about(self, text: str) -> bool:
        """Whether a message is about a topic in the user's words: surely, by what it says or
        by what it means."""
        return self.named_in(text) or any(
            topic.words and self._near(topic, [text]) >= SURE for topic in self._topics
        )

    def named_in(self, text: str) -> bool:
        """Whether a text says a topic in the user's words by its words."""
        return any(topic.words and named(topic.core, text) for topic in self._topics)

    def near(self, vector: NDArray[np.float32]) -> bool:
        """Whether a vector of the local embedder's is surely about a topic in words."""
        self.learn(())
        return any(
            topic.words and float(self._vectors[topic.question] @ vector) >= SURE
            for topic in self._topics
        )

    def _near(self, topic: Topic, texts: Sequence[str]) -> float:
        self._embed([topic.question, *texts])
        question = self._vectors[topic.question]
        return max((float(question @ self._vectors[text]) for text in texts), default=0.0)

    def _embed(self, texts: Collection[str]) -> None:
        fresh = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if fresh:
            rows = providers.meanings().documents(fresh)
            self._vectors.update(zip(fresh, rows, strict=True))


def load(*, user_id: UUID, names: Mapping[str, str]) -> Topics:
    """The user's topics. ``names`` are the registry's. Needs ``acting_for(user_id)``."""
    return Topics(
        [
            Topic(
                id=row.id,
                words=row.words,
                attribute=row.attribute,
                area=row.area,
                sensitivity=row.sensitivity,
                core=core(row.words),
                meant=meant(row.words, names) if row.words else Meant(),
            )
            for row in NeverTopic.objects.filter(user_id=user_id).order_by("id")
        ]
    )


def note_left_out(
    *,
    user_id: UUID,
    topics: Sequence[UUID],
    imports: Sequence[UUID],
    by: audit.Actor,
    now: datetime,
) -> None:
    """Count what was left out: a topic for each thing, and the import that brought it, if one
    did. The log says how many, never what."""
    for topic, count in Counter(topics).items():
        NeverTopic.objects.filter(user_id=user_id, id=topic).update(
            left_out=F("left_out") + count, last_left_out_at=now
        )
        event = audit.Event("topic.left_out", f"topic:{topic}", {"count": count})
        audit.record(user_id=user_id, by=by, events=[event], now=now)
    for brought, count in Counter(imports).items():
        row = Import.objects.select_for_update().filter(user_id=user_id, id=brought).first()
        if row is not None:
            counts: dict[str, Any] = row.counts
            row.counts = {**counts, "left_out": counts.get("left_out", 0) + count}
            row.save(update_fields=["counts"])


def _by_keys(topic: Topic, said: Said) -> bool:
    return bool(
        (topic.attribute and topic.attribute == said.attribute)
        or (topic.area and topic.area == said.area)
        or (topic.sensitivity and topic.sensitivity == said.sensitivity)
        or (topic.meant.area and topic.meant.area == said.area)
        or (topic.meant.sensitivity and topic.meant.sensitivity == said.sensitivity)
        or said.attribute in topic.meant.attributes
    )


def _by_words(topic: Topic, said: Said) -> bool:
    if not topic.words:
        return False
    keys = f"{said.subject.replace(':', ' ').replace('-', ' ')} {said.attribute}"
    return named(topic.core, " ".join([keys, *said.texts]))


def withhold(*, user_id: UUID, topics: Topics) -> int:
    """Show past messages about the topics as excerpts no more; returns how many. Needs
    ``acting_for(user_id)``. By their words; and by their vectors, where they are of the local
    embedder's space."""
    shown = Message.objects.filter(user_id=user_id, excerpt=Message.Excerpt.YES)
    found = {id for id, text in shown.values_list("id", "content") if topics.named_in(text)}
    vectors = MessageEmbedding.objects.filter(
        user_id=user_id, message__in=shown, model=providers.meanings().model
    )
    for id, vector in vectors.values_list("message_id", "embedding"):
        if id not in found and topics.near(np.asarray(vector.to_numpy(), dtype=np.float32)):
            found.add(id)
    MessageEmbedding.objects.filter(user_id=user_id, message_id__in=found).delete()
    return shown.filter(id__in=found).update(excerpt=Message.Excerpt.NO)
