"""Whether what the reader marked is so, is not so or is over: the words nearest to a value know
better than the reader's sign."""

from __future__ import annotations

import re

from memoryapp.records import Operation, Polarity

from .clauses import Clause
from .learned_checks import USED
from .values import Span

RETIRED = "retired "
# "Things I can't stand: slow walkers", "Tim can't have nuts": the words are nearer than the
# reader's sign.
_TAKEN = frozenset(["likes", "eats", "drinks", "medication"])
_AVERSE = re.compile(
    r"\b(?:can't|cannot|cant|couldn't) (?:stand|bear|abide|have|eat|drink|touch|tolerate|do|take)\b"
    r"(?:[^.;,]*$|\s*:[^.;]*$)|\b(?:hates?|loathes?|detests?|despises?|dislikes?)\b[^.;,]*$"
    r"|\b(?:terrified|scared|afraid|sick|fed up)(?: \w+)? (?:of|with)\b[^.;,]*$"
)
_PUTS_OFF = re.compile(
    r"[^.;,]{0,30}\b(?:(?:depress(?:es)?|annoys?|bores?|scares?|disgusts?|irritates?|grosses)"
    r" (?:me|us)|gives? me (?:the (?:creeps|ick)|(?:a )?(?:headaches?|migraines?|hives|heartburn))"
    r"|do(?:es)?(?: not|n't) (?:get along|agree with me)"
    r"|do(?:es)? my head in|los(?:e|es) me|confus(?:e|es) me|puts? me off|gets? on my nerves"
    r"|makes? my eyes|drives? me (?:mad|crazy|nuts|insane|up the wall))\b"
)
_NO_TO_IT = re.compile(r":? no(?=[,.;!]|$)")  # "Python yes, Java no"
_LACKS_THERE = re.compile(r"\b(?:have|own|need)\b[^,;.]* in $")  # "I don't have a car in LA"
# "He can't have nuts" is allergic to them; "my favourite isn't Totoro".
_REACTS = frozenset(["allergy", "intolerance"])
_ISNT = re.compile(r"\b(?:isn't|isnt|is not|aren't) (?:an? |the )?$")
_NOT_TOO = re.compile(r"\bnot (?:too|so|very|that|as) $")
_NOT_ANY_MORE = re.compile(r"\bused to (?:hate|dislike|loathe|detest)\b[^.;,]*$")
_MINDS_NOT = re.compile(r"\b(?:don't|dont|do not|doesn't|doesnt) mind\b[^.;,]*$")
_NONE = re.compile(r"\b(?:no|without) $")
# "We have no microscope"
_HAVE_NO = re.compile(r"\bno (?:\w+ )?$")
_STARTED_AS = re.compile(r"\bstarted(?: out| off| there)? as an? $")
# "Moved from Notion to Obsidian", "I've been a roofer for twenty years"
_INTO = re.compile(
    r"\b(?:moved|switched|went|changed|came|migrated)\b[^.;]*\b(?:from|off)\b[^.;]*\bto $"
    r"|\b(?:i've|ive|i have|we've) been an? $"
)
# "No alcohol, so coffee is my vice"
_MY_OWN = re.compile(
    r" (?:is|are) (?:my|our) (?:\w+ )?(?:vice|thing|favou?rites?|love|passion|poison|weakness)\b"
)
# "I ditched Slack for Zulip", "single, always was", "it got me out of my job as a banker", "we're
# in Aarhus since August, out of Copenhagen"
_FOR_ANOTHER = re.compile(
    r"\b(?:ditched|dropped|swapped|traded|binned|dumped|abandoned|replaced)\b[^.;]*"
    r"\b(?:for|with|by) $"
)
_STILL_SO = re.compile(r",? (?:always (?:was|have|has)|these days|nowadays)\b")
_OUT_OF_IT = re.compile(r"\b(?:out of|quit|left|leaving|gave up) my\b[^.;]*\bas an? $")
_MOVED_OUT = re.compile(r"\b(?:since|moved|finally)\b[^.;]*\bout of $")
# "Outlook, not Google"
_NOT_THAT = re.compile(r",? (?:and |but )?not ")
_DENIES = re.compile(r"\b(?:no|not|never|none|without|cannot)\b|n't\b|\b(?:dont|cant|isnt|wont)\b")
_GAVE_UP = re.compile(r"\b(?:gave|given|giving) up(?: on)?(?: learning| studying| playing)? $")
_NO_LONGER = re.compile(r"\b(?:don't|do not|doesn't|does not|dont)\b.*\bany ?more\b")
# "Ex-army", "worked two years at Lidl", "my S21 drowned": over, though it reads as a no or a yes.
_FORMER = re.compile(r"\b(?:ex|former|formerly|retired)[ -]$")
_DONE = frozenset(["work_experience", "experience", "visited"])
_KEPT = frozenset(["owns", "vehicle", "computer", "phone_model", "pet", "instrument"])
_BREAKS = frozenset(["phone_model", "vehicle", "computer", "owns"])
_BROKE = re.compile(r"(?: \w+)? (?:drowned|died|broke|was stolen|got stolen|was written off)\b")
_LEFT = re.compile(
    r"\b(?:mov\w+|left|leaving|lived|living|used to|out of|no longer|any ?more|not|isn't|until|till"
    r"|formerly|former|ex|before|sold|gave up|relocated|back (?:in|from)|swapped|traded|grew up"
    r"|from \S+ to)\b"
)
_FOR_EVER = frozenset(["origin", "birthplace", "nationality", "native_language", "birthday"])
_LOST = re.compile(r"\blost my job|\blaid off|\b(?:got|was|been) (?:fired|sacked)|made redundant")


