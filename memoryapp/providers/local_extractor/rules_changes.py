"""Words about what is remembered: forget it, take it off the list, make it another."""

from __future__ import annotations

import re

from memoryapp.records import Candidate, ForgetRequest, normalise

from .attributes import is_single
from .clauses import Clause
from .context import Context
from .predicate import Predicate, after_openers
from .values import items, trim

_ASK = (
    r"(?:(?:please|can you|could you|would you|i want you to|i'd like you to"
    r"|you can|now|also|ok|okay|and|actually),?\s+)*"
)
_FORGET = re.compile(
    _ASK + r"(?:forget|erase|delete|remove)(?: the (?:fact|memory|part|bit))?"
    r"(?P<how> that| about| everything (?:about|on)| what (?:i|you) (?:said"
    r"|told you|know|remember) about| anything about|(?= i | my ))\s*(?P<v>.+)$"
)
_FORGET_FIRST = re.compile(r"(?:forget|erase|delete|remove)")
_IDLE = re.compile(
    r"(?:it|this|that|about it|about that|what i said|the above|the last (?:message"
    r"|one)|all (?:of )?(?:that|this)|everything|to \w+)\b"
)
_MAKE_IT = re.compile(
    r"(?:make it|change it to|it's|it should be"
    r"|set it to) (?P<v>\d+(?:\.\d+)?)(?P<unit> ?(?:°|degrees?|%|c|f)?)?$"
)
_TAKE_OFF = re.compile(
    _ASK + r"(?:take|cross|strike|drop|remove|delete"
    r"|scratch)(?: off)? (?P<v>[^,]+?) (?:off|from|out of) (?:of )?(?:the|my|that"
    r"|this) (?P<list>[\w ]{0,30}?)\s?list$"
    r"|" + _ASK + r"(?:take|cross|strike|scratch) (?P<w>[^,]+?) off$"
)
_STOPPED = re.compile(
    r"(?:(?:i|we)(?:'ve| have)? (?:"
    r"(?:don't|dont|do not|can't|cannot) \w+ (?P<a>.+?) (?:any ?more|any longer)"
    r"|no longer \w+ (?P<b>.+)"
    r"|(?:stopped|quit|given up|gave up) (?:\w+ing )?(?P<c>.+))"
    r"|(?:i'm|im|i am|we're|we are) (?:no longer (?P<d>.+)|not (?P<e>.+?) (?:any ?more|any longer))"
    r")$"
)
_LINK = re.compile(r"(?:(?:a|an|the|my|our|any|to|for|at|in|with|on|as|working|playing|doing) )+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def forget_request(clause: Clause) -> ForgetRequest | None:
    """ "Forget that I have a dog", never "don't forget …" or "I forget"."""
    text = clause.text
    start = clause.start - clause.shift
    opener = re.compile(
        r"(?:(?:ok|okay|oh|well|so|actually|please|hey|hi|and|also|sorry),?\s+)*"
    ).match(text, start)
    found = _FORGET.match(text, opener.end() if opener else start)
    if found is None:
        return None
    begin, end = found.span("v")
    while end > begin and text[end - 1] in " .!,":
        end -= 1
    verb = _FORGET_FIRST.search(text, found.start())
    plain = verb is not None and verb[0] == "forget"
    # "Delete that file" is a task; "delete that I live in Paris" is about memory.
    if (
        not plain
        and not re.match(r"(?:that |about )?(?:i|my|we|our)\b", text[begin:])
        and "about" not in found["how"]
    ):
        return None
    if _IDLE.fullmatch(text[begin:end]) or begin >= end:
        return None
    return ForgetRequest(quote=clause.quote, what=clause.original(begin, end))


def replaced(
    clause: Clause, request: ForgetRequest, following: Clause | None, context: Context
) -> list[Candidate]:
    """ "Forget that I like it at 20; make it 22": the old value ends, the new one holds."""
    if following is None:
        return []
    begin = following.start - following.shift
    made = _MAKE_IT.match(following.text, begin)
    number = _NUMBER.search(request.what)
    if made is None or number is None:
        return []
    pool = [
        fact for fact in context.known
        if fact.subject == "user" and number[0] in _NUMBER.findall(fact.value)
        and set(normalise(fact.value).split()) & set(normalise(request.what).split()) - {number[0]}
    ]  # fmt: skip
    if len(pool) != 1:
        return []
    old = pool[0]
    new = old.value.replace(number[0], made["v"], 1)
    out: list[Candidate] = []
    if not is_single(old.attribute):
        out = context.fact(clause, old.attribute, old.value, scope=old.scope, operation="end")
    return out + context.fact(following, old.attribute, new, scope=old.scope, confidence=0.85)


def removals(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "Take cricket off the list": ends the one known value of that name."""
    found = _TAKE_OFF.match(clause.text, after_openers(clause)[0])
    if found is None:
        return []
    group = "v" if found["v"] else "w"
    out: list[Candidate] = []
    for part in items(clause.text, *trim(clause.text, *found.span(group))):
        known = context.named(clause.original(*part))
        if known is not None and not is_single(known.attribute):
            out += context.fact(
                clause,
                known.attribute,
                known.value,
                scope=known.scope,
                operation="end",
                confidence=0.85,
            )
    return out


def stopped(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "I don't play chess any more": ends the one known value that is named. What nobody
    has told of isn't ended, and a wish ("I gave up on sleeping") names nothing known."""
    found = _STOPPED.match(clause.text, after_openers(clause)[0])
    if found is None:
        return []
    group = next(name for name, value in found.groupdict().items() if value)
    words = clause.original(*found.span(group)).rstrip(" .!").split()
    # "chess last year": the name may be followed by when or why.
    for length in range(len(words), max(len(words) - 3, 0), -1):
        whole = " ".join(words[:length])
        link = _LINK.match(whole.lower())
        known = context.named(whole) or (context.named(whole[link.end() :]) if link else None)
        if known is not None:
            return context.fact(
                clause,
                known.attribute,
                known.value,
                scope=known.scope,
                operation="end",
                confidence=0.85,
            )
    return []
