"""The sentences that the reader is trained on, and how they are varied.

A line of ``sentences/*.txt`` is a message as somebody would type it, with every durable fact
in it marked: ``{attribute=words}``. In front of the attribute stand ``-`` (it is not so) or
``!`` (it is over), then ``o.`` (said of somebody else than the user); ``(a|b)`` is a choice.
``relation``, ``name``, ``species`` and ``scope`` mark whom and where a fact is about. Of words
marked ``{?=words}`` nobody can say whether they are a value: nothing is learnt from them.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).parent
SENTENCES = FOLDER / "sentences"
SENT_AT = datetime(2026, 3, 3, 10, tzinfo=UTC)
OPEN = "?"
# Marks that are no attributes of the registry: they say whom or where, or whose name it is.
AROUND = frozenset(["user_name", "relation", "name", "species", "scope"])

_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_MARK = re.compile(r"\{(?P<sign>[-!]?)(?P<other>o\.)?(?P<key>[a-z_]+|\?)=(?P<value>[^{}]*)\}")
_SIGNS = {"": 0, "-": 1, "!": 2}
_ARTICLE = re.compile(r"(?:an?|the|my|our)\b")
# Values of these attributes may stand in each other's place: any city where there is a city.
_SWAPPED = frozenset((
    "home", "origin", "birthplace", "country", "nationality", "language", "native_language",
    "learning", "school", "field_of_study", "employer", "job_title", "industry", "business",
    "user_name", "preferred_name", "name", "pet", "likes", "eats", "drinks", "allergy",
    "intolerance", "favourite_food", "favourite_drink", "favourite_cuisine",
    "favourite_restaurant", "favourite_film", "favourite_book", "favourite_author",
    "favourite_band", "favourite_song", "favourite_music", "favourite_game", "favourite_show",
    "favourite_place", "favourite_team", "favourite_animal", "hobby", "sport", "instrument",
    "collects", "watching", "reading", "editor", "operating_system", "browser", "shell",
    "terminal", "programming_language", "framework", "database", "package_manager", "uses",
    "phone_model", "computer", "currency", "health_condition", "medication", "religion",
    "airline", "home_airport", "project", "age", "relation", "species", "vehicle", "diet",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Label:
    """``text[start:end]`` is a value of the attribute, or may be one where that is OPEN.
    ``sign``: 0 it is so, 1 it is not so, 2 it is over."""

    start: int
    end: int
    attribute: str
    sign: int
    other: bool


def lines(
    folder: Path = SENTENCES,
    *,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
) -> list[str]:
    """Every line of every file, or ``only`` of those, but of those named ``without``, in the
    order of their names."""
    return [
        line.strip()
        for path in sorted(folder.glob("*.txt"))
        if path.stem not in without and (only is None or path.stem in only)
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


def attributes(of: Iterable[str]) -> list[str]:
    """What is marked in the lines, sorted, after "", which is no value."""
    return ["", *sorted({found["key"] for line in of for found in _MARK.finditer(line)} - {OPEN})]


def chosen(line: str, rng: random.Random) -> str:
    """The line with every choice made, innermost before outermost."""
    while (found := _CHOICE.search(line)) is not None:
        line = line[: found.start()] + rng.choice(found[1].split("|")) + line[found.end() :]
    return re.sub(r" {2,}", " ", line)


def labelled(line: str) -> tuple[str, list[Label]]:
    """The message without its marks, and what they marked."""
    text, labels, position = "", [], 0
    for found in _MARK.finditer(line):
        text += line[position : found.start()]
        end = len(text) + len(found["value"])
        sign, other = _SIGNS[found["sign"]], found["other"] is not None
        labels.append(Label(len(text), end, found["key"], sign, other))
        text += found["value"]
        position = found.end()
    return text + line[position:], labels


class Values:
    """Every value of the attributes that may be swapped, beside others of its shape."""

    def __init__(self, of: Iterable[str]) -> None:
        self._alike: dict[tuple[object, ...], list[str]] = defaultdict(list)
        for line in of:
            for found in _MARK.finditer(line):
                if found["key"] in _SWAPPED:
                    self._alike[self._shape(found)].append(found["value"])

    @staticmethod
    def _shape(found: re.Match[str]) -> tuple[object, ...]:
        value = found["value"]
        return (
            found["key"],
            _ARTICLE.match(value) is not None,
            len(value.split()) > 2,
            value[:1].isupper(),
            value[:1].isdigit(),
        )

    def swapped(self, line: str, rng: random.Random, share: float) -> str:
        """The line with that share of its values in favour of others."""

        def other(found: re.Match[str]) -> str:
            if found["key"] not in _SWAPPED or rng.random() >= share:
                return found[0]
            value = rng.choice(self._alike.get(self._shape(found)) or [found["value"]])
            vowels = [text[:1].lower() in "aeiou" for text in (value, found["value"])]
            if re.search(r"\ban? $", line[: found.start()].lower()) and vowels[0] != vowels[1]:
                return found[0]  # "a orange" teaches nobody
            return f"{found[0][: found.start('value') - found.start()]}{value}}}"

        return _MARK.sub(other, line)


# Who writes in a hurry leaves out who does it: "nurse in Cork, been on nights for years".
_SUBJECT = re.compile(
    r"(?:^|(?<=[.!?,\n] )|(?<= and )|(?<= but ))"
    r"(?:(?:i'm|im|i am|we're|we are) (?:an? )?|(?:i've|i have|we've|we have) (?=been )"
    r"|(?P<has>(?:i|we)(?:'ve| have)(?: got)? (?:an? )?)|(?P<my>my|our) "
    r"|(?:i|we) (?!use|keep|call|write|make|give|try|think|guess|know|see|get|was|am|have|had|don't"
    r"|do|did|can|will|would|could|should|just|also|need|mean)(?=[a-z]))",
    re.IGNORECASE,
)


def clipped(text: str, labels: list[Label]) -> tuple[str, list[Label]]:
    """Without "I'm a" and the like at the beginnings of clauses, where it can be told all the
    same whose it is: "my" goes before a relative alone, "I have" before a value."""
    starts = {label.start: label.attribute for label in labels}
    gone: list[tuple[int, int]] = []
    for found in _SUBJECT.finditer(text):
        begins = starts.get(found.end())
        if (found["has"] and begins is None) or (found["my"] and begins != "relation"):
            continue
        if not any(label.start < found.end() and label.end > found.start() for label in labels):
            gone.append(found.span())

    def place(at: int) -> int:
        return at - sum(min(end, at) - start for start, end in gone if start < at)

    kept, last = "", 0
    for start, end in gone:
        kept, last = kept + text[last:start], end
    moved = [
        Label(place(label.start), place(label.end), label.attribute, label.sign, label.other)
        for label in labels
    ]
    return kept + text[last:], moved


def typed(text: str, labels: list[Label], rng: random.Random) -> tuple[str, list[Label]]:
    """As people type: in lower case, without apostrophes or full stop, a letter amiss."""
    drop = rng.random() < 0.12
    slip = rng.randrange(len(text)) if text and rng.random() < 0.08 else -1
    twice, low, stop = rng.random() < 0.6, rng.random() < 0.25, rng.random() < 0.25
    out: list[str] = []
    place: list[int] = []
    for index, char in enumerate(text):
        place.append(len(out))
        if drop and char in "'’":
            continue
        if index == slip and char.isalpha():
            if not twice:
                continue
            out.append(char)
        out.append(char)
    place.append(len(out))
    written = "".join(out)
    if low and len(written.lower()) == len(written):
        written = written.lower()
    if stop and written.endswith((".", "!")):
        written = written[:-1]
    moved = [
        Label(
            place[label.start],
            min(place[label.end], len(written)),
            label.attribute,
            label.sign,
            label.other,
        )
        for label in labels
    ]
    return written, moved


def joined(
    first: tuple[str, list[Label]], second: tuple[str, list[Label]], between: str
) -> tuple[str, list[Label]]:
    """Two messages as one."""
    shift = len(first[0]) + len(between)
    moved = [
        Label(label.start + shift, label.end + shift, label.attribute, label.sign, label.other)
        for label in second[1]
    ]
    return first[0] + between + second[0], first[1] + moved
