"""A text as a row of tokens, each with the symbols that it may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from .lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Token:
    """``[start, end)`` of the text and what it may mean: symbol -> value."""

    start: int
    end: int
    means: dict[str, Any]
    figures: bool = False  # written in digits

    @property
    def word(self) -> str:
        return "<" + "".join(self.means) + ">"


_SHAPES = re.compile(
    r"(?P<iso>(?<![\d.,/-])(?:1[5-9]|2[01])\d\d ?(?P<s>[-/.]) ?\d{1,2} ?(?P=s) ?\d{1,2}"
    r"(?![\d/]|[.,-]\d))"
    r"(?:t(?=\d\d:))?"
    r"|(?P<dmy>(?<![\d.,/])\d{1,2} ?(?P<s2>[-/.]) ?\d{1,2} ?(?P=s2) ?(?:\d{4}|\d\d)"
    r"(?![\d/%]|[.,:]\d|(?P=s2)\d))"
    r"|(?P<decade>(?<![\w'])(?:(?:1[89]|20)?\d0'?s)(?!\w))"
    r"|(?P<clock>(?<![\d.,:/])(?:[01]?\d|2[0-4]) ?[:h] ?[0-5]\d(?:[:m'] ?[0-5]\d)?(?![\d:/]|[.,]\d)"
    r"(?: ?(?P<half>[ap]\.? ?m\b\.?))?)"
    r"|(?P<hours>(?<![\d.,:/$€£#])(?:1[0-2]|0?\d)(?:\.[0-5]\d)? ?(?P<half2>[ap]\.? ?m\b\.?))"
    r"|(?P<french>(?<![\d.,:/$€£#-])(?:[01]?\d|2[0-4]) ?h(?![^\W_]))"
    r"|(?P<dm>(?<![\d.,:/$€£#])\d{1,2}[/]\d{1,2}(?![\d/%]|[.,:]\d))"
    r"|(?P<dots>(?<![\d.,:/$€£#-])\d{1,2}\.\d{1,2}\.(?!\d))"
    r"|(?P<my>(?<![\d.,:/-])(?:0?[1-9]|1[0-2])[-/](?:19|20)\d\d(?![\d/]|[.,-]\d))"
    r"|(?P<quarter>(?<!\w)q[1-4](?!\w))"
    r"|(?P<ordinal>(?<![\w.,:/$€£#-])\d{1,2}(?:st|nd|rd|th|er|ere|eme|e|º|ª|°|de|ste|ro|do)(?!\w))"
    r"|(?P<odd>\d+(?:-\d+){2,}|\+\d[\d -]*|[$#@][a-z]\w*|[$€£¥#@][ ]?\d[\d.,]*\w*"
    r"|\d+(?:[.,:/]\d+)+%?|\d+ ?%|\d[\d_]*[_]\w*|v\d+\b)"
    r"|(?P<figure>\d+)"
    r"|(?P<word>[^\W\d_]+(?:[\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u064b-\u0652\u0640]"
    r"+[^\W\d_]*)*)"
    r"|(?P<break>[\n\r.!?;:()\[\]{}\"“”«»|。！？；：·•*=<>\\_'+&^~`#@%$€£]+)"
    r"|(?P<slash>(?<=[^\W_])/(?=[^\W_]))|(?P<comma>[,،、，]+)|(?P<dash>-)"
)
_NUMERAL = re.compile(
    r"(?P<han>[〇零一二三四五六七八九十百千两兩廿卅]+)"
    r"|(?P<sino>[일이삼사오육칠팔구십]+(?=\s?(?:년|월|일|시|분|주|개월|초)))"
)
_HOURS = ("fr", "pt", "es", "it")  # where "17h" is a time, not a length
_HAN = {char: n for n, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_TENS = {"十": 10, "百": 100, "千": 1000}
_SINO = {char: n for n, char in enumerate("일이삼사오육칠팔구", 1)}


def _han(text: str) -> int | None:
    """二十三 -> 23, 二零一六 -> 2016; None for no number."""
    text = text.replace("廿", "二十").replace("卅", "三十")
    if not any(char in _TENS for char in text):
        return int("".join(str(_HAN[char]) for char in text)) if len(text) <= 4 else None
    total, digit = 0, 0
    for char in text:
        if char in _TENS:
            total += (digit or 1) * _TENS[char]
            digit = 0
        else:
            digit = _HAN[char]
    return total + digit


def _sino(text: str) -> int:
    tens, ten, ones = text.partition("십")
    if not ten:
        tens, ones = "", text
    return (_SINO.get(tens[-1:], 1) * 10 if ten else 0) + _SINO.get(ones[-1:], 0)


def _date(a: int, b: int, year: int, order: str) -> date | None:
    if year < 100:
        year += 2000 if year < 70 else 1900
    month, day = (a, b) if order == "mdy" else (b, a)
    if month > 12:
        month, day = day, month
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _clock(text: str) -> tuple[int, ...] | None:
    """Hour and minute, and seconds when they are said."""
    hour, minute, *rest = (int(n) for n in [*re.findall(r"\d+", text), "0"][:3])
    if len(re.findall(r"\d+", text)) < 3:
        rest = []
    half = re.search("[ap]", text)
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    return (hour, minute, *rest) if hour <= 24 and minute < 60 else None


def _figures(found: re.Match[str], words: Lexicon) -> dict[str, Any] | None:
    """What a shape made of digits means; None when it is no date or time."""
    text, order = found[0], words.order
    if len(text) > 40:
        return {"N": -1} if found["figure"] else None  # no date is that long
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if found["iso"]:
        try:
            return {"C": date(*numbers)}
        except ValueError:
            return None
    if found["dmy"]:
        short_version = found["s2"] == "." and numbers[2] < 100 and order != "dmy."
        european = "dmy" if found["s2"] == "." else order
        whole = None if short_version else _date(numbers[0], numbers[1], numbers[2], european)
        return {"C": whole} if whole else None
    if found["decade"]:
        decade = numbers[0]
        return {"+": decade + (1900 if decade < 100 and decade > 20 else 2000 * (decade < 100))}
    if found["clock"]:
        if words.code in ("de", "nl") and "h" in text:
            return None
        clock = _clock(text)
        return {"H": clock} if clock else None
    if found["hours"]:
        clock = _clock(text)
        return {"H": clock} if clock else None
    if found["french"]:
        return {"H": (numbers[0], 0)}
    if found["dm"] or found["dots"]:
        if found["dots"] and order != "dmy.":
            return None
        month, day = numbers if order == "mdy" else numbers[::-1]
        if month > 12:
            month, day = day, month
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return None
        return {"c": (month, day, bool(found["dots"]))}
    if found["my"]:
        return {"7": (numbers[1], numbers[0])}
    if found["quarter"]:
        return {"Q": numbers[0]}
    if found["ordinal"]:
        return {"O": numbers[0]} if 1 <= numbers[0] <= 31 else None
    number = numbers[0] if len(text) < 10 else -1
    if len(text) == 4 and 1500 <= number <= 2199:
        return {"Y": number, "N": number}
    return {"N": number}


def _numeral(text: str) -> dict[str, Any] | None:
    value = _han(text) if text[0] not in _SINO and text[0] != "십" else _sino(text)
    if value is None:
        return None
    return {"Y": value, "N": value} if 1500 <= value <= 2199 else {"N": value}


def _look_up(word: str, words: Lexicon) -> dict[str, Any] | None:
    means = words.words.get(word)
    if means is None and words.affix is not None and len(word) > 2:
        stem = word
        for _ in range(2):
            stem = words.affix.sub("", stem, count=1)
            means = words.words.get(stem)
            if means is not None or len(stem) < 3:
                break
    return dict(means) if means is not None else None


def tokens(folded: str, words: Lexicon) -> list[Token]:
    """The tokens in order. What means nothing is a break, runs of it are one."""
    out: list[Token] = []
    for token in _all(folded, words):
        if "." in token.means and out and "." in out[-1].means:
            continue
        out.append(token)
    return out


def _joined(start: int, text: str, words: Lexicon) -> Iterator[Token]:
    place = 0
    while place < len(text):
        numeral = _NUMERAL.match(text, place)
        shortest = numeral.end() - place if numeral else 0
        for length in range(min(words.longest, len(text) - place), shortest, -1):
            means = words.words.get(text[place : place + length])
            if means is not None:
                yield Token(start + place, start + place + length, dict(means))
                place += length
                break
        else:
            size = shortest or 1
            made = _numeral(numeral[0]) if numeral else None
            means = made or words.words.get(text[place : place + size]) or {".": 0}
            yield Token(start + place, start + place + size, dict(means))
            place += size


def _phrase(
    folded: str, pieces: Sequence[re.Match[str]], first: int, words: Lexicon
) -> tuple[Token, int] | None:
    """The longest phrase that begins with a piece, of words a space or a mark apart, and
    the piece behind it."""
    start = pieces[first].start()
    for last in range(min(first + words.longest, len(pieces)) - 1, first - 1, -1):
        stop = pieces[last].end()
        if stop - start > 40:
            continue
        phrase = folded[start:stop]
        if "  " in phrase:
            phrase = re.sub(" +", " ", phrase)
        means = _look_up(phrase, words) if last - first < 2 else words.words.get(phrase)
        if means is None:
            continue
        behind = last + 1
        if _abbreviated(means, phrase) and behind + 1 < len(pieces):
            behind += pieces[behind][0] == "." and not pieces[behind + 1]["break"]
        return Token(start, stop, dict(means)), behind
    return None


def _all(folded: str, words: Lexicon) -> Iterator[Token]:
    pieces = list(_SHAPES.finditer(folded))
    index = 0
    while index < len(pieces):
        found = pieces[index]
        start, end = found.span()
        index += 1
        if found["word"]:
            if words.joined:
                yield from _joined(start, found[0], words)
                continue
            if (phrase := _phrase(folded, pieces, index - 1, words)) is not None:
                token, index = phrase
                yield token
            else:
                yield from _split(start, found[0], words)
        elif found["break"]:
            if words.code == "tr" and found[0] == "'" and index < len(pieces):
                follows = pieces[index]
                if follows["word"] and start > 0 and folded[start - 1].isalnum():
                    index += 1  # a suffix: Mart'ta
                    continue
            if found[0] == "'" and (phrase := _phrase(folded, pieces, index - 1, words)):
                token, index = phrase  # 's ochtends
                yield token
            else:
                yield Token(start, end, {".": 0})
        elif found["comma"]:
            yield Token(start, end, {",": 0})
        elif found["dash"] or found["slash"]:
            yield Token(start, end, {"-": 0})
        elif found["french"] and words.code not in _HOURS:
            yield Token(start, end - 1, {"N": int(found[0].rstrip("h "))}, figures=True)
            yield Token(end - 1, end, {"U": "hour"})
        elif found["odd"]:
            yield Token(start, end, _odd(found[0]), figures=True)
        else:
            means = _figures(found, words)
            if means is not None and found["figure"] and words.order == "dmy.":
                point = re.compile(r"\. ?(?=[a-z])").match(folded, end)
                if point and len(found[0]) < 3:
                    means = {"O": means["N"]}
                    if index < len(pieces) and pieces[index].start() == end:
                        index += 1
            yield Token(start, end, means or {".": 0}, figures=True)


def _abbreviated(means: Mapping[str, Any], word: str) -> bool:
    """True for "fév", whose full stop is not the sentence's."""
    return len(word) < 5 and not {"M", "i", "D", "l"}.isdisjoint(means)


def _split(start: int, word: str, words: Lexicon) -> Iterator[Token]:
    """Montagabend is two words."""
    parts = words.split.fullmatch(word) if words.split is not None else None
    if parts is None:
        yield Token(start, start + len(word), {".": 0})
        return
    middle = start + parts.end(1)
    yield Token(start, middle, dict(words.words[parts[1]]))
    part = words.words.get(parts[2] + "s") or words.words[parts[2]]
    yield Token(middle, start + len(word), {"T": part.get("T", (12, 14))})


def _odd(text: str) -> dict[str, Any]:
    """1.5 and 1,5 are numbers that can count years; the rest is no time at all."""
    whole = re.fullmatch(r"(\d{1,3})[.,](\d)", text)
    if whole:
        return {"N": float(f"{whole[1]}.{whole[2]}")}
    pair = re.fullmatch(r"(\d{1,2})\.([0-5]\d)", text)
    if pair is None:
        return {".": 0}
    # 18.12: a clock beside its word, a date behind "am".
    return {"6": (int(pair[1]), int(pair[2]))}
