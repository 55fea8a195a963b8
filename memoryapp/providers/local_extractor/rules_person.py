"""Who somebody is: name, age, birth, origin, languages, family status, beliefs."""

from __future__ import annotations

import re

from memoryapp.records import Candidate, Polarity
from memoryapp.subjects import USER, subject

from .clauses import Clause
from .context import Context
from .dates import MONTHS, find
from .lexicon import (
    GENDERS,
    LANGUAGES,
    NATIONALITIES,
    RELATIONS,
    RELIGIONS,
    SEXUALITIES,
    alternatives,
)
from .predicate import Predicate, after_openers
from .values import Span, items, name_end, trim

_NAME = re.compile(
    r"my (?:full |first |real |actual |legal |given )?name(?: is|'s"
    r"| was)(?: actually| really| now| spelled)? "
    r"|(?:i'm|i am|im) (?:called|named) |i was christened "
)
_CALL = re.compile(
    r"(?:(?:you can |please |just |you may )*call me |(?:i|everyone|everybody"
    r"|people|friends|my friends|they) "
    r"(?:go(?:es)? by|calls? me|prefer to be called|like to be called|usually calls? me) )"
    r"(?!back|later|an? |crazy|when|if|out|up|on)"
)
_NOT_NAME = re.compile(r",? (?:and )?not [^,.]+$")
_AGE = re.compile(
    r"(?P<age>\d{1,3})(?: years?(?: old)?|[- ]years?[- ]old| yo| y/o)?(?: now)?(?=$"
    r"|,| and\b| \(| but\b)"
)
_TURNED = re.compile(r"(?:just )?turned (?P<age>\d{1,3})(?![\w%])")
_BIRTHDAY = re.compile(r"my birthday(?: is|'s)(?: on)? (?:the )?")
_BORN = re.compile(r"(?:was )?born (?P<how>on|in) ")
_GREW_UP = re.compile(r"(?:grew up|was raised|(?:was )?born and raised) in ")
_BIRTHDAY_OF = re.compile(r"(?:my|our) (?P<rel>[\w-]+)'s birthday(?: is|'s)(?: on)? (?:the )?")
_FROM = re.compile(r"(?:come )?(?:originally )?from (?!work|home|the (?:gym|office|shop)|now\b)")
_SPEAK = re.compile(
    r"(?:speaks?|fluent in|can speak) (?:fluent |native |some |a little |a bit of )?"
)
_NATIVE = re.compile(
    r"my (?:native|first) (?:language|tongue)(?: is|'s) |my mother tongue(?: is|'s) "
)
_LEARNING = re.compile(
    r"(?:been )?(?:learning|studying|teaching myself) (?!about\b|for\b|at\b|how\b"
    r"|an?\b|the ropes|more\b|new\b|to\b|so\b|lots?\b|hard\b|as\b|from\b|that\b)"
)
_STATUS = re.compile(
    r"(?P<v>(?:happily |newly |recently )?(?:married|divorced|engaged|widowed|separated|single))"
    r"(?=$|,| to\b| and\b| with\b)"
)
# "Ragnar and I got married last week", not "we got married in the dream".
_WED = re.compile(
    r"(?:(?:[^\W\d_]+|my [a-z]+) and i|i and [^\W\d_]+|we|i)(?:'ve|'re| have| are)?"
    r" (?:(?:just|finally|recently|officially|have) )*(?:got|gotten) (?P<v>married|divorced)"
    r"(?=$|,| (?:last|this|yesterday|in|on|a|two|three|\d+)\b)"
)
_KIDS = re.compile(
    r"(?P<v>(?:(?:a|an|one|two|three|four|five|six|seven|\d|twin|young|little|small"
    r"|teenage|grown-up)[ -])+"
    r"(?P<who>kids?|children|child|sons?|daughters?|boys|girls|twins|toddlers?"
    r"|grandchildren|grandkids"
    r"|siblings|sisters?|brothers?))(?=$|,|:| and (?:a|an|one|two|three) | and$| aged\b| who\b)"
)
_PRONOUNS = re.compile(
    r"(?:my pronouns are |i (?:use|go by) )(?P<v>(?:she|he|they|xe|ze)\s?/\s?(?:her"
    r"|him|them|they|she|xem|hir)"
    r"(?:/\w+)?)"
)
_NATURE = re.compile(
    r"an? (?:introvert|extrovert|night owl|early bird|morning person|perfectionist"
    r"|homebody|minimalist)\b"
)
_VOTES = re.compile(r"(?:vote|voted|campaign) (?:for )(?:the )?(?P<v>[\w ]{3,30})$")
_PARTY = re.compile(r"(?:a )?(?:member|supporter) of the (?P<v>[\w ]{3,30} (?:party|democrats))")
_UNION = re.compile(r"(?:a |in a |in the )(?P<v>(?:trade |labou?r )?union(?: member| rep)?)$")
_DEGREE = re.compile(
    r"(?P<v>(?:a |an |my )?(?:phd|doctorate|master'?s(?: degree)?"
    r"|bachelor'?s(?: degree)?|degree|mba|msc|bsc"
    r"|ba|ma|diploma)(?: in [\w ]+?)?)(?= from\b|$|,| and\b)"
)
_GRADUATED = re.compile(
    r"(?:graduated from|went to|attended|study at|studied at|studies at) (?P<v>.+)"
)
_STUDY = re.compile(
    r"(?:study|studying|studied|majored in|majoring in|majors in) (?P<v>[\w ]+?)(?= at\b|$|,)"
)
_TIME_ZONE = re.compile(r"my (?:time ?zone|timezone)(?: is|'s) (?P<v>[\w/+:-]+(?: [\w/+:-]+)?)$")
_MONTH_WORD = re.compile(r"\b(?:" + "|".join(MONTHS) + r")|\d{1,2}[./-]\d{1,2}")


