"""Messages, questions about them, and which messages hold the answers, from public sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memoryapp.evaluation.datasets import Missing, longmemeval_time, rows

ADVERSARIAL = 5
LOCOMO_KINDS: Mapping[int, str] = {
    1: "several turns",
    2: "temporal",
    3: "open domain",
    4: "single turn",
    ADVERSARIAL: "adversarial",
}
# As many sessions are a whole history; fewer are only those with the answer.
WHOLE_HISTORY = 40


@dataclass(frozen=True, slots=True)
class Line:
    """One message. ``conversation`` is equal within one."""

    author: str
    text: str
    at: datetime
    conversation: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question at a time. ``among`` are the lines of the store that it is asked of, rising;
    ``evidence`` those that hold the answer, ``corrected`` the same after the public audit,
    ``newest`` those of the evidence that were said last, where older ones became untrue.
    ``answerable`` is false where no line holds an answer, and ``answer`` what it is, as the
    set words it."""

    id: str
    text: str
    kind: str
    at: datetime
    among: Sequence[int]
    evidence: frozenset[int]
    answerable: bool = True
    newest: frozenset[int] = frozenset()
    corrected: frozenset[int] = frozenset()
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """One person's or two people's messages, in order, and the questions about them."""

    number: int
    authors: tuple[str, ...]
    lines: Sequence[Line]
    questions: Sequence[Asked]


# -- LoCoMo ------------------------------------------------------------------------------------


def locomo(data: Path) -> list[Store]:
    """Each conversation with all its questions. Raises Missing, Malformed."""
    folder = data / "locomo"
    files = sorted(folder.glob("locomo*.json"))
    talks = [path for path in files if "audit" not in path.name and "diff" not in path.name]
    if not talks:
        raise Missing("locomo/locomo*.json")
    audit = _audited([path for path in files if "audit" in path.name])
    return [_conversation(row, place, audit) for place, row in enumerate(rows(talks[0]))]


def _audited(paths: Sequence[Path]) -> dict[tuple[str, str], Sequence[str]]:
    """Conversation and question to the evidence that the audit names instead."""
    return {
        (row["question_id"].partition("_qa")[0], row["question"]): row["correct_evidence"]
        for path in paths
        for row in rows(path)
        if row.get("correct_evidence")
    }


def _conversation(
    row: Mapping[str, Any], place: int, audit: Mapping[tuple[str, str], Sequence[str]]
) -> Store:
    talk = row["conversation"]
    lines: list[Line] = []
    places: dict[str, int] = {}
    for session, turn, at in _turns(talk):
        places[turn["dia_id"]] = len(lines)
        lines.append(Line(turn["speaker"], turn["text"], at, session))
    every = range(len(lines))
    after = max(line.at for line in lines)
    asked = []
    for number, question in enumerate(row["qa"]):
        answerable = question["category"] != ADVERSARIAL
        # What the other one said is no evidence.
        evidence = _places(question.get("evidence", []) if answerable else [], places)
        corrected = audit.get((f"locomo_{place}", question["question"]), ())
        asked.append(
            Asked(
                id=f"{place}-{number}",
                text=question["question"],
                kind=LOCOMO_KINDS[question["category"]],
                at=after,
                among=every,
                evidence=evidence,
                answerable=answerable,
                corrected=_places(corrected, places) or evidence,
                answer=str(question.get("answer", "")) if answerable else "",
            )
        )
    return Store(place, (talk["speaker_a"], talk["speaker_b"]), lines, asked)


def _turns(talk: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any], datetime]]:
    session = 1
    while f"session_{session}_date_time" in talk:
        date = talk[f"session_{session}_date_time"]
        start = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for minute, turn in enumerate(talk.get(f"session_{session}", [])):
            yield session, turn, start + timedelta(minutes=minute)
        session += 1


def _places(evidence: Sequence[str], places: Mapping[str, int]) -> frozenset[int]:
    """The rows named; some entries name several, some have a zero or a colon too many."""
    names = (
        f"D{session}:{turn}"
        for entry in evidence
        for session, turn in re.findall(r"D:?(\d+):0*(\d+)", entry)
    )
    return frozenset(places[name] for name in names if name in places)


# -- LongMemEval -------------------------------------------------------------------------------


def longmemeval(data: Path) -> list[Store]:
    """Each whole history of the folder without its own answers, and every question asked of
    one of them, with the turns that hold its answer put in at their time. Those stand alone:
    the folder lacks the turns around them. Raises Missing, Malformed."""
    folder = data / "longmemeval"
    found = rows(folder / "longmemeval_oracle_evidence_turns.json")
    histories = [
        row
        for row in rows(folder / "longmemeval_full_sessions_8q.json")
        if len(row["haystack_sessions"]) >= WHOLE_HISTORY
    ]
    if not histories:
        raise Missing("a whole history in longmemeval_full_sessions_8q.json")
    return [
        _history(history, found[place :: len(histories)], place)
        for place, history in enumerate(histories)
    ]


def _history(history: Mapping[str, Any], questions: Sequence[Any], number: int) -> Store:
    sessions = [
        (longmemeval_time(date), session, "")
        for date, session in zip(
            history["haystack_dates"], history["haystack_sessions"], strict=True
        )
        if not any(turn.get("has_answer") for turn in session)
    ]
    for row in questions:
        sessions += [
            (longmemeval_time(date), session, row["question_id"])
            for date, session in zip(row["haystack_dates"], row["haystack_sessions"], strict=True)
        ]
    sessions.sort(key=lambda session: session[0])
    lines: list[Line] = []
    owners: list[str] = []
    for place, (start, session, owner) in enumerate(sessions):
        for minute, turn in enumerate(session):
            at = start + timedelta(minutes=minute)
            lines.append(Line(turn["role"], turn["content"], at, place))
            owners.append(owner)
    asked = [_question(row, lines, owners) for row in questions]
    return Store(number, ("user", "assistant"), lines, asked)


def _question(row: Mapping[str, Any], lines: Sequence[Line], owners: Sequence[str]) -> Asked:
    id_ = row["question_id"]
    evidence = frozenset(place for place, owner in enumerate(owners) if owner == id_)
    newest: frozenset[int] = frozenset()
    if row["question_type"] == "knowledge-update" and evidence and not row["abstention"]:
        last = max(lines[place].at.date() for place in evidence)
        newest = frozenset(place for place in evidence if lines[place].at.date() == last)
    return Asked(
        id=id_,
        text=row["question"],
        kind=row["question_type"],
        at=longmemeval_time(row["question_date"]),
        among=[place for place, owner in enumerate(owners) if owner in ("", id_)],
        evidence=evidence,
        answerable=not row["abstention"],
        newest=newest,
        corrected=evidence,
        answer="" if row["abstention"] else str(row.get("answer", "")),
    )
