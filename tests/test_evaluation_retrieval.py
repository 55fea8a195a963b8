"""The retrieval suites on small data of our own: what is read, how it is counted."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from memoryapp import providers
from memoryapp.evaluation import retrieval_data
from memoryapp.evaluation.abstention import Confidence, area, curve, refused
from memoryapp.evaluation.datasets import Missing
from memoryapp.evaluation.metrics import Suite, run_from_json
from memoryapp.evaluation.retrieval import Found, weighted
from memoryapp.evaluation.retrieval_library import Match, library


def put(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def turn(speaker: str, id_: str, text: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": id_, "text": text}


def talk(*questions: dict[str, Any]) -> dict[str, Any]:
    return {
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2025",
            "session_1": [
                turn("Ann", "D1:1", "I planted tomatoes on the balcony."),
                turn("Bo", "D1:2", "Lovely! I adopted a greyhound from the shelter."),
                turn("Ann", "D1:3", "What do you call it?"),
                turn("Bo", "D1:4", "Zephyr."),
            ],
            "session_2_date_time": "9:00 am on 3 June, 2025",
            "session_2": [
                turn("Ann", "D2:1", "The weather was fine at the seaside."),
                turn("Bo", "D2:2", "I had soup for lunch."),
            ],
        },
        "qa": list(questions),
    }


DOG = {
    "question": "What dog did Bo adopt?",
    "category": 4,
    "evidence": ["D1:2"],
    "answer": "greyhound",
}
NAME = {
    "question": "What is Bo's dog called?",
    "category": 1,
    "evidence": ["D1:2; D1:04", "D"],
    "answer": "Zephyr",
}
SWAPPED = {"question": "What dog did Ann adopt?", "category": 5, "evidence": ["D1:2"]}


@pytest.fixture
def two_people(tmp_path: Path) -> Path:
    put(tmp_path / "locomo" / "locomo2.json", [talk(DOG, NAME, SWAPPED)])
    put(
        tmp_path / "locomo" / "locomo_audit_errors.json",
        [
            {
                "question_id": "locomo_0_qa1",
                "question": NAME["question"],
                "correct_evidence": ["D1:4"],
            }
        ],
    )
    return tmp_path


def test_locomo_is_read_with_its_evidence_and_the_audits(two_people: Path) -> None:
    (store,) = retrieval_data.locomo(two_people)
    assert store.authors == ("Ann", "Bo")
    assert [line.conversation for line in store.lines] == [1, 1, 1, 1, 2, 2]
    assert store.lines[1].at == datetime(2025, 5, 8, 13, 57, tzinfo=UTC)
    dog, name, swapped = store.questions
    assert sorted(dog.evidence) == sorted(dog.corrected) == [1]
    assert sorted(name.evidence) == [1, 3]
    assert sorted(name.corrected) == [3]
    assert not swapped.answerable
    assert not swapped.evidence
    assert dog.at == store.lines[-1].at


def test_locomo_that_is_not_there_is_missed(tmp_path: Path) -> None:
    with pytest.raises(Missing):
        retrieval_data.locomo(tmp_path)


def history(count: int) -> dict[str, Any]:
    days = [f"2025/03/{day % 28 + 1:02d} (Mon) 09:00" for day in range(count)]
    sessions = [[{"role": "user", "content": f"How do I bake rye bread, part {day}?"}]
                for day in range(count)]  # fmt: skip
    sessions[0][0]["has_answer"] = True  # type: ignore[assignment]
    return {"question_id": "h", "haystack_dates": days, "haystack_sessions": sessions}


def asked(
    id_: str, kind: str, question: str, *said: tuple[str, str], none: bool = False
) -> dict[str, Any]:
    return {
        "question_id": id_,
        "question_type": kind,
        "abstention": none,
        "question": question,
        "answer": said[0][1].split()[-1].strip(".") if said else "",
        "question_date": "2025/06/01 (Sun) 12:00",
        "haystack_dates": [f"2025/{date} (Mon) 10:00" for date, _ in said],
        "haystack_sessions": [[{"role": "user", "content": text}] for _, text in said],
    }


@pytest.fixture
def one_user(tmp_path: Path) -> Path:
    folder = tmp_path / "longmemeval"
    put(folder / "longmemeval_full_sessions_8q.json", [history(40), history(3)])
    put(
        folder / "longmemeval_oracle_evidence_turns.json",
        [
            asked("cat", "single-session-user", "What is my cat called?",
                  ("04/01", "My cat is called Biscuit.")),
            asked("keys", "knowledge-update", "Where do I keep my spare keys?",
                  ("05/02", "I moved my spare keys: I keep them in the shed."),
                  ("02/03", "I keep my spare keys under the doormat.")),
            asked("frog_abs", "multi-session", "How old is my pet iguana?", none=True),
        ],
    )  # fmt: skip
    return tmp_path


def test_longmemeval_is_asked_of_a_whole_history_and_the_questions_own_turns(
    one_user: Path,
) -> None:
    (store,) = retrieval_data.longmemeval(one_user)
    texts = [line.text for line in store.lines]
    assert len(texts) == 39 + 3
    assert "How do I bake rye bread, part 0?" not in texts
    assert [line.at for line in store.lines] == sorted(line.at for line in store.lines)
    cat, keys, frog = store.questions
    assert [texts[row] for row in sorted(keys.evidence)] == [
        "I keep my spare keys under the doormat.",
        "I moved my spare keys: I keep them in the shed.",
    ]
    assert [texts[row] for row in keys.newest] == [texts[max(keys.evidence)]]
    assert (len(cat.among), len(keys.among), len(frog.among)) == (40, 41, 39)
    assert not cat.newest
    assert not frog.answerable


def test_a_folder_without_a_whole_history_is_missed(one_user: Path) -> None:
    put(one_user / "longmemeval" / "longmemeval_full_sessions_8q.json", [history(3)])
    with pytest.raises(Missing, match="whole history"):
        retrieval_data.longmemeval(one_user)


def test_places_are_counted_from_the_best_of_the_evidence() -> None:
    found = Found()
    assert found.add([7, 3, 5], frozenset({5, 3})) == 1
    assert found.add([1, 2], frozenset({9})) > 20
    measures = {measure.name: measure for measure in found.measures("x")}
    assert measures["x: evidence in the first 5"].value == 0.5
    assert measures["x: mean reciprocal rank"].hits == pytest.approx(0.5, abs=1e-3)
    assert found.shares()[0].value == pytest.approx(0.5)
    assert found.within(1, "first").value == 0


def test_the_weighted_sum_of_findings() -> None:
    match = Match(np.zeros((3, 1), dtype=bool), np.array([0.1, 0.05, 0]), np.array([0.4, 0.8, 0.2]))
    sums = weighted(match, providers.embedder())
    assert sums.tolist() == pytest.approx([0.75, 0.75, 0.125])


def sure(*scores: tuple[float, bool]) -> list[Confidence]:
    return [Confidence(score, answerable) for score, answerable in scores]


def test_the_area_counts_pairs_and_halves_ties() -> None:
    scores = sure((0.9, True), (0.5, True), (0.5, False), (0.1, False))
    assert area(scores, "x").value == pytest.approx(3.5 / 4)
    assert area(sure((0.9, True)), "x").value is None


def test_what_a_threshold_refuses() -> None:
    scores = sure((0.9, True), (0.2, True), (0.25, False), (0.6, False))
    right, wrong = refused(scores, 0.3)
    assert (right.value, wrong.value) == (0.5, 0.5)
    assert right.met is False
    points = curve(scores)
    assert (points[0].answerable, points[100].unanswerable) == (0, 1)
    assert [p.answerable for p in points] == sorted(p.answerable for p in points)


@pytest.mark.django_db
def test_a_library_holds_texts_as_the_database_reads_them() -> None:
    found = library(
        ["I bake loaves.", "Nothing\0 here.", ""],
        ["Who baked a loaf?", "the of"],
        providers.embedder(),
    )
    bread, nothing = found.matches
    assert found.length.tolist() == [2, 1, 0]
    assert bread.has.any(axis=1).tolist() == [True, False, False]
    assert (bread.rank > 0).tolist() == [True, False, False]
    assert int(np.argmax(bread.cosine)) == 0
    assert nothing.has.shape == (3, 0)
    assert nothing.rank.tolist() == [0, 0, 0]


def evaluated(tmp_path: Path, data: Path, name: str, *more: str) -> Suite:
    call_command(
        "evaluate", "--suite", name, "--data", str(data), "--out", str(tmp_path / "out"), *more,
        stdout=io.StringIO(),
    )  # fmt: skip
    return run_from_json(json.loads((tmp_path / "out" / "run.json").read_text())).suites[0]


@pytest.mark.usefixtures("committed_db")
def test_the_command_measures_locomo(tmp_path: Path, two_people: Path) -> None:
    suite = evaluated(tmp_path, two_people, "locomo_retrieval")
    measures = {measure.name: measure for measure in suite.measures}
    for method in ("text alone", "vectors alone", "weighted sum", "ranking"):
        assert measures[f"{method}: evidence in the first 5"].total == 2
    assert measures["ranking: evidence in the first 5"].value == 1
    assert measures["ranking: mean reciprocal rank"].value == 1
    assert measures["several turns: evidence in the first 10"].total == 1
    assert measures["unanswerable questions refused"].value == 1
    assert measures["answerable questions refused"].value == 0
    told = measures["told apart by the ranking's signals (area under the curve)"]
    assert (told.value, told.total) == (1, 2)
    (name,) = suite.files
    assert len((tmp_path / "out" / name).read_text().splitlines()) == 101


@pytest.mark.usefixtures("committed_db")
def test_the_command_measures_longmemeval(tmp_path: Path, one_user: Path) -> None:
    suite = evaluated(tmp_path, one_user, "longmemeval_retrieval")
    measures = {measure.name: measure for measure in suite.measures}
    assert measures["ranking: evidence in the first 10"].value == 1
    assert measures["ranking: evidence in the first 10"].total == 2
    assert measures["ranking: newest statement first on knowledge updates"].value == 1
    assert measures["unanswerable questions refused"].total == 1
    limited = evaluated(tmp_path, one_user, "longmemeval_retrieval", "--limit", "1")
    assert {m.name: m for m in limited.measures}["ranking: mean reciprocal rank"].total == 1