def _name(clause: Clause, start: int, end: int, *, explicit: bool) -> Span | None:
    length = name_end(clause.original(start, end), explicit=explicit, most=4)
    return (start, start + length) if length else None


def names(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "My name is Sam, not Samantha", "call me Noor", "Hi, I'm Ilse"."""
    start, greeting, correction = after_openers(clause)
    text = clause.text
    if found := _NAME.match(text, start):
        denied = _NOT_NAME.search(text)
        end = denied.start() if denied else len(text)
        if span := _name(clause, found.end(), end, explicit=True):
            return context.fact(
                clause,
                "name",
                span,
                correction=correction or denied is not None,
                confidence=0.95,
                importance=0.95,
            )
    if (found := _CALL.match(text, start)) and (
        span := _name(clause, found.end(), len(text), explicit=True)
    ):
        return context.fact(clause, "preferred_name", span, confidence=0.9, importance=0.95)
    if found := _PRONOUNS.match(text, start):
        return context.fact(clause, "pronouns", found["v"], confidence=0.9, importance=0.8)
    if (
        said
        and said.about_user
        and said.form == "be"
        and not said.negated
        and (greeting or (clause.first and said.pos <= 5))
    ):
        span = _name(clause, said.pos, said.end, explicit=False)
        words = text[said.pos : said.end]
        if (
            span
            and not any(char.isdigit() for char in text[slice(*span)])
            and re.match(r"(?:$|,| and\b| from\b| here\b| by\b|\.)", text[span[1] : said.end])
            and words.split()[0].rstrip(",") not in NATIONALITIES | RELIGIONS | GENDERS
            and words not in NATIONALITIES | RELIGIONS
        ):
            return context.fact(clause, "name", span, confidence=0.85, importance=0.9)
    return []


def origins(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Age, birthday, birthplace, where somebody comes from, nationality."""
    text = clause.text
    start, _, correction = after_openers(clause)
    if (found := _BIRTHDAY.match(text, start)) and _MONTH_WORD.search(text, found.end()):
        return context.fact(
            clause, "birthday", (found.end(), len(text)), correction=correction, confidence=0.9
        )
    if (found := _BIRTHDAY_OF.match(text, start)) and found["rel"] in RELATIONS:
        who = context.relatives.get(found["rel"], "") or subject("person", found["rel"])
        return context.fact(clause, "birthday", (found.end(), len(text)), subject=who)
    if found := _TIME_ZONE.match(text, start):
        return context.fact(clause, "time_zone", found.span("v"))
    if said is None or said.negated:
        return []
    who, pos = said.subject, said.pos
    if (said.form == "be" and (found := _AGE.match(text, pos))) or (
        found := _TURNED.match(text, pos)
    ):
        age = int(found["age"])
        if age <= 110 and (age >= 14 or who != USER or "year" in text):
            return context.fact(clause, "age", found["age"], subject=who, correction=correction)
        return []
    if found := _BORN.match(text, pos):
        rest = (found.end(), len(text))
        if re.fullmatch(r"(?:19|20)\d\d", text[rest[0] :]):
            return context.fact(clause, "birth_year", rest, subject=who, confidence=0.9)
        if _MONTH_WORD.match(text, rest[0]) or found["how"] == "on":
            return context.fact(clause, "birthday", rest, subject=who)
        length = name_end(clause.original(*rest), most=3)
        return context.fact(clause, "birthplace", (rest[0], rest[0] + length), subject=who)
    if found := _GREW_UP.match(text, pos):
        length = name_end(clause.original(found.end(), said.end), most=3)
        key = "birthplace" if "born" in found[0] else "origin"
        return context.fact(clause, key, (found.end(), found.end() + length), subject=who)
    if found := _FROM.match(text, pos):
        stop = re.search(r" (?:but|and|originally|via)\b|,(?! \w+$)", text[found.end() :])
        end = found.end() + stop.start() if stop else said.end
        if any(char.isupper() for char in clause.original(found.end(), end)) or (
            clause.turn.content.islower() and len(text[found.end() : end].split()) <= 2
        ):
            return context.fact(clause, "origin", (found.end(), end), subject=who)
    if said.form == "be" and (
        found := re.compile(
            r"(?:an? )?(?:half )?(?P<v>" + alternatives(NATIONALITIES) + r")(?=$|,| and\b| but\b)"
        ).match(text, pos)
    ):
        return context.fact(clause, "nationality", found.span("v"), subject=who)
    return []


def languages(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "I speak Hindi and English", "I'm learning Japanese", degrees and schools."""
    text = clause.text
    start, _, _ = after_openers(clause)
    if found := _NATIVE.match(text, start):
        return context.fact(clause, "native_language", (found.end(), len(text)), confidence=0.9)
    if said is None:
        return []
    who, pos = said.subject, said.pos
    if found := _SPEAK.match(text, pos):
        out: list[Candidate] = []
        for span in items(text, found.end(), said.end):
            word = re.sub(
                r"^(?:fluent|native|some|a little) | (?:fluently|natively|well|at home)$",
                "",
                text[slice(*span)],
            )
            if word in LANGUAGES:
                offset = text.index(word, span[0])
                out += context.fact(
                    clause,
                    "language",
                    (offset, offset + len(word)),
                    subject=who,
                    polarity="negated" if said.negated else "affirmed",
                )
        return out
    if said.negated:
        return []
    if (said.form in ("be", "have")) and (found := _LEARNING.match(text, pos)):
        stop = re.search(
            r" (?:at|for|with|on|since|because|right|and|so|in)\b|,", text[found.end() :]
        )
        end = found.end() + stop.start() if stop else said.end
        if len(text[found.end() : end].split()) <= 4:
            return context.fact(clause, "learning", (found.end(), end), subject=who)
    if said.form == "have" and (found := _DEGREE.match(text, pos)):
        return context.fact(clause, "education", found.span("v"), subject=who)
    if said.form == "verb" and (found := _GRADUATED.match(text, pos)):
        length = name_end(clause.original(*found.span("v")), most=4)
        value = text[found.start("v") : found.start("v") + length]
        if re.search(
            r"univ|college|school|institute|academy|oxford|cambridge|mit|stanford|harvard"
            r"|eth|yale",
            value,
        ) or (length and found[0].startswith("graduated")):
            return context.fact(
                clause, "school", (found.start("v"), found.start("v") + length), subject=who
            )
    if (
        said.form == "verb"
        and (found := _STUDY.match(text, pos))
        and not re.search(
            r"\b(?:for|hard|abroad|late|together|a lot|more|every|with|this|that|it|how|what)\b",
            found["v"],
        )
    ) and len(found["v"].split()) <= 3:
        return context.fact(clause, "field_of_study", found.span("v"), subject=who, confidence=0.7)
    return []


def status(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Marriage, children, beliefs, orientation, party and union."""
    if wed := _WED.match(clause.text, after_openers(clause)[0]):
        since = find(
            clause.text[wed.end() :], clause.turn.sent_at, context.batch.time_zone, future=False
        )
        return context.fact(clause, "marital_status", wed.span("v"), since=since)
    if said is None:
        return []
    text, who, pos = clause.text, said.subject, said.pos
    polarity: Polarity = "negated" if said.negated else "affirmed"
    if said.form == "be":
        if found := _STATUS.match(text, pos):
            since = find(
                text[found.end() :], clause.turn.sent_at, context.batch.time_zone, future=False
            )
            return context.fact(
                clause,
                "marital_status",
                found.span("v"),
                subject=who,
                polarity=polarity,
                since=since,
            )
        if found := _PARTY.match(text, pos):
            return context.fact(clause, "political_view", found.span("v"), subject=who)
        if found := _UNION.match(text, pos):
            return context.fact(clause, "union_membership", found.span("v"), subject=who)
        if found := _NATURE.match(text, pos):
            return context.fact(
                clause,
                "personality",
                clause.original(*found.span()),
                subject=who,
                polarity=polarity,
            )
        end = trim(text, pos, said.end)[1]
        words = re.sub(r" (?:by faith|by religion|since .*|and proud)$", "", text[pos:end])
        for attribute, lexicon in (
            ("religion", RELIGIONS),
            ("sexuality", SEXUALITIES),
            ("gender_identity", GENDERS),
        ):
            if words in lexicon:
                return context.fact(
                    clause, attribute, (pos, pos + len(words)), subject=who, polarity=polarity
                )
        return []
    if said.form == "have" and (found := _KIDS.match(text, pos)) and not said.negated:
        kin = re.match(r"sibling|sister|brother", found["who"])
        return context.fact(
            clause, "sibling" if kin else "children", clause.original(*found.span("v")), subject=who
        )
    if said.form == "verb" and not said.negated and (found := _VOTES.match(text, pos)):
        return context.fact(clause, "political_view", found.span("v"), subject=who)
    return []
