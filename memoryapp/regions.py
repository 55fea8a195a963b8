"""Spans of a message that are not the user's own words, and so can't be evidence.

Standard library only, and linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from memoryapp.recalled_blocks import blocks_of_memory, json_spans

Region = tuple[int, int, str]

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,2000})\1(?!`)")
_BLOCK_QUOTE = re.compile(r"^[ \t]{0,3}>[^\n]*(?:\n|\Z)", re.MULTILINE)
_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"'“”«»「」，。]+|(?<![\w@.])www\.[^\s<>\"'，。]+")
_JSON_KEY = re.compile(r"\"[\w .-]{1,60}\"\s{0,9}:")
# What assistants say and people hardly do: one of these and another sign beside it make
# the message an answer that was pasted.
_OF_ASSISTANT = (
    re.compile(r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b", re.I),
    re.compile(
        r"\b(?:let me know if (?:you(?:'|’)d like|you (?:need|want|have)|there)|feel free to ask"
        r"|i hope this helps|i(?:'|’)m here to help|if you(?:'|’)d like,? i can"
        r"|would you like me to|is there anything else i can)\b",
        re.IGNORECASE,
    ),
    re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*])[ \t]+\*\*[^*\n]{2,80}\*\*", re.MULTILINE),
)
_LIKE_ASSISTANT = (
    re.compile(
        r"^(?:certainly|sure|of course|absolutely|great question|good question|happy to help"
        r"|natürlich|gerne|bien sûr|claro|por supuesto|当然)[!,. ！，]",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bi(?:'|’)d (?:recommend|suggest)\b|\bi understand that\b|\byou mentioned\b"
        r"|\bi(?:'|’)m sorry for the\b|\bi apologi[sz]e for\b",
        re.IGNORECASE,
    ),
)

# Opening and closing marks of quoted speech; straight quotes are paired by position.
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("„", "“"), ("‘", "’"))
_STRAIGHT = re.compile(r"(?<![\w\"])\"([^\"\n]{1,4000})\"(?!\w)")
_SINGLE = re.compile(r"(?<![\w'])'([^'\s](?:[^'\n]|(?<=\w)'(?=\w)){0,2000})'(?!\w)")
_SMALL_WORDS = frozenset((
    "of", "the", "and", "de", "la", "le", "del", "van", "von", "der", "da", "di",
    "du", "y", "et", "und",
))  # fmt: skip

_TRANSFORM = re.compile(
    r"(?:^|(?<=[.!?\n] )|(?<=\n))[ \t]*"
    r"(?:(?:hey|hi|hello|ok|okay|so)[, ]+)?(?:(?:please|pls|now|can you|could you"
    r"|would you|will you"
    r"|i want you to|i need you to|help me(?: to)?)[, ]+){0,3}"
    r"(?:summari[sz]e|translate|proofread|proof-read|rewrite|re-write|rephrase|paraphrase|reword"
    r"|edit|fix|correct|review|improve|explain|analy[sz]e|check|convert|shorten|polish|debug"
    r"|critique|grade|format|classify|extract|reply to|respond to|continue|simplify|expand|refine"
    r"|read|parse|resume|resúmeme|resumir|traduce|traducir|corrige|traduis|traduisez|résume"
    r"|résumez|corrigez|übersetze|übersetz|fasse|korrigiere|verbessere)\b"
    r"(?P<rest>[^\n:.?!]{0,120})(?P<end>:|\n|$)",
    re.IGNORECASE | re.MULTILINE,
)
_HERE_IS = re.compile(
    r"(?:here(?:'s|’s| is| are)|below is|this is|see|what(?:'s|’s| is) wrong with)"
    r"\s+(?:the|my|an?|some|what|this|his|her|their)\s+(?:[\w'’]+\s+){0,4}?"
    r"(?:text|article|e-?mail|essay|cv|résumé|resume|letter|logs?|error|transcript|draft|message"
    r"|code|output|paragraph|story|passage|abstract|poem|bio|post|review|conversation|chat|script"
    r"|cover letter|config|file|wrote|said|sent)\b[^\n:]{0,60}(?::|\n)",
    re.IGNORECASE,
)
_VERSES = re.compile(
    r"^[^\n]{0,80}\b(?:poems?|lyrics|song|haiku|verses?|stanza|sonnet|limerick|passage|excerpt"
    r"|quotation|gedicht|liedtext|poème|paroles|poema|letra)\b[^\n]{0,60}[:?][ \t]*"
    r"\n\s{0,5}(?=\S[^\n]*\n)"
    r"|^[ \t]{0,3}[“\"'«*_][^\n]{1,80}[”\"'»*_],? (?:by|von|de|par) [^\n]{1,60}\n\s{0,5}(?=\S)"
    r"|(?:诗|詩|歌词|歌詞)[^\n]{0,20}[：:？?]\n",
    re.IGNORECASE | re.MULTILINE,
)
_ZH_TRANSFORM = re.compile(
    r"(?:翻译|总结|概括|润色|改写|校对|解释)(?:一下)?[^\n：:。]{0,30}[：:\n]"
    r"|(?:अनुवाद|सारांश)[^\n:।]{0,40}[:\n]"
)
_LOG_LINE = re.compile(
    r"^[ \t]*(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[\w{3}\s|"
    r"\[?(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|TRACE)\]?[ :\]]|"
    r"Traceback \(most|File \"|at [\w.$<>]{1,200}\(|[\w.]{0,80}(?:Error|Exception)\b:|"
    r"\$ |>>> |npm ERR|PS [A-Z]:\\"
    r")[^\n]*",
    re.MULTILINE,
)
_CODE_LINE = re.compile(
    r"^[ \t]*(?:[\"'][\w .-]{1,60}[\"']\s*:|[{}\[\]();]+\s*,?\s*$|(?:def|class|import|from|return"
    r"|const|let|var|function|public|private|#include|SELECT|INSERT|UPDATE)\b.{0,200}[:;{(=)]\s*$"
    r"|</?[a-z][^>\n]{0,200}>\s*$)[^\n]*",
    re.MULTILINE,
)
_HEADER = re.compile(
    r"^(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Von|An|Betreff|Datum|Gesendet|De|À|Objet"
    r"|Para|Asunto|Fecha|发件人|收件人|主题)[ \t]?[:：][^\n]*",
    re.MULTILINE,
)
_REPLY = re.compile(
    r"^[-_ ]{2,20}(?:Original|Forwarded) [Mm]essage[^\n]*|^On [^\n]{4,120} wrote:[ \t]*$"
    r"|^Dear [^\n,]{1,60},[ \t]*$",
    re.MULTILINE,
)
_SPEAKER = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,30}\][ \t]*)?(\w[\w .'-]{0,30}):[ \t]+\S", re.MULTILINE
)
_TAGGED = re.compile(
    r"<(document|file|attachment|context|article|e?mail|text|transcript|source)\b[^>\n]{0,200}>",
    re.IGNORECASE,
)


def strip_memory_blocks(text: str) -> str:
    """The text with every block that we injected replaced by spaces, so that
    offsets hold; line breaks stay. The same text when there is none."""
    parts: list[str] = []
    position = 0
    for start, end, _ in sorted(blocks_of_memory(text)):
        if end > position:
            start = max(start, position)
            parts += (text[position:start], re.sub(r"[^\n]", " ", text[start:end]))
            position = end
    return "".join([*parts, text[position:]])


def _fences(text: str) -> Iterator[Region]:
    opened: re.Match[str] | None = None
    for mark in _FENCE.finditer(text):
        if opened is None:
            opened = mark
        elif mark[1][0] == opened[1][0] and len(mark[1]) >= len(opened[1]):
            yield opened.start(), mark.end(), "code"
            opened = None
    if opened is not None:
        yield opened.start(), len(text), "code"


def _is_name(inside: str) -> bool:
    words = inside.split()
    if any("\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in inside):
        return len(inside.strip()) <= 4
    if len(words) <= 1:
        return True
    return len(words) <= 5 and all(
        (word[0].isupper() and word not in ("I", "I'm", "I’m", "I've"))
        or word[0].isdigit()
        or word.lower() in _SMALL_WORDS
        for word in words
    )


def _speech(text: str) -> Iterator[Region]:
    for opening, closing in _PAIRS:
        position = 0
        while (start := text.find(opening, position)) >= 0:
            end = text.find(closing, start + 1, start + 4001)
            if end < 0:
                break
            position = end + 1
            if opening == "‘" and end + 1 < len(text) and text[end + 1].isalnum():
                continue  # an apostrophe inside a word, not the end of a quotation
            if not _is_name(text[start + 1 : end]):
                yield start, end + 1, "quotation"
    for pattern in (_STRAIGHT, _SINGLE):
        for found in pattern.finditer(text):
            if not _is_name(found[1]):
                yield found.start(), found.end(), "quotation"


def _pasted(text: str) -> Iterator[Region]:
    for found in _TRANSFORM.finditer(text):
        rest = found["rest"].lower()
        marks = ("this", "following", "these", "below", "text", "attached", "diesen", "este", "ce ")
        if found["end"] == ":" or any(word in rest for word in marks):
            yield found.end("rest"), len(text), "pasted"
            break
    strong = sum(pattern.search(text) is not None for pattern in _OF_ASSISTANT)
    if strong and strong + sum(p.search(text) is not None for p in _LIKE_ASSISTANT) >= 2:
        yield 0, len(text), "pasted"
    for pattern in (_HERE_IS, _ZH_TRANSFORM, _VERSES):
        if shown := pattern.search(text):
            yield shown.end(), len(text), "pasted"
    if reply := _REPLY.search(text):
        yield reply.start(), len(text), "pasted"
    headers = [(found.start(), found.end()) for found in _HEADER.finditer(text)]
    for (start, end), (following, _) in pairwise(headers):
        if following - end <= 2:
            yield start, len(text), "mail"
            break
    for tag in _TAGGED.finditer(text):
        closing = text.lower().find(f"</{tag[1].lower()}", tag.end())
        yield tag.start(), closing if closing >= 0 else len(text), "pasted"
        break
    speakers = list(_SPEAKER.finditer(text))
    if len(speakers) >= 3 and 2 <= len({found[1] for found in speakers}) < len(speakers):
        yield speakers[0].start(), len(text), "pasted"


def excluded(text: str) -> list[Region]:
    """``(start, end, reason)`` of every span that can't be evidence, in order of
    start, possibly overlapping; an empty list when all of it is the user's own.
    Reasons: memory, code, block_quote, quotation, pasted, log, mail, url."""
    found: list[Region] = [*blocks_of_memory(text), *_fences(text), *_speech(text)]
    found += _pasted(text)
    found += [(*span, "code") for span in json_spans(text) if _JSON_KEY.search(text, *span)]
    for pattern, reason in (
        (_INLINE, "code"),
        (_BLOCK_QUOTE, "block_quote"),
        (_URL, "url"),
        (_LOG_LINE, "log"),
        (_CODE_LINE, "code"),
    ):
        found += [(match.start(), match.end(), reason) for match in pattern.finditer(text)]
    return sorted(region for region in found if region[0] < region[1])


def overlaps(regions: list[Region], start: int, end: int) -> bool:
    """Whether a span touches any of the regions."""
    return any(region[0] < end and start < region[1] for region in regions)
