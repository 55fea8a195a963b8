"""What finding, judging and asking hand to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from memoryapp.records import Polarity, Precision

Verdict = Literal["supported", "outdated", "unsupported"]
# Why: ``stated`` (supported), ``replaced``, ``ended``, ``expired`` (outdated), ``contradicted``
# (memory says otherwise), ``never_so`` (corrected by the user), ``unknown`` (unsupported).
Reason = Literal["stated", "replaced", "ended", "expired", "contradicted", "never_so", "unknown"]
PAST = frozenset({"superseded", "retracted", "expired", "archived"})


@dataclass(frozen=True, slots=True)
class Claim:
    """A stretch of an answer that says something about the user: ``[start, end)`` in
    characters, and ``text`` verbatim.

    ``context`` is what a fragment leans on: the question that it answers or the clause that
    it continues. ``past`` is true for "before that in Leeds". A claim that isn't ``sure``
    may be about anybody ("you use indentation"): it counts only when memory knows of it.
    ``about`` is whom "she" means, in the words of the answer. ``items`` are the pieces of a
    list, each a claim of its own when the whole isn't supported.
    """

    start: int
    end: int
    text: str
    context: str = ""
    past: bool = False
    sure: bool = True
    about: str = ""
    items: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True)
class Said:
    quote: str
    sent_at: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """A fact as the check sees it, newest proof first. ``retired``: the user corrected it, it
    was never so. ``heir`` is the fact that took over."""

    id: UUID
    subject: str
    attribute: str
    scope: str
    value: str
    polarity: Polarity
    statement: str
    kind: str
    single: bool
    status: str
    valid_from: datetime
    valid_to: datetime | None
    precision: Precision
    retired: bool = False
    heir: UUID | None = None
    expires_at: datetime | None = None
    proof: Sequence[Said] = ()

    def holds(self, now: datetime) -> bool:
        """Whether it is so at ``now``; an event stays what happened."""
        return (
            self.status == "current"
            and not self.retired
            and (self.expires_at is None or self.expires_at > now)
            and (self.kind == "event" or self.valid_to is None or self.valid_to > now)
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim and its verdict.

    ``facts`` support it, best first, or are what was so when it is outdated. ``against`` says
    otherwise: what took over, what denies it. ``ended_at`` is when an outdated claim ceased
    to be so.
    """

    claim: Claim
    verdict: Verdict
    reason: Reason
    facts: Sequence[Held] = ()
    against: Held | None = None
    ended_at: datetime | None = None
    judge: Literal["rule", "model"] = "rule"
