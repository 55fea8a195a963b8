"""The words of a claim and of a fact, brought to forms that can be compared. English; words
of other languages and scripts stay as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

Sort = Literal["word", "name", "number"]

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "twice": "2",
    "both": "2",
}
# "One of your hobbies", "your old one": no number.
_NO_NUMBER = re.compile(r"\bone of\b|\b(?:old|new|last|other|previous|this|that) one\b", re.I)
# Words that carry nothing to compare: grammar, and how something is told.
EMPTY = frozenset(
    """a an the this that these those it its there here some any one ones thing things something
    i me my mine we us our you your yours yourself he him his she her hers they them their
    and or but nor so yet also too as than then if because since while although though
    of in on at to for from with by about into onto up out off over under near around between
    during until till before after per via within
    am is are was were be been being do does did done doing have has had having will would shall
    should can could may might must get gets got getting go goes going went gone
    not no never none neither without cannot don doesn didn isn aren wasn weren haven hasn hadn
    can't don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't
    longer anymore more used stopped quit gave given left sold dropped cancelled
    avoid avoids avoided avoiding lack lacks
    told tell tells telling said say says saying mentioned mention mentions shared share noted
    note know knows known remember remembers recall according memory conversation chat
    currently now still today nowadays presently really very quite just actually indeed already
    always usually often sometimes mostly mainly generally especially particularly recently
    previously formerly former earlier back later once ago ever again yes well right course far
    who whom whose what which when where why how all each every both just only even
    ok okay sure based everything anything nothing time times lot bit way etc
    's 're 've 'd 'll i'm i've you're you've you'd you'll
    """.split()  # noqa: SIM905
)
# Words with a capital letter that name nobody.
_ADDRESS = frozenset((
    "i", "you", "your", "yours", "he", "she", "it", "they", "we", "his", "her", "their", "my",
    "our", "no", "yes",
))  # fmt: skip
# Said of many things; without it a claim says no less.
LIGHT = frozenset(
    """start begin become keep try make take come look seem feel want need current present great
    nice lovely big new good old own personal main regular year month week day people person place
    city town country area mind ask plan planning happy glad let kind type sort end hold name
    """.split()  # noqa: SIM905
)
# Words that mean the same here. The first of each row stands for all of them.
_SAME = """
live living lives lived reside resides residing residence home move moved moves moving relocate
 relocated settle settled relocation
work works working worked job employ employed employer employment
like love loves loved liked likes liking enjoy enjoys enjoyed fan fond keen interest interested
 adore dislike hate hates hated disliked dislikes loathe interests
allergy allergic allergies allergen
favourite favorite favourites favorites
colour color coloured colored
mother mum mom mommy mummy
father dad daddy
child kid kids children
film movie movies films
car vehicle
bike bicycle bikes cycle cycles cycled cycling biking
flat apartment
trip travel journey travelling traveling travelled traveled holiday vacation
study studies studied studying student degree
intolerant intolerance
vegetarian veggie vegetarianism
vegan veganism
prefer prefers preferred preference preferring
birthday born birth
age aged old
play plays played playing player
run runs ran running runner
speak speaks spoke spoken speaking
own owns owned owner
drive drives drove driving
learn learns learned learnt learning
marry married marriage wedding
meet met meeting meetings appointment
fly flew flight flights flying
sister sisters
brother brothers
sibling siblings
son sons
daughter daughters
parent parents
dog dogs puppy
cat cats kitten
pet pets
nut nuts
code coding program programming programmer
exercise gym workout
eat eats ate eating
drink drinks drank drinking
buy bought buying purchase purchased
teach teaches taught teaching teacher
write writes wrote written writing writer
sing sings sang singing singer
swim swims swam swimming swimmer
paint paints painted painting painter
cook cooks cooked cooking
read reads reading reader
doctor physician
colleague coworker workmate
boss manager
job_title profession occupation career
adopt adopted adopts adoption
join joined joins joining
finish finished complete completed
budget afford
become became becomes becoming
veterinarian vet veterinary
name names named call called naming
engaged engagement fiance fiancé fiancée
graduate graduated graduation
diabetes diabetic
asthma asthmatic
celiac coeliac
""".replace("\n ", " ")
# What a wide word may stand for; not the other way round.
_NARROWER: Mapping[str, frozenset[str]] = {
    "sibling": frozenset({"sister", "brother"}),
    "parent": frozenset({"mother", "father"}),
    "child": frozenset({"son", "daughter"}),
    "partner": frozenset({"wife", "husband", "girlfriend", "boyfriend", "spous"}),
    "spous": frozenset({"wife", "husband"}),
    "pet": frozenset({"dog", "cat", "rabbit", "parrot", "hamster", "tortois"}),
}
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody|lack(?:s|ed|ing)?"
    r"|avoid(?:s|ed|ing)?|dislikes?|disliked|hates?|hated|loathes?|detests?)\b|-free\b"
    r"|n['’]t\b(?! stand)|\bcan['’]?t stand\b|\bcannot stand\b",
    re.IGNORECASE,
)
# "Not only", "no problem", "free time", "number": no denial.
_NO_NEGATION = re.compile(
    r"\bnot only\b|\bno (?:problem|doubt|wonder|worries|matter)\b"
    r"|\bno\.? \d|\bnever mind\b|\bdon['’]t worry\b",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:no longer|used to|not? any ?more|stopped|quit|gave up|given up|sold|left(?! hand|-)"
    r"|dropped|cancelled|moved (?:out of|away from)|former(?:ly)?"
    r"|previous(?:ly)?|ex-|has ended|don['’]t \w+(?: \w+){0,6} any ?more|any ?more)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text at ``[start, end)``. ``stem`` is what is compared."""

    stem: str
    start: int
    end: int
    sort: Sort

    @property
    def hard(self) -> bool:
        """Whether it must be matched: a name or a number."""
        return self.sort != "word"


