"""How many of the facts that people wrote down the extractor finds, and how many of those
it finds they wrote down: ``python -m memoryapp.training.score FILE``.

A row of a set: ``text``, ``facts`` that must be found, ``also`` those that may be. A fact
is ``attribute=value``; alternatives of the attribute are set apart by bars, another subject
stands before a dot, NOT and END in front of an attribute mean that it is not so (any
more). A value counts when it holds the words of the one written down and at most three
more, or is part of it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import django

from memoryapp.extract import extract
from memoryapp.ports import Extractor
from memoryapp.providers.local_extractor import LocalExtractor
from memoryapp.providers.local_extractor.attributes import registry
from memoryapp.providers.local_extractor.people import NAMED_KIND
from memoryapp.records import Batch, Candidate, Turn, normalise
from memoryapp.subjects import canonical, slug
from memoryapp.training.data import SENT_AT


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def found_in(text: str, extractor: Extractor) -> Sequence[Candidate]:
    turn = Turn(UUID(int=1), "user", text, SENT_AT)
    return extract(Batch([turn]), extractor).candidates


def _same(value: str, wanted: str) -> bool:
    got, want = normalise(value), normalise(wanted)
    if not want:
        return True
    ours = set(re.findall(r"\w+", got))
    theirs = set(re.findall(r"\w+", want))
    return bool(ours) and (
        (theirs <= ours and len(ours) <= len(theirs) + 3) or ours <= theirs or want in got
    )


def matches(fact: Candidate, written: str) -> bool:
    """Whether the fact is the one written down."""
    keys, _, value = written.partition("=")
    ours, away = _one_pole(fact.attribute, fact.polarity == "negated" or fact.operation == "end")
    if fact.attribute == "emoji" and fact.value == "none":
        ours, away, value = "emoji", True, ""
    if ours == "emoji" and value.lower() in ("none", "no emojis", "no emoji"):
        keys, value = f"NOT {keys}", ""
    said = _DATE.sub("", fact.value) if ours in ("plan", "event") else fact.value
    # "You have a pet: Rex (collie)" says of Rex that he is a collie.
    kind = NAMED_KIND.fullmatch(fact.value) if ours == "pet" else None
    for key in keys.split("|"):
        name = key.removeprefix("NOT ").removeprefix("END ")
        subject, _, attribute = name.rpartition(".")
        if (
            (canonical(subject) or "user") == fact.subject
            and _one_pole(attribute.partition("@")[0], name != key) == (ours, away)
            and (_same(fact.value, value) or _same(said, value) or _same(_verb(said), _verb(value)))
        ):
            return True
        if (
            ours == "marital_status"
            and attribute in ("marital_status", "partner", "relation", "household")
            and not away
            and name == key
            and value.lower() in _TOLD_BY.get(fact.value, ())
        ):
            return True
        if (
            kind is not None
            and attribute in ("species", "relation")
            and canonical(subject) == canonical(f"pet:{slug(kind['name'])}")
            and (name != key) == away
            and _same(kind["kind"], value)
        ):
            return True
    return False


# Who has a wife is married.
_TOLD_BY = {
    "married": ("wife", "husband", "hubby", "spouse"),
    "engaged": ("fiance", "fiancee", "fiancé", "fiancée"),
    "in a relationship": ("boyfriend", "girlfriend"),
}
# A plan's value ends with its date, resolved: people write "on Friday".
_DATE = re.compile(r", [^,]*\b\d{4}$")


def _verb(value: str) -> str:
    """Of a job that a verb tells the verb alone is bent: "teach yoga", "teaching yoga"."""
    first, _, rest = value.partition(" ")
    return f"{_BENT.sub('', first.lower())} {rest}" if rest else value


_BENT = re.compile(r"(?<=\w\w)(?:ing|e?s|e)$")


def _one_pole(attribute: str, away: bool) -> tuple[str, bool]:
    """To dislike is not to like: the store keeps both under one name."""
    from memoryapp.registry import OPPOSITES  # its models need Django set up: see main()

    return (OPPOSITES[attribute], not away) if attribute in OPPOSITES else (attribute, away)


@dataclass(slots=True)
class Score:
    """Counts over a set; ``wrong`` and ``missed`` name the text and the fact."""

    found: int = 0
    right: int = 0
    wanted: int = 0
    hit: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    by_attribute: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.hit / self.wanted if self.wanted else 1.0


def score(rows: Iterable[dict[str, Any]], extractor: Extractor) -> Score:
    out = Score()
    for row in rows:
        found = found_in(row["text"], extractor)
        may = [*row["facts"], *row.get("also", ())]
        for fact in found:
            out.found += 1
            if any(matches(fact, written) for written in may):
                out.right += 1
                out.by_attribute[fact.attribute, "right"] += 1
            else:
                out.by_attribute[fact.attribute, "wrong"] += 1
                away = "NOT " if (fact.polarity, fact.operation) != ("affirmed", "state") else ""
                out.wrong.append(
                    (row["text"], f"{away}{fact.subject}.{fact.attribute}={fact.value}")
                )
        for written in row["facts"]:
            out.wanted += 1
            key = written.partition("=")[0].split("|")[0].removeprefix("NOT ").removeprefix("END ")
            if any(matches(fact, written) for fact in found):
                out.hit += 1
                out.by_attribute[key, "hit"] += 1
            else:
                out.by_attribute[key, "missed"] += 1
                out.missed.append((row["text"], written))
    return out


def table(result: Score) -> str:
    """The two figures, and the same by the registry's groups: found, right, wanted, hit."""
    groups = {row["key"]: row["group"] for row in registry().values()}
    counts: dict[str, Counter[str]] = {}
    for (attribute, what), count in result.by_attribute.items():
        key = attribute.rpartition(".")[2].partition("@")[0]
        key, _ = _one_pole(key, False)
        counts.setdefault(groups.get(key, "other"), Counter())[what] += count
    lines = [
        f"precision {result.precision:.3f} ({result.right} of {result.found}), "
        f"recall {result.recall:.3f} ({result.hit} of {result.wanted})"
    ]
    for group, each in sorted(counts.items()):
        found, wanted = each["right"] + each["wrong"], each["hit"] + each["missed"]
        lines.append(
            f"{group:12} right {each['right']:3} of {found:3}, found {each['hit']:3} of {wanted:3}"
        )
    return "\n".join(lines)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    django.setup()
    result = score(rows_of(Path(sys.argv[1])), LocalExtractor())
    sys.stdout.write(table(result) + "\n")
    if "--list" in sys.argv:
        for kind, each in (("wrong", result.wrong), ("missed", result.missed)):
            for text, fact in each:
                sys.stdout.write(f"{kind}: {fact} | {text}\n")


if __name__ == "__main__":
    main()
