"""The suites in which a model answers and judges, over a real socket, on small data."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import User
from memoryapp import providers
from memoryapp.evaluation.metrics import Measure, Suite, run_from_json
from tests.model_server import Reply, StandIn, failed
from tests.server import WorkerDatabase
from tests.test_evaluation_retrieval import one_user, two_people

__all__ = ["one_user", "two_people"]

pytestmark = pytest.mark.slow


def answer(request: dict[str, Any]) -> str:
    """Reads the memory's block out, or doesn't know; as a judge, looks for the reference."""
    system, asked = (message["content"] for message in request["messages"])
    if "response_format" not in request:
        held = [line for line in system.splitlines() if line.startswith("{")]
        return f"{held[0]} [1]" if held else "I don't know."
    data = json.loads(asked)
    if data["answer"] == "I don't know.":
        return '{"verdict": "declined"}'
    right = data["reference"] and data["reference"].casefold() in data["answer"].casefold()
    return '{"verdict": "right"}' if right else '{"verdict": "wrong"}'


@pytest.fixture
def model(committed_db: WorkerDatabase, model_server: StandIn, settings: Any) -> Iterator[StandIn]:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = model_server.url, "k"
    settings.MODEL_RETRIES = 0
    providers.reset()
    model_server.answer = answer
    yield model_server
    providers.reset()


def evaluate(suite: str, out: Path, *more: str) -> tuple[Suite, dict[str, Measure]]:
    call_command("evaluate", "--suite", suite, "--out", str(out), *more, stdout=io.StringIO())
    (found,) = run_from_json(json.loads((out / "run.json").read_text())).suites
    return found, {measure.name: measure for measure in found.measures}


def test_our_own_questions_with_memory_and_without(model: StandIn, tmp_path: Path) -> None:
    suite, measures = evaluate("answers", tmp_path, "--limit", "16")
    assert measures["answerable: right with memory"].total == 13
    assert (measures["answerable: right with memory"].value or 0) > 0.7
    assert measures["answerable: right without"].hits == 0
    cited = measures["right with memory: with a citation"]
    assert cited.hits == cited.total > 0
    assert measures["unanswerable: declined with memory"].total == 3
    assert measures["unanswerable: declined without"].value == 1
    assert len(model.requests) == 16 * 4
    assert not User.objects.filter(email__endswith="evaluation.invalid").exists()
    assert "tokens" in suite.notes[0]


def test_two_people_are_each_asked_about_themselves(
    model: StandIn, two_people: Path, tmp_path: Path
) -> None:
    _suite, measures = evaluate("locomo_answers", tmp_path / "out", "--data", str(two_people))
    assert measures["answerable: right with memory"].total == 2
    asked = [json.loads(r.body["messages"][1]["content"]) for r in model.requests
             if "response_format" in r.body]  # fmt: skip
    answers = {one["question"]: one["answer"] for one in asked[::2]}
    assert "greyhound" in answers["What dog did Bo adopt?"]
    assert measures["unanswerable: declined with memory"].total == 1


def test_a_history_is_told_for_each_question(
    model: StandIn, one_user: Path, tmp_path: Path
) -> None:
    _suite, measures = evaluate("longmemeval_answers", tmp_path / "out", "--data", str(one_user))
    assert measures["answerable: right with memory"].total == 2
    assert measures["unanswerable: declined with memory"].total == 1


def test_a_model_that_fails_now_and_then_is_counted(model: StandIn, tmp_path: Path) -> None:
    model.script(failed(500), Reply(), Reply(body=b"not json", content_type="text/plain"))
    suite, measures = evaluate("answers", tmp_path, "--limit", "4")
    failures = measures["no verdict: the model failed"]
    assert (failures.hits, failures.total) == (2, 4)
    assert {failure.what.split(":")[0] for failure in suite.failures} >= {"no verdict"}


def test_a_model_that_always_fails_is_given_up(model: StandIn, tmp_path: Path) -> None:
    model.api_key = "another"
    suite, measures = evaluate("answers", tmp_path)
    assert len(model.requests) == measures["no verdict: the model failed"].hits == 5
    assert suite.notes[-1].startswith("given up")


def test_without_a_model_it_is_skipped(committed_db: WorkerDatabase, tmp_path: Path) -> None:
    suite, _measures = evaluate("answers", tmp_path)
    assert "OPENAI_API_KEY" in suite.skipped
