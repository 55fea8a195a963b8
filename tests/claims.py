"""Claims that were judged by hand, and how the rules judge them:

python -m tests.claims tests/fixtures/claims/tuned.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from memoryapp.claims.finding import find
from memoryapp.claims.judging import Judge
from memoryapp.claims.records import Checked, Held, Said
from memoryapp.records import AttributeHint

FIXTURES = Path(__file__).parent / "fixtures" / "claims"
ATTRIBUTES = Path(__file__).parent.parent / "memoryapp" / "data" / "attributes.json"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
VERDICTS = ("supported", "outdated", "unsupported")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fact_id(memory: str, name: str) -> UUID:
    return uuid5(NAMESPACE_OID, f"{memory}/{name}")


@cache
def attributes() -> Mapping[str, Any]:
    return {row["key"]: row for row in json.loads(ATTRIBUTES.read_text(encoding="utf-8"))}


def hints() -> list[AttributeHint]:
    return [
        AttributeHint(
            key,
            row["kind"],
            row["cardinality"] == "single",
            sentence=row["sentence"],
            names=tuple(row["aliases"]),
        )
        for key, row in attributes().items()
    ]


def held(memory: str, row: Mapping[str, Any]) -> Held:
    known = attributes()[row["attribute"]]
    polarity = row.get("polarity", "affirmed")
    subject = row.get("subject", "user")
    if subject == "user":
        template = known["sentence"] if polarity == "affirmed" else known["negated"]
    else:
        template = known["other"]
    name = subject.partition(":")[2].title()
    return Held(
        id=fact_id(memory, row["id"]),
        subject=subject,
        attribute=row["attribute"],
        scope=row.get("scope", ""),
        value=row["value"],
        polarity=polarity,
        statement=template.format(value=row["value"], subject=name),
        kind=row.get("kind", known["kind"]),
        single=row.get("single", known["cardinality"] == "single"),
        status=row.get("status", "superseded" if "heir" in row else "current"),
        valid_from=moment(row["from"]),
        valid_to=moment(row["to"]) if "to" in row else None,
        precision=row.get("precision", "instant"),
        retired=row.get("retired", False),
        heir=fact_id(memory, row["heir"]) if "heir" in row else None,
        proof=(Said(row["quote"], moment(row["said"])),),
    )


@cache
def memories() -> Mapping[str, list[Held]]:
    data = json.loads((FIXTURES / "memories.json").read_text(encoding="utf-8"))
    return {name: [held(name, row) for row in rows] for name, rows in data.items()}


def cases(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def judged(case: Mapping[str, Any]) -> list[Checked]:
    claims = find(case["answer"], question=case["question"])
    judge = Judge(memories()[case["memory"]], hints(), now=NOW)
    return judge.check(claims, case["answer"])


@dataclass
class Figures:
    """Of each verdict, how often it was given (``given``), should have been (``wanted``),
    and was rightly (``right``). ``facts``: right verdicts that name the labelled fact.
    ``extra``: claims found where none is labelled."""

    given: Counter[str] = field(default_factory=Counter)
    wanted: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    facts: int = 0
    with_fact: int = 0
    extra: int = 0
    wrong: list[str] = field(default_factory=list)

    def precision(self, verdict: str) -> float:
        return self.right[verdict] / max(1, self.given[verdict])

    def recall(self, verdict: str) -> float:
        return self.right[verdict] / max(1, self.wanted[verdict])

    def add(self, case: Mapping[str, Any]) -> None:
        found = {one.claim.text: one for one in judged(case)}
        self.given.update(one.verdict for one in found.values())
        for text, verdict, name in case["claims"]:
            self.wanted[verdict] += 1
            one = found.pop(text, None)
            if one is None or one.verdict != verdict:
                self.wrong.append(f"{verdict}, not {one and (one.verdict, one.reason)}: {text}")
                continue
            self.right[verdict] += 1
            if name is not None:
                self.with_fact += 1
                named = {fact.id for fact in one.facts} | {one.against and one.against.id}
                if fact_id(case["memory"], name) in named:
                    self.facts += 1
                else:
                    self.wrong.append(f"another fact than {name}: {text}")
        self.extra += len(found)
        self.wrong += [f"no claim, but {o.verdict}, {o.reason}: {t}" for t, o in found.items()]

    def __str__(self) -> str:
        lines = [
            f"{verdict:12} precision {self.precision(verdict):.3f} "
            f"({self.right[verdict]}/{self.given[verdict]})  recall {self.recall(verdict):.3f} "
            f"({self.right[verdict]}/{self.wanted[verdict]})"
            for verdict in VERDICTS
        ]
        lines.append(f"the labelled fact named: {self.facts}/{self.with_fact}")
        lines.append(f"claims where none is: {self.extra}")
        return "\n".join(lines)


def figures(path: Path) -> Figures:
    counted = Figures()
    for case in cases(path):
        counted.add(case)
    return counted


if __name__ == "__main__":
    for name in sys.argv[1:]:
        result = figures(Path(name))
        print(name, *result.wrong, result, sep="\n")
