"""The place, the employer or the job that opens a span of a clause."""

from __future__ import annotations

import re

from .clauses import Clause
from .lexicon import JOB_HEADS, NATIONALITIES, NOT_A_JOB, PLACES_NOT
from .tools import attribute_of
from .values import Span, is_cased, trim

_PLACE_STOP = re.compile(
    r", (?:and )?not\b|,(?! \w+(?: \w+)?$)| (?:with|since|for|because|about|after|during|when|as"
    r"|where|but|and|so|to|from"
    r"|until|last|this|next|in (?:\d{4}|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|the (?:spring|summer|autumn|fall|winter))"
    r"|\w+ (?:days|weeks|months|years) ago"
    r"|a (?:week|month|year|few|couple|while|decade)\b|two|three|right|full|part|at"
    r"|on|back|again|now"
    r"|just|permanently|temporarily|yesterday|recently|rn|btw|by the way|these days)\b"
)
_NEW_HOME = re.compile(r"new (?:apartment|flat|house|place|home)\b")
_JOB_STOP = re.compile(
    r",| (?:at|for|with|in|from|and|but|who|based|living|working|specialis"
    r"|specializ|since|by|on|now|so|where|near|these|because|to|as|here|over|focus"
    r"|currently|these days|turned|instead)\b"
)
_CLUB = re.compile(
    r"\b(?:group|club|class|forum|gym|course|band|league|community|church|server"
    r"|cause|choir|party|discord|program|programme|cohort|waitlist|list|call"
    r"|meeting|chat|army|navy)$"
)
_BAD_ORG = re.compile(
    r"(?:home|night|nights|it|the moment|weekends?|myself|him|her|them|least"
    r"|my (?:best|hardest|desk|pace)|a living|a while|(?:an? )?\w+ (?:years?"
    r"|months?|weeks?|hours?)|\d.*|money|free|fun|"
    r"school|work|the weekend|the gym|once|last|first|all|and|the same|that|this"
    r"|now|the house|the party|early|late|today|yesterday|in|on|at|to|the (?:room"
    r"|restaurant|table|hotel|airport|station))"
)


def place(clause: Clause, start: int, end: int) -> Span | None:
    """The place that opens a span, or None when it can't be one."""
    text = clause.text
    stop = _PLACE_STOP.search(text, start, end)
    start, end = trim(text, start, stop.start() if stop else end)
    value = text[start:end]
    if not value or value in PLACES_NOT or len(value.split()) > 7 or attribute_of(value):
        return None
    written = clause.turn.content
    lower_message = written == written.lower()
    original = clause.original(start, end)
    named = any(not is_cased(char) or char.isupper() for char in original if char.isalpha())
    generic = re.match(
        r"(?:small|big|quiet|tiny|little|large|village|town|city|flat|apartment|house"
        r"|suburb|countryside|cottage|\w+ (?:village|town|city|flat|apartment|house"
        r"|suburb|cottage))\b",
        value,
    )
    if re.search(r"\b(?:my|our|his|her|their)\s+$", text[:start]) or _NEW_HOME.match(value):
        return None
    if named or generic or (lower_message and len(value.split()) <= 3):
        return start, end
    return None


def organisation(clause: Clause, start: int, end: int) -> Span | None:
    """The employer that opens a span, or None when it can't be one."""
    text = clause.text
    stop = re.compile(
        r",| (?:as|in|since|for|from|and|but|on|now|full|part|where|because|with|doing"
        r"|until|last|this|next|to|when|which|after|these|right|over|so|again|yet"
        r"|already|currently|btw|instead|today|yesterday|remotely|by|about|study\w*|and"
        r"|a (?:week|month|year|few|couple)|\w+ (?:weeks|months|years) ago|—|–)\b"
    ).search(text, start, end)
    end = stop.start() if stop else end
    article = re.match(r"(?:an? |the )", text[start:end])
    span = trim(text, start, end)
    value, original = text[slice(*span)], clause.original(*span)
    if (
        not value
        or _BAD_ORG.fullmatch(value)
        or _CLUB.search(value)
        or attribute_of(value)
        or len(value.split()) > 5
    ):
        return None
    if original[:1].isupper() or not is_cased(original[:1]) or any(c.isupper() for c in original):
        return span
    if article and re.search(
        r"(?:hospital|school|bank|university|company|startup|start-up|agency|firm|lab"
        r"|clinic|bakery|restaurant|shop|library|museum|charity|nonprofit|factory|farm"
        r"|studio|hotel|supermarket|practice|warehouse|café|cafe|garage|brewery"
        r"|bookshop|newspaper)$",
        value,
    ):
        return start, span[1]
    written = clause.turn.content
    return span if written == written.lower() and len(value.split()) == 1 else None


def job_in(clause: Clause, start: int, end: int, *, sure: bool) -> Span | None:
    """The job that opens a span. Unless ``sure``, its last word must be one that we know."""
    stop = _JOB_STOP.search(clause.text, start, end)
    start, end = trim(clause.text, start, stop.start() if stop else end)
    words = clause.text[start:end].split()
    if not words or len(words) > 6 or any(word in NOT_A_JOB for word in words[:-1] or words):
        return None
    while len(words) > 1 and words[0] in NATIONALITIES | {
        "vegan",
        "vegetarian",
        "proud",
        "married",
        "single",
    }:
        start += len(words[0]) + 1
        words = words[1:]
    known = words[-1] in JOB_HEADS or " ".join(words[-2:]) in JOB_HEADS
    return (start, end) if known or sure else None
