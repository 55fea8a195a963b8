"""Recall and context over the API, with real vectors."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import EndUser, User
from tests.api import application, errors, log, personal
from tests.remember import remember, spoke

QUESTION = {"query": "Which editor do I use?"}


def test_a_hit_has_its_fact_its_proof_and_its_past(owner: User) -> None:
    remember(owner, "editor", "Vim", "2026-01-01", words="I use Vim.")
    fact_id = remember(owner, "editor", "VS Code", "2026-03-01", words="I switched to VS Code.")
    response = personal(owner).post("/recall", QUESTION)
    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    assert "db;dur=" in response["Server-Timing"]
    answer = response.json()
    assert set(answer) == {"hits", "excerpts", "abstained", "since", "until"}
    assert (answer["abstained"], answer["excerpts"]) == (False, [])
    [hit] = answer["hits"]
    assert set(hit) == {"fact", "score", "parts", "evidence", "chain", "related", "reason"}
    assert "editor" in hit["reason"]
    assert hit["fact"] == {
        "id": str(fact_id),
        "subject": "user",
        "attribute": "editor",
        "scope": "",
        "value": "VS Code",
        "polarity": "affirmed",
        "statement": "Your editor is VS Code.",
        "kind": "preference",
        "confidence": 0.8,
        "importance": 0.5,
        "status": "current",
        "valid_from": "2026-03-01T00:00:00Z",
        "valid_to": None,
        "precision": "instant",
        "recorded_at": "2026-03-01T00:00:00Z",
        "retired_at": None,
        "superseded_by": None,
        "expires_at": None,
    }
    assert hit["evidence"] == [
        {
            "quote": "I switched to VS Code.",
            "role": "user",
            "sent_at": "2026-03-01T00:00:00Z",
            "conversation": "talk",
        }
    ]
    assert [earlier["value"] for earlier in hit["chain"]] == ["Vim"]


def test_times_are_passed_on(owner: User) -> None:
    remember(owner, "editor", "Vim", "2026-01-01")
    remember(owner, "editor", "VS Code", "2026-03-01")
    frontend = personal(owner)

    def value(**times: str) -> list[str]:
        answer = frontend.post("/recall", {**QUESTION, **times}).json()
        return [hit["fact"]["value"] for hit in answer["hits"]]

    assert value() == ["VS Code"]
    assert value(as_of="2026-02-01T00:00:00+05:30") == ["Vim"]
    assert value(known_at="2026-02-01T00:00:00Z") == ["Vim"]


def test_nothing_known_is_said(owner: User) -> None:
    frontend = personal(owner)
    assert frontend.post("/recall", QUESTION).json() == {
        "hits": [],
        "excerpts": [],
        "abstained": True,
        "since": None,
        "until": None,
    }
    answer = frontend.post("/context", QUESTION).json()
    assert (answer["abstained"], answer["citations"]) == (True, [])
    assert "Nothing that matters here is remembered" in answer["context"]


def test_context_is_a_block_with_citations(owner: User) -> None:
    fact_id = remember(owner, "editor", "VS Code", words="I switched to VS Code.")
    answer = personal(owner).post("/context", {**QUESTION, "token_budget": 400}).json()
    assert answer["context"].startswith("===== MEMORY ")
    assert '"quote": "I switched to VS Code."' in answer["context"]
    assert answer["tokens"] <= 400
    assert answer["citations"] == [
        {
            "number": 1,
            "fact_id": str(fact_id),
            "quote": "I switched to VS Code.",
            "sent_at": "2026-05-29T00:00:00Z",
        }
    ]


def test_passages_stand_beside_the_facts(owner: User) -> None:
    remember(owner, "editor", "VS Code")
    spoke(owner, "assistant", "For the long flight I recommend the Sony noise cancelling headset.")
    spoke(owner, "user", "Thanks, and which visa do I need for the trip to Vietnam?")
    frontend = personal(owner)
    query = {"query": "Which headset did you recommend for the flight?"}
    answer = frontend.post("/recall", query).json()
    assert (answer["hits"], answer["abstained"]) == ([], False)
    assert set(answer["excerpts"][0]) == {
        *("quote", "role", "sent_at", "conversation", "message", "score", "outdated"),
    }
    assert answer["excerpts"][0]["role"] == "assistant"
    assert "Sony" in answer["excerpts"][0]["quote"]
    assert frontend.post("/recall", {**query, "excerpts": 0}).json()["abstained"]
    block = frontend.post("/context", {**query, "token_budget": 400}).json()
    assert block["tokens"] <= 400
    assert block["citations"] == []
    assert block["passages"][0]["number"] == 1
    assert '"said_by": "the assistant"' in block["context"]


def test_an_application_reads_its_users_facts_and_it_is_logged(owner: User, other: User) -> None:
    app, frontend = application(owner)
    _rival_app, rival = application(other, "Rival")
    user = EndUser.objects.resolve(application=app, external_id="u1")
    remember(user, "editor", "VS Code")
    remember(owner, "editor", "Emacs")
    found = frontend.post("/recall", {**QUESTION, "user": "u1"}).json()["hits"]
    assert [hit["fact"]["value"] for hit in found] == ["VS Code"]
    # The same name under another application is another person.
    assert rival.post("/recall", {**QUESTION, "user": "u1"}).json()["abstained"]
    assert frontend.post("/recall", {**QUESTION, "user": "u2"}).json()["abstained"]
    assert (f"app:{app.pk}", "recall") in [event[:2] for event in log(user)]
    assert "recall" not in [event[1] for event in log(owner)]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": " "}, "query"),
        ({"query": "a\0b"}, "query"),
        ({"query": "x" * 20_001}, "query"),
        ({"k": 0}, "k"),
        ({"k": 51}, "k"),
        ({"k": "6"}, "k"),
        ({"k": True}, "k"),
        ({"as_of": "2026-03-01"}, "as_of"),
        ({"known_at": "2026-03-01T10:00:00"}, "known_at"),
        ({"kinds": ["mood"]}, "kinds[0]"),
        ({"scopes": "ide"}, "scopes"),
        ({"time_weight": 1.1}, "time_weight"),
        ({"time_weight": float("nan")}, "time_weight"),
        ({"half_life_days": 0}, "half_life_days"),
        ({"floor": -0.1}, "floor"),
        ({"token_budget": 0}, "token_budget"),
        ({"limit": 3}, "limit"),
        ({"excerpts": 21}, "excerpts"),
        ({"depth": 4}, "depth"),
        ({"since": "2026-03-01"}, "since"),
        ({"attributes": "editor"}, "attributes"),
    ],
)
def test_wrong_fields_are_named(owner: User, changes: dict[str, Any], field: str) -> None:
    for path in ("/recall", "/context"):
        assert list(errors(personal(owner).post(path, {**QUESTION, **changes}))) == [field]


def test_a_request_asks_the_database_no_more_than_this(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    for number in range(4):
        remember(user, "likes", f"jazz record {number}", words=f"I like jazz record {number}.")
    body = {"user": "u1", "query": "Which jazz records do I like?"}
    frontend.post("/recall", body)  # notes the key's use, once a minute
    with CaptureQueriesContext(connection) as queries:
        assert len(frontend.post("/recall", body).json()["hits"]) == 4
    asked = [query["sql"].strip().split("\n")[0][:38] for query in queries]
    assert [text for text in asked if "SAVEPOINT" not in text] == [
        'SELECT "accounts_apikey"."id", "accoun',
        "-- Takes one token from a bucket; give",
        'SELECT "accounts_enduser"."id", "accou',
        "-- Takes one token from a bucket; give",
        "SELECT current_setting('app.user_id', ",
        "SET LOCAL app.user_id = '" + str(user.pk)[:13],
        "-- Recall: the user's facts that may m",
        "-- What is shown of recalled facts: as",
        "-- What is known of every past message",
        "INSERT INTO memoryapp_auditevent (id, ",
        "SET LOCAL app.user_id = ''",
    ]
