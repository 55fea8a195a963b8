"""A job that a verb tells: "I teach yoga", "she drives a bus". The page says "Your job is
teaching yoga", so the verb takes that form."""

from __future__ import annotations

import re

from .lexicon import JOB_HEADS
from .values import Span

# By these one earns one's living.
_TRADES = frozenset((
    "teach", "sell", "manage", "lead", "audit", "deliver", "translate", "interpret", "code",
    "program", "nurse", "guard", "weld", "haul", "milk", "edit", "tutor", "coach", "supervise",
    "operate", "clean", "do", "drive", "lay", "install", "groom", "farm", "handle", "work",
))  # fmt: skip
# With these as well as one passes one's time: it has to be said that it's work.
_EITHER = frozenset((
    "cook", "bake", "sew", "run", "walk", "paint", "draw", "make", "grow", "write", "record",
    "mix", "produce", "fly", "breed", "design", "build", "fix", "repair", "restore", "tune", "cut",
    "train", "film", "develop", "illustrate", "tattoo", "test", "fit", "keep", "pack", "stack",
    "answer", "photograph", "mend", "style", "cater", "host",
))  # fmt: skip
_PAID = re.compile(
    r"\bfor (?:a living|work|money|hire|weddings|events|clients|customers|brides|tourists|firms)\b"
    r"|\b(?:clients?|customers?|orders?|commissions?|shifts?|for (?:an?|the) \w+)\b"
    r"|\b(?:my|our|own) (?:\w+ )?(?:shop|studio|caf[eé]|business|stall|salon|firm|company)\b"
)
_VEHICLES = re.compile(
    r"\b(?:lorry|lorries|trucks?|bus(?:es)?|coach(?:es)?|taxis?|cabs?|trams?|trains?|ambulances?"
    r"|forklifts?|cranes?|tractors?|rigs?|hgv|hearse|limos?|minibus|tube|metro|deliver\w*|for)\b"
)
_AT_HOME = re.compile(
    r"(?:(?:all )?(?:the|my|our) )?(?:cooking|shopping|dish(?:es)?|laundry|washing|cleaning|chores"
    r"|housework|school run|garden\w*|yoga|jigsaws?|crosswords?|sports?|gym|puzzles?)\b"
)
# "I teach" says what one does; "I drive" doesn't.
_ALONE = frozenset(["teach", "nurse", "tutor", "translate", "interpret", "weld", "farm", "code"])
# "Trimming", "cutting"
_DOUBLED = re.compile(r"[^aeiou]*[aeiou][bdglmnprt]|program")
# What no trade begins with, though it stands right behind "I": "I be …", "I'm able to".
_NO_TRADE = frozenset((
    "am", "be", "is", "are", "was", "were", "have", "has", "had", "can", "will", "would", "should",
    "like", "love", "want", "need", "hate", "enjoy", "used", "did",
))  # fmt: skip
_WORD = re.compile(r"[a-z]{3,}")


def _plain(word: str) -> str:
    """The verb without the "s" of "she teaches"."""
    for end, plain in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("oes", "o")):
        if word.endswith(end):
            return word.removesuffix(end) + plain
    return word.removesuffix("s")


# In front of a verb, not of a noun: "I coach girls", not "I'm a coach driver".
_SUBJECT = re.compile(
    r"\b(?:i|we|he|she|they|who|both|and|also|now|still|just|mostly|mainly|currently|used to) $"
)


def _verb(value: str, *, certain: bool = False) -> str:
    """The verb that the value begins with, or nothing; any verb where it is ``certain`` that
    it tells a job."""
    word, _, rest = value.partition(" ")
    known = _TRADES | _EITHER
    if word in known or (plain := _plain(word)) in known:
        return word if word in known else plain
    other = certain and rest and _WORD.fullmatch(word) and not word.endswith("ed")
    return plain if other and not {word, plain} & _NO_TRADE else ""


def is_told(text: str, span: Span, *, certain: bool = False) -> bool:
    """Whether a verb tells the job that stands at ``span`` of a folded text: "I teach yoga",
    "he teaches", not "lead developer"; where it is ``certain`` that a job is told, any verb
    right behind who does it: "I guide treks"."""
    value = text[slice(*span)]
    bare = _SUBJECT.search(text[: span[0]]) is not None
    verb, rest = _verb(value, certain=certain and bare), value.partition(" ")[2]
    if not verb or rest.rpartition(" ")[2] in JOB_HEADS:
        return False  # "works manager"
    bent = value.partition(" ")[0] != verb  # "teaches" is no noun
    return bent or bare or rest.startswith(("a ", "an ", "the "))


def doing(text: str, span: Span, *, paid: bool = False, certain: bool = False) -> str:
    """ "teaching yoga" for "teach yoga" and "teaches yoga"; nothing when what the verb says,
    with the words around it, is no job. ``paid``: it is known to be work."""
    value, after = text[slice(*span)], text[span[1] :]
    verb, rest = _verb(value, certain=certain), value.partition(" ")[2]
    if verb == "drive" and not paid and not _VEHICLES.search(f"{rest}{after[:20]}"):
        return ""
    if (verb == "do" and _AT_HOME.match(rest)) or (not rest and verb not in _ALONE):
        return ""
    if verb in _EITHER and not paid and _PAID.search(text) is None:
        return ""
    if _DOUBLED.fullmatch(verb):
        verb += verb[-1]
    elif verb.endswith("e"):
        verb = verb[:-1]
    return f"{verb}ing {rest}".strip()
