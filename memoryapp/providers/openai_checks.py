"""DESIGN section 5's rules, held against each candidate of a model after it answered.

What a prompt asks for is a wish; this is what holds. Grammar is checked in English, values,
dates, names and numbers in every language. A rule that a candidate breaks is raised as
``Broken``; a flag or a date that the words don't bear out is taken off it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from memoryapp.providers.openai_clauses import Place, affirms, denies, fault
from memoryapp.providers.openai_words import content, share, stands, words
from memoryapp.records import AttributeHint, Batch, Candidate, Precision, Turn
from memoryapp.timewords import find

# A value needs one of its words in the quote, and this share of them in the message.
SHARE = 0.5
# A sentence by the model about the user needs this share; else it is made from the value.
STATEMENT_SHARE = 0.6
# Days that a date stands for at least, given to the day, the month, the year.
_LENGTH = {"day": 1, "month": 27, "year": 360, "instant": 0}
_SEASON = re.compile(r"\b(?:spring|summer|autumn|fall|winter)\b", re.IGNORECASE)
_CORRECTS = re.compile(
    r"\b(?:no|not|never|nope|actually|correct\w*|meant?|mistake|wrong|sorry|typo|rather|instead)\b"
    r"|n['’]t\b|\b(?:nein|nicht|eigentlich|falsch|non|pas|plutôt|erreur|equivo\w+|realidad"
    r"|não|errado|errore)\b|不|其实|错|नहीं|ग़?लत|違|間違",
    re.IGNORECASE,
)
# The special categories, by words that name them plainly. For what a model left unmarked.
_SENSITIVE = tuple(
    (name, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE))
    for name, pattern in {
        "health": r"diabet\w+|depress(?:ion|ed)|anxiety disorder|bipolar|schizophreni\w+|adhd"
        r"|autis\w+|hiv|aids|cancer|tumou?r|leuk\w+|epilep\w+|asthma\w*|migraines?|pregnan\w+|miscarriage"
        r"|chemo\w*|insulin|antidepressants?|diagnos\w+|alcoholi\w+|addict\w*|rehab|crohn\w*"
        r"|arthritis|ptsd|eating disorder|anorexi\w+|bulimi\w+|dementia|disabilit\w+|disabled",
        "religion": r"muslim|islam|christian(?:ity)?|catholic\w*|protestant|jewish|judaism|hindu\w*"
        r"|buddhis\w+|sikh\w*|atheis\w+|agnostic|mormon|quaker|baptist|orthodox|evangelical",
        "politics": r"republican|democrat|labour party|tory|tories|conservative party|socialis\w+"
        r"|communis\w+|green party|voted? for|left-?wing|right-?wing|libertarian",
        "sexuality": r"gay|lesbian|bisexual|homosexual|heterosexual|asexual|pansexual|queer"
        r"|transgender|trans (?:wo)?man|non-?binary",
        "union": r"trade union|labou?r union|union (?:member|rep|steward)\w*",
        "biometrics": r"fingerprints?|retina scan|face ?id|iris scan|dna (?:test|profile)",
        "ethnicity": r"ethnicity|african american|latin[oax]|hispanic|roma(?:ni)?|aboriginal"
        r"|mixed race",
        "criminal_record": r"convicted|conviction|criminal record|felon\w*|prison|jail|probation"
        r"|parole|arrested",
    }.items()
)


class Broken(Exception):
    """A candidate breaks a rule; the argument is the rule's name."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What surrounds a candidate's quote: its message, the turn before it, all that is in
    sight, and the user's time zone and language."""

    turn: Turn
    before: Turn | None
    in_sight: Set[str]
    attributes: Mapping[str, AttributeHint]
    time_zone: str
    language: str


def settings_of(batch: Batch) -> Mapping[UUID, Setting]:
    """What surrounds a candidate of each of the batch's messages."""
    turns = (*batch.context, *batch.turns)
    said = (*(turn.content for turn in turns), *(fact.subject for fact in batch.known))
    in_sight = frozenset(word for text in said for word in words(text))
    names = {name: hint for hint in batch.attributes for name in hint.names}
    names |= {hint.key: hint for hint in batch.attributes}
    return {
        turn.message_id: Setting(turn, before, in_sight, names, batch.time_zone, batch.language)
        for before, turn in zip((None, *turns), turns, strict=False)
    }


