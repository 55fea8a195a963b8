"""Our seeds, what is made up from a seed, and readers of public formats."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memoryapp.evaluation import datasets, hidden, noise
from memoryapp.evaluation.datasets import SEEDS, Malformed, Missing
from memoryapp.evaluation.matching import expected
from memoryapp.evaluation.options import Options
from memoryapp.evaluation.suites_made import SECRETS, harmless


def test_the_seeds_cover_what_they_must() -> None:
    cases = datasets.cases(SEEDS / "cases.jsonl")
    count = Counter(case.category for case in cases)
    assert len(cases) >= 60
    assert all(count[name] >= 8 for name in ("fact", "timeline", "contradiction", "no_context"))
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        for item in [*case.current, *case.superseded, *case.allow]:
            assert expected(item).keys
    asked = [ask for case in cases for ask in case.ask if ask.answer is None]
    assert len(asked) >= 8


def test_questions_are_of_both_kinds() -> None:
    asks = [ask for case in datasets.cases(SEEDS / "questions.jsonl") for ask in case.ask]
    answers = Counter(ask.answer is None for ask in asks)
    assert min(answers[True], answers[False]) >= 20


def test_made_up_material_is_the_same_each_time() -> None:
    assert list(noise.noise(50)) == list(noise.noise(50))
    assert list(noise.noise(50)) != list(noise.noise(50, seed=1))
    assert list(hidden.secrets(50)) == list(hidden.secrets(50))
    assert noise.chat(50) == noise.chat(50)


def test_noise_has_every_kind_in_equal_parts() -> None:
    kinds = Counter(kind for kind, _ in noise.noise(900))
    assert set(kinds) == set(noise.KINDS)
    assert set(kinds.values()) == {100}


def test_every_secret_is_in_its_text_and_they_differ() -> None:
    made = list(hidden.secrets(SECRETS))
    assert len(made) >= 300
    assert all(item.secret in item.text for item in made)
    # A PIN has so few digits that two may be the same.
    assert len({item.secret for item in made}) > 0.95 * len(made)


@pytest.mark.parametrize(
    ("secret", "text", "leaked"),
    [
        ("Tulip!4471", "my password is [redacted: password]", False),
        ("Tulip!4471", "my password is [redacted: password]!4471", True),
        ("orbit whale velvet", "it is [redacted: secret] whale velvet", True),
        ("orbit whale velvet", "it is [redacted: secret]", False),
        ("4000 1234 5678 9010", "[redacted: card] 9010", True),
    ],
)
def test_half_a_secret_is_a_leak(secret: str, text: str, leaked: bool) -> None:
    assert hidden.leaks(secret, text) is leaked


def test_a_missing_data_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"cases\.jsonl"):
        datasets.cases(tmp_path / "cases.jsonl")
    with pytest.raises(Missing, match="xpersona"):
        list(datasets.persona_sentences(tmp_path))
    with pytest.raises(Missing, match="--data"):
        Options(data=None, out=tmp_path).needed()


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "category": "c"}\n')
    with pytest.raises(Malformed, match=r"cases\.jsonl, line 1"):
        datasets.cases(path)
    path.write_text("{\n")
    with pytest.raises(Malformed, match=r"cases\.jsonl"):
        datasets.cases(path)


def test_harmless_sentences_say_what_the_folder_lacks(tmp_path: Path) -> None:
    sentences, notes = harmless(Options(data=tmp_path, out=tmp_path, limit=40))
    assert len(sentences) == 40
    assert len(notes) == 2


def test_both_formats_of_utterances(tmp_path: Path) -> None:
    path = tmp_path / "u.jsonl"
    rows = [
        {"id": "u1", "utterance": "I'm a nurse.",
         "required": [{"attribute": "job", "value": "nurse", "op": "+"}], "optional": []},
        {"text": "I live in Riga.", "facts": ["home=riga"], "also": ["country=latvia"]},
        {"text": "Hi!", "facts": []},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    first, second, third = datasets.utterances(path)
    assert (first.id, first.category, first.required[0].value) == ("u1", "job", "nurse")
    assert (second.id, second.category, second.optional[0].value) == ("2", "home", "latvia")
    assert third.category == "nothing"


def test_knowledge_updates_are_oldest_first(tmp_path: Path) -> None:
    (tmp_path / "longmemeval").mkdir()
    row = {
        "question_id": "q1", "question_type": "knowledge-update", "abstention": False,
        "question": "Where?", "answer": "Riga", "question_date": "2023/05/28 (Sun) 19:47",
        "haystack_dates": ["2023/05/21 (Sun) 19:50", "2023/04/02 (Sun) 09:00"],
        "haystack_sessions": [[{"role": "user", "content": "new"}],
                              [{"role": "user", "content": "old"}]],
    }  # fmt: skip
    other = {**row, "question_type": "multi-session"}
    path = tmp_path / "longmemeval" / "longmemeval_oracle_evidence_turns.json"
    path.write_text(json.dumps([row, other]))
    (update,) = datasets.knowledge_updates(tmp_path)
    assert [turns[0].content for turns in update.sessions] == ["old", "new"]
    assert update.sessions[0][0].at == datetime(2023, 4, 2, 9, tzinfo=UTC)


def test_personamem_questions_follow_the_documents_they_need(tmp_path: Path) -> None:
    folder = tmp_path / "other" / "personamem"
    folder.mkdir(parents=True)
    document = "[SYSTEM] Persona: x\n\n[USER] User: I like oboes.\n\n[ASSISTANT] Assistant: Good."
    documents = [{"id": f"p_{number}", "content": document} for number in (10, 2)]
    query = {
        "id": "q", "user_id": "p", "query": "User: X\n\nWell?\n\n(a) Oboes.\n(b) Drums.",
        "gold_answers": ["(a) Oboes.", "a"], "gold_ids": ["p_2", "p_10"],
        "meta": {"question_type": "recall_user_shared_facts",
                 "retrieval_query": "User: X\n\nWell?"},
    }  # fmt: skip
    for name, rows in (("documents", documents), ("queries", [query])):
        with gzip.open(folder / f"personamem_32k_{name}.json.gz", "wt") as file:
            json.dump(rows, file)
    (persona,) = datasets.personas(tmp_path)
    assert [[t.role for t in turns] for turns in persona.documents] == [["user", "assistant"]] * 2
    assert persona.documents[0][0].content == "I like oboes."
    (question,) = persona.questions
    assert question.question == "Well?"
    assert question.options == {"a": "Oboes.", "b": "Drums."}
    # Documents are numbered by their place, whatever their ids.
    assert question.after == 1


def test_locomo_is_told_from_both_sides(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    talk = {
        "speaker_a": "Ann", "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ann", "text": "Hi"}, {"speaker": "Ben", "text": "Ho"}],
    }  # fmt: skip
    (tmp_path / "locomo" / "locomo1.json").write_text(json.dumps([{"conversation": talk}]))
    ann, ben = datasets.dialogues(tmp_path, 10)
    assert [turn.role for turn in ann.turns] == ["user", "assistant"]
    assert [turn.role for turn in ben.turns] == ["assistant", "user"]
    assert ann.turns[0].at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert len(datasets.dialogues(tmp_path, 1)[0].turns) == 1
