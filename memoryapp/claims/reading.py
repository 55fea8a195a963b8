"""What a claim says and what a fact holds, in forms that can be held against each other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryapp.claims.finding import RELATIONS
from memoryapp.claims.records import Claim, Held
from memoryapp.claims.words import LIGHT, Token, ended, negated, stem, stems, tokens
from memoryapp.timewords import Found, find

# A claim of so many words may say one more than the facts do.
LONG = 6
_UNIT = {
    "instant": timedelta(minutes=1),
    "day": timedelta(days=1),
    "month": timedelta(days=31),
    "year": timedelta(days=366),
}
_LIGHT = frozenset(stem(word) for word in LIGHT)
_TELL = re.compile(
    r"\byou(?:['’]ve| have| had)?(?: also| once| just| already| previously)? (?:told|said|mentioned"
    r"|shared|noted|wrote|confirmed|let me know|asked me to remember|explained|described)\b"
    r"(?: me| us| earlier| before| previously| once)*",
    re.IGNORECASE,
)
_WAS = re.compile(
    r"(?:\b(?:you|she|he|they)|(?-i:\b[A-Z][\w’-]+)|\byour \w+) (?:also |once |both |originally "
    r"|first "
    r"|then |previously )?(?:lived|were|had|worked|owned|liked|loved|played|studied|used|drove|ate"
    r"|drank|smoked|preferred|hated|enjoyed|did|spoke|ran|kept|weighed|taught|collected|rode|wanted"
    r"|planned|weren['’]t|didn['’]t|hadn['’]t)\b"
    r"|\b(?:was|were|back then|back in|at the time|originally)\b",
    re.IGNORECASE,
)
_AVOIDS = re.compile(
    r"\b(?:avoid|stay away from|can['’]t (?:eat|have|drink)|cannot (?:eat|have|drink)"
    r"|don['’]t eat)\b",
    re.IGNORECASE,
)
_DID = re.compile(
    r"\byou(?:['’]ve| have)? (?:\w+ed|went|bought|left|became|got|met|made|took)\b", re.I
)
OVER = re.compile(
    r"\b(?:prefer(?:s|red|ring)?\s+(?P<a>.+?)\s+(?:over|to|rather than|instead of|more than)\s+"
    r"(?P<b>.+)|(?P<c>.+?)\s+(?:more than|rather than|instead of|better than|over)\s+(?P<d>.+))",
    re.IGNORECASE | re.DOTALL,
)
_FROM_TO = re.compile(
    r"\bfrom\s+(?P<a>[^,.;]+?)\s+(?:to|into)\s+(?P<b>[^,.;(]+)|\b(?:to"
    r"|into)\s+(?P<c>[^,.;]+?)\s+from\s+"
    r"(?P<d>[^,.;(]+)|\breplaced\s+(?P<e>[^,.;]+?)\s+(?:with|by)\s+(?P<f>[^,.;(]+)",
    re.IGNORECASE,
)
_MOVES = re.compile(r"\b(?:mov|switch|chang|relocat|went|go|transfer|replac|migrat|convert)", re.I)
_SUBJECT = re.compile(
    rf"^\W*(?:and |but |so |since |as |because |that |how |about |now that |given that )*"
    rf"(?:(?:your|my) (?:[\w’'-]+ )?(?P<relation>{RELATIONS})(?P<own>['’]s\b(?! (?:not|a|an|the"
    rf"|in|at"
    rf"|from|called|named|your"
    r"|now|still|also)))?,?(?: (?P<named>(?-i:[A-Z])[\w’-]+))?|(?P<pronoun>she|he|her|his)\b"
    r"|(?P<name>(?-i:[A-Z])[\w-]+)(?=['’]s\b|,? ))",
    re.IGNORECASE,
)
_NAMES = re.compile(
    rf"\byour (?:{RELATIONS})(?:['’]s name)?,? (?:is|was|['’]s)(?: called| named)? (?-i:[A-Z])"
    rf"|\b(?:is|was|['’]s) your (?:[\w’'-]+ )?(?:{RELATIONS})\b"
    rf"|\byour (?:{RELATIONS}) (?-i:[A-Z])[\w’-]+$",
    re.IGNORECASE,
)
# "Knitting is one of your hobbies" speaks of the user.
_IS_YOURS = re.compile(
    r"^(?:\S+ ){1,3}?(?:is|are|was|were|isn['’]t) (?:(?:one|some|part) of )?your\b", re.IGNORECASE
)
_SINCE = re.compile(r"\b(?:since|from|as of|starting)\s*$", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|to|through)\s*$", re.IGNORECASE)
_AGED = re.compile(
    r"\byou(?:['’]re| are) \d{1,3}(?!\s*(?:kg|cm|kilo|pound|metre|meter|feet|foot|%))\b", re.I
)
_IS_A = re.compile(r"\b(?:you are|you['’]re|is|['’]s|was|were) an? \w+(?: \w+)?$", re.IGNORECASE)
_NO_NAME = frozenset((
    "you", "your", "i", "it", "this", "that", "yes", "no", "the", "a", "an", "since", "as",
    "because", "we", "my", "our", "there", "here",
    "so", "also", "not", "before", "after", "then", "he", "she", "they", "given", "on", "in",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time that the claim names, and the places of its words. ``told`` when it says when
    something was said; ``relation`` is the word before it."""

    places: frozenset[int]
    found: Sequence[Found]
    told: bool
    relation: str
    was: bool
    now: datetime

    def fits(self, fact: Held) -> bool:
        """Whether the fact's dates bear the time out."""
        return any(self._fits(found, fact) for found in self.found)

    def _fits(self, found: Found, fact: Held) -> bool:
        if found.kind == "duration" and found.from_ and found.to:
            length, held = abs(found.to - found.from_), self.now - fact.valid_from
            return abs(held - length) <= max(0.2 * length, _UNIT["day"])
        if found.kind == "recurring" or (found.from_ is None and found.to is None):
            return False
        if found.kind == "time":
            local = fact.valid_from.astimezone(found.from_.tzinfo) if found.from_ else None
            return (
                local is not None
                and found.from_ is not None
                and fact.precision == "instant"
                and (local.hour, local.minute) == (found.from_.hour, found.from_.minute)
            )
        unit = _UNIT[found.precision]
        start = found.from_ if found.from_ is not None else _back(found.to, unit)
        end = found.to
        if end is None or self.relation == "since":
            end = start + unit
        if found.from_ is None:
            end += unit
        return any(
            moment < end and moment + width > start for moment, width in self._moments(fact)
        ) or (
            self.was
            and not self.told
            and not self.relation
            and fact.valid_from < end
            and (fact.valid_to is None or fact.valid_to > start)
        )

    def _moments(self, fact: Held) -> list[tuple[datetime, timedelta]]:
        said = [(said.sent_at, _UNIT["instant"]) for said in fact.proof]
        begun = [(fact.valid_from, _UNIT[fact.precision])]
        over = [] if fact.valid_to is None else [(fact.valid_to, _UNIT["day"])]
        if self.told:
            return said
        if self.relation == "since":
            return begun
        if self.relation == "until":
            return over
        return begun + over + said


