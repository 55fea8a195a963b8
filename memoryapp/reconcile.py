"""Everything said under one key, made into one timeline. Pure.

The timeline is computed from the whole set of statements, in the order in which
they were made, so that delivering them twice, late or shuffled gives the same
facts: arrival order never decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, TypeVar

from memoryapp.records import Assertion, Candidate, Outcome, Precision, Run, normalise


@dataclass(slots=True)
class _Stretch:
    """A run being built."""

    first: Assertion
    assertions: list[Assertion] = field(default_factory=list)
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    precision: Precision = "instant"
    supersession: str = ""
    retired: bool = False
    successor: int | None = None
    floor: datetime | None = None
    closes: bool = False

    @property
    def last_said(self) -> datetime:
        return self.assertions[-1].sent_at

    def claims(self, assertion: Assertion) -> None:
        """Take one more statement of the same value, and the earliest start it allows; one
        that corrects the start is right about it."""
        self.assertions.append(assertion)
        start, precision = _start(assertion, self.floor)
        dated = assertion.correction and assertion.valid_from is not None
        if self.valid_from is None or start < self.valid_from or dated:
            self.valid_from, self.precision = start, precision
        if not self.supersession:
            # "Until May": the latest word on the end counts, and none means open.
            self.valid_to = assertion.valid_to


def _start(assertion: Assertion, floor: datetime | None) -> tuple[datetime, Precision]:
    """When this statement's value began: what it says, else when it was said, and never
    before ``floor``, the last moment at which something else was said to hold."""
    start = assertion.valid_from or assertion.sent_at
    precision: Precision = assertion.precision if assertion.valid_from else "instant"
    if floor is not None and start < floor:
        return floor, "instant"
    return start, precision


def _order(assertion: Assertion, *, single: bool) -> tuple[object, ...]:
    """The order of statements, total on what they say: ids would bring in the order of
    arrival. "Switched from Vim to VS Code" ends one value and states another in one
    breath, so ends come first."""
    ends = _ends(assertion, single=single)
    return (
        assertion.sent_at,
        not ends,
        assertion.start,
        assertion.value_key,
        "" if ends else assertion.polarity,
        assertion.correction,
        (assertion.valid_from is not None, assertion.valid_from or assertion.sent_at),
        (assertion.valid_to is not None, assertion.valid_to or assertion.sent_at),
        assertion.precision,
        assertion.value,
    )


def _ends(assertion: Assertion, *, single: bool) -> bool:
    """Whether the statement only closes a value. "I don't live in Paris" names no new
    home, so under a single-valued key a negation is an end too."""
    return assertion.operation == "end" or (single and assertion.polarity == "negated")


def timeline(assertions: Iterable[Assertion], *, single: bool) -> list[Run]:
    """The runs of one key, in the order of their statements; empty for no assertions.

    For a single-valued key give everything said under ``(subject, attribute, scope)``;
    for a multi-valued one, everything said of one ``value_key`` under it. At most one
    run is open. Statements about a closed past ("until 2010") stand by themselves.
    """
    stretches: list[_Stretch] = []
    current: int | None = None  # index of the stretch that holds as of the statements so far
    floor: datetime | None = None  # where the last closed stretch ended
    ended: tuple[int, datetime] | None = None  # what a statement ended last, and when
    said: tuple[object, ...] | None = None  # the statement before, and where it was put
    place: _Stretch | None = None

    for assertion in sorted(assertions, key=lambda a: _order(a, single=single)):
        holding = stretches[current] if current is not None else None

        saying = _order(assertion, single=single)
        if place is not None and saying == said:
            place.assertions.append(assertion)  # the same words, delivered twice
            continue
        said = saying

        if _ends(assertion, single=single):
            said_again = next(
                (
                    s
                    for s in stretches
                    if _ends(s.first, single=single)
                    and s.first.value_key == assertion.value_key
                    and s.last_said == assertion.sent_at
                ),
                None,
            )
            if said_again is not None:
                said_again.claims(assertion)
                place = said_again
                continue
            place = mark = _Stretch(first=assertion)
            mark.claims(assertion)
            stretches.append(mark)
            named = assertion.value_key in {"", holding.first.value_key if holding else None}
            if holding is not None and current is not None and named:
                mark.closes = True
                begun = holding.valid_from or assertion.sent_at
                holding.valid_to = max(assertion.valid_from or assertion.sent_at, begun)
                holding.supersession = "correction" if assertion.correction else "end"
                holding.retired = assertion.correction
                floor = holding.valid_to if not holding.retired else floor
                ended = (current, assertion.sent_at)
                current = None
            continue

        if assertion.valid_to is not None and assertion.valid_to <= assertion.sent_at:
            place = _place_past(stretches, assertion)
            continue

        same = holding is not None and (
            (holding.first.value_key, holding.first.polarity)
            == (assertion.value_key, assertion.polarity)
        )
        if holding is not None and same:
            holding.claims(assertion)
            place = holding
            for before in stretches:
                # "No, only since May": what was before held until then.
                if before.successor == current and before.supersession == "change":
                    begun = before.valid_from or assertion.sent_at
                    before.valid_to = max(holding.valid_from or assertion.sent_at, begun)
            continue

        place = fresh = _Stretch(first=assertion)
        if holding is None:
            fresh.floor = floor
        elif assertion.correction:
            # What was held was never so: the corrected value takes its place in time.
            fresh.floor = holding.floor
        else:
            fresh.floor = holding.last_said
        fresh.claims(assertion)
        if holding is not None:
            holding.successor = len(stretches)
            if assertion.correction:
                holding.retired, holding.supersession = True, "correction"
                if assertion.valid_from is None:
                    fresh.valid_from, fresh.precision = holding.valid_from, holding.precision
            else:
                begun = holding.valid_from or assertion.sent_at
                holding.valid_to = max(fresh.valid_from or assertion.sent_at, begun)
                holding.supersession = "change"
        elif single and ended is not None and ended[1] == assertion.sent_at:
            # "Switched from Vim to VS Code" ended one value for the sake of the other.
            before = stretches[ended[0]]
            before.successor = len(stretches)
            if not before.retired:
                before.supersession = "change"
        current = len(stretches)
        stretches.append(fresh)

    return [_finished(stretch, single=single) for stretch in stretches]


def _place_past(stretches: list[_Stretch], assertion: Assertion) -> _Stretch:
    """A value that held and ended before it was told of: its own closed stretch, which
    is returned."""
    for stretch in stretches:
        if (
            stretch.first.operation == "state"
            and stretch.first.valid_to == assertion.valid_to
            and stretch.first.value_key == assertion.value_key
            and stretch.first.polarity == assertion.polarity
        ):
            stretch.claims(assertion)
            return stretch
    stretch = _Stretch(first=assertion, valid_to=assertion.valid_to, supersession="end")
    stretch.claims(assertion)
    if stretch.valid_to is not None and assertion.valid_from is None:
        # Only the end is known.
        stretch.valid_from, stretch.precision = stretch.valid_to, assertion.precision
    stretches.append(stretch)
    return stretch


def _finished(stretch: _Stretch, *, single: bool) -> Run:
    first, latest = stretch.first, stretch.assertions[-1]
    ends = _ends(first, single=single)
    valid_from = stretch.valid_from or first.sent_at
    valid_to = stretch.valid_to
    if valid_to is not None:
        valid_to = max(valid_to, valid_from)
    return Run(
        value=latest.value,
        value_key=first.value_key,
        polarity="negated" if ends else first.polarity,
        operation="end" if ends else "state",
        assertions=tuple(stretch.assertions),
        valid_from=valid_from,
        valid_to=valid_to,
        precision=stretch.precision,
        supersession=stretch.supersession,  # type: ignore[arg-type]
        retired=stretch.retired,
        successor=stretch.successor,
        closes=stretch.closes,
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one new statement, and why, in words for the decision log."""

    outcome: Outcome
    reason: str


