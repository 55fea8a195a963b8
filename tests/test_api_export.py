"""Everything of one user as a document; and the log, with its chain."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import EndUser, User
from memoryapp import exporting
from memoryapp.api.schemas import ExportOut
from memoryapp.context import acting_for
from memoryapp.models import Decision, Import, Message, TokenUse
from tests.api import ANY, Frontend, application, errors, log, personal, problem
from tests.chat import said, tell
from tests.remember import remember


@pytest.fixture
def frontend(owner: User) -> Frontend:
    return personal(owner)


def exported(frontend: Frontend, query: str = "") -> dict[str, Any]:
    response = frontend.get(f"/export{query}")
    assert response.status_code == 200
    text = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    # Nothing more than what is documented, and nothing less.
    ExportOut.model_validate_json(text, strict=False)
    document: dict[str, Any] = json.loads(text)
    return document


def test_everything_is_in_it(owner: User, frontend: Frontend) -> None:
    tell(owner, said("2026-02-01", "Please forget that I have a boat."))
    remember(owner, "editor", "Vim", "2026-01-01", words="I use Vim.")
    fact_id = remember(owner, "editor", "VS Code", "2026-03-01", words="Now VS Code.")
    remember(owner, "likes", "jazz", words="I like jazz.")
    remember(owner, "health_condition", "asthma", words="I have asthma.")
    frontend.patch("/settings", {"time_zone": "Europe/Lisbon"}, **ANY)
    jazz = frontend.get("/facts?attribute=likes").json()["items"][0]["id"]
    frontend.delete(f"/facts/{jazz}", **ANY)
    with acting_for(owner.pk):
        Import.objects.create(user_id=owner.pk, actor=f"user:{owner.pk}", created_at=timezone.now())
        TokenUse.objects.create(user_id=owner.pk, day=timezone.now().date(), tokens=7)

    document = exported(frontend)
    facts = {fact["value"]: fact for fact in document["facts"]}
    assert set(facts) == {"Vim", "VS Code", "asthma"}
    assert facts["Vim"]["superseded_by"] == str(fact_id)
    assert [proof["quote"] for proof in facts["Vim"]["evidence"]] == ["I use Vim."]
    assert facts["VS Code"]["decisions"][0]["outcome"] == "supersede"
    assert facts["asthma"]["status"] == "pending"
    talks = {talk["external_id"]: talk for talk in document["conversations"]}
    assert talks["talk"]["messages"][0]["content"] == "I use Vim."
    proof = facts["Vim"]["evidence"][0]
    assert proof["message"] in {message["id"] for message in talks["talk"]["messages"]}
    assert proof["conversation"] == talks["talk"]["id"]
    assert document["settings"]["time_zone"] == "Europe/Lisbon"
    assert document["user"]["email"] == "owner@example.com"
    assert [receipt["target"] for receipt in document["erasures"]] == ["facts"]
    assert [wish["what"] for wish in document["wishes"]] == ["I have a boat"]
    assert document["extractions"][0]["messages"] == 1
    assert len(document["imports"]) == len(document["tokens"]) == 1
    assert document["log"][-1]["action"] == "export"
    assert document["log_verified"]["whole"]
    assert document["log_verified"]["events"] == len(document["log"])
    assert "jazz" not in json.dumps(document)


def test_an_empty_memory(frontend: Frontend) -> None:
    document = exported(frontend)
    assert document["facts"] == document["conversations"] == []
    assert document["log"][0]["action"] == "export"


def test_only_ones_own(owner: User, other: User) -> None:
    remember(owner, "editor", "Vim", words="I use Vim.", vector=False)
    assert "Vim" not in json.dumps(exported(personal(other)))


def test_for_an_applications_user(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    remember(user, "editor", "Vim", vector=False)
    assert [fact["value"] for fact in exported(frontend, "?user=u1")["facts"]] == ["Vim"]
    assert log(user)[-1] == (f"app:{app.pk}", "export", "")


def test_it_is_read_in_pieces(
    owner: User, frontend: Frontend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "BATCH", 2)
    monkeypatch.setattr(exporting, "PIECE", 100)
    for number in range(5):
        remember(owner, "likes", f"number {number}", vector=False)
    document = exported(frontend)
    assert [fact["value"] for fact in document["facts"]] == [f"number {n}" for n in range(5)]
    assert len(document["conversations"][0]["messages"]) == 5


def test_no_transaction_is_open_while_the_reader_waits(committed_db: Any, owner: User) -> None:
    """Or a slow reader would keep what is erased from being cleared away."""
    from django.db import connection

    from memoryapp.audit import Actor

    remember(owner, "editor", "Vim", vector=False)
    pieces = exporting.export(user=owner, by=Actor.user(owner), now=timezone.now())
    for _piece in pieces:
        assert not connection.in_atomic_block


def test_what_is_erased_meanwhile_does_not_follow(
    owner: User, frontend: Frontend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "BATCH", 1)
    monkeypatch.setattr(exporting, "PIECE", 1)
    remember(owner, "editor", "Vim", words="I use Vim.", conversation="c1", vector=False)
    response = frontend.get("/export")
    pieces = iter(response.streaming_content)  # type: ignore[attr-defined]
    next(pieces)
    frontend.delete("/conversations/c1")
    assert b"Vim" not in b"".join(pieces)


# -- The log -------------------------------------------------------------------------------------


def actions(frontend: Frontend, query: str = "") -> list[str]:
    page = frontend.get(f"/audit?limit=100{query}").json()
    return [event["action"] for event in page["items"]]


def test_the_log_is_listed_and_filtered(owner: User, frontend: Frontend) -> None:
    fact_id = remember(owner, "editor", "Vim", vector=False)
    frontend.patch("/settings", {"paused": True}, **ANY)
    frontend.patch(f"/facts/{fact_id}", {"pinned": True}, **ANY)
    assert actions(frontend) == ["fact.weigh", "settings.change", "fact.add"]
    assert actions(frontend, "&action=fact.") == ["fact.weigh", "fact.add"]
    assert actions(frontend, "&action=fact.add") == ["fact.add"]
    assert actions(frontend, "&action=fact") == []
    assert actions(frontend, "&actor=system:") == ["fact.add"]
    assert actions(frontend, f"&object=fact:{fact_id}") == ["fact.weigh", "fact.add"]
    now = timezone.now()
    soon, ago = (
        (now + change).strftime("%Y-%m-%dT%H:%M:%SZ")
        for change in (timedelta(hours=1), timedelta(hours=-1))
    )
    assert actions(frontend, f"&from={soon}") == []
    assert actions(frontend, f"&from={ago}&to={soon}") == ["fact.weigh", "settings.change"]
    page = frontend.get("/audit?limit=2").json()
    assert [event["seq"] for event in page["items"]] == [3, 2]
    page = frontend.get(f"/audit?limit=2&cursor={page['next_cursor']}").json()
    assert [event["seq"] for event in page["items"]] == [1]
    assert page["next_cursor"] is None
    assert "Vim" not in json.dumps(page)
    assert list(errors(frontend.get("/audit?from=yesterday"))) == ["from"]


def test_the_chain_is_verified(committed_db: Any, owner: User, owner_connection: Any) -> None:
    frontend = personal(owner)
    for value in ("Vim", "Zed", "Nano"):
        remember(owner, "editor", value, vector=False)
    [last, *_] = frontend.get("/audit").json()["items"]
    assert frontend.get("/audit/verification").json() == {
        "events": 3, "whole": True, "first_bad": None, "head": last["hash"],
    }  # fmt: skip
    owner_connection.execute("SET session_replication_role = replica")
    owner_connection.execute("UPDATE memoryapp_auditevent SET object = 'x' WHERE seq = 2")
    owner_connection.execute("SET session_replication_role = origin")
    answer = frontend.get("/audit/verification").json()
    assert (answer["whole"], answer["first_bad"]) == (False, 2)


def test_history(owner: User, other: User, frontend: Frontend) -> None:
    remember(owner, "editor", "Vim", "2026-01-01", words="I use Vim.")
    fact_id = remember(owner, "editor", "Zed", "2026-03-01", words="Now Zed.")
    answer = frontend.get(f"/facts/{fact_id}/history").json()
    assert answer["fact"] == frontend.get(f"/facts/{fact_id}").json()
    assert [row["value"] for row in answer["timeline"]] == ["Zed", "Vim"]
    [proof] = answer["evidence"]
    assert (proof["quote"], proof["conversation"]) == ("Now Zed.", "talk")
    with acting_for(owner.pk):
        assert Message.objects.get(pk=proof["message"]).content == "Now Zed."
        reasons = set(Decision.objects.values_list("reason", flat=True))
    [decision] = answer["decisions"]
    assert decision["outcome"] == "supersede"
    assert decision["reason"] in reasons
    problem(personal(other).get(f"/facts/{fact_id}/history"), 404, "not-found")


def test_a_weight_by_hand_outlives_new_evidence(owner: User, frontend: Frontend) -> None:
    fact_id = remember(owner, "editor", "Vim", "2026-01-01", importance=0.5)
    weigh = {"importance": 0, "pinned": True}
    answer = frontend.patch(f"/facts/{fact_id}", weigh, **ANY).json()
    assert (answer["importance"], answer["chosen_importance"], answer["pinned"]) == (0, 0, True)
    remember(owner, "editor", "Vim", "2026-02-01", importance=0.9)
    [fact] = frontend.get("/facts?pinned=true").json()["items"]
    assert (fact["id"], fact["importance"]) == (str(fact_id), 0)
    assert frontend.get("/facts?importance_from=0.1").json()["items"] == []
    answer = frontend.patch(f"/facts/{fact_id}", {"importance": None}, **ANY).json()
    assert (answer["importance"], answer["chosen_importance"]) == (0.9, None)
    both = frontend.patch(f"/facts/{fact_id}", {"value": "Zed", "pinned": True}, **ANY).json()
    assert (both["value"], both["pinned"]) == ("Zed", True)
