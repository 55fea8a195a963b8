"""Tools and settings: what is used, what it replaced, where it holds."""

from __future__ import annotations

import re

from memoryapp.records import Candidate

from .attributes import is_single
from .clauses import Clause
from .context import Context
from .predicate import Predicate, after_openers
from .tools import attribute_of, split_purpose, split_scope
from .values import items, trim

_USE = re.compile(
    r"(?:uses?|using|been using|run|runs|running|on|stick(?:s|ing)? (?:to"
    r"|with)) (?!to\b|it\b|this\b|that\b|them\b|you\b|my \w+ to\b)"
)
_CODE = re.compile(
    r"(?:code|codes|program|programs|write|writes|develop|develops|coding"
    r"|programming|developing)(?: mostly| mainly| primarily| code"
    r"| a lot)? in (?P<v>[\w+#., ]+)$"
)
_WRITES = re.compile(r"(?:write|code|program)s? (?P<v>[\w+#]+)(?=$| at work| for| all)")
_SEAT = re.compile(
    r"(?:fly|sit|book|choose|take|travel|get|pick|go for)s?(?: with| in)? (?:the "
    r"|an? )?(?P<v>(?:window|aisle) seats?)(?=$|,| when| on| if)"
)
_MAKE = re.compile(
    r"\b(?:toyota|honda|ford|vw|volkswagen|bmw|audi|tesla|fiat|renault|peugeot"
    r"|skoda|mazda|nissan|hyundai|kia|volvo|subaru|mercedes|vespa|yamaha|kawasaki"
    r"|ducati|harley|seat|opel|citroën|dacia|lexus|jeep|suzuki)\b"
)
_INDENT = re.compile(r"indents? (?:my code |everything |code )?with ")
_DRIVE = re.compile(
    r"(?:drive|drives|bought|own|owns|ride"
    r"|rides) (?P<v>an? (?:\w+ )?[\w-]+(?: [\w-]+){0,3})(?=$|,| to\b| and\b| for\b"
    r"| every\b)"
)
_SWITCH = re.compile(
    r"(?:(?:just|recently|finally|have|'ve|now) )*(?:switched|moved|changed"
    r"|migrated|converted|gone back|went back|switched back|moved over|back)"
    r"(?: back| over)?(?: from (?P<old>.+?))? (?:to|onto) (?P<new>.+?)(?:,? (?:from"
    r"|instead of) (?P<old2>.+))?$"
)
_BARE = re.compile(
    r"(?:(?:just|finally|have) )*(?:switched|migrated|gone back|went back"
    r"|back) (?:back )?(?:to|from)\b"
)
_REPLACED = re.compile(
    r"(?:replaced|ditched|dropped|swapped|traded|abandoned) (?P<old>.+?) (?:with"
    r"|for|in favou?r of) (?P<new>.+)$"
)
_STOPPED = re.compile(
    r"(?:stopped using|quit using|gave up (?:on )?|ditched|no longer use"
    r"|uninstalled|got rid of) (?P<old>.+)$"
)
_SET = re.compile(
    r"(?:my |our )(?:(?:current|main|preferred|primary|default"
    r"|go-to) )?(?P<what>editor|ide|os|operating system|browser|shell|terminal"
    r"|theme|phone|laptop|computer|car)(?: of choice)?(?: is|'s)(?: now)? (?P<v>.+)$"
)
_FROM_NOW = re.compile(
    r"(?P<v>.+?),?(?: please)?,? (?:from now on|going forward|from here on"
    r"|for all my flights|from today)(?:,? please)?$"
)
_LEAD_NOW = re.compile(
    r"(?:from now on|going forward|from today),? (?:i (?:want|prefer|use)|use"
    r"|give me|book(?: me)?)?\s*(?P<v>.+)$"
)
_KEYS = {
    "ide": "editor",
    "os": "operating_system",
    "operating system": "operating_system",
    "phone": "phone_model",
    "laptop": "computer",
    "car": "vehicle",
}
_TIME_TAIL = re.compile(
    r",? (?:last|this|a|two|three|\d+) (?:\w+ )?(?:weeks?|months?|years?"
    r"|days?)(?: ago)?$| (?:yesterday|recently|in \d{4}|because .*|since .*"
    r"|as my .*|as an? .*|instead.*|daily|every day|at the moment|almost .*)$"
)
_GENERIC = re.compile(
    r"^(?:\w+ing|a lot|more|less|some|many|several|different|various|new|same|only"
    r"|most|public|the (?:same|following|app|tool|code|command|method|word|term"
    r"|phrase))\b|\b(?:to|in order)\b"
)
_NOT_CAR = re.compile(
    r"\b(?:bus|taxi|house|flat|home|business|company|shop|dog|cat|gun|lot|copy"
    r"|ticket|few|couple|share|truck for)\b"
)


