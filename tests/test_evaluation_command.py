"""The command on a real database: what it measures, writes, compares, and leaves behind."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from accounts.models import User
from memoryapp import providers
from memoryapp.evaluation import ephemeral, report, suites_statements
from memoryapp.evaluation.metrics import Failure, Measure, Run, Suite, run_from_json
from tests.model_server import StandIn

pytestmark = pytest.mark.usefixtures("committed_db")


def evaluate(out: Path, *arguments: str) -> str:
    text = io.StringIO()
    call_command("evaluate", *arguments, "--out", str(out), stdout=text)
    return text.getvalue()


def suite_of(out: Path, name: str) -> Suite:
    run = run_from_json(json.loads((out / "run.json").read_text()))
    return next(suite for suite in run.suites if suite.name == name)


def case(out: Path, expect: dict[str, Any], *contents: str) -> Path:
    """A data folder with one case of these messages, a day apart."""
    turns = [
        {"role": "user", "content": text, "at": f"2026-02-{day:02d}T09:00:00+00:00"}
        for day, text in enumerate(contents, 1)
    ]
    row = {"id": "own", "category": "own", "turns": turns, "expect": expect}
    out.mkdir(exist_ok=True)
    (out / "cases.jsonl").write_text(json.dumps(row))
    return out


def test_a_case_goes_through_the_whole_pipeline(tmp_path: Path) -> None:
    data = case(
        tmp_path / "data",
        {
            "current": [{"attribute": "home", "value": "Leuven"}],
            "superseded": [{"attribute": "home", "value": "Ghent"}],
            "absent": ["home=Ghent as current"],
        },
        "I live in Ghent.",
        "I moved to Leuven.",
    )
    text = evaluate(tmp_path, "--suite", "cases", "--limit", "1", "--data", str(data))
    measures = {m.name: m for m in suite_of(tmp_path, "cases").measures}
    assert str(measures["data: whole cases right"]) == "1.000 (1/1)"
    assert str(measures["data: superseded"]) == "1.000 (1/1)"
    assert "data: whole cases right" in text
    assert not User.objects.exists()
    assert type(providers.clock()).__name__ == "SystemClock"


def test_what_does_not_hold_is_told(tmp_path: Path) -> None:
    data = case(
        tmp_path / "data", {"current": [{"attribute": "home", "value": "Riga"}]}, "I live in Ghent."
    )
    evaluate(tmp_path, "--suite", "cases", "--limit", "1", "--data", str(data))
    told = [failure.what for failure in suite_of(tmp_path, "cases").failures]
    assert "own: current: home = Riga" in told
    assert "own: stored facts expected: user.home = Ghent" in told


def test_a_suite_without_data_says_so(tmp_path: Path) -> None:
    text = evaluate(tmp_path, "--suite", "xpersona", "--suite", "locomo")
    assert text.count("skipped: no data") == 2
    (tmp_path / "empty").mkdir()
    text = evaluate(
        tmp_path, "--suite", "longmemeval", "--data", str(tmp_path / "empty")
    )  # fmt: skip
    assert "longmemeval_oracle_evidence_turns.json isn't in the data folder" in text
    assert suite_of(tmp_path, "longmemeval").skipped


def test_made_up_suites_run_without_data(tmp_path: Path) -> None:
    evaluate(
        tmp_path, "--limit", "24", *(f"--suite={n}" for n in ("noise", "redaction", "no_context"))
    )
    assert [m.total for m in suite_of(tmp_path, "noise").measures][:1] == [24]
    caught = suite_of(tmp_path, "redaction").measures[0]
    assert (caught.name, caught.total) == ("secrets caught", 24)
    assert {m.name for m in suite_of(tmp_path, "no_context").measures} >= {
        "never said: abstained",
        "said: answered",
    }


def test_locomo_facts_are_sampled_and_their_verdicts_counted(tmp_path: Path) -> None:
    talk = {
        "speaker_a": "Ann", "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ann", "text": "I live in Riga."},
                      {"speaker": "Ben", "text": "I'm a nurse."}],
    }  # fmt: skip
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo1.json").write_text(json.dumps([{"conversation": talk}]))
    evaluate(tmp_path, "--suite", "locomo", "--data", str(tmp_path))
    sample = tmp_path / "locomo_sample.jsonl"
    rows = [json.loads(line) for line in sample.read_text().splitlines()]
    assert {row["fact"] for row in rows} == {"user.home = Riga", "user.job_title = nurse"}
    judged = tmp_path / "judged.jsonl"
    verdicts = [{**row, "right": "Riga" in row["fact"]} for row in rows]
    judged.write_text("\n".join(map(json.dumps, verdicts)))
    evaluate(tmp_path, "--suite", "locomo", "--data", str(tmp_path), "--judged", str(judged))
    assert str(suite_of(tmp_path, "locomo").measures[-1]) == "0.500 (1/2)"


def test_users_are_erased_even_after_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    during = []

    def interrupted(*_: Any) -> Any:
        during.append(User.objects.count())
        raise KeyboardInterrupt

    monkeypatch.setattr(suites_statements, "judge_case", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate(tmp_path, "--suite", "cases")
    assert during == [1]
    assert not User.objects.exists()


@pytest.mark.slow
def test_a_process_that_is_ended_from_outside_erases_its_users(
    tmp_path: Path, process_environ: dict[str, str]
) -> None:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "evaluate", "--suite", "noise", "--out", str(tmp_path)],
        cwd=Path(__file__).parent.parent,
        env={**process_environ, "SECRET_KEY": "only-for-tests"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not User.objects.exists() and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.05)
    process.terminate()
    assert process.wait(60) == 130
    assert not User.objects.exists()


def test_the_other_extractor(tmp_path: Path, model_server: StandIn, settings: Any) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = model_server.url, "k"
    evaluate(tmp_path, "--suite", "utterances", "--limit", "1", "--extractor", "openai")
    run = run_from_json(json.loads((tmp_path / "run.json").read_text()))
    assert run.extractor.startswith("openai")
    assert model_server.requests
    assert settings.EXTRACTOR == "local"


@pytest.mark.slow
def test_a_database_of_its_own_is_gone_afterwards() -> None:
    User.objects.create_user("owner@example.com")
    with ephemeral.database_of_its_own():
        sockets = Path(str(connection.settings_dict["OPTIONS"]["host"]))
        assert not User.objects.exists()
        assert sockets.exists()
    assert User.objects.count() == 1
    assert not sockets.exists()


def test_comparing_says_what_got_worse_and_can_fail(tmp_path: Path) -> None:
    data = case(tmp_path / "data", {"current": [{"attribute": "home", "value": "Ghent"}]},
                "I live in Ghent.")  # fmt: skip
    arguments = ["--suite", "cases", "--limit", "1", "--data", str(data)]
    evaluate(tmp_path / "old", *arguments)
    old = ["--compare", str(tmp_path / "old" / "run.json"), "--fail-if-worse"]
    assert "nothing changed" in evaluate(tmp_path / "same", *arguments, *old)
    case(data, {"current": [{"attribute": "home", "value": "Riga"}]}, "I live in Ghent.")
    with pytest.raises(CommandError) as error:
        evaluate(tmp_path / "new", *arguments, *old)
    assert error.value.returncode == 1
    assert "WORSE" in (tmp_path / "new" / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--data", "nowhere"], "--data must be a folder"),
        (["--limit", "0"], "--limit must be 1 or more"),
        (["--compare", "nowhere.json"], "can't be compared"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path: Path, arguments: list[str], hint: str) -> None:
    with pytest.raises(CommandError, match=hint):
        evaluate(tmp_path, "--suite", "redaction", *arguments)


def test_a_database_of_its_own_when_nothing_runs(tmp_path: Path) -> None:
    environ = {"MEMORYAPP_DATA_DIR": str(tmp_path)}
    assert ephemeral.nothing_runs(environ)
    assert not ephemeral.nothing_runs({**environ, "DATABASE_URL": "postgresql://db.example/x"})


# -- The report --------------------------------------------------------------------------------


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def test_the_page_needs_nothing_and_escapes_everything() -> None:
    measures = (Measure("<b>share</b>", 9, 10, target=0.97), Measure("count", 3, 9, "count"))
    suite = Suite("cases", measures, (Failure("k", "<script>alert(1)</script>"),))
    text = report.html(Run("2026", "local 1", "minilm", (suite,)), None)
    page = Page(text)
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert page.tags.count("svg") == 1
    names = {name for name, _ in page.attributes}
    assert not names & {"style", "src", "href", "onclick"}
    assert "0.900 (9/10)" in text
    assert "default-src 'none'" in text
