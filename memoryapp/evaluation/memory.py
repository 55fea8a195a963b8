"""What a suite needs of the memory it measures. ``manage.py evaluate`` brings the real one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memoryapp.ports import ChatModel, Embedder


@dataclass(frozen=True, slots=True)
class Turn:
    """A message as a data set has it."""

    role: str
    content: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """A fact as it is stored, or as it was found when ``status`` is empty."""

    subject: str
    attribute: str
    value: str
    scope: str = ""
    polarity: str = "affirmed"
    operation: str = "state"
    status: str = ""
    kind: str = ""
    sensitivity: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    quote: str = ""
    sent_at: datetime | None = None
    statement: str = ""

    def __str__(self) -> str:
        sign = "" if self.polarity == "affirmed" else "not "
        scope = f" [{self.scope}]" if self.scope else ""
        end = " (ends)" if self.operation == "end" else ""
        return f"{self.subject}.{self.attribute}{scope} = {sign}{self.value}{end}"


@dataclass(frozen=True, slots=True)
class Found:
    """What one message states: facts, and what it asks to have forgotten."""

    facts: Sequence[Seen]
    forget: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The facts that recall gave, best first."""

    hits: Sequence[Seen]
    abstained: bool


class Person(Protocol):
    """A user made for the evaluation."""

    def tell(self, turns: Sequence[Turn], conversation: str = "evaluation") -> None:
        """The turns through the whole write path; returns when all were read. Raises
        RuntimeError when a message can't be read."""

    def facts(self) -> list[Seen]:
        """Every fact, whatever its status, without marks of "no longer"."""

    def texts(self) -> list[str]:
        """Every text that is stored about the user."""

    def conflicts(self) -> int:
        """How many statements were held back since they contradict one another."""

    def ask(self, question: str, as_of: datetime | None = None) -> Answer:
        """Recall, with the present right after the last thing that was told."""

    def context(self, question: str, as_of: datetime | None = None) -> str:
        """The block for a prompt that a chat gets of the memory for the question."""


class Memory(Protocol):
    @property
    def embedder(self) -> Embedder:
        """What makes vectors of texts and questions."""

    @property
    def model(self) -> ChatModel | None:
        """A model to answer and to judge; None when none is configured."""

    def person(self, time_zone: str = "UTC") -> AbstractContextManager[Person]:
        """A fresh user, erased with everything when the block ends, however it ends."""

    def extract(self, content: str, at: datetime) -> Found:
        """What the extractor alone finds in one message of the user, checked as always;
        nothing is stored."""