def _back(moment: datetime | None, unit: timedelta) -> datetime:
    if moment is None:
        raise ValueError("a time without either end")
    return moment - unit


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim's words and what they do.

    ``own`` are the stems of the words that must be borne out, ``context`` those of what the
    claim leans on. ``topic``, when there is one, must be what the fact is about. ``other``
    are the words for whom it speaks of, when that isn't the user. ``over``: what is preferred
    and to what; ``moved``: from what, to what. ``was``: it may be past; ``past``: it must be.
    ``avoids``: a denial that a food allergy bears out; ``never``: one that the past is against.
    """

    tokens: Sequence[Token]
    own: frozenset[str]
    context: frozenset[str]
    topic: frozenset[str] | None
    other: frozenset[str]
    negated: bool
    ended: bool
    was: bool
    past: bool
    avoids: bool
    never: bool
    times: Sequence[TimeSpan]
    over: tuple[frozenset[str], frozenset[str]] | None
    moved: tuple[frozenset[str], frozenset[str]] | None

    @property
    def stems(self) -> frozenset[str]:
        """The claim's words, with those for whom it speaks of."""
        return self.own | self.other

    def enough(self, missing: frozenset[int]) -> bool:
        """Whether the claim is borne out although these of its words aren't."""
        left = [self.tokens[place] for place in missing]
        if any(token.hard for token in left) or len(left) == len(self.tokens):
            return False
        heavy = [token for token in left if token.stem not in _LIGHT]
        return len(heavy) <= (1 if len(self.tokens) >= LONG else 0)