def checked(candidate: Candidate, around: Setting) -> Candidate:
    """The candidate as far as its words bear it out; raises ``Broken`` when they don't."""
    quote = candidate.quote
    if quote is None:
        raise Broken("no_quote")
    place = Place.of(around.turn.content, quote.start, quote.end)
    answered = _answered(place, around)
    _supported(candidate, around, answered)
    hint = around.attributes.get(candidate.attribute)
    if rule := fault(candidate, place, hint.key if hint else candidate.attribute):
        raise Broken(rule)
    text = f"{answered}\n{place.sentence}"
    valid_from, valid_to = (
        moment if moment and _derivable(moment, candidate.precision, text, around, ends) else None
        for moment, ends in ((candidate.valid_from, False), (candidate.valid_to, True))
    )
    return replace(
        candidate,
        valid_from=valid_from,
        valid_to=valid_to,
        precision=candidate.precision if valid_from or valid_to else "instant",
        correction=candidate.correction and _CORRECTS.search(place.message_before) is not None,
        sensitivity=_sensitivity(candidate, hint),
        statement=_statement(candidate, around, answered),
    )


def _answered(place: Place, around: Setting) -> str:
    """What the assistant had asked, when the quote says yes or no to it; else nothing. An
    assistant's words count nowhere else."""
    before = around.before
    if before is None or before.role != "assistant" or not re.search(r"[?？؟]", before.content):
        return ""
    return before.content if affirms(place.quote) or denies(place.quote) else ""


def _supported(candidate: Candidate, around: Setting, answered: str) -> None:
    quoted = set(words(f"{candidate.quote.text if candidate.quote else ''}\n{answered}"))
    value = content(candidate.value)
    if not any(stands(word, quoted) for word in value):
        raise Broken("unsupported")
    said = set(words(f"{around.turn.content}\n{answered}"))
    if share(candidate.value, said) < SHARE or not all(
        stands(word, said) for word in value if word.isdecimal()
    ):
        raise Broken("unsupported")
    if candidate.subject != "user":
        name = words(candidate.subject.partition(":")[2])
        if not name or not all(stands(word, around.in_sight) for word in name):
            raise Broken("unsupported")


def _derivable(
    moment: datetime, precision: Precision, text: str, around: Setting, ends: bool
) -> bool:
    """Whether the words name this time, as near as they are exact. An end may be the end of
    what they name as well as its beginning."""
    now, zone = around.turn.sent_at, around.time_zone
    last = moment + timedelta(days=_LENGTH[precision])
    for prefer in ("past", "future"):
        for found in find(
            text,
            now=now,
            time_zone=zone,
            language=around.language,
            prefer=prefer,
        ):
            slack = timedelta(days=2)
            first, until = found.from_, found.to
            if found.kind == "duration" and first and until:
                length = until - first
                slack = max(slack, length / 7)
                spans = [(now - length, now - length), (now + length, now + length)]
            elif first or until:
                spans = [(first or until or now, until or first or now)]
            else:
                continue
            if ends:
                slack += timedelta(days=_LENGTH[found.precision])
            if any(moment <= end + slack and begin - slack <= last for begin, end in spans):
                return True
    return _SEASON.search(text) is not None and abs(moment - now) < timedelta(days=366)


def _sensitivity(candidate: Candidate, hint: AttributeHint | None) -> str:
    """The registry's mark where it knows the attribute; a diet or an allergy is none. Else
    the model's, else that of words which name a special category."""
    if hint is not None and hint.sensitive:
        return hint.sensitive
    if hint is not None and hint.kind == "constraint":
        return ""
    if candidate.sensitivity:
        return candidate.sensitivity
    text = f"{candidate.value} {candidate.attribute.replace('_', ' ')}"
    return next((name for name, pattern in _SENSITIVE if pattern.search(text)), "")


def _statement(candidate: Candidate, around: Setting, answered: str) -> str:
    """The model's sentence when it says no more than the user did; else nothing, and one is
    made from the value."""
    said = set(
        words(
            f"{around.turn.content} {answered} {candidate.value} {candidate.subject}"
            f" {candidate.attribute.replace('_', ' ')} live work have like prefer use not no"
        )
    )
    numbers = all(stands(w, said) for w in words(candidate.statement) if w.isdecimal())
    return (
        candidate.statement
        if numbers and share(candidate.statement, said) >= STATEMENT_SHARE
        else ""
    )
