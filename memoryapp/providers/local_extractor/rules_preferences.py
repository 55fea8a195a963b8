"""Likes, dislikes, favourites, sports, hobbies and habits."""

from __future__ import annotations

import re

from memoryapp.records import Candidate

from .attributes import is_single, registry
from .clauses import Clause
from .context import Context
from .lexicon import DRINK, INSTRUMENTS, SPORTS
from .predicate import Predicate, after_openers
from .tools import attribute_of, split_scope
from .values import items, states, trim, usable

_LIKE = re.compile(
    r"(?:loves?|luv|likes?|enjoys?|adores?|am into|(?:really "
    r"|very )?fond of)\s+(?!it\b|all the\b|how\b|when\b|that\b|what\b|the way\b|you\b"
    r"|hearing\b|"
    r"the (?:idea|sound|look|suggestion)\b)"
)
_FOND = re.compile(
    r"(?:(?:really |very |quite )*(?:into|fond of|keen on|crazy about|obsessed with"
    r"|passionate about)|an? (?:\w+ )?(?:fan|lover) of) "
)
_HATE = re.compile(
    r"(?:hates?|dislikes?|despises?|loathes?|detests?|(?:can't|cannot|can not"
    r"|couldn't) stand|avoids?)\s+(?!it\b|for\b|how\b|when\b|that\b|to\b|being\b|having\b"
    r"|you\b)"
)
_NOT_LIKE = re.compile(
    r"(?:like|likes|enjoy|enjoys|love|loves|care for)\s+(?!it\b|how\b|when\b|that\b"
    r"|what\b|the way\b|to\b|being\b|you\b)"
)
_NOT_FAN = re.compile(r"(?:an? (?:big |huge )?fan of|into|keen on|fond of) ")
_PREFER = re.compile(
    r"(?:prefers?|favou?rs?) (?P<v>.+?)(?:(?: over| to(?! )| rather than"
    r"| instead of| than|, not) (?P<w>.+))?$"
)
_PREFER_TO = re.compile(
    r"(?:prefers?|favou?rs?) (?P<v>[^,]+?) (?:to|over|rather than|instead of|than) (?P<w>.+)$"
)
_RATHER = re.compile(
    r"(?:'d|would|i'd) rather (?:have |drink |eat |use |take |get "
    r"|be )?(?P<v>.+?)(?: (?:than|over|instead of) (?P<w>.+))?$"
)
_FAVOURITE = re.compile(
    r"(?:my |our )?(?:all[- ]time |absolute )?favou?rite (?P<what>[a-z][a-z"
    r" -]{1,30}?)(?: of all time| to \w+| ever)?(?: is| are|'s|:"
    r"| would be)(?: definitely| probably| still| now| called)? (?P<v>.+)"
)
_SOME_FAVOURITE = re.compile(r"(?:one of my |some of my |among my )")
_VICE = re.compile(
    r"(?:^|, )(?:(?:so|but|and) )?(?P<v>(?!(?:this|that|it|which|what|here|there)\b)[^,;:]{3,40}?)"
    r" (?:is|are) my (?:one |only |secret |real )?(?:vice|poison|weakness|guilty pleasure)\b"
)
_LISTED = re.compile(
    r"my (?:favou?rite )?(?P<what>sports?|hobbies|languages|pets|allergies"
    r"|instruments|interests)(?: are| is| include|:|：) ?(?P<v>.+)"
)
_PLAY = re.compile(
    r"(?:plays?|practi[cs]es?|playing|been playing|do|does) (?:the "
    r"|some )?(?P<v>[a-z ]+?)(?= (?:for|in|with|every|on|at|since|and"
    r"|professionally|competitively|twice|once|regularly|most)\b|$|,)"
)
_HABIT = re.compile(
    r"(?P<v>(?:run|jog|swim|meditate|cycle|bike|walk|read|journal|go (?:running"
    r"|swimming|climbing|hiking|to the gym|for a (?:run|walk|swim))|do (?:yoga"
    r"|pilates)|work out|exercise|wake up|get up|play [\w ]{2,20}|have [\w ]{2,20}"
    r"|drink [\w ]{2,20}|eat [\w ]{2,20}|practi[cs]e [\w ]{2,20}|train|climb"
    r"|volunteer|fast|go to bed|sing)\b.{0,40}?"
    r"(?:every|each|twice|once|three times|four times|daily|most|on (?:mondays"
    r"|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays)"
    r"|at \d{1,2}|in the mornings?|before (?:work|breakfast|bed)"
    r"|after work)\b[\w: ]{0,30})$"
)
_COLLECT = re.compile(r"collects? (?P<v>[\w ]{3,40})$")
_TEMPERATURE = re.compile(
    r"(?:the |my |our )?(?P<what>[\w ]{2,20}?) (?:at"
    r"|to be) (?P<v>\d{1,2}(?:\.\d)?(?: ?(?:°|degrees?)(?: ?(?:c|f|celsius"
    r"|fahrenheit))?)?)$"
)
_REACHES = re.compile(r"^\w+ing \w+|\w (?:about|of|with|for|in|on|from) \w")
_STOP = re.compile(
    r" (?:because|since|when|so much|but|although|though|as long as|every|with my"
    r"|with friends|after|before|during|unless|whenever|and (?:i|we|my)|as (?:it"
    r"|they|i)|so (?:i|that|my)|for (?:its|their|years|a (?:long|while)|my \w+ing)"
    r"|on (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays"
    r"|weekends)|in (?:my|the) (?:free|spare) time|on the weekends?|if|while"
    r"|where)\b"
    r"|,? (?:especially|particularly|such as|like when|like|etc|e\.g)\b|,(?= which"
    r"| who| too\b| and (?:i|we|it|they)\b)"
)
_DEFINITE = re.compile(
    r"^the (?:[\w-]+ )*?(?:options?|versions?|answers?|suggestions?|response"
    r"|approach|examples?|list|draft|tone|style|format|code|design|plan|part|recipe"
    r"|names?|title|last|first|second|third|concept|theme|structure|result|feedback"
    r"|tips?|ideas?|way|one|above|following|new)\b"
)
_THE = re.compile(
    r"the (?:outdoors|sea|beach|ocean|mountains|cold|heat|rain|countryside|office"
    r"|theatre|theater|cinema|opera|ballet|gym|snow|sun|desert|forest|woods|piano"
    r"|guitar|violin|winter|summer|autumn|spring|arts"
    r"|internet)\b"
)
_SIT = re.compile(r"(?:to )?(?:sit|be) (?:on|by|at|in|next to) the (?P<v>aisle|window)")
_VERBAL = re.compile(
    r"(?:to )?(?:see|know|hear|think|get|help|find|ask|thank|share|understand|try"
    r"|learn more|be able|make sure|have|be|do|say|go|take|add|use|create|include"
    r"|start|keep|not|sometimes|mostly|maybe)\b"
)
_DATED = re.compile(r"\b(?:yesterday|last (?:night|week|month|year)|recently|ago)\b")


