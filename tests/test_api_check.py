"""An answer held against real memory over the API, by rules and with a model's help."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import EndUser, User
from memoryapp import providers
from memoryapp.context import acting_for
from memoryapp.models import Fact
from tests.api import application, errors, log, personal
from tests.model_server import Reply, StandIn, failed
from tests.remember import remember


def claims(user: User, answer: str, **body: Any) -> list[dict[str, Any]]:
    response = personal(user).post("/check", {"answer": answer, **body})
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["claims"]
    return found


def test_each_claim_has_its_place_its_verdict_and_its_fact(owner: User) -> None:
    leeds = remember(owner, "home", "Leeds", "2025-06-10", words="I live in Leeds.")
    porto = remember(owner, "home", "Porto", "2026-05-03", words="I moved to Porto.")
    answer = "Since you live in Leeds, take a coat. You told me you moved to Porto. Boil water."
    response = personal(owner).post("/check", {"answer": answer})
    body = response.json()
    assert (body["supported"], body["outdated"], body["unsupported"]) == (1, 1, 0)
    old, new = body["claims"]
    assert [answer[c["start"] : c["end"]] for c in (old, new)] == [
        "Since you live in Leeds",
        "You told me you moved to Porto",
    ]
    assert (old["verdict"], old["reason"], old["judge"]) == ("outdated", "replaced", "rule")
    assert [fact["id"] for fact in old["facts"]] == [str(leeds)]
    assert old["against"]["id"] == str(porto)
    assert old["ended_at"] == "2026-05-03T00:00:00Z"
    assert (new["verdict"], new["reason"], new["against"]) == ("supported", "stated", None)
    assert new["facts"] == [
        {
            "id": str(porto),
            "subject": "user",
            "attribute": "home",
            "scope": "",
            "value": "Porto",
            "polarity": "affirmed",
            "statement": "You live in Porto.",
            "status": "current",
            "valid_from": "2026-05-03T00:00:00Z",
            "valid_to": None,
            "precision": "instant",
            "quote": "I moved to Porto.",
            "said_at": "2026-05-03T00:00:00Z",
        }
    ]


def test_a_denial_is_against_the_claim(owner: User) -> None:
    nuts = remember(owner, "allergy", "nuts", polarity="negated", words="No nut allergy here.")
    [claim] = claims(owner, "You're allergic to nuts, so leave out the pesto.")
    assert (claim["verdict"], claim["reason"], claim["facts"]) == (
        "unsupported",
        "contradicted",
        [],
    )
    assert (claim["against"]["id"], claim["against"]["quote"]) == (
        str(nuts),
        "No nut allergy here.",
    )


def test_the_question_makes_an_answer_of_a_word(owner: User) -> None:
    remember(owner, "home", "Porto")
    assert claims(owner, "Porto.") == []
    [claim] = claims(owner, "Porto.", question="Where do I live?")
    assert claim["verdict"] == "supported"


def test_what_says_nothing_of_the_user_claims_nothing(owner: User) -> None:
    remember(owner, "home", "Porto")
    for answer in (
        "Oslo is the capital of Norway.",
        "You should visit Porto. You can take the train if you live nearby.",
        "Where do you live?",
        "I don't have that. You haven't told me where you live.",
        "```\nyou live in Rome\n```",
    ):
        assert claims(owner, answer) == []


def test_what_doesnt_count_supports_nothing(owner: User, other: User) -> None:
    remember(other, "home", "Porto")
    pending = remember(owner, "diet", "vegan")
    ignored = remember(owner, "language", "Dutch")
    with acting_for(owner.pk):
        Fact.objects.filter(user_id=owner.pk, id=pending).update(status="pending")
        Fact.objects.filter(user_id=owner.pk, id=ignored).update(importance=0)
    answer = "You live in Porto. You are vegan. You speak Dutch."
    assert {c["verdict"] for c in claims(owner, answer)} == {"unsupported"}


def test_an_application_checks_and_it_is_logged(owner: User) -> None:
    app, frontend = application(owner)
    user = EndUser.objects.resolve(application=app, external_id="u1")
    remember(user, "home", "Porto")
    body = {"user": "u1", "answer": "You live in Porto."}
    assert frontend.post("/check", body).json()["supported"] == 1
    assert (f"app:{app.pk}", "check") in [event[:2] for event in log(user)]
    assert "check" not in [event[1] for event in log(owner)]


def test_wrong_fields_are_named(owner: User) -> None:
    for body, field in (
        ({}, "answer"),
        ({"answer": " "}, "answer"),
        ({"answer": "x" * 20_001}, "answer"),
        ({"answer": "x", "question": "a\0b"}, "question"),
        ({"answer": "x", "k": 3}, "k"),
    ):
        assert list(errors(personal(owner).post("/check", body))) == [field]


def test_many_claims_take_as_many_queries_as_one(owner: User) -> None:
    remember(owner, "home", "Porto")
    frontend = personal(owner)
    frontend.post("/check", {"answer": "You live in Porto."})  # notes the key's use
    counts = []
    for times in (1, 40):
        with CaptureQueriesContext(connection) as queries:
            answer = " ".join(["You live in Porto. You work at Acme."] * times)
            assert frontend.post("/check", {"answer": answer}).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


# -- With a model --------------------------------------------------------------------------------


@pytest.fixture
def model(owner: User, settings: Any, model_server: StandIn) -> Any:
    settings.OPENAI_BASE_URL = model_server.url
    settings.OPENAI_API_KEY = "test"
    settings.MODEL_RETRIES = 0
    settings.MODEL_TIMEOUT_SECONDS = 5
    providers.reset()
    remember(owner, "hobby", "watercolours", words="I've taken up watercolours.")
    remember(owner, "home", "Leeds", "2025-06-10", words="I live in Leeds.")
    remember(owner, "home", "Porto", "2026-05-03", words="I moved to Porto.")
    yield model_server
    providers.reset()


def choose(server: StandIn, value: str, verdict: str) -> None:
    """The model finds the fact with this value behind the first claim."""

    def reply(request: dict[str, Any]) -> str:
        facts = json.loads(request["messages"][-1]["content"])["claims"][0]["facts"]
        number = next((fact["n"] for fact in facts if value in fact["fact"]), 99)
        return json.dumps({"verdicts": [{"claim": 1, "verdict": verdict, "fact": number}]})

    server.answer = reply


PARAPHRASE = "You enjoy painting."


def test_a_model_finds_what_is_said_in_other_words(owner: User, model: StandIn) -> None:
    choose(model, "watercolours", "supported")
    [claim] = claims(owner, PARAPHRASE)
    assert (claim["verdict"], claim["judge"]) == ("supported", "model")
    assert claim["facts"][0]["value"] == "watercolours"


@pytest.mark.parametrize(
    ("answer", "value", "verdict"),
    [
        ("You enjoy painting in Rome.", "watercolours", "supported"),  # a name that isn't in it
        ("You enjoy painting 3 hours a day.", "watercolours", "supported"),
        ("You don't enjoy painting.", "watercolours", "supported"),
        ("Your sister Ana enjoys painting.", "watercolours", "supported"),
        (PARAPHRASE, "watercolours", "outdated"),  # it holds
        ("You rent a room beneath the mills.", "Leeds", "supported"),  # it holds no longer
        (PARAPHRASE, "no such fact", "supported"),
    ],
)
def test_what_a_model_says_is_checked(
    owner: User, model: StandIn, answer: str, value: str, verdict: str
) -> None:
    choose(model, value, verdict)
    assert {(c["verdict"], c["judge"]) for c in claims(owner, answer)} <= {("unsupported", "rule")}
    assert len(model.requests) == 1


@pytest.mark.parametrize("reply", [failed(500), Reply(content="Sure!"), Reply(content="{}")])
def test_without_a_usable_word_the_rules_decide(
    owner: User, model: StandIn, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    model.script(reply)
    with caplog.at_level(logging.WARNING):
        [claim] = claims(owner, PARAPHRASE)
    assert (claim["verdict"], claim["judge"]) == ("unsupported", "rule")
    assert "painting" not in caplog.text


def test_a_model_isnt_asked_what_the_rules_know(owner: User, model: StandIn) -> None:
    assert len(claims(owner, "You live in Leeds. You live in Porto. You live in Rome.")) == 3
    assert not model.requests


def test_a_spent_budget_leaves_it_to_the_rules(owner: User, model: StandIn, settings: Any) -> None:
    settings.TOKENS_PER_USER_DAY = 1
    choose(model, "watercolours", "supported")
    assert claims(owner, PARAPHRASE)[0]["judge"] == "model"  # the first of a day always may
    assert claims(owner, PARAPHRASE)[0]["judge"] == "rule"
    assert len(model.requests) == 1
