"""The finder that learned: it turns what the reader marked in a passage into candidates.

The rules go first; this adds what they didn't find. Below its threshold it finds nothing,
and what the words themselves rule out (``learned_checks``, ``whose``, ``poles``) never stands.
"""

from __future__ import annotations

import re

from memoryapp.records import Candidate
from memoryapp.subjects import USER

from .clauses import Clause
from .context import Context
from .dates import When
from .gates import depends, diagnoses, guesses, imagines, own_until
from .learned_checks import USED, fits, listed, renamed
from .learned_dated import dated
from .learned_pets import pet, species
from .passages import LISTS, read_message
from .people import NOT_THE_USERS, Person, about, people
from .poles import RETIRED, pole
from .predicate import Predicate
from .reader import Mark
from .thresholds import (
    CERTAIN,
    DISTINCT,
    IMAGINED,
    NAMED,
    NEVER,
    PAID,
    PLACED,
    PLAINLY,
    SURE,
    THRESHOLD,
)
from .values import items, trim, usable
from .whose import WISHED, own
from .wording import worded

# An illness, a language, a diet: of 129 such that it wasn't so sure of, all but a few were right.
_DISTINCT = frozenset((
    "answer_format", "answer_language", "answer_length", "blood_type", "children", "commute",
    "computer", "currency", "deadline", "diet", "drinks", "editor", "education", "health_condition",
    "height", "household", "instrument", "intolerance", "language", "medication", "nationality",
    "operating_system", "phone_model", "pregnancy", "programming_language", "project", "religion",
    "sport", "visited",
))  # fmt: skip
_AROUND = frozenset(["relation", "name", "species", "scope"])  # say whom and where, not what
# "Six years" alone is experience in nothing.
_SO_LONG = re.compile(
    r"(?:(?:about|over|more than|around|nearly|almost|roughly|some|just|only|good|my|last) )*"
    r"(?:[\w.+-]+[ -]){1,3}?(?:years?|yrs?|months?|decades?)"
)
_IN_WHAT = re.compile(
    r" (?:as|in|at|of|with)"
    r"(?: (?!(?:total|all|now|and|but|so|when|while)\b)[\w&'-]+){1,4}"
)
# "Head of" goes on to say of what.
_OF_WHAT = re.compile(r" [\w&]+(?: (?!at\b|for\b|in\b|with\b|and\b|on\b)[\w&]+){0,2}")
_STATES = re.compile(r"\b(?:are|is)\b")
_WORKED = re.compile(r"\b(?<!have )(?<!'ve )worked\b[^,;.]*$")
_LEARNS = re.compile(r"\b(?:learn|learns|learning|studying) $")
_HANGS = re.compile(
    r"(?:\s+(?:in|to|for|of|at|with|on|by|from|over|under|near|and|as|the|a|an|is|are|was))+$"
)
_CHANGES = re.compile(
    r"\b(?:since|moved|relocated|joined|started|began|left|quit|became|switched|gave up|stopped"
    r"|retired|married|divorced|bought|adopted|got|been|turned|graduated|lost|ended|closed)\b"
)
_HELD_SINCE = frozenset((
    "home", "country", "employer", "job_title", "marital_status", "employment_status",
    "housing", "vehicle", "diet", "habit", "drinks", "eats", "editor", "operating_system",
    "school", "pet", "hobby", "sport", "learning", "household", "business", "work_mode",
    "uses",
))  # fmt: skip


