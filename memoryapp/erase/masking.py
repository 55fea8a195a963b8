"""Words taken out of a message without moving the others. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MASK = "█"


@dataclass(frozen=True, slots=True)
class Spoken:
    """A quote to be erased: where it stands in its message, and the value it proved."""

    start: int
    quote: str
    value: str

    @property
    def end(self) -> int:
        return self.start + len(self.quote)


def occurrences(text: str, value: str) -> list[range]:
    """Where the value stands in the text, in any case and spacing, as words of its own;
    scripts without spaces have no such edges."""
    words = value.split()
    if not words:
        return []
    before = r"(?<![a-z0-9])" if words[0][0].isascii() and words[0][0].isalnum() else ""
    after = r"(?![a-z0-9])" if words[-1][-1].isascii() and words[-1][-1].isalnum() else ""
    pattern = before + r"\s+".join(re.escape(word) for word in words) + after
    return [range(*found.span()) for found in re.finditer(pattern, text, re.IGNORECASE)]


def positions(erased: Sequence[Spoken], kept: Iterable[range]) -> set[int]:
    """The characters of one message to mask: every erased quote. Where words also prove
    something that stays (``kept``), only the value; or all, when it isn't found there."""
    shared: set[int] = set()
    for span in kept:
        shared |= set(span)
    masked: set[int] = set()
    for spoken in erased:
        whole = set(range(spoken.start, spoken.end))
        found = occurrences(spoken.quote, spoken.value)
        named = {spoken.start + index for place in found for index in place}
        masked |= (whole - shared | named) if named else whole
    return masked


def mask(text: str, masked: set[int], *, offset: int = 0) -> str:
    """The text, as long as before, with the characters at the masked positions hidden;
    ``offset`` is where the text begins in its message."""
    return "".join(
        MASK if offset + index in masked else letter for index, letter in enumerate(text)
    )