def pole(
    attribute: str, clause: Clause, span: Span, sign: int
) -> tuple[Polarity, Operation] | None:
    """How the value stands, from the reader's ``sign`` (0 it is so, 1 it is not so, 2 it is
    over) and the words around; None when they say that it can't stand."""
    if attribute in _FOR_EVER and sign == 2:
        return None  # nobody stops coming from somewhere
    before, after = clause.text[: span[0]], clause.text[span[1] :]
    if sign == 2 and _STILL_SO.match(after):
        sign = 0
    if attribute == "home" and sign == 2 and not _LEFT.search(clause.text):
        return None  # "a retired driver from Leeds", "a tram driver in Vienna": he may live there
    retired = attribute == "job_title" and before.endswith(RETIRED)
    former = sign == 1 and _FORMER.search(before) is not None
    put_off = _PUTS_OFF.match(after) is not None
    averse = put_off or _AVERSE.search(before) is not None
    if attribute in _REACTS and averse:
        sign = 0
    if sign == 0 and _ISNT.search(before):
        sign = 1
    if attribute == "constraint" and sign == 1:
        return None  # what doesn't bind one is no limit
    if averse and attribute in USED:
        return None
    if attribute in _TAKEN and (_NOT_ANY_MORE.search(before) or _MINDS_NOT.search(before)):
        return None
    if attribute in _TAKEN and sign == 0 and _NONE.search(before):
        return None
    if attribute == "home" and sign == 1 and _LACKS_THERE.search(before):
        sign = 0
    if sign == 0 and _NO_TO_IT.match(after):
        sign = 1
    if attribute in _KEPT and sign == 0 and _HAVE_NO.search(before):
        sign = 1
    if (sign == 1 and _MY_OWN.match(after)) or (sign == 2 and _INTO.search(before)):
        sign = 0  # the new one, or still so
    if _GAVE_UP.search(before):
        sign = 2
    if sign == 1 and _NOT_THAT.match(after) and not _DENIES.search(before):
        sign = 0
    if sign == 2 and _FOR_ANOTHER.search(before):
        sign = 0  # the new one
    if attribute == "home" and _MOVED_OUT.search(before):
        sign = 2
    if attribute == "job_title" and _OUT_OF_IT.search(before):
        sign = 2
    # "I don't play any more" denies; what is known to have been so ends by the rules.
    denied = sign == 2 and _NO_LONGER.search(clause.text) is not None
    negated = sign == 1 or denied or (attribute in _TAKEN and averse)
    if attribute.startswith("answer_") and (put_off or _NOT_TOO.search(before)):
        negated = True  # "bullets do my head in", "not too long"
    lost = attribute in ("employer", "job_title") and _LOST.search(clause.text) is not None
    broken = attribute in _BREAKS and _BROKE.match(after) is not None
    started = attribute == "job_title" and _STARTED_AS.search(before) is not None
    over = (sign == 2 or lost or former or broken or started) and not (retired or denied)
    return (
        "negated" if negated and not (former or retired) else "affirmed",
        # What one has done stays done.
        "end" if over and attribute not in _DONE else "state",
    )