def _favourite_key(what: str) -> str:
    what = re.sub(r"(?:^| )(?:type|kind|sort|form|style) of ", "", what.strip()).strip()
    what = {
        "color": "colour",
        "movie": "film",
        "dish": "food",
        "meal": "food",
        "genre": "music",
        "singer": "band",
        "artist": "band",
        "tv show": "show",
        "series": "show",
        "writer": "author",
        "city": "place",
        "destination": "place",
        "sports team": "team",
        "colours": "colour",
    }.get(what, what)
    key = "favourite_" + re.sub(r"[^a-z]+", "_", what).strip("_")
    return key if key in registry() else ""


def _pieces(clause: Clause, start: int, end: int) -> list[tuple[int, int]]:
    stop = _STOP.search(clause.text, start, end)
    end = stop.start() if stop else end
    parts = items(clause.text, start, end)
    first = clause.text[slice(*parts[0])] if parts else ""
    if len(parts) == 2 and _REACHES.search(first):
        rest = clause.text[slice(*parts[1])]
        if not _REACHES.search(rest) and not rest.split()[0].endswith("ing"):
            # "books about art and music", "improving schools and roads": one thing each.
            return [(parts[0][0], parts[1][1])]
    return parts


def _many(
    context: Context,
    clause: Clause,
    said: Predicate,
    attribute: str,
    start: int,
    *,
    ended: bool = False,
    confidence: float = 0.8,
) -> list[Candidate]:
    out: list[Candidate] = []
    parts = _pieces(clause, start, said.end)
    if len(parts) > 1 and any(len(clause.text[slice(*part)].split()) > 5 for part in parts):
        # Not a list but a sentence with an "and" in it.
        return []
    for number, part in enumerate(parts):
        if number and states(clause.text[slice(*part)]):
            parts = parts[:number]  # what follows is no item any more
            break
    if not parts or not all(usable(clause.text[slice(*part)]) for part in parts):
        return []
    if clause.text.startswith("the ", start):
        known = clause.original(start + 4, parts[-1][1])
        if not known[:1].isupper() and not _THE.match(clause.text, start):
            return []  # "the second option", "the template": of this conversation
    for part in parts:
        value = clause.text[slice(*part)]
        if (
            _DEFINITE.search(clause.text[start : parts[-1][1]])
            or _VERBAL.match(value)
            or (len(parts) == 1 and len(value.split()) > 7)
        ):
            continue
        key = attribute
        if attribute == "likes" and attribute_of(value) in ("seat_preference", "theme"):
            key = attribute_of(value)
        elif (
            attribute == "likes"
            and value.removeprefix("playing ") in SPORTS
            and value.startswith("playing ")
        ):
            key, part = "sport", (part[0] + 8, part[1])
        out += context.fact(
            clause,
            key,
            part,
            subject=said.subject,
            operation="end" if ended else "state",
            correction=said.correction,
            confidence=confidence,
        )
    return out