def verdict(runs: Sequence[Run], assertion_id: object) -> Verdict:
    """How the timeline took in one new assertion. Raises LookupError when it isn't in it."""
    for index, run in enumerate(runs):
        if all(a.id != assertion_id for a in run.assertions):
            continue
        if run.operation == "end":
            if run.closes:
                return Verdict("retract", "said to be no longer so")
            return Verdict("ignore", "ends a value that is not held")
        if any(a.fact_id is not None for a in run.assertions):
            return Verdict("corroborate", "the same value under the same key")
        replaced = [r for r in runs if r.successor == index]
        if replaced and run.open:
            kind = "correction" if replaced[0].retired else "change"
            return Verdict("supersede", f"a later statement under the same key: {kind}")
        if not run.open:
            return Verdict("add", "a statement about the past: kept as history")
        return Verdict("add", "nothing was known under this key")
    raise LookupError("the assertion is not in the timeline")


def combined_confidence(values: Iterable[float]) -> float:
    """Independent statements of one value: ``1 - Π(1 - cᵢ)``, capped at 0.99, since
    people repeat themselves; the first statement alone counts as it is."""
    doubt = 1.0
    count = 0
    for value in values:
        # Each repetition is worth half of what a first statement is.
        doubt *= 1.0 - min(1.0, max(0.0, value)) * (1.0 if count == 0 else 0.5)
        count += 1
    sure = 1.0 - doubt
    return sure if count <= 1 else min(0.99, sure)


