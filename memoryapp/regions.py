"""Spans of a message that are not the user's own words, and so can't be evidence.

Standard library only, and linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

Region = tuple[int, int, str]

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,2000})\1(?!`)")
_BLOCK_QUOTE = re.compile(r"^[ \t]{0,3}>[^\n]*(?:\n|\Z)", re.MULTILINE)
_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"'“”«»「」，。]+|(?<![\w@.])www\.[^\s<>\"'，。]+")
_MEMORY_OPEN = re.compile(r"<memory(?=[\s>])|^===== MEMORY ", re.IGNORECASE | re.MULTILINE)
_MEMORY_TAG_END = re.compile(r"</memory\s{0,10}>", re.IGNORECASE)
_MEMORY_FENCE_END = re.compile(r"^===== END MEMORY [^\n]*", re.MULTILINE)

# Opening and closing marks of quoted speech; straight quotes are paired by position.
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("„", "“"), ("‘", "’"))
_STRAIGHT = re.compile(r"(?<![\w\"])\"([^\"\n]{1,4000})\"(?!\w)")
_SINGLE = re.compile(r"(?<![\w'])'([^'\s](?:[^'\n]|(?<=\w)'(?=\w)){0,2000})'(?!\w)")
_SMALL_WORDS = frozenset(
    [
        "of",
        "the",
        "and",
        "de",
        "la",
        "le",
        "del",
        "van",
        "von",
        "der",
        "da",
        "di",
        "du",
        "y",
        "et",
        "und",
    ]
)

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


def _blocks_of_memory(text: str) -> Iterator[Region]:
    position = 0
    while found := _MEMORY_OPEN.search(text, position):
        closing = _MEMORY_TAG_END if found[0].startswith("<") else _MEMORY_FENCE_END
        end = closing.search(text, found.end())
        # An unclosed block is taken to run to the end: it may be cut, never believed.
        position = end.end() if end else len(text)
        yield found.start(), position, "memory"


def strip_memory_blocks(text: str) -> str:
    """The text with every block that we injected replaced by spaces, so that
    offsets hold; line breaks stay. The same text when there is none."""
    for start, end, _ in _blocks_of_memory(text):
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


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
    for pattern in (_HERE_IS, _ZH_TRANSFORM):
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
    found: list[Region] = [*_blocks_of_memory(text), *_fences(text), *_speech(text)]
    found += _pasted(text)
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