def _key(context: Context, value: str, purpose: str) -> str:
    """The attribute for a used thing: by the thing, or by what it is used for."""
    key = attribute_of(value)
    if key == "indentation":
        return key if purpose.startswith("indent") or value not in ("tabs", "spaces") else ""
    if not key and re.fullmatch(r"(?:c|go|r)", value) and purpose in ("", "work"):
        return ""
    return key


def _scope_of(context: Context, attribute: str, scope: str, old: str) -> str:
    """The scope as named; else that of the one known value of the attribute."""
    if scope or not is_single(attribute):
        return scope
    scopes = {
        fact.scope
        for fact in context.known
        if fact.subject == "user"
        and fact.attribute == attribute
        and (not old or fact.value.lower() == old)
    }
    return next(iter(scopes)) if len(scopes) == 1 else ""


def _parts(text: str, start: int, end: int) -> tuple[int, int, str, str]:
    """The value's span, its scope, and what it is used for."""
    if found := _TIME_TAIL.search(text, start, end):
        end = found.start()
    start, end = trim(text, start, end)
    cut, scope = split_scope(text[start:end])
    end = start + cut
    cut, purpose = split_purpose(text[start:end])
    start, end = trim(text, start, start + cut)
    if not scope:  # "Vim for everything at work"
        cut, scope = split_scope(text[start:end])
        start, end = trim(text, start, start + cut)
    return start, end, scope, purpose