def tidied(candidate: Candidate) -> Candidate:
    """The candidate with single spaces in its value; the letters stay as they are."""
    return replace(candidate, value=" ".join(candidate.value.split()))


def value_key(candidate: Candidate) -> str:
    """The key under which the candidate's value is compared."""
    return normalise(candidate.value) or candidate.value.casefold()


def fact_key(candidate: Candidate, *, single: bool) -> tuple[str, str, str, str]:
    """The timeline that the candidate belongs to: ``(subject, attribute, scope, value)``,
    with an empty value for a single-valued attribute."""
    key = (candidate.subject, candidate.attribute, candidate.scope)
    return (*key, "" if single else value_key(candidate))


def normalise_value(value: str) -> str:
    """A value typed by hand, with single spaces. Raises ValueError when it is empty or
    longer than 500 characters."""
    text = " ".join(value.split())
    if not text:
        raise ValueError("a value is needed")
    if len(text) > 500:
        raise ValueError("a value has at most 500 characters")
    return text


class _Stated(Protocol):
    """What a wish to forget may name."""

    @property
    def attribute(self) -> str: ...
    @property
    def value(self) -> str: ...


Held = TypeVar("Held", bound=_Stated)


def named(wish: str, held: Sequence[Held]) -> list[Held]:
    """What "forget that …" names: all that has its value in it, and of several those of the
    attribute that it speaks of ("my favourite band is Kneecap"), if any."""
    found = [one for one in held if _names(wish, one.value)]
    if len(found) > 1:
        found = [one for one in found if _means(wish, one.attribute)] or found
    return found


def _names(wish: str, value: str) -> bool:
    """Whether all the value's words stand in the wish, in order and together: as they are
    written, or apart where the wish lists several ("green tea, black tea")."""
    held = f" {normalise(value)} "
    listed = re.sub(r"[^\w\s'’+#-]+", " ", wish)
    return bool(held.strip()) and any(held in f" {normalise(w)} " for w in (wish, listed))


def _means(wish: str, attribute: str) -> bool:
    """Whether "forget that …" speaks of this attribute: the words of its name stand in it."""
    words = set(normalise(wish).replace("favorite", "favourite").replace("color", "colour").split())
    return set(attribute.split("_")) <= words
