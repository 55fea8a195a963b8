"""How much is found and read right in a folder of labelled times, a file a language:

    python -m memoryapp.timewords.measure FOLDER [tune|report]

The files are those of Recognizers-Text's DateTime specification as JSON lines: ``input``,
``ref`` and ``results`` with ``text``, ``type`` and ``values``. A seeded half of them is for
tuning and the other for reporting; translations of one case fall on the same side.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .calendar import add
from .finding import Found, find

LANGUAGES = {
    "english": "en",
    "spanish": "es",
    "french": "fr",
    "german": "de",
    "dutch": "nl",
    "italian": "it",
    "portuguese": "pt",
    "turkish": "tr",
    "japanese": "ja",
    "chinese": "zh",
    "korean": "ko",
    "hindi": "hi",
    "arabic": "ar",
}
_SECOND = 1.5  # the labels end a night at 23:59:59


@dataclass(slots=True)
class Score:
    """``right`` of ``valued`` have the value, ``found`` of ``spans`` are found at all (half
    of the characters in common), ``false`` are found where nothing is labelled."""

    inputs: int = 0
    spans: int = 0
    found: int = 0
    valued: int = 0
    right: int = 0
    false: int = 0
    seconds: float = 0.0


def _signature(case: Mapping[str, Any]) -> str:
    return json.dumps(
        [
            [
                one["type"],
                [
                    (value.get("timex"), value.get("start") or value.get("value"), value.get("end"))
                    for value in one["values"]
                ]
                if isinstance(one["values"], list)
                else one["values"],
            ]
            for one in case["results"]
        ]
    )


def _half(case: Mapping[str, Any]) -> str:
    key = _signature(case) if case["results"] else case["input"]
    return "report" if hashlib.sha256(f"7:{key}".encode()).digest()[0] % 2 else "tune"


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text.strip()) if text else None


def _same(mine: datetime | None, label: datetime | None) -> bool:
    if mine is None or label is None:
        return mine is label
    return abs((mine - label).total_seconds()) < _SECOND


def _right(found: Found, kind: str, values: Any) -> bool:
    """True when one of the label's readings is ours. Ranges of days are half-open with us
    and closed in some labels: both ends count."""
    if kind == "set":
        return found.kind == "recurring"
    begin, finish = (m and m.replace(tzinfo=None) for m in (found.from_, found.to))
    return any(_reads(found, begin, finish, value) for value in values)


def _reads(
    found: Found, begin: datetime | None, finish: datetime | None, value: Mapping[str, str]
) -> bool:
    kind, one = value.get("type"), value.get("value")
    if one == "not resolved" or (kind or "").startswith("timezone"):
        return False
    if kind == "duration":
        length = (finish - begin).total_seconds() if begin and finish else -1
        return found.kind == "duration" and abs(length - float(one or 0)) < 1
    if kind == "date":
        day = _moment(one)
        if begin is None or day is None:
            return False
        if found.kind == "date" and found.precision in ("month", "year"):
            return finish is not None and begin <= day < finish  # "three years ago"
        return begin.date() == day.date() and found.precision == "day"
    if kind == "datetime":
        return begin is not None and _same(begin, _moment(one))
    if kind in ("time", "timerange"):
        clocks = [f"{moment:%H:%M:%S}" if moment else None for moment in (begin, finish)]
        if kind == "time":
            return clocks[0] == one
        last = value.get("end")
        return clocks[0] == value.get("start") and (
            clocks[1] == last or (last == "23:59:59" and clocks[1] == "00:00:00")
        )
    first, last_day = _moment(value.get("start")), _moment(value.get("end"))
    unit = {"day": "day", "month": "month", "year": "year"}.get(found.precision)
    if last_day is None and first is not None and unit and finish is None:
        return _same(begin, first) or _same(begin, add(first, 1, unit))
    return _same(begin, first) and (
        _same(finish, last_day)
        or (last_day is not None and unit is not None and _same(finish, add(last_day, 1, unit)))
    )


def _labels(case: Mapping[str, Any]) -> Iterator[tuple[int, int, str, Any]]:
    """The places of the labels in the text; those that aren't in it are left out."""
    lower, place = case["input"].lower(), 0
    for one in case["results"]:
        start = lower.find(one["text"].lower(), place)
        if start < 0:
            start = lower.find(one["text"].lower())
        if start >= 0 and one["type"]:
            place = start + len(one["text"])
            yield start, place, one["type"].split(".")[-1], one["values"]


def measure(folder: Path, half: str) -> dict[str, Score]:
    """The score of each language of which the folder has a file."""
    cases: dict[str, list[Any]] = {}
    for language in LANGUAGES:
        if (path := folder / f"{language}.jsonl").exists():
            cases[language] = [json.loads(line) for line in path.read_text().splitlines()]
    # Some cases lack their moment; a translation with the same labels may have it.
    moments: defaultdict[str, set[str]] = defaultdict(set)
    for several in cases.values():
        for case in several:
            if case["ref"] and case["results"]:
                moments[_signature(case)].add(case["ref"])
    scores: dict[str, Score] = {}
    for language, several in cases.items():
        score = scores[language] = Score()
        for case in several:
            if _half(case) == half:
                known = {case["ref"]} if case["ref"] else moments[_signature(case)]
                _add(score, case, LANGUAGES[language], known)
    return scores


def _add(score: Score, case: Mapping[str, Any], code: str, known: set[str]) -> None:
    moment = next(iter(known)) if len(known) == 1 else "2016-11-07T00:00:00"
    now = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    begun = time.perf_counter()
    times = find(case["input"], now=now, time_zone="UTC", language=code)
    score.seconds += time.perf_counter() - begun
    score.inputs += 1
    hit: set[int] = set()
    labels = list(_labels(case))
    for start, end, kind, values in labels:
        best, most = None, 0.0
        for index, one in enumerate(times):
            common = min(end, one.end) - max(start, one.start)
            if common > 0:
                hit.add(index)
                share = common / (max(end, one.end) - min(start, one.start))
                if share > most:
                    best, most = one, share
        score.spans += 1
        score.found += most >= 0.5
        if len(known) == 1 and (kind == "set" or isinstance(values, list)):
            score.valued += 1
            score.right += most >= 0.5 and best is not None and _right(best, kind, values)
    if len(labels) == len(case["results"]):
        score.false += len(times) - len(hit)


def main() -> None:
    half = sys.argv[2] if len(sys.argv) > 2 else "report"
    out = sys.stdout.write
    out(f"{'language':12}{'inputs':>7}{'right':>8}{'found':>8}{'false/100':>11}{'ms each':>9}\n")
    for language, score in measure(Path(sys.argv[1]), half).items():
        out(
            f"{language:12}{score.inputs:7}{score.right / max(score.valued, 1):8.3f}"
            f"{score.found / max(score.spans, 1):8.3f}"
            f"{100 * score.false / max(score.inputs, 1):11.1f}"
            f"{1000 * score.seconds / max(score.inputs, 1):9.2f}\n"
        )


if __name__ == "__main__":
    main()
