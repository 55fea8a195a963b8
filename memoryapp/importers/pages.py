"""Takeout's page, read in bounded memory, and the words of an HTML fragment."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from html.parser import HTMLParser

from memoryapp.importers.common import Document, ImportRefused, Limits

_BREAKS = frozenset(
    [
        "p",
        "div",
        "br",
        "li",
        "ul",
        "ol",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "pre",
        "tr",
        "table",
        "blockquote",
        "hr",
    ]
)
_UNSEEN = frozenset({"script", "style", "template", "noscript", "head"})
_CHUNK = 64 * 1024
# A picture within a tag makes it long, so much may wait for its end; at the text's own
# end little may be left.
_UNPARSED = 1024 * 1024
_REST = 16 * 1024

Cell = tuple[list[str], list[str]]


class _Text(HTMLParser):
    """Gathers visible words line by line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = [""]
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _BREAKS:
            self.newline()
            if tag == "li":
                self.lines[-1] = "- "

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag in _BREAKS:
            self.newline()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            for at, line in enumerate(data.split("\n")):
                if at:
                    self.newline()
                self.lines[-1] += line

    def newline(self) -> None:
        if self.lines[-1].strip(" -"):
            self.lines.append("")
        else:
            self.lines[-1] = ""

    def ended(self) -> bool:
        """Ends the text; False when a long rest hangs in a tag without an end, which the
        parser would try again from each of its letters."""
        if len(self.rawdata) > _REST:
            return False
        self.close()
        return True

    def taken(self) -> list[str]:
        """The lines so far, which are then forgotten."""
        lines = [" ".join(line.split()) for line in self.lines]
        self.lines = [""]
        return [line for line in lines if line.strip(" -")]


def visible_text(html: str) -> str | None:
    """The words a reader of the fragment sees, a line for each block; None when a tag
    never ends."""
    parser = _Text()
    parser.feed(html)
    if not parser.ended():
        return None
    return "\n".join(parser.taken())


class _Cells(_Text):
    """Takeout's page is a list of ``outer-cell``s with a ``header-cell`` and some
    ``content-cell``s, of which the first with words counts and captions don't."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.done: list[Cell | None] = []
        self._limit = limit
        self._size = 0
        self._depth = 0
        self._outer = 0
        self._part: tuple[str, int] | None = None
        self._header: list[str] = []
        self._body: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag != "div":
            return
        self._depth += 1
        classes = (dict(attrs).get("class") or "").split()
        if "outer-cell" in classes:
            self.finish()
            self._outer = self._depth
        elif self._outer and "header-cell" in classes:
            self._begin("header")
        elif self._outer and "content-cell" in classes:
            caption = "mdl-typography--caption" in classes
            self._begin("unused" if self._body or caption else "body")

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag != "div":
            return
        if self._part and self._part[1] == self._depth:
            self._end()
        if self._outer and self._depth <= self._outer:
            self.finish()
        self._depth = max(0, self._depth - 1)

    def handle_data(self, data: str) -> None:
        self._size += len(data)
        if self._part and self._size <= self._limit:
            super().handle_data(data)

    def _begin(self, part: str) -> None:
        self._end()
        self.taken()
        self._part = part, self._depth

    def _end(self) -> None:
        if self._part:
            lines = self.taken()
            if self._part[0] == "header":
                self._header += lines
            elif self._part[0] == "body":
                self._body += lines
        self._part = None

    def finish(self) -> None:
        """Ends the current cell."""
        self._end()
        if self._outer:
            whole = self._size <= self._limit
            self.done.append((self._header, self._body) if whole else None)
        self._outer, self._size = 0, 0
        self._header, self._body = [], []


def cells(document: Document, limits: Limits) -> Iterator[Cell | None]:
    """Header lines and body lines of each record on the page; None for one too large.
    Raises ImportRefused ``malformed`` when a tag never ends."""
    parser = _Cells(limits.record)
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    with document.open() as file:
        while data := file.read(_CHUNK):
            parser.feed(decoder.decode(data))
            # What the parser holds back is searched again with every piece.
            if len(parser.rawdata) > _UNPARSED:
                raise ImportRefused("malformed")
            yield from parser.done
            parser.done.clear()
    if not parser.ended():
        raise ImportRefused("malformed")
    parser.finish()
    yield from parser.done
