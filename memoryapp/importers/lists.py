"""Text that lists statements, one by one: pasted lists, and the summaries and blocks in
which other products keep what they know.

Known lines: bullets and numbers, "Name: Mira", "[2026-01-05] - Lives in Porto" (what
Claude's import prompt asks another assistant for), headings, and prose, of which each
sentence is a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from memoryapp.importers.common import clean
from memoryapp.importers.times import moment

_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•·‣▪◦–—]|\d{1,3}[.)])[ \t]+(?P<text>\S.*)")
_DATED = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?"
    r"\[(?P<date>\d{4}-\d\d-\d\d(?:[T ][\d:.]{5,15}Z?)?|\w{3,9}\.? \d{1,2},? \d{4}"
    r"|unknown|no date|n/?a|date unknown)\][.:]?[ \t]*(?:[-–—:][ \t]*)?(?P<text>\S.*)",
    re.IGNORECASE,
)
_KEYED = re.compile(r"[^\W\d_][\w /&'’().-]{0,40}[:：][ \t]*\S.*")
_HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+(?P<hash>.+?)[ \t#]*|\*\*(?P<bold>[^*]+)\*\*:?|__(?P<under>[^_]+)__:?"
    r"|\*(?P<italic>[^*\s][^*]*)\*:?|(?P<colon>[^:：]{1,300})[:：])[ \t]*"
)
_SECTIONS = frozenset(["instructions", "identity", "career", "projects", "preferences"])
_RULE = re.compile(r"[ \t]*(?:`{3,}.*|~{3,}.*|[-=*_]{3,})[ \t]*")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.{1,120}?)(?<=\S)\1")
_PLACEHOLDER = re.compile(
    r"[\[(<]?(?:\?+|[-–—]+|unknown|none(?: yet| known)?|no(?:t|ne| \w+) yet(?: \w+)?|n/?a|tbd"
    r"|not yet \w+|not (?:known|given|specified|provided|available)"
    r"|unspecified)[\])>]?[.]?",
    re.IGNORECASE,
)
# A full stop, but not after an initial or one of these.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|etc|approx|e\.g|i\.e|z\.B|ca|bzw|No|Nr"
    r"|Sra?|Mme|M)\.$"
)
_STOP = re.compile(r"(?<=[.!?…])[\"'”’)]?\s+(?=[\"'“‘(¿¡]?[^\W_a-z])|(?<=[。！？])")
# A sentence that begins so needs the one before it.
_LEANS = re.compile(
    r"(?:he|she|it|they|this|that|these|those|his|her|hers|its|their|there|also|however|but|and|er"
    r"|sie|es|il|elle|ils|elles|ella|él|ellos)\b",
    re.IGNORECASE,
)

# Longer lines are no entries of a list, and longer entries end: so time grows with the
# text and not faster.
_LINE = 2000


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, the heading it stood under, and the date written beside it."""

    text: str
    section: str = ""
    date: datetime | None = None
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that states nothing: ``placeholder`` ("Age: ?") or ``question``."""

    reason: str


def looks_like_list(text: str) -> bool:
    """True when at least half of the lines that say something are entries of a list."""
    lines = [line for line in text.split("\n")[:400] if line.strip() and not _RULE.fullmatch(line)]
    entries = sum(_is_entry(line) for line in lines)
    headings = sum(not _is_entry(line) and _heading(line) is not None for line in lines)
    return entries > 0 and entries * 2 >= len(lines) - headings


def _is_entry(line: str) -> bool:
    return len(line) <= _LINE and any(
        pattern.fullmatch(line.rstrip()) for pattern in (_DATED, _BULLET, _KEYED)
    )


def statements(text: str) -> Iterator[Statement | Rejected]:
    """Each statement of the text, in order."""
    section = ""
    entry: _Entry | None = None
    parents: list[tuple[int, str]] = []
    for line in clean(text).split("\n"):
        line = line.rstrip()
        if not line.strip() or _RULE.fullmatch(line):
            if entry is not None:
                yield from entry.statements(section)
                entry = None
            continue
        new = _entry(line, parents)
        continues = new is None and line[0] in " \t" and len(line) <= _LINE
        if continues and entry is not None and len(entry.text) <= _LINE:
            entry.text += " " + line.strip()
            continue
        if entry is not None:
            yield from entry.statements(section)
        heading = _heading(line) if new is None else None
        entry = new
        if heading is not None:
            section, parents = heading if len(heading) <= 40 else "", []
        elif new is None:
            yield from _prose(line.strip(), section)
        elif new.opens:
            entry = None
    if entry is not None:
        yield from entry.statements(section)


@dataclass(slots=True)
class _Entry:
    text: str
    date: datetime | None = None
    prefix: str = ""
    opens: bool = False

    def statements(self, section: str) -> Iterator[Statement | Rejected]:
        yield _judged(f"{self.prefix} {self.text}".strip(), section, self.date, listed=True)


def _entry(line: str, parents: list[tuple[int, str]]) -> _Entry | None:
    """The list entry that a line begins, None when it begins none. A bullet that ends in a
    colon opens a list of its own, and its words go before each entry of that."""
    if len(line) > _LINE:
        return None
    dated = _DATED.fullmatch(line)
    if dated:
        return _Entry(_plain(dated["text"]), _date(dated["date"]))
    bullet = _BULLET.fullmatch(line)
    if bullet:
        indent = len(bullet["indent"].expandtabs(4))
        while parents and parents[-1][0] >= indent:
            parents.pop()
        text = _plain(bullet["text"])
        prefix = parents[-1][1] if parents else ""
        if text.endswith((":", "：")):
            parents.append((indent, f"{prefix} {text}".strip()))
            return _Entry(text, opens=True)
        return _Entry(text, prefix=prefix)
    plain = _plain(line)
    if line[0] not in " \t" and _KEYED.fullmatch(plain):
        parents.clear()
        return _Entry(plain)
    return None


def _heading(line: str) -> str | None:
    if len(line) > _LINE:
        return None
    if line.strip().casefold() in _SECTIONS:
        return line.strip()
    match = _HEADING.fullmatch(line)
    return next(group.strip(" :*") for group in match.groups() if group) if match else None


def _plain(text: str) -> str:
    return _EMPHASIS.sub(r"\2", text).strip()


def _date(text: str) -> datetime | None:
    found = moment(text.rstrip("Z") if len(text) == 10 else text)
    if found is None:
        for pattern in ("%b %d %Y", "%B %d %Y"):
            try:
                return moment(datetime.strptime(text.replace(",", ""), pattern).isoformat())
            except ValueError:
                continue
    return found


def _prose(line: str, section: str) -> Iterator[Statement | Rejected]:
    for sentence in sentences(_plain(line)):
        yield _judged(sentence, section, None, listed=False)


def _judged(
    text: str, section: str, date: datetime | None, *, listed: bool
) -> Statement | Rejected:
    value = re.split(r"[:：]\s*", text, maxsplit=1)[-1]
    if _PLACEHOLDER.fullmatch(value) or _PLACEHOLDER.fullmatch(text):
        return Rejected("placeholder")
    if text.endswith(("?", "？")):
        return Rejected("question")
    return Statement(text, section, date, listed)


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph; one that leans on its neighbour ("She …") stays with
    it, and abbreviations and initials end none."""
    found: list[str] = []
    for piece in _STOP.split(text):
        piece = piece.strip()
        if not piece:
            continue
        leans = found and len(found[-1]) <= _LINE
        if leans and (_ABBREVIATION.search(found[-1][-20:]) or _LEANS.match(piece)):
            found[-1] += " " + piece
        else:
            found.append(piece)
    return found