def learned(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Facts about the user, or about the people and pets that the message names."""
    _read_once(clause, context)
    out: list[Candidate] = []
    inside = [
        mark for mark in context.marks if clause.start <= mark.start and mark.end <= clause.end
    ]
    scope = next(
        (
            clause.turn.content[mark.start : mark.end]
            for mark in inside
            if mark.attribute == "scope" and mark.score >= 0.5
        ),
        "",
    )
    for person in context.people:
        if clause.start <= person.start < clause.end and person.named and person.relation:
            out += _acquainted(clause, context, person)
    for mark in inside:
        if mark.attribute == "species":
            out += species(clause, context, mark)
        needed = DISTINCT if mark.attribute in _DISTINCT else THRESHOLD
        needed = SURE if context.doubted else needed
        needed = CERTAIN if depends(clause) else needed
        before = clause.text[: mark.start - clause.shift]
        if mark.attribute == "pet" and _CALLED.search(before):
            needed -= NAMED
        if mark.attribute in _TOLD_BY_IS and _IS_A.search(before):
            needed = PLAINLY
        if mark.attribute.startswith("answer_") and _IN_ANSWERS.search(clause.text):
            needed -= NAMED
        if mark.attribute == "job_title" and "for a living" in clause.text:
            needed -= 3 * NAMED
        if mark.attribute not in _STANDING and guesses(clause):
            continue  # "I think I prefer tabs"
        if mark.attribute in _AROUND or mark.score < needed:
            continue
        elsewhere = said is not None and not said.about_user
        if mark.sign == 2 and _of_then(clause):
            continue
        if elsewhere and not mark.other and mark.attribute in USED and mark.score < IMAGINED:
            continue  # "my father named the boat"
        for who in _whom(clause, said, context, mark) if mark.other else [USER]:
            out += _facts(clause, context, mark, who, scope)
    return out


# What a question takes for granted: "why does my Saab …" says that there is one.
_PRESUPPOSED = frozenset((
    "pet", "vehicle", "phone_model", "computer", "health_condition", "medication", "accessibility",
    "mental_health", "allergy", "instrument",
))  # fmt: skip
_MINE = re.compile(
    r"\b(?:my|our)(?: (?:new|old|own|poor|little|beloved|beautiful|trusty|late|dear|older|elder"
    r"|eldest|younger|youngest|big|baby|best|ex|twin))? $"
)
_MYSELF = re.compile(r"\b(?:i|i'm|im|i've|ive|i'd|my|me|mine|we|we're|our|us)\b")
_MY = re.compile(r"\b(?:my|our) ")
# What holds whatever depends on it: "I have ADHD and can't rest when I work". What one likes
# or does may hold only then.
_STANDING = frozenset((
    "user_name", "preferred_name", "age", "birthday", "origin", "birthplace", "nationality",
    "native_language", "home", "country", "housing", "household", "vehicle", "owns", "pet",
    "job_title", "employer", "industry", "employment_status", "work_mode", "business", "school",
    "field_of_study", "education", "marital_status", "children", "partner", "sibling",
    "health_condition", "mental_health", "accessibility", "allergy", "intolerance", "diet",
    "medication", "religion", "phone_model", "computer", "operating_system", "height", "weight",
))  # fmt: skip


def presupposed(
    clause: Clause, context: Context, *, granted: float = NEVER, depends: bool = False
) -> list[Candidate]:
    """What a clause that asks or ``depends`` says in passing: of the user by "my" and "our",
    and how to answer; where it only depends, what doesn't come and go; and what the reader marks
    with ``granted`` at least."""
    imagined = imagines(clause)
    granted = max(granted, IMAGINED) if imagined else granted
    if imagined and (granted == NEVER or _WOULD_HAVE.search(clause.text)):
        return []
    _read_once(clause, context)
    out: list[Candidate] = []
    for person in () if imagined else context.people:
        if not (clause.start <= person.start < clause.end and person.named and person.relation):
            continue
        start, end = max(0, person.start - clause.shift), person.end - clause.shift
        if _MINE.search(clause.text[:start]) or _MY.search(clause.text, start, end):
            out += _acquainted(clause, context, person)
    for mark in context.marks:
        if not clause.start <= mark.start < mark.end <= clause.end:
            continue
        # "I use vim when I'm on a server" uses it then; "what opens it on macOS?" uses macOS.
        left = _AROUND if mark.score >= CERTAIN > granted else _AROUND | USED
        if mark.sign == 2 and _of_then(clause):
            continue
        if mark.score >= granted and mark.attribute not in left:
            if mark.other or _MYSELF.search(context.own):
                for who in _whom(clause, None, context, mark) if mark.other else [USER]:
                    out += _facts(clause, context, mark, who, "")
            continue
        if imagined:
            continue
        mine = _MINE.search(clause.text[: max(0, mark.start - clause.shift)]) is not None
        sure = THRESHOLD if mine and mark.attribute in _PRESUPPOSED else SURE
        if mark.score < sure or mark.other or mark.sign == 2:
            continue
        if (
            mark.attribute in WISHED
            or (depends and mark.attribute in _STANDING)
            or (mark.attribute in _PRESUPPOSED and mark.sign == 0 and mine)
        ):
            out += _facts(clause, context, mark, USER, "")
    return out


_THEN = re.compile(r"(?:when|while|before|until|after)\b")


def _of_then(clause: Clause) -> bool:
    """ "When I lived in Kyoto", "I was a waiter once": it tells of then, not that it is over."""
    return _THEN.match(clause.lead or clause.text) is not None or clause.text.endswith(" once")


_CARER = re.compile(
    r"person:(?:dentist|doc|doctor|gp|vet|nurse|midwife|physio|therapist|psychiatrist|psychologist"
    r"|cardiologist|neurologist|dermatologist|specialist|surgeon|pharmacist|allergist)"
)
_WOULD_HAVE = re.compile(r"(?:'d|\bwould|\bcould|\bmight) have\b|\bif (?:i|we)(?:'d| had) ")
_DIAGNOSED = frozenset(
    ["health_condition", "mental_health", "allergy", "intolerance", "medication"]
)


def told(clause: Clause, context: Context) -> list[Candidate]:
    """What a clause that tells of others' words states all the same: before these begin,
    and what a doctor has found."""
    _read_once(clause, context)
    until, found = own_until(clause), diagnoses(clause)
    out: list[Candidate] = []
    for mark in context.marks:
        if not clause.start <= mark.start < mark.end <= clause.end or mark.attribute in _AROUND:
            continue
        before = mark.end - clause.shift <= until and mark.score >= SURE
        before |= mark.score >= CERTAIN and mark.attribute in _STANDING - _DIAGNOSED
        if before or (found and mark.attribute in _DIAGNOSED and mark.score >= THRESHOLD):
            for who in _whom(clause, None, context, mark) if mark.other else [USER]:
                out += _facts(clause, context, mark, who, "")
    return out


def _read_once(clause: Clause, context: Context) -> None:
    if not context.read:
        context.read = True
        context.marks = read_message(clause.turn, context.own)
        context.people = people(clause.turn, context.marks, context.relatives, context.animals)


def _acquainted(clause: Clause, context: Context, person: Person) -> list[Candidate]:
    if person.subject.startswith("pet:"):
        return []  # its kind is part of the pet's own value
    span = (person.start - clause.shift, person.end - clause.shift)
    if span[1] > len(clause.text):
        return []
    return context.fact(
        clause, "relation", person.relation, subject=person.subject, confidence=0.8, importance=0.8
    )


# "Fact checker", "show only what changed": of words that elsewhere point at something.
_POINTING = frozenset(["job_title", "answer_style"])
_IN_ANSWERS = re.compile(r"\byour (?:answers|replies|responses|explanations)\b")
_CALLED = re.compile(r"\b(?:called|named) $")
# What may be said of an animal: it has no job and owns nothing.
_OF_A_PET = frozenset((
    "age", "allergy", "birthday", "birth_year", "constraint", "diet", "dislikes", "drinks", "eats",
    "favourite", "favourite_food", "habit", "health_condition", "height", "intolerance", "likes",
    "medication", "personality", "pregnancy", "prefers", "size", "skill", "species", "weight",
))  # fmt: skip
_IS_A = re.compile(
    r"\b(?:my|our) (?:new )?(?:car|bike|van|truck|scooter|motorbike|motorcycle|home) is an? $"
)
_TOLD_BY_IS = frozenset(["vehicle", "owns", "housing"])
# Cut off at its last word: "a balcony over the".
_CUT_OFF = re.compile(r"\b(?:the|an?|my|our|local|nearby)$")
_NO = re.compile(r"no (?!more|longer|less|fewer)")  # "no tables", but "no more than three"
_BOUND = re.compile(r" at (?:the )?(?:most|least)\b")
_NEXT_WORD = re.compile(r" (?!living\b)[^\W\d_][\w'-]*")


def _whom(clause: Clause, said: Predicate | None, context: Context, mark: Mark) -> list[str]:
    """Whom a mark is about that isn't about the user; nobody when none is named."""
    if named := about(clause.turn, mark, context.people, clause.end):
        return [who for who in named if who != NOT_THE_USERS]
    if said is not None and not said.about_user and (said.relation or said.name):
        return [said.subject]
    return [context.last] if context.last else []


def _facts(clause: Clause, context: Context, mark: Mark, who: str, scope: str) -> list[Candidate]:
    span = mark.start - clause.shift, mark.end - clause.shift
    attribute = {"user_name": "name"}.get(mark.attribute, mark.attribute)
    if attribute in _DIAGNOSED and _CARER.fullmatch(who):
        return []  # "my dentist prescribed amoxicillin" takes none
    if attribute in ("plan", "event"):
        return dated(clause, context, mark, span, who)
    if attribute == "pet":
        return pet(clause, context, mark, span, who)
    if who.startswith("pet:") and attribute not in _OF_A_PET:
        return []
    certain = mark.score >= CERTAIN
    if who == USER and not own(attribute, clause, span, certain=certain):
        return []
    if clause.text[slice(*span)].endswith((" as a", " as an")):
        return []  # "earn my keep as a": what follows is the fact
    sign = mark.sign
    if attribute.startswith("answer_") and (none := _NO.match(clause.text, span[0])):
        span, sign = (none.end(), span[1]), 1
    before = clause.text[: span[0]]
    if attribute == "employer" and _WORKED.search(before):
        attribute = "work_experience"
    if attribute == "language" and _LEARNS.search(before):
        attribute = "learning"
    stands = pole(attribute, clause, span, sign)
    if stands is None:
        return []
    polarity, operation = stands
    since = _since(clause, context, attribute)
    confidence = round(0.85 * mark.score, 3)
    out: list[Candidate] = []
    if attribute == "job_title" and before.endswith(RETIRED):
        status = span[0] - len(RETIRED), span[0] - 1
        out += context.fact(clause, "employment_status", status, subject=who, confidence=confidence)
        span = status[0], span[1]  # "a retired teacher" isn't a teacher
    if attribute == "job_title" and clause.text[slice(*span)].endswith(" of"):
        what = _OF_WHAT.match(clause.text, span[1])
        span = span[0], what.end() if what else span[1]
    if attribute == "experience" and _SO_LONG.fullmatch(clause.text[slice(*span)]):
        what = _IN_WHAT.match(clause.text, span[1])
        if what is None:
            return []
        span = span[0], what.end()
    if _CUT_OFF.search(clause.text[slice(*span)]):
        word = _NEXT_WORD.match(clause.text, span[1])
        span = span[0], word.end() if word else span[1]
    span = span[0], len(_HANGS.sub("", clause.text[: span[1]]))
    if bound := _BOUND.match(clause.text, span[1]):
        span = span[0], bound.end()
    lists = attribute in LISTS and not _STATES.search(clause.text[slice(*span)])
    parts = items(clause.text, *span) if lists else [trim(clause.text, *span)]
    if attribute == "blood_type":  # the A of "A negative" is no article
        parts = [(span[0] + 5 * clause.text.startswith("type ", span[0]), span[1])]
    for part in parts:
        value = clause.text[slice(*part)]
        key = renamed(attribute, value)
        if not (
            usable(value) or key == "pronouns" or (certain and key in _POINTING and " " in value)
        ):
            continue
        if not fits(
            key,
            clause,
            part,
            who,
            negated=polarity == "negated",
            ended=operation == "end",
            certain=certain,
            paid=mark.score >= PAID,
        ):
            continue
        sure = PLACED if key in ("home", "country") else SURE
        if mark.score < sure and not listed(key, clause, part):
            continue
        words = worded(
            key, clause, part, paid=mark.score >= PAID, certain=certain and operation != "end"
        )
        if certain and key == "job_title" and not isinstance(words, str):
            words = clause.original(*words)
        out += context.fact(
            clause,
            key,
            words,
            subject=who,
            scope=scope if who == USER else "",
            polarity=polarity,
            operation=operation,
            since=since,
            confidence=confidence,
        )
    return out


def _since(clause: Clause, context: Context, attribute: str) -> When | None:
    if attribute not in _HELD_SINCE or _CHANGES.search(clause.text) is None:
        return None
    when = context.when(clause, future=False)
    return when if when is not None and when.begin <= clause.turn.sent_at else None