def tastes(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Likes and dislikes. "No longer" closes the like; "don't like" is a dislike."""
    if said is None or said.subject.startswith("pet:"):
        return []
    text, pos = clause.text, said.pos
    if _DATED.search(text):
        return []
    if said.form == "be":
        found = (_NOT_FAN if said.negated else _FOND).match(text, pos)
        if found is None:
            return []
        attribute = "dislikes" if said.negated and not said.ended else "likes"
        return _many(context, clause, said, attribute, found.end(), ended=said.ended)
    if said.form != "verb":
        return []
    if said.negated:
        if (found := _NOT_LIKE.match(text, pos)) is None:
            return []
        attribute = "likes" if said.ended else "dislikes"
        return _many(context, clause, said, attribute, found.end(), ended=said.ended)
    if found := _HATE.match(text, pos):
        return _many(context, clause, said, "dislikes", found.end(), confidence=0.85)
    if found := _LIKE.match(text, pos):
        if (warm := _TEMPERATURE.match(text, found.end())) and int(
            float(warm["v"].split()[0].rstrip("°"))
        ) < 100:
            start, end = warm.span()
            return context.fact(
                clause,
                "temperature",
                clause.original(start, end).removeprefix("the "),
                subject=said.subject,
            )
        return _many(context, clause, said, "likes", found.end())
    return []


def preferences(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "I prefer X to Y", "I'd rather have X": the key by what X is, else ``prefers``."""
    if said is None or said.form != "verb" or said.negated or said.subject.startswith("pet:"):
        return []
    text, pos = clause.text, said.pos
    found = _RATHER.match(text, pos) or _PREFER_TO.match(text, pos) or _PREFER.match(text, pos)
    if found is None:
        return []
    start, end = found.span("v")
    cut, scope = split_scope(text[start:end])
    end = start + cut
    stop = _STOP.search(text, start, end)
    start, end = trim(text, start, stop.start() if stop else end)
    key = attribute_of(text[start:end]) or "prefers"
    if key == "prefers" and re.search(
        r"\b(?:answers?|responses?|replies|explanations?)\b", text[start:end]
    ):
        return []  # the rules for answers know better
    if re.match(r"(?:not |that |if |when )", text[start:end]):
        return []
    if _DEFINITE.search(text[found.start("v") : end]):
        return []
    if seat := _SIT.match(text, start, end):
        key, (start, end) = "seat_preference", seat.span("v")
    return context.fact(
        clause,
        key,
        (start, end),
        subject=said.subject,
        scope=scope,
        correction=said.correction,
        confidence=0.85,
    )


def favourites(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """ "My favourite colour is green", "My sports: cricket, rowing", "coffee is my vice"."""
    text = clause.text
    start, _, correction = after_openers(clause)
    if found := _VICE.search(text):
        key = "drinks" if DRINK.search(found["v"]) else "likes"
        return context.fact(clause, key, found.span("v"), confidence=0.8)
    if found := _LISTED.match(text, start):
        key = {
            "hobbies": "hobby",
            "languages": "language",
            "pets": "pet",
            "allergies": "allergy",
            "instruments": "instrument",
            "interests": "likes",
        }.get(found["what"], "sport")
        out: list[Candidate] = []
        for part in items(text, *found.span("v")):
            if len(text[slice(*part)].split()) <= 4:
                out += context.fact(clause, key, part, confidence=0.85)
        return out
    if _SOME_FAVOURITE.match(text, start):
        return []
    found = _FAVOURITE.match(text, start)
    if found is None or (said is not None and not said.about_user):
        return []
    begin, end = found.span("v")
    stop = _STOP.search(text, begin, end)
    begin, end = trim(text, begin, stop.start() if stop else end)
    key = _favourite_key(found["what"]) or attribute_of(text[begin:end])
    if key and is_single(key):
        return context.fact(clause, key, (begin, end), correction=correction, confidence=0.85)
    value = f"{clause.original(begin, end)} ({found['what'].strip()})"
    if not context.fact(clause, "favourite", (begin, end)):
        return []
    return context.fact(clause, "favourite", value, correction=correction, confidence=0.8)


def activities(clause: Clause, said: Predicate | None, context: Context) -> list[Candidate]:
    """Sports, instruments and regular habits."""
    if said is None or said.subject.startswith("pet:") or said.form not in ("verb", "have", "be"):
        return []
    text, pos = clause.text, said.pos
    if found := _PLAY.match(text, pos):
        key = "sport" if found["v"] in SPORTS else "instrument" if found["v"] in INSTRUMENTS else ""
        if key and not (said.negated and not said.ended):
            return context.fact(
                clause,
                key,
                found.span("v"),
                subject=said.subject,
                operation="end" if said.ended else "state",
            )
    if said.form != "verb" or said.negated or not said.about_user:
        return []
    if found := _COLLECT.match(text, pos):
        return context.fact(clause, "collects", found.span("v"))
    if (found := _HABIT.match(text, pos)) and len(found["v"].split()) <= 9:
        return context.fact(clause, "habit", clause.original(*found.span("v")), confidence=0.75)
    return []
