"""From a text to the times it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .calendar import Kind, Precision, Span, settle
from .lexicon import fold, language_of, lexicon
from .rules import RULES, Now, Row, on
from .tokens import Token, tokens

Prefer = Literal["past", "future"]
# More tokens than this in one sentence are a list or a log; they are read in pieces.
_PIECE = 120
# A stretch without one of these says nothing of time.
_ANCHORS = frozenset("MiDlwUSTHRnCcYyQKJ47+vEbmjk69Ofp")


@dataclass(frozen=True, slots=True)
class Found:
    """A time named at ``[start, end)`` of the text: ``[from_, to)`` on the user's clock.

    ``from_`` is None when the beginning is open ("before May"), ``to`` when the end is
    ("since 2019") and for a single moment. A ``duration`` counts from now, and only its
    length is said: a month has 30 days there, a year 365. A ``time`` is on the day of
    now. A ``recurring`` time has no dates at all.
    """

    start: int
    end: int
    text: str
    from_: datetime | None
    to: datetime | None
    precision: Precision
    kind: Kind


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def _symbols(row: list[Token]) -> tuple[set[str], str]:
    words = [token.word for token in row]
    return {symbol for token in row for symbol in token.means}, "".join(words)


def _reduce(row: list[Token], now: Now) -> list[Token]:
    """The row after every rule: what a rule read is one token."""
    present, string = _symbols(row)
    for rule in RULES:
        if not rule.may_match(present):
            continue
        found = rule.pattern.search(string)
        if found is None:
            continue
        starts: dict[int, int] = {}
        place = 0
        for index, token in enumerate(row):
            starts[place] = index
            place += len(token.word)
        starts[place] = len(row)
        out: list[Token] = []
        done = 0
        while found is not None:
            group = "x" if "x" in rule.pattern.groupindex else 0
            first, last = starts[found.start(group)], starts[found.end(group)]
            piece = row[first:last]
            try:
                built = rule.build(Row(piece), now)
            except (ValueError, OverflowError):
                built = None  # no such day, or one outside the calendar
            if built is None:
                position = found.start() + len(row[starts[found.start()]].word)
            else:
                while piece and not piece[-1].means.keys() - {"o", ",", "I"}:
                    piece = piece[:-1]
                out += row[done:first]
                out.append(Token(piece[0].start, piece[-1].end, {built[0]: built[1]}))
                done = last
                position = found.end(group)
            found = rule.pattern.search(string, position)
        if out:
            row = out + row[done:]
            present, string = _symbols(row)
    return row


def _pieces(row: list[Token]) -> Iterator[list[Token]]:
    """The stretches between breaks that hold more than one word's worth of meaning."""
    piece: list[Token] = []
    for token in row:
        if "." in token.means or len(piece) >= _PIECE:
            if piece:
                yield piece
            piece = []
            if "." in token.means:
                continue
        piece.append(token)
    if piece:
        yield piece


def find(
    text: str,
    *,
    now: datetime,
    time_zone: str,
    language: str = "",
    prefer: Prefer = "past",
) -> list[Found]:
    """The times named in the text, in its order; an empty list when there are none.

    ``now`` is aware; relative words are held against it on the clock of ``time_zone``
    (UTC's when the zone is unknown). ``language`` is a hint, the text's own words decide.
    ``prefer`` says which of two is meant by "Tuesday" or "in March". Raises ValueError
    for a naive ``now``.
    """
    if now.tzinfo is None:
        raise ValueError("now must be aware")
    zone = _zone(time_zone)
    folded = fold(text)
    words = lexicon(language_of(text, folded, language[:2].lower()))
    local = now.astimezone(zone).replace(tzinfo=None)
    future = words.future is not None and words.future.search(folded) is not None
    context = Now(local, prefer, words.order, words.code, future)
    out: list[Found] = []
    for piece in _pieces(tokens(folded, words)):
        if not any(_ANCHORS.intersection(token.means) for token in piece):
            continue
        for token in _reduce(piece, context):
            found = _found(token, text, local, zone, prefer)
            if found is not None:
                out.append(found)
    return out


def _found(token: Token, text: str, now: datetime, zone: ZoneInfo, prefer: Prefer) -> Found | None:
    means, start, end = token.means, token.start, token.end
    span: Span
    if "P" in means:
        span = settle(means["P"], now, prefer)
    elif "t" in means or "r" in means:
        first, last = means.get("r") or (means["t"], None)
        day = datetime(now.year, now.month, now.day)
        begin, finish = first and on(day, first), last and on(day, last)
        if begin and finish:
            finish += timedelta(days=finish <= begin)
        span = Span(begin, finish, "instant", "time")
    elif "u" in means:
        span = Span(now, now + means["u"], "instant", "duration")
    elif "8" in means:
        span = Span(None, None, "instant", "recurring")
    else:
        return None
    return Found(
        start,
        end,
        text[start:end],
        _aware(span.begin, zone),
        _aware(span.finish, zone),
        span.precision,
        span.kind,
    )


def _aware(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    if moment is None:
        return None
    made = moment.replace(tzinfo=zone)
    # A time that the clocks skipped is the same moment an hour on.
    return made.astimezone(UTC).astimezone(zone)
