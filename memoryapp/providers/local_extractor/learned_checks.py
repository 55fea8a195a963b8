"""What a value found by the learned heads must look like to stand under its attribute."""

from __future__ import annotations

import re

from memoryapp.subjects import USER

from . import named
from .clauses import Clause
from .lexicon import LANGUAGES, NATIONALITIES, NOT_A_JOB
from .tools import attribute_of
from .values import Span

# About the user alone: of others it would be gossip, or is read by rules.
_USER_ONLY = frozenset(
    [
        "answer_style",
        "answer_format",
        "answer_language",
        "answer_length",
        "budget",
        "decision",
        "goal",
        "project",
        "uses",
        "prefers",
        "owns",
        "editor",
        "operating_system",
        "browser",
        "programming_language",
        "framework",
        "database",
        "phone_model",
        "computer",
        "habit",
        "household",
        "housing",
        "commute",
        "working_hours",
        "work_mode",
        "team",
        "skill",
        "religion",
        "coffee_order",
        "visited",
        "experience",
        "work_experience",
        "children",
        "sibling",
        "pet",
        "theme",
        "units",
        "currency",
        "time_zone",
        "political_view",
    ]
)
_PLACES = frozenset(["home", "origin", "birthplace"])
_TOOLS = frozenset(
    [
        "uses",
        "editor",
        "operating_system",
        "browser",
        "programming_language",
        "framework",
        "database",
    ]
)
_VAGUE = re.compile(
    r"^(?:it|lot|bit|kind|sort|type|few|couple|\w+ing (?:it|this|that|them)|new|good|great|best"
    r"|same|first|second|last|next|more|most|much|many|one|two|time|day|week|way|work|job|home"
    r"|people|person|idea|ideas|question|help|tips|advice|recommendations?|suggestions?|options?"
    r"|information|details?|list|plan|trip|project|team|friends?|family|guys?|kids?|love|life"
    r"|progress|community|faith|knees?|divorce|experience|skills?|place|places|area|\d+)$"
)
_NEW = re.compile(
    r"^(?:new|good|great|nice|other|different|various|similar|several|some|any|more|specific"
    r"|certain|following|right|better|best|perfect)\b"
)


_OTHERS = re.compile(
    r"\b(?:your?|yours|their|theirs|his|he|she|they|friends?|neighbou?rs?|clients?|customers?"
    r"|patients?|students?|guests?|once|nearly|almost)\b"
)
_PASSING = re.compile(
    r"\b(?:soon|trip|visit\w*|holiday|vacation|weekend|hotel|resort|stay(?:ed|ing) at"
    r"|moving to|going to|want to|planning|want|flight|travel\w*|tour)\b"
)
_STUDIED = re.compile(
    r"\b(?:stud\w+|graduat\w+|degree|alumn\w+|enrolled|attend(?:ed|s|ing)? (?!a\b|my\b|an\b|the\b)"
    r"|uni|year|phd|master'?s|major\w*|went|dropped|bachelor'?s|doing|reading|read|undergrad"
    r"|freshman|sophomore|trained|student|term|course)\b"
)
_ROOTS = re.compile(
    r"\b(?:from|grew|grow|raised|born|bred|hometown|roots|hail|native|local|comes?|came|coming|fled"
    r"|emigrated|childhood|back home|people|boy|girl|kid|family)\b"
)
_TO_ANSWER = re.compile(
    r"\b(?:always|never|from now on|in general|please|pls|when(?:ever)? you|answers?|repl(?:y|ies)"
    r"|responses?|respond|respond to|explanations?|i (?:like|prefer|need|want|hate|find|learn)"
    r"|work best|so|should)\b"
)


def about_others(clause: Clause) -> bool:
    """Whether words of the clause point at somebody else, or at a time that is over."""
    return _OTHERS.search(clause.text) is not None


def renamed(attribute: str, value: str) -> str:
    """The attribute that the value itself tells: Vim, used, is an editor."""
    if attribute in _TOOLS or attribute in ("likes", "prefers"):
        told = attribute_of(value)
        if told and (attribute in _TOOLS or told in ("theme", "seat_preference")):
            return told
    return attribute


def fits(attribute: str, clause: Clause, span: Span, subject: str) -> bool:
    """Whether the value may stand: a home is a place, a language a language."""
    value, original = clause.text[slice(*span)], clause.original(*span)
    if subject != USER and attribute in _USER_ONLY:
        return False
    if _VAGUE.search(value) and attribute != "age":
        return False
    if attribute in _PLACES:
        if attribute == "home" and _PASSING.search(clause.text):
            return False
        if attribute != "home" and not _ROOTS.search(clause.text):
            return False
        return named.place(clause, *span) is not None
    if attribute in ("answer_style", "answer_format", "answer_length", "answer_language"):
        return _TO_ANSWER.search(clause.text) is not None and not value[0].isdigit()
    if attribute == "school" and not _STUDIED.search(clause.text):
        return False
    if attribute in ("employer", "school"):
        return original != original.lower() or clause.turn.content.islower()
    if attribute in ("language", "native_language"):
        return value.split()[-1] in LANGUAGES
    if attribute == "nationality":
        return value in NATIONALITIES
    if attribute == "age":
        return value.isdigit() and (subject != USER or 13 < int(value) < 111)
    if attribute == "job_title":
        return not any(word in NOT_A_JOB for word in value.split())
    if attribute in ("likes", "dislikes", "hobby", "owns", "uses", "goal", "project"):
        return _NEW.match(value) is None
    return True
