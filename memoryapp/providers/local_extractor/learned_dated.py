"""Plans and events that the reader marked: they stand with their dates, or not at all."""

from __future__ import annotations

import re
from dataclasses import replace

from memoryapp.records import Candidate

from . import rules_plans
from .clauses import Clause
from .context import Context
from .dates import When, find
from .reader import Mark
from .values import Span

_DIES = re.compile(r"died|passed(?: away)?")
_BARE_VERB = re.compile(
    r"\w+ed|bought|got|went|came|left|made|had|went to|came to"
    r"|(?:hav|go|com|gett|do|be|tak|mak|giv|us)ing"
)


def dated(clause: Clause, context: Context, mark: Mark, span: Span, who: str) -> list[Candidate]:
    """The plan or event of a mark with its date; none where there is no date."""
    words = clause.text[slice(*span)]
    when = context.when(clause, future=mark.attribute == "plan") or _said_beside(
        clause, context, mark, span
    )
    if when is None or mark.sign:
        return []
    if _BARE_VERB.fullmatch(words):
        named = any(one.subject == who and one.end <= mark.start for one in context.people)
        if not (named and who.startswith("person:") and _DIES.fullmatch(words)):
            return []  # that a pet is dead ends the pet
    if mark.attribute == "plan":
        return rules_plans.planned(context, clause, span, when, who)
    return rules_plans.happened(context, clause, span, when, who)


def _said_beside(clause: Clause, context: Context, mark: Mark, span: Span) -> When | None:
    """The one date of the sentence, when it stands in another clause and no other plan or event
    stands nearer to it: "I'm visiting Lisbon with my in-laws, who don't walk well, in May"."""
    sentence = clause.sentence
    alike = [
        other
        for other in context.marks
        if other.attribute == mark.attribute and sentence.start <= other.start < sentence.end
    ]
    if mark.other or len(alike) != 1:
        return None
    when = find(
        sentence.text,
        clause.turn.sent_at,
        context.batch.time_zone,
        future=mark.attribute == "plan",
    )
    # It stands elsewhere: nothing of it is cut off the plan's own words.
    return None if when is None else replace(when, start=span[1], end=span[1])
