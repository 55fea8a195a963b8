"""What somebody wants erased, what would go by that, and the word that binds the two."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

from accounts.models import User

from .plan import PlannedFact

What = Literal[
    "facts", "messages", "topic", "conversation", "import", "application", "range", "everything",
    "account",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be erased; which of the fields count depends on ``what``.

    ``facts`` go with their chains, those of a topic alone. ``messages`` of a topic lose their
    text and nothing else; elsewhere what they alone taught goes too. ``since`` and
    ``until`` bound a range, half open; of facts, statements made after ``until`` may be
    learnt. ``restore_previous`` lets what the erased facts had replaced hold again;
    otherwise it goes along. With ``forever`` the same isn't learnt again, even if it is
    said anew.
    """

    what: What
    facts: Collection[UUID] = ()
    messages: Collection[UUID] = ()
    conversation: UUID | None = None
    source_import: UUID | None = None
    application: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    restore_previous: bool = False
    forever: bool = False

    def plain(self) -> dict[str, Any]:
        """As JSON has it, without what is empty."""
        return {name: _plain(value) for name, value in self._parts() if value}

    def _parts(self) -> Iterable[tuple[str, object]]:
        return [(part.name, getattr(self, part.name)) for part in fields(self)]

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Choice:
        """What ``plain`` gave. Raises ValueError, TypeError and KeyError for anything else."""
        parts = {
            "facts": [UUID(id) for id in plain.get("facts", ())],
            "messages": [UUID(id) for id in plain.get("messages", ())],
            **{name: UUID(plain[name]) for name in _NAMED if name in plain},
            **{name: datetime.fromisoformat(plain[name]) for name in _TIMES if name in plain},
        }
        if plain["what"] not in get_args(What):
            raise ValueError("erasures of this kind aren't known")
        return cls(**{**plain, **parts})


def _plain(value: object) -> Any:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    return [str(id) for id in value] if isinstance(value, Iterable) else str(value)


_NAMED = ("conversation", "source_import", "application")
_TIMES = ("since", "until")


@dataclass(frozen=True, slots=True)
class Staying:
    """A fact that loses some of its proof and stays: ``proofs`` are left, the latest of them
    of ``said_at``, by the user's own hand if ``by_hand``."""

    id: UUID
    proofs: int
    said_at: datetime
    by_hand: bool


@dataclass(frozen=True, slots=True)
class Going:
    """What would go. ``targets`` are the ids that were named or found; ``facts`` those that
    go, oldest first; ``restorable`` what could hold again (``restore_previous``); ``more``
    says that more was found than one erasure takes."""

    what: str
    targets: Collection[UUID]
    facts: Sequence[PlannedFact] = ()
    restorable: Sequence[PlannedFact] = ()
    stays: Sequence[Staying] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    more: bool = False

    def confirm(self, user: User, *options: str) -> str:
        """The word for exactly this: another one when anything else would go. Under the
        user's own key, so that nobody makes it up and it tells nothing."""
        ids = sorted(
            {*map(str, self.targets), *(str(fact.id) for fact in self.facts)}
            | {f"again={fact.id}" for fact in self.restorable}
            # Where facts and messages are counted, not named, one more of them counts too.
            | {f"{name}={self.counts[name]}" for name in _COUNTED if name in self.counts}
        )
        return user.keyed_hash("erasure", self.what, *options, *ids).hex()[:32]

    def confirmed(self, user: User, word: str, *options: str) -> bool:
        return hmac.compare_digest(word.encode(), self.confirm(user, *options).encode())


_COUNTED = ("messages", "evidence", "fact", "message")