def used(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "I use dark mode in my IDE", "I code in Python", "my editor is Zed"."""
    text = clause.text
    start, _, correction = after_openers(clause)
    if found := _SET.match(text, start):
        key = _KEYS.get(found["what"], found["what"])
        begin, end, scope, _ = _parts(text, *found.span("v"))
        named = attribute_of(text[begin:end])
        original = clause.original(begin, end)
        if (
            named == key
            or (
                key in ("phone_model", "computer", "vehicle")
                and any(c.isupper() for c in original[:1])
            )
        ) and (key != "vehicle" or not re.search(r"\b(?:broken|old|in)\b", text[begin:end])):
            return context.fact(clause, key, (begin, end), scope=scope, correction=correction)
        return []
    if said is None or not said.about_user:
        return []
    pos = said.pos
    out: list[Candidate] = []
    if said.form == "verb" and not said.negated:
        if found := _CODE.match(text, pos):
            for part in items(text, *found.span("v")):
                if attribute_of(text[slice(*part)]) == "programming_language" or text[
                    slice(*part)
                ] in ("c", "go", "r"):
                    out += context.fact(clause, "programming_language", part)
            return out
        if (found := _WRITES.match(text, pos)) and attribute_of(
            found["v"]
        ) == "programming_language":
            return context.fact(clause, "programming_language", found.span("v"))
        if found := _SEAT.match(text, pos):
            return context.fact(clause, "seat_preference", found.span("v"), confidence=0.85)
        if found := _INDENT.match(text, pos):
            return context.fact(clause, "indentation", (found.end(), said.end), confidence=0.85)
        if (found := _DRIVE.match(text, pos)) and not _NOT_CAR.search(found["v"]):
            original = clause.original(*found.span("v"))
            capital = re.search(r" [A-Z]", original)
            if capital and (found[0].startswith(("drive", "ride")) or _MAKE.search(found["v"])):
                return context.fact(clause, "vehicle", found.span("v"))
    if found := _USE.match(text, pos):
        if found[0].startswith("on ") and said.form != "be":
            return []
        for part in items(text, found.end(), said.end):
            begin, end, scope, purpose = _parts(text, *part)
            value = text[begin:end]
            key = _key(context, value, purpose)
            if not key and (found[0].startswith(("on ", "run", "stick")) or _GENERIC.search(value)):
                continue
            named = key or ("uses" if _is_named(clause, begin, end) else "")
            if not named:
                continue
            # "spaces for indentation": the purpose says what it is, not where it holds.
            place = scope if purpose.startswith("indent") else scope or purpose
            if named == "indentation" and purpose.startswith("indent"):
                place = scope
            out += context.fact(
                clause,
                named,
                (begin, end),
                scope=place if is_single(named) else scope,
                polarity="negated" if said.negated and not said.ended else "affirmed",
                operation="end" if said.ended else "state",
                correction=said.correction,
                confidence=0.85 if key else 0.7,
            )
        return out
    return []


def _is_named(clause: Clause, begin: int, end: int) -> bool:
    """Whether a used thing has a proper name: "Obsidian" but not "a fork"."""
    words = clause.original(begin, end).split()
    return 0 < len(words) <= 4 and all(word[0].isupper() or word[0].isdigit() for word in words)


def switched(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "I switched from Vim to VS Code", "aisle seats from now on", "stopped using X"."""
    text = clause.text
    if said is None:
        pos = after_openers(clause)[0]
        if not _BARE.match(text, pos):
            return _from_now_on(clause, context)
    elif said.negated or not said.about_user:
        return []
    else:
        pos = said.pos
    found = _SWITCH.match(text, pos) or _REPLACED.match(text, pos)
    if found is None:
        if stopped := _STOPPED.match(text, pos):
            begin, end, scope, _ = _parts(text, *stopped.span("old"))
            known = context.named(text[begin:end])
            key = attribute_of(text[begin:end]) or (known.attribute if known else "")
            if key:
                scope = _scope_of(context, key, scope, text[begin:end])
                return context.fact(clause, key, (begin, end), scope=scope, operation="end")
        return _from_now_on(clause, context)
    begin, end, scope, purpose = _parts(text, *found.span("new"))
    groups = found.groupdict()
    old_group = "old" if groups.get("old") else "old2" if groups.get("old2") else ""
    old = _parts(text, *found.span(old_group)) if old_group else None
    old_value = text[old[0] : old[1]] if old else ""
    key = attribute_of(text[begin:end]) or attribute_of(old_value)
    if not key and old:
        known = context.named(old_value)
        key = (
            known.attribute
            if known and known.attribute not in ("home", "employer", "job_title", "name")
            else ""
        )
    if not key:
        return []
    scope = scope or (old[2] if old else "")
    if not scope and purpose and not purpose.startswith("indent"):
        scope = purpose
    scope = _scope_of(context, key, scope, old_value)
    since = context.when(clause, future=False)
    out: list[Candidate] = []
    if old:
        out += context.fact(
            clause, key, (old[0], old[1]), scope=scope, operation="end", since=since
        )
    elif not is_single(key):
        return []
    return out + context.fact(
        clause,
        key,
        (begin, end),
        scope=scope,
        since=since,
        confidence=0.9,
        correction=said is not None and said.correction,
    )


def _from_now_on(clause: Clause, context: Context) -> list[Candidate]:
    text = clause.text
    start = after_openers(clause)[0]
    found = _FROM_NOW.match(text, start) or _LEAD_NOW.match(text, clause.start - clause.shift)
    if found is None:
        return []
    begin, end = found.span("v")
    if verb := re.compile(
        r"(?:i (?:want|prefer|use|take|will use|'ll use|'ll take)|i'll (?:use|take)|use"
        r"|book(?: me)?|only|it's|let's use) "
    ).match(text, begin):
        begin = verb.end()
    begin, end, scope, purpose = _parts(text, begin, end)
    key = attribute_of(text[begin:end])
    if not key or not is_single(key):
        return []
    scope = _scope_of(context, key, scope or ("" if purpose.startswith("indent") else purpose), "")
    return context.fact(clause, key, (begin, end), scope=scope, confidence=0.9)
