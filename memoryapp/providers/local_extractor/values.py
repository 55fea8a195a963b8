"""Values out of clauses: trimmed, split where they list, refused where they point."""

from __future__ import annotations

import re

from .lexicon import NOT_NAMES

Span = tuple[int, int]

MAX_WORDS = 9

_HEAD = re.compile(
    r"(?:(?:a|an|the|my|our|some|any|also|just|really|all|both|either|either the)\s+)+"
)
_TAIL = re.compile(
    r"(?:\s+(?:too|as well|though|lol|haha|actually|now|these days|nowadays|currently|lately"
    r"|please|thanks"
    r"|thank you|again|already|instead|so far|yet|honestly|tbh|right|btw|by the way|anyway|a lot"
    r"|so much|very much|the most|the best|more than anything|best|(?<!at )most|myself|at all"
    r"|of course|in general|everywhere|for now|ever|anymore|any more|any longer|from now on"
    r"|going forward|and so on|just|etc|atm|if possible|for everything|for ages|forever"
    r"|all the time|of all time|always|either|really|stuff|anything|xd"
    r"|:\)|:d|❤️|since then|for that|as of (?:today|now)|in particular|especially|personally))+$"
)
_POINTS = re.compile(
    r"\b(?:it|this|that|these|those|here|there|them|him|you|your|yours|something"
    r"|anything(?! \w)|everything|nothing(?! \w)"
    r"|someone|anyone|everyone|somebody|what|which|who|whom|how|why|(?<!-)(?<!foot )ones?(?! \w|-)"
    r"|stuff|things|thing|ourselves"
    r"|either|neither|both(?! \w)|other|(?<!two )(?<!three )(?<!four )(?<!five )(?<!six )others"
    r"|such|same|latter|former|above|below(?!-)|idea|fact"
    r"|sound(?! \w)|(?<!each )(?<!one )way|so"
    r"|too|chatgpt|(?<!')i|i'm|i've|he|she|his|her|they|their|its|it's|that's)\b"
)
# "O neg 😞": behind a value, not one that is the value.
_PICTURES = re.compile(
    r"\s*[\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f\u200d\U0001f000-\U0001faff]+$"
)
_BARE = re.compile(
    r"(?:(?:a|an|the|yet|soon|again|to|in|at|of|on|for|with|by|from|into|and|or|but|own|be|is"
    r"|was|do|did|get|got|have|has"
    r"|had|me|us|theme|more|most|much|very|well|not|no|yes|about|over|out|up|off|as|than)(?:\s|$))+$"
)
_AND = re.compile(
    r"\s*,\s*(?:and|or|&)\s+|\s*,\s*|\s+(?:and|or|&|y|e|und|et|और|plus)\s+|、|，|和|以及|及"
)
_KEPT = re.compile(
    r"(?:rock and roll|rock and pop|mac and cheese|black and white|salt and pepper|fish and chips"
    r"|drum and bass|arts and crafts|bed and breakfast|peanut butter and jelly|gin and tonic"
    r"|dungeons and dragons|dungeons & dragons|command and conquer|r & b|bread and butter"
    r"|ham and cheese|cookies and cream|sweet and sour|surf and turf|research and development)"
)


def trim(text: str, start: int, end: int) -> Span:
    """The span without articles, fillers and punctuation at its ends."""
    while True:
        before = (start, end)
        while start < end and text[start] in " ,.;:!?\"'()-–—[]*":
            start += 1
        while end > start and text[end - 1] in " ,.;:!?\"'(-–—[*。，":
            end -= 1
        if end > start and text[end - 1] == ")" and "(" not in text[start:end]:
            end -= 1
        if found := _PICTURES.search(text, start + 1, end):
            end = found.start()
        if found := _HEAD.match(text, start, end):
            start = found.end()
        if found := _TAIL.search(text, start, end):
            end = found.start()
        if before == (start, end):
            return start, end


def usable(value: str) -> bool:
    """Whether a value stands by itself: a few words, none of them pointing elsewhere."""
    text = value.strip()
    if not text or len(text) > 120 or len(text.split()) > MAX_WORDS:
        return False
    if "\x00" in text or not any(char.isalnum() for char in text):
        return False
    if _BARE.match(text.lower()):
        return False
    # "İ" in lower case is two characters, of which the first would look like "I".
    return _POINTS.search(text.replace("İ", "i").lower()) is None


def items(text: str, start: int, end: int) -> list[Span]:
    """The parts of a list; the whole span when it isn't one."""
    whole = text[start:end]
    if _KEPT.search(whole):
        return [(start, end)]
    spans: list[Span] = []
    position = start
    for found in _AND.finditer(text, start, end):
        spans.append((position, found.start()))
        position = found.end()
    spans.append((position, end))
    trimmed = [trim(text, *span) for span in spans]
    return [span for span in trimmed if span[0] < span[1]]


_SENTENCE_OF_ITS_OWN = re.compile(
    r"\b(?:is|are|was|were|can't|cannot|can|won't|will|doesn't|don't|didn't|isn't|aren't|has|have"
    r"|had|hates?|loves?|likes?|wants?|needs?|tastes?|smells?|makes?)\b"
    r"|\w's \w|(?:\b(?:max|min|up to)\b.*)?\d.*\b(?:usd"
    r"|eur|euros?|dollars?|pounds?|quid|total)\b|[$€£]\s?\d"
)


def states(value: str) -> bool:
    """Whether a list's item says something by itself: "I hate mushrooms, Tim can't have
    nuts"."""
    return _SENTENCE_OF_ITS_OWN.search(value.lower()) is not None


def is_cased(char: str) -> bool:
    return char.lower() != char.upper()


def name_end(original: str, *, most: int = 3, explicit: bool = False) -> int:
    """Where the name that opens ``original`` ends; 0 when it opens with none. A name's
    words begin with a capital, or with a letter of a script that has none. Where the
    words around say that it is a name, one word in lower case is taken too."""
    end = 0
    for count, word in enumerate(re.finditer(r"[^\s,.;:!?()\"，。！？；]+\.?", original)):
        text = re.sub(r"['’]s$", "", word[0]).rstrip(".")
        lower = not text[:1].isupper() and is_cased(text[:1])
        if (
            count >= most
            or not text[:1].isalpha()
            or (count and original[end : word.start()] != " ")
        ):
            break
        if text.lower() in NOT_NAMES and not (explicit and not lower and count):
            break
        particle = lower and count and text in ("van", "de", "von", "der", "da", "del", "bin", "al")
        if lower and not particle and not (explicit and count == 0):
            break
        if not particle:
            end = word.start() + len(text)
        if len(text) < len(word[0]) and not text[-1:].isupper():
            break
        if lower and not particle:
            break
    return end
