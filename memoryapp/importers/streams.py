"""JSON and text read in bounded memory: one record at a time, whatever the file's size."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import ijson

from memoryapp.importers.common import Document, Found, ImportRefused, Limits, Tally

_CHUNK = 64 * 1024
# LibreChat nests each answer in its question: two levels a message.
_DEPTH = 20_000
# No path of a record has more parts.
_PARTS = 3


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A place where a record should have been: ``record_too_large`` (the next one follows)
    or ``malformed`` (nothing follows: JSON can't be read past an error)."""

    reason: str


class Meter:
    """A stream without its byte order mark that counts what was read. It gives up when
    twice a record's size went by since ``mark`` was set: then one string alone is so
    large, and the parser would hold it whole."""

    def __init__(self, file: BinaryIO, limit: int) -> None:
        self._file = file
        self._limit = 2 * limit
        self.count = 0
        self.mark = 0
        start = file.read(3)
        self._start = b"" if start == codecs.BOM_UTF8 else start

    def read(self, size: int = -1) -> bytes:
        if self.count - self.mark > self._limit:
            raise ImportRefused("record_too_large")
        if self._start and size != 0:
            data, self._start = self._start, b""
        else:
            data = self._file.read(_CHUNK if size < 0 else size)
        self.count += len(data)
        return data


@contextmanager
def json_stream(document: Document, limits: Limits) -> Iterator[Meter]:
    """The document's JSON. A document that is one JSON string holding JSON (some Letta
    agents are) is unwrapped first."""
    with document.open() as file:
        first = file.read(256).lstrip(codecs.BOM_UTF8 + b" \t\r\n")[:1]
    with document.open() as file:
        meter = Meter(file, limits.record)
        if first != b'"':
            yield meter
            return
        try:
            inner = next(
                (value for event, value in ijson.basic_parse(meter) if event == "string"), ""
            )
        except ijson.JSONError:
            inner = ""
        yield Meter(io.BytesIO(inner.encode("utf-8", "ignore")), limits.record)


def events(meter: Meter) -> Iterator[tuple[str, Any]]:
    """The parser's events; the last is ``error`` where the text is no JSON. The parser's own
    message quotes the text, so it goes no further."""
    try:
        yield from ijson.basic_parse(cast(BinaryIO, meter), use_float=True)
    except ijson.JSONError:
        yield "error", None


def values(document: Document, paths: frozenset[str], limits: Limits) -> Iterator[tuple[str, Any]]:
    """``(path, value)`` for each value at one of the paths, in the file's order: keys joined
    by dots, ``item`` for an element of an array, "" for the whole. A value that can't be
    had is an Unreadable."""
    with json_stream(document, limits) as meter:
        where: list[str] = []
        at = ""
        parser = events(meter)
        for event, value in parser:
            meter.mark = meter.count
            if event == "error" or len(where) > _DEPTH:
                yield at, Unreadable("malformed")
                return
            if event == "map_key":
                where[-1] = value
                continue
            if event in ("end_map", "end_array"):
                where.pop()
                continue
            at = ".".join(where) if len(where) <= _PARTS else "…"
            opens = event in ("start_map", "start_array")
            if at in paths:
                built = _built(event, parser, meter, limits) if opens else value
                yield at, built
                if isinstance(built, Unreadable) and built.reason == "malformed":
                    return
            elif opens:
                where.append("item" if event == "start_array" else "")


def _built(event: str, parser: Iterator[tuple[str, Any]], meter: Meter, limits: Limits) -> Any:
    """The object or array that ``event`` opened, or an Unreadable. This loop sees every
    event of a file, hence its plainness."""
    root: Any = {} if event == "start_map" else []
    into, key = root, ""
    outer: list[tuple[Any, str]] = []
    end = meter.count + limits.record
    for event, value in parser:
        if event == "map_key":
            key = value
            continue
        if event in ("end_map", "end_array"):
            if not outer:
                return root
            into, key = outer.pop()
            continue
        if event in ("start_map", "start_array"):
            value = {} if event == "start_map" else []
        elif event == "error":
            return Unreadable("malformed")
        if isinstance(into, dict):
            into[key] = value
        else:
            into.append(value)
        if event in ("start_map", "start_array"):
            outer.append((into, key))
            into = value
            if len(outer) > _DEPTH:
                return Unreadable("malformed")
        if meter.count > end:
            root = into = None
            return _past(len(outer), parser, meter)
    return Unreadable("malformed")


def _past(depth: int, parser: Iterator[tuple[str, Any]], meter: Meter) -> Unreadable:
    """Reads on to the end of a value that is too large to build."""
    for event, _ in parser:
        meter.mark = meter.count
        if event in ("start_map", "start_array"):
            depth += 1
        elif event in ("end_map", "end_array"):
            if depth == 0:
                return Unreadable("record_too_large")
            depth -= 1
        elif event == "error":
            break
    return Unreadable("malformed")


def records(
    found: Found, limits: Limits, tally: Tally, *, containers: tuple[str, ...], what: str
) -> Iterator[dict[str, Any]]:
    """The objects of an array, of the array under one of the ``containers``, or the single
    object itself. What is no object, too large or broken is counted in ``tally``."""
    path = "item"
    if found.shape.root == "object":
        inner = next((key for key in containers if key in found.shape.keys), None)
        path = "" if inner is None else f"{inner}.item"
    for _, value in values(found.document, frozenset({path}), limits):
        if isinstance(value, Unreadable):
            tally.skip(what, value.reason)
        elif isinstance(value, dict):
            yield value
        else:
            tally.skip(what, "malformed")


def text_of(document: Document, limits: Limits) -> str:
    """The whole of a text file. Raises ImportRefused ``too_large`` or ``not_text``."""
    with document.open() as file:
        data = file.read(limits.text + 1)
    if len(data) > limits.text:
        raise ImportRefused("too_large")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportRefused("not_text") from error
