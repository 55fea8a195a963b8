"""What the reader marked as a pet, and what kind a pet is."""

from __future__ import annotations

import re

from memoryapp.records import Candidate, Operation
from memoryapp.subjects import USER, subject

from .clauses import Clause
from .context import Context
from .learned_checks import fits
from .reader import Mark
from .thresholds import CERTAIN, THRESHOLD
from .values import Span, usable
from .whose import own

# "I've had a budgie for six years": one has it still.
_STILL = re.compile(r"\b(?:i|we)(?:'ve| have) (?:had|been|kept|owned)\b")
_PRONOUN = re.compile(r"(?:he|she|it)(?:'?s)?\b")


def species(clause: Clause, context: Context, mark: Mark) -> list[Candidate]:
    """Of the only pet that was named before: "Rex barks. He's a collie". Beside its name it
    is part of the pet's own value."""
    pets = {each.subject: each for each in context.people if each.subject.startswith("pet:")}
    if mark.sign or mark.score < THRESHOLD or len(pets) != 1 or not _PRONOUN.match(clause.text):
        return []
    [pet] = pets.values()
    span = mark.start - clause.shift, mark.end - clause.shift
    if pet.relation or pet.end > mark.start or not fits("species", clause, span, pet.subject):
        return []
    return context.fact(clause, "species", span, subject=pet.subject, confidence=0.8)


_DIED = re.compile(
    r"[^,;.]{0,20}\b(?:died|passed away|was put (?:down|to sleep)|has been put down)\b"
)
_LOST_OURS = re.compile(r"\b(?:lost|buried|rehomed) (?:my|our) [^,;.]{0,25}$")


_GONE = re.compile(
    r"\b(?:died|dead|lost|passed|put (?:down|to sleep)|gone|had|used to|former|late|buried|rehomed"
    r"|miss|was|were|ran away|gave|growing up|childhood|anymore|any more|no longer|until)\b"
)


def _died(clause: Clause, span: Span) -> bool:
    after, before = clause.text[span[1] :], clause.text[: span[0]]
    return _DIED.match(after) is not None or _LOST_OURS.search(before) is not None


def pet(clause: Clause, context: Context, mark: Mark, span: Span, who: str) -> list[Candidate]:
    if who != USER or not own("pet", clause, span, certain=mark.score >= CERTAIN):
        return []
    if mark.sign == 1 or (mark.sign == 2 and _STILL.search(clause.text)):
        return []
    gone = (mark.sign == 2 and _GONE.search(clause.text)) or _died(clause, span)
    operation: Operation = "end" if gone else "state"
    text = clause.original(*span)
    person = next(
        (
            each
            for each in context.people
            if each.subject == subject("pet", text)
            and each.start <= mark.end
            and mark.start <= each.end
        ),
        None,
    )
    value: str | Span = span
    known = context.named(text, "pet") if gone else None
    if known is not None:
        value = known.value  # with its kind, as it was told
    elif person is not None and person.relation:
        value = f"{text} ({person.relation})"
    elif any(
        fact.attribute == "pet" and fact.value.lower().startswith(f"{text.lower()} (")
        for fact in context.known
    ):
        return []  # known, and known better
    if not usable(text) or not fits("pet", clause, span, who):
        return []
    return context.fact(clause, "pet", value, operation=operation, confidence=0.8, importance=0.7)
