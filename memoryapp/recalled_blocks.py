"""Blocks in which assistants and their frontends put recalled memory before a message: by
their forms, whatever product wrote them. Standard library only, linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Region = tuple[int, int, str]

# How frontends put what was recalled before a message: as a tag, between fences, under a
# heading, as JSON. A tag's name has one of these words as a part of it.
_TAG = re.compile(
    r"<(?P<name>(?:[a-z0-9]{1,20}[_.:-]){0,4}"
    r"(?P<word>memor(?:y|ies)|recall(?:ed)?|remembered|facts?|profile|persona|preferences"
    r"|background|knowledge|context|about|history|insights|observations|episodes|reminder)"
    r"(?:[_.:-][a-z0-9]{1,20}){0,4}|[a-z]{1,20}(?:memory|memories|context|profile|facts))"
    r"(?=[\s/>])(?:\s[^<>\n]{0,300})?(?P<end>/?>|(?=[\s<]))",
    re.IGNORECASE,
)
_FENCE_OF_MEMORY = re.compile(
    r"^[ \t]{0,3}(?P<marks>[=*~_#-]{3,}|\[{1,2}|\{{2}|<{2,3}|【)[ \t]{0,3}"
    r"(?:(?:begin|start)(?:[ \t_]of)?[ \t_:]{1,2})?(?:[a-z'-]{1,20}[ \t_]){0,3}?"
    r"(?:memor(?:y|ies)\b|(?:relevant|past|previous)[ \t_](?:past |previous )?(?:messages"
    r"|conversations?|chats)\b|(?:user|recalled|retrieved|relevant)[ \t_]"
    r"(?:context|profile|facts|information)\b|(?:relevant )?(?:记忆|記憶|回忆|メモリー?|기억|यादें))"
    r"(?=[ \t_:=*~#\]}>】-]|\d|$)[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE_ENDS = re.compile(
    r"^[ \t]{0,3}(?:[=*~_#-]{3,}|\[{1,2}|\{{2}|<{2,3}|【)[ \t]{0,3}(?:/|end\b|结束)[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_OF_USER = (
    r"(?:(?:about|of|on|for|from|with|regarding|concerning|to)[ \t](?:the |this |our |your )?"
    r"(?:current )?(?:user|human|customer|person|you|me|past|previous|earlier|conversations?"
    r"|chats?|sessions?|query|question|message|history)[^\n:：]{0,40})"
)
_HEADING = re.compile(
    r"^[ \t]{0,3}(?P<marks>#{1,6}[ \t]|[*_]{1,2})?[ \t]{0,3}(?:[^\w\s#*]{1,3}[ \t]?)?(?:"
    r"(?:(?:here (?:are|is)|these are|the following (?:are|is)|below are|i have|you have)[ \t])?"
    r"(?:(?:the|some|any|a|of|your|our|all|list|relevant|related|recalled|retrieved|saved|stored"
    r"|past|previous|existing|known|recent|important|key|core|user(?:'s|’s)?|the user(?:'s|’s)"
    r"|long[ -]term|short[ -]term|persistent|episodic|semantic|additional|current|following"
    r"|assistant)[ \t]){0,5}"
    r"(?:(?:memor(?:y|ies)|recollections|remembered (?:facts|information|details))"
    r"(?:[ \t](?:context|bank|store|block|entries|items|snippets|results))?"
    r"(?:[ \t]" + _OF_USER + r")?"
    r"|(?:user(?:'s|’s)?|persona)[ \t](?:profile|facts|context|info(?:rmation)?|preferences"
    r"|details|background|bio|persona|attributes|data|summary|model|notes|insights)"
    r"|(?:facts|info(?:rmation)?|details|context|background|profile|knowledge|observations|insights"
    r"|notes|preferences)[ \t](?:that you know[ \t])?(?:about|on|of|for|regarding)[ \t]"
    r"(?:the|this|our|your)[ \t](?:current )?(?:user|human|customer))"
    r"|(?:(?:here|the following|this|below) (?:is|are) |here's )?"
    r"(?:what|things|facts|all|everything|info(?:rmation)?|details|context)"
    r"[ \t](?:that )?(?:i|you|we|the (?:assistant|ai|system|model))[ \t](?:have |already "
    r"|currently )?(?:knows?|remembers?|remembered|learn(?:ed|t)|recalls?|recalled|stored|saved)"
    r"(?:[ \t](?:so far|already))?"
    r"(?:[ \t](?:about|of|on|regarding|from)[ \t][^\n:：]{1,60})?"
    r"|(?:you|the assistant|i)[ \t](?:already )?(?:remembers?|recalls?)[ \t](?:the following|that"
    r"|this)[^\n:：]{0,40}"
    r"|from (?:your |our |the )?(?:memory|past conversations?|previous (?:conversations?|chats?"
    r"|sessions?)|earlier (?:conversations?|chats?))[^\n:：]{0,40}"
    r"|(?:relevante )?(?:erinnerungen|gespeicherte informationen)[^\n:：]{0,40}"
    r"|was (?:ich|du|wir) (?:bereits |schon )?über (?:den|die|diesen|mich|dich|sie) ?[^\n:：]{0,30}"
    r"|(?:informationen|fakten|notizen) (?:über|zum|zur) (?:den |die )?nutzer(?:in)?"
    r"|(?:souvenirs?|mémoires?)(?: (?:pertinents?|de l'utilisateur)[^\n:：]{0,30})?"
    r"|ce que (?:je|tu|nous|vous) (?:sais|savons|savez|retiens) (?:déjà )?"
    r"(?:de|sur|à) [^\n:：]{1,40}"
    r"|(?:informations|faits) sur l['’]utilisat(?:eur|rice)"
    r"|(?:recuerdos|memorias)(?: (?:relevantes|del usuario)[^\n:：]{0,30})?"
    r"|lo que (?:sé|sabes|sabemos|recuerdas|recuerdo) (?:de|sobre) [^\n:：]{1,40}"
    r"|(?:información|datos) (?:del|sobre el|sobre la) usuari[oa]"
    r"|(?:相关|相關|用户|用戶|历史|已有|长期)*(?:的)?(?:记忆|記憶|回忆)"
    r"|(?:关于|關於)?(?:用户|用戶)的?"
    r"(?:信息|資訊|资料|資料|画像|畫像|偏好|档案|背景)"
    r"|(?:你|我)所?(?:知道|了解|记得)的?(?:关于)?(?:用户|我|你)[^\n:：]{0,10}"
    r"|(?:関連する)?(?:記憶|メモリー?|思い出)|ユーザー(?:の)?(?:情報|プロフィール|設定)"
    r"|(?:관련 )?기억|사용자 (?:정보|프로필)"
    r"|(?:संबंधित )?यादें|उपयोगकर्ता (?:की जानकारी|प्रोफ़ाइल)"
    r"|(?:summary of )?(?:the |our |your )?(?:previous|past|earlier|prior) (?:conversations?|chats?"
    r"|sessions?|messages)(?: (?:summary|context|history|excerpts))?|(?:conversation|chat)"
    r" (?:summary|history)"
    r")(?:[ \t]\([^()\n]{1,40}\))?[ \t]{0,3}"
    r"(?P<tail>[*_\]]{0,3}[ \t]?[:：][*_]{0,3}|[*_\]]{1,3}|[ \t]{0,3}(?=\n))",
    re.IGNORECASE | re.MULTILINE,
)
# Any other line about memories that leads a list, unless the user may be its speaker.
_LEADS_LIST = re.compile(
    r"^(?![^\n]*\b(?:my|our|add|save|store|put|keep|update|commit|write|remember|please|favou?rite"
    r"|childhood|happy|fond|best|good|worst|early|earliest|make|made|ram|gb|mb)\b)"
    r"[^\n]{0,80}\b(?:memories|(?:from|in|of)[ \t](?:your )?memory)\b[^\n]{0,60}[:：]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(
    r"[ \t]{0,8}(?:[-*•·+–—]|\(?\d{1,3}[.):\]]|\[[^\]\n]{1,40}\]|#{1,6}(?=[ \t]))[ \t]*\S"
)
_LINE = re.compile(r"\n([^\n]*)")
_BLANK = re.compile(r"\s*\n")
_KEY_OF_MEMORY = re.compile(
    r"\"(?:\w{0,30}_)?(?:memor(?:y|ies)|recalled|remembered|facts?|profile|persona|preferences"
    r"|user_?(?:info|context|data)|context|about_user)(?:_\w{0,30})?\"\s{0,9}:"
    r"|\"\w{0,30}(?:Memor(?:y|ies)|Facts|Profile|Context)\"\s{0,9}:"
)
_JSON_TOKEN = re.compile(
    r"\"(?:[^\"\\\n]|\\[^\n]){0,4000}\"|[\[{]\s{0,40}(?=[\"{\[])|[\[{\]}]|\n[ \t]*\n"
)


def _tags_of_memory(text: str) -> Iterator[Region]:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    missing: set[str] = set()  # closing tags that aren't there from here on
    position = 0
    while found := _TAG.search(text, position):
        name = found["name"].lower()
        position = found.end()
        if found["end"] == "/>":
            continue
        closing = f"</{name}"
        end = -1 if closing in missing else lowered.find(closing, position)
        if end >= 0:
            stop = text.find(">", end)
            position = stop + 1 if 0 <= stop <= end + len(closing) + 10 else end + len(closing)
            yield found.start(), position, "memory"
            continue
        missing.add(closing)
        if "memor" in name:
            # An unclosed block is taken to run to the end: it may be cut, never believed.
            yield found.start(), len(text), "memory"
            return


def _fences_of_memory(text: str) -> Iterator[Region]:
    position = 0
    while found := _FENCE_OF_MEMORY.search(text, position):
        position = found.end()
        inside = found[0].strip()
        if inside.startswith("[") and not re.fullmatch(r"\[{1,2}[^\]]*\]{1,2}:?", inside):
            continue
        if end := _FENCE_ENDS.search(text, position):
            position = end.end()
        elif found["marks"].startswith("="):
            position = len(text)
        else:
            position = _list_end(text, position)
        yield found.start(), position, "memory"


def _list_end(text: str, position: int) -> int:
    """Where what stands under a heading ends: with its paragraph, or its list, which a
    blank line may part from the heading."""
    line_end = text.find("\n", position)
    if line_end < 0:
        return len(text)
    end, blanks, listed = line_end, 0, False
    for line in _LINE.finditer(text, line_end):
        if not line[1].strip():
            blanks += 1
            continue
        item = _ITEM.match(line[1]) is not None
        indented = line[1].startswith(("  ", "\t"))
        if (blanks and not item) or (listed and not item and not indented):
            break
        listed, blanks = listed or item, 0
        end = line.end()
    return end


def _headed_memory(text: str) -> Iterator[Region]:
    position = 0
    while found := _HEADING.search(text, position):
        position = found.end()
        line_end = text.find("\n", position)
        rest = text[position : line_end if line_end >= 0 else len(text)].strip()
        colon = ":" in found["tail"] or "：" in found["tail"]
        if not colon and (rest or not (found["marks"] or _listed(text, position))):
            continue
        position = _list_end(text, position)
        yield found.start(), position, "memory"


def _lists_of_memory(text: str) -> Iterator[Region]:
    position = 0
    while found := _LEADS_LIST.search(text, position):
        position = found.end()
        if _listed(text, position):
            position = _list_end(text, position)
            yield found.start(), position, "memory"
        elif position >= len(text):
            return


def _listed(text: str, position: int) -> bool:
    """Whether the next line with anything on it is an item of a list."""
    following = _BLANK.match(text, position)
    return following is not None and _ITEM.match(text, following.end()) is not None


def json_spans(text: str) -> Iterator[tuple[int, int]]:
    """Spans of whole JSON objects and lists, outermost only, in one pass."""
    depth, start = 0, 0
    for token in _JSON_TOKEN.finditer(text):
        mark = token[0][0]
        if mark == "\n":
            depth = 0  # prose may leave a bracket open
        elif mark in "[{":
            if (
                not depth
                and len(token[0].rstrip()) == 1
                and text[token.end() : token.end() + 1]
                not in (
                    "[",
                    "{",
                    '"',
                )
            ):
                continue
            if not depth:
                start = token.start()
            depth += 1
        elif mark in "]}" and depth:
            depth -= 1
            if not depth:
                yield start, token.end()


def blocks_of_memory(text: str) -> Iterator[Region]:
    """Every block as ``(start, end, "memory")``, possibly overlapping."""
    yield from _tags_of_memory(text)
    yield from _fences_of_memory(text)
    yield from _headed_memory(text)
    yield from _lists_of_memory(text)
    for start, end in json_spans(text):
        if _KEY_OF_MEMORY.search(text, start, end):
            yield start, end, "memory"
