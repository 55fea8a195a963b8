"""Near neighbours under other keys: settled by rule, by a model, or by the user."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memoryapp import audit, pipeline, providers, registry, store
from memoryapp.context import acting_for
from memoryapp.models import Decision, Evidence, Message
from memoryapp.records import Candidate, Quote
from tests.chat import at, current, deliver, facts, read_all, said, tell
from tests.model_server import StandIn

pytestmark = pytest.mark.usefixtures("committed_db")


def learn(user: Any, when: str, words: str, **parts: Any) -> None:
    """What an extractor found in a real message, through judge and store."""
    deliver(user, [said(when, words)], conversation=f"c-{when}-{words}")
    with acting_for(user.pk):
        known = registry.load()
        message = Message.objects.get(user_id=user.pk, content=words, sent_at=at(when))
    candidate = known.canonicalise(
        Candidate(
            quote=Quote(message.id, 0, len(words), words),
            sent_at=at(when),
            **{"subject": "user", **parts},
        )
    )
    vectors = pipeline.embed(user_id=user.pk, texts=[known.statement(candidate)])
    candidates, rulings = pipeline.settle(
        user_id=user.pk, candidates=[candidate], vectors=vectors, registry=known
    )
    with acting_for(user.pk):
        store.apply(
            user_id=user.pk,
            candidates=candidates,
            registry=known,
            by=audit.Actor.system("test"),
            now=providers.clock().now(),
            vectors=vectors,
            rulings=rulings,
        )


def last_decision(user: Any) -> Decision:
    with acting_for(user.pk):
        return Decision.objects.filter(user_id=user.pk).latest("at", "id")


def test_like_and_dislike_share_one_timeline(owner: Any) -> None:
    tell(owner, said("2026-01-01", "I love chess."))
    tell(owner, said("2026-03-01", "I can't stand chess."), conversation="c2")
    rows = facts(owner, "likes")
    assert [(f.polarity, f.status, f.valid_from, f.valid_to) for f in rows] == [
        ("affirmed", "superseded", at("2026-01-01"), at("2026-03-01")),
        ("negated", "current", at("2026-03-01"), None),
    ]
    assert facts(owner, "dislikes") == []


def test_an_open_name_for_a_known_value_is_folded_and_the_fold_is_logged(owner: Any) -> None:
    tell(owner, said("2026-01-01", "I use Postgres."))
    (held,) = [f for f in facts(owner) if "postgres" in f.value.lower()]
    learn(
        owner,
        "2026-02-01",
        "Postgres it is, as always.",
        attribute="storage_of_choice",
        value=held.value,
        kind=held.kind,
    )
    assert facts(owner, "storage_of_choice") == []
    decision = last_decision(owner)
    assert (decision.outcome, decision.attribute) == ("corroborate", held.attribute)
    assert decision.scores["ruling"] == "same"
    with acting_for(owner.pk):
        assert Evidence.objects.filter(user_id=owner.pk, fact_id=held.id).count() == 2


def test_a_denial_under_another_name_changes_nothing_and_asks(owner: Any) -> None:
    learn(owner, "2026-01-01", "We build it on Flask.", attribute="framework", value="Flask")
    learn(
        owner,
        "2026-03-01",
        "I have never used Flask here.",
        attribute="uses",
        value="Flask",
        polarity="negated",
    )
    assert current(owner, "framework") == ["Flask"]
    (pending,) = facts(owner, "uses")
    assert pending.status == "pending"
    decision = last_decision(owner)
    assert decision.outcome == "conflict"
    assert decision.scores["against"] == str(facts(owner, "framework")[0].id)
    # The user knows.
    pipeline.approve(user_id=owner.pk, fact_id=pending.id, by=audit.Actor.user(owner))
    assert [f.status for f in facts(owner, "uses")] == ["current"]


def test_neighbours_never_come_from_another_user_or_subject(owner: Any, other: Any) -> None:
    learn(other, "2026-01-01", "We build it on Flask.", attribute="framework", value="Flask")
    learn(
        owner, "2026-01-01", "Mira builds it on Flask.",
        subject="person:mira", attribute="framework", value="Flask",
    )  # fmt: skip
    learn(
        owner, "2026-03-01", "I have never used Flask.",
        attribute="uses", value="Flask", polarity="negated",
    )  # fmt: skip
    assert [f.status for f in facts(owner, "uses")] == ["current"]


@pytest.fixture
def judge_model(settings: Any, model_server: StandIn) -> Any:
    settings.OPENAI_BASE_URL = model_server.url
    settings.OPENAI_API_KEY = "test"
    settings.MODEL_RETRIES = 0
    settings.MODEL_TIMEOUT_SECONDS = 5
    providers.reset()
    yield model_server
    providers.reset()


@pytest.mark.parametrize(
    ("verdict", "flask", "uses"),
    [
        ("replaces", "retracted", "current"),
        ("adds", "current", "current"),
        ("conflicts", "current", "pending"),
    ],
)
def test_a_model_settles_what_the_rule_leaves_open(
    owner: Any, judge_model: StandIn, verdict: str, flask: str, uses: str
) -> None:
    judge_model.answer = lambda body: f'{{"verdict": "{verdict}", "reason": "so"}}'
    learn(owner, "2026-01-01", "We build it on Flask.", attribute="framework", value="Flask")
    learn(
        owner, "2026-03-01", "We left Flask behind.",
        attribute="uses", value="Flask", polarity="negated",
    )  # fmt: skip
    (framework,) = facts(owner, "framework")
    assert framework.status == flask
    (used,) = facts(owner, "uses")
    assert used.status == uses
    assert last_decision(owner).judge == "model"
    if verdict == "replaces":
        assert framework.valid_to == at("2026-03-01")
        assert framework.superseded_by_id == used.id


def test_a_failing_model_leaves_the_question_to_the_user(owner: Any, judge_model: StandIn) -> None:
    judge_model.answer = lambda body: "I would rather not say."
    learn(owner, "2026-01-01", "We build it on Flask.", attribute="framework", value="Flask")
    learn(
        owner, "2026-03-01", "We left Flask behind.",
        attribute="uses", value="Flask", polarity="negated",
    )  # fmt: skip
    assert [f.status for f in facts(owner, "uses")] == ["pending"]
    assert last_decision(owner).judge == "rule"


def test_the_model_is_not_asked_in_the_common_case(owner: Any, judge_model: StandIn) -> None:
    for number, (attribute, value) in enumerate(
        [("likes", "chess"), ("home", "Porto"), ("framework", "Django"), ("uses", "Postgres")]
    ):
        day = (at("2026-01-01") + timedelta(days=number)).date().isoformat()
        learn(owner, day, f"About {value}.", attribute=attribute, value=value)
    assert judge_model.requests == []
    read_all(owner)


def test_what_others_dislike_is_said_as_such(owner: Any) -> None:
    tell(owner, said("2026-01-01", "My friend Jonas can't stand chess."))
    (fact,) = [f for f in facts(owner, "likes") if f.subject == "person:jonas"]
    assert (fact.polarity, fact.status) == ("negated", "current")
    assert fact.statement == "Jonas doesn’t like chess."
