"""The finder that learned: for clauses that the gates let through and the rules can't
read. Below its threshold it finds nothing."""

from __future__ import annotations

import re

from memoryapp.records import Candidate, Operation, Polarity
from memoryapp.subjects import USER

from . import rules_plans
from .clauses import Clause
from .context import Context
from .glance import promise
from .heads import Found, heads
from .learned_checks import about_others, certain, fits, left, renamed
from .predicate import Predicate, after_openers
from .values import Span, items, trim, usable
from .words import words_of

# Chosen on development data for precision: see memoryapp.training.score.
THRESHOLD = 0.8  # that something is stated
CERTAIN = 0.6  # the same, where the value must be one of a few things
SURE = 0.5  # that it is of this attribute
WORTH = -1.0  # log-odds at a glance, below which the encoder isn't asked
LOOKS = 12  # clauses of one message that the encoder reads: bounds the time that it takes
MOST = 4  # values of one clause

_OWN = re.compile(r"\b(?:i|i'm|im|i've|ive|i'd|i'll|me|my|mine|we|we're|we've|us|our)\b")
_DENIES = re.compile(r"n't\b|n’t\b|\b(?:not|never|no longer|nor|neither|hardly|barely|stopped)\b")
_TO_USER = re.compile(r"\b(?:me|us|and i|and me)\b")
# "Been single since 2015", "no shellfish please": the "I" goes without saying.
_ELLIPTIC = re.compile(
    r"(?:been|got|used to|starting|doing|studying|working|off|no|never|not|born|raised|mostly|big"
    r"|huge|gonna|going to|hate|love|can't|cant|don't|dont|living|based|strictly|always|only"
    r"|answer|reply|respond|two|three|four|five|allergic|married|divorced|single|retired|vegan|vegetarian|my)\b"
)
_RELATIVES_OWN = re.compile(
    r"(?:my|our) [\w-]+'s [\w-]+ (?:is|was|has|works|lives|plays|loves|speaks|studies|hates)\b"
)
# Attributes of which a clause may list several values.
_LISTS = frozenset(
    [
        "likes",
        "dislikes",
        "hobby",
        "allergy",
        "eats",
        "drinks",
        "language",
        "uses",
        "programming_language",
        "framework",
        "collects",
        "sport",
        "instrument",
        "job_title",
        "medication",
        "health_condition",
    ]
)


def learned(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Facts about the user, or about the person or pet that the clause speaks of."""
    if said is None and _OWN.search(clause.text) is None and not _elliptic(clause):
        return []
    if context.looks >= LOOKS or promise(clause.text, heads().glance) < WORTH:
        return []
    context.looks += 1
    words = words_of(clause, said)
    if words is None:
        return []
    out: list[Candidate] = []
    for found in heads().find(words)[:MOST]:
        floor = CERTAIN if certain(found.attribute) else THRESHOLD
        if found.stated < floor or found.score < min(SURE, floor):
            continue
        subject = _subject(clause, said, found)
        span = words.spans[found.first][0], words.spans[found.last][1]
        if clause.text.endswith("old ", 0, span[0]):
            span = span[0] - 4, span[1]  # an adjective, though it is in FUNCTION
        if subject:
            out += _facts(clause, context, found, subject, span)
    return out


def _elliptic(clause: Clause) -> bool:
    start, _, _ = after_openers(clause)
    return _ELLIPTIC.match(clause.text, start) is not None and len(clause.text) < 80


def _subject(clause: Clause, said: Predicate | None, found: Found) -> str:
    """Whom the found value is about; empty when the head and the parse disagree."""
    if found.other:
        if _RELATIVES_OWN.match(clause.text):
            return ""  # "my colleague's wife works …" is about neither of those known
        named = said is not None and (said.relation or said.name)
        return said.subject if said is not None and named and not said.about_user else ""
    answers = found.attribute.startswith("answer_")
    if about_others(clause) and not answers:
        return ""
    if said is None or said.about_user:
        return USER if _OWN.search(clause.text) or _elliptic(clause) else ""
    return USER if _TO_USER.search(clause.text) else ""


def _facts(
    clause: Clause, context: Context, found: Found, subject: str, span: Span
) -> list[Candidate]:
    if span[0] < clause.start - clause.shift:
        return []
    if found.attribute in ("plan", "event"):
        return _dated(clause, context, found, subject, span)
    denied = found.sign == 1 or clause.text[: span[0]].endswith(("no ", "not ", "never "))
    if found.sign == 0 and not denied and _DENIES.search(clause.text):
        return []  # "techno isn't my thing": the head overlooked what the words say
    polarity: Polarity = "negated" if denied else "affirmed"
    if found.attribute in ("origin", "birthplace", "nationality", "native_language") and found.sign:
        return []  # nobody stops coming from somewhere
    operation: Operation = "end" if found.sign == 2 else "state"
    out: list[Candidate] = []
    parts = items(clause.text, *span) if found.attribute in _LISTS else [trim(clause.text, *span)]
    for part in parts:
        value = clause.text[slice(*part)]
        attribute = renamed(found.attribute, value)
        if attribute in ("likes", "dislikes") and found.sign == 1:
            continue  # the one denied isn't the other
        if not usable(value) or not fits(attribute, clause, part, subject):
            continue
        out += context.fact(
            clause,
            attribute,
            part,
            subject=subject,
            polarity=polarity,
            operation=operation if not left(clause, part) else "end",
            confidence=round(0.8 * found.stated, 3),
        )
    return out


def _dated(
    clause: Clause, context: Context, found: Found, subject: str, span: Span
) -> list[Candidate]:
    when = context.when(clause, future=found.attribute == "plan")
    if when is None or found.sign or subject != USER:
        return []
    if found.attribute == "plan":
        return rules_plans.planned(context, clause, span, when)
    return rules_plans.happened(context, clause, span, when)