def tokens(text: str) -> list[Token]:
    """The words of the text that say something, in its order."""
    return list(_tokens(text))


def stems(text: str) -> frozenset[str]:
    """What of ``tokens`` is compared."""
    return frozenset(token.stem for token in _tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    first = True
    for found in _TOKEN.finditer(text):
        raw = found[0].replace("’", "'")
        word = raw.casefold()
        begins, first = first, False
        if not begins:
            begins = (
                re.search(
                    r"(?:[.!?:]\s+|[“\"(*])$", text[max(0, found.start() - 4) : found.start()]
                )
                is not None
            )
        if word[0].isdigit():
            yield Token(_number(word), found.start(), found.end(), "number")
            continue
        if word == "one" and _NO_NUMBER.search(text, max(0, found.start() - 9), found.end() + 3):
            continue
        if word in _NUMBERS:
            yield Token(_NUMBERS[word], found.start(), found.end(), "number")
            continue
        if word.endswith("'s"):
            word = word[:-2]
        named = raw[0].isupper() and (not begins or not raw[1:].islower())
        if word in EMPTY and (not named or word in _ADDRESS or len(word) == 1):
            continue
        foreign = not raw[0].isascii() and "LATIN" not in unicodedata.name(raw[0], "")
        sort: Sort = "name" if named or foreign else "word"
        yield Token(stem(word), found.start(), found.end(), sort)


def _number(text: str) -> str:
    """ "1,200" is 1200, "9:00" is 9."""
    text = re.sub(r",(?=\d{3}\b)", "", text)
    text = re.sub(r":00$", "", text)
    return text.lstrip("0") or "0"


@cache
def _rows() -> Mapping[str, str]:
    return {word: row.split()[0] for row in _SAME.strip().split("\n") for word in row.split()}


@cache
def stem(word: str) -> str:
    """One form for the forms of a word, and for its synonyms."""
    rows = _rows()
    if word in rows:
        return rows[word]
    base = _base(word)
    return rows.get(base, base)


def _base(word: str) -> str:
    word = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", word)
        if not unicodedata.combining(letter)
    )
    if len(word) < 4 or not word.isascii():
        return word
    for ending, put in (
        ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ings", "ing"),
    ):  # fmt: skip
        if word.endswith(ending) and len(word) > len(ending) + 1:
            word = word[: -len(ending)] + put
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = word[:-1]
    for ending in ("ing", "ed", "er", "ly"):
        left = word[: -len(ending)]
        if word.endswith(ending) and len(left) > 2 and re.search(r"[aeiouy]", left):
            word = left
            if re.search(r"([bdgmnprt])\1$", word):
                word = word[:-1]
            break
    if word.endswith("i"):
        word = word[:-1] + "y"
    return word.rstrip("e") if len(word) > 3 else word


def covers(known: frozenset[str], stem: str) -> bool:
    """Whether a word is among the known ones, or one that means it is."""
    return stem in known or not known.isdisjoint(_NARROWER.get(stem, ()))


def negated(text: str) -> bool:
    """Whether the text denies: an odd number of negations, "no longer" not among them."""
    text = _NO_NEGATION.sub(" ", _ENDED.sub(" ", text))
    return len(_NEGATION.findall(text)) % 2 == 1


def ended(text: str) -> bool:
    """Whether the text says that something holds no longer."""
    return _ENDED.search(text) is not None