def read(claim: Claim, *, now: datetime, time_zone: str) -> Reading:
    """The claim as it is compared."""
    text = claim.text
    short = not tokens(text)  # "Yes" says what the question asks
    denies = short and re.match(r"no", text, re.IGNORECASE) is not None
    if short:
        text = re.sub(r"\bI\b|\bmy\b", "you", claim.context)
    elif re.match(r"no\b,?", text, re.IGNORECASE) and re.search(r"\byou\b", text, re.I):
        text = re.sub(r"^no\b,?", "   ", text, count=1, flags=re.IGNORECASE)
    words = tokens(text)
    body, body_start = _body(text)
    was = claim.past or _WAS.search(body) is not None
    spans = _times(text, words, body_start, now, time_zone, was)
    if spans and _DID.search(body):
        was = True
    context = frozenset() if short else stems(claim.context)
    if _AGED.search(body):
        context |= {stem("age")}
    if _IS_A.search(body):
        context |= {stem("profession")}
    topic = stems(claim.context) - _LIGHT if not short and not _says(body) else frozenset()
    return Reading(
        tokens=words,
        own=frozenset(token.stem for token in words),
        context=context,
        topic=topic or None,
        other=_other(body, claim.about),
        negated=negated(body) != denies,
        ended=ended(body) and not claim.past,
        was=was,
        past=claim.past,
        never=re.search(r"\bnever\b", body, re.IGNORECASE) is not None,
        avoids=_AVOIDS.search(body) is not None,
        times=spans,
        over=pair(OVER, body),
        moved=pair(_FROM_TO, body) if _MOVES.search(body) else None,
    )


def _says(text: str) -> bool:
    return (
        re.search(r"\byou(?:['’]re|['’]ve)? \w|\byour \w+ (?:is|are|was|were)\b", text, re.I)
        is not None
    )


def _body(text: str) -> tuple[str, int]:
    """What was told, without "you told me on 3 May that", and where it begins."""
    tell = _TELL.search(text)
    if tell is None:
        return text, 0
    rest = text[tell.end() :]
    that = re.match(r"[^:“\"]{0,40}?(?:\bthat\b|:)\s*", rest)
    place = tell.end() + (that.end() if that else 0)
    if not tokens(text[place:]):
        return text, 0  # "…, as you told me"
    return text[place:], place


def _times(
    text: str, words: Sequence[Token], body: int, now: datetime, time_zone: str, was: bool
) -> list[TimeSpan]:
    by_place: dict[tuple[int, int], list[Found]] = defaultdict(list)
    for prefer in ("past", "future"):
        for found in find(text, now=now, time_zone=time_zone, prefer=prefer):
            by_place[found.start, found.end].append(found)
    tell = _TELL.search(text)
    spans = []
    for (start, end), readings in by_place.items():
        places = frozenset(i for i, w in enumerate(words) if w.start >= start and w.end <= end)
        if not places:
            continue
        relation = ""
        if _SINCE.search(text[:start]) or _SINCE.search(text[start:end].split()[0]):
            relation = "since"
        elif _UNTIL.search(text[:start]) or _UNTIL.search(text[start:end].split()[0]):
            relation = "until"
        near = tell is not None and (
            tell.end() <= start <= tell.end() + 10 or (end <= tell.start() <= end + 6)
        )
        spans.append(TimeSpan(places, tuple(readings), near, relation, was, now))
    return spans


def _other(body: str, about: str) -> frozenset[str]:
    """The words for whom the claim speaks of; empty for the user."""
    if _NAMES.search(body) or _IS_YOURS.search(body):
        return frozenset()
    found = _SUBJECT.match(body)
    if found is None:
        return frozenset()
    if found["pronoun"]:
        return stems(f"x {about}") - {"x"} if about else frozenset({"?"})
    if found["relation"]:
        whole = body[found.end() :].strip(" ,")
        if not whole and not found["own"]:
            return frozenset()
        words = {stem(found["relation"].casefold())}
        return frozenset(words | ({stem(found["named"].casefold())} if found["named"] else set()))
    name = found["name"].casefold()
    if name in _NO_NAME or not re.match(
        rf"{re.escape(found['name'])}(?:, your [\w’ -]+,)?(?:['’]s|\s+(?:is|was|has|had|lives?"
        rf"|lived|works?|likes?"
        rf"|loves?|hates?"
        r"|plays?|stud\w+|speaks?|moved|turn\w*|prefers?|teach\w*|runs?|got|are|were|have"
        r"|used to|no longer))\b",
        body[found.start("name") :],
    ):
        return frozenset()
    return frozenset({stem(name)})


def pair(pattern: re.Pattern[str], text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    found = pattern.search(re.sub(r"(?<=\d),(?=\d{3})", "", text))
    if found is None:
        return None
    parts = [part for part in found.groups() if part is not None]
    left, right = stems("x " + parts[0]) - {"x"}, stems("x " + parts[1]) - {"x"}
    left, right = left - {"prefer", "like"}, right - {"prefer", "like"}
    return (left, right) if left and right else None
