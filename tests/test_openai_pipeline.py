"""Whatever the model's server does: no good candidate lost, no duplicate, nothing stuck."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from memoryapp import ingest, pipeline
from memoryapp.context import acting_for
from memoryapp.models import Evidence, Extraction, Outbox, TokenUse
from tests import honest_model
from tests.chat import current, deliver, facts, read_all, said, tell
from tests.conftest import FixedClock
from tests.honest_model import Patience, patience, standing_clock
from tests.model_server import Reply, StandIn, failed, html

__all__ = ["patience", "standing_clock"]
pytestmark = pytest.mark.usefixtures("committed_db", "patience")

MESSAGES = [
    said("2026-01-10", "I live in Lisbon, near the river."),
    said("2026-01-10T00:01", "Noted.", role="assistant"),
    said("2026-01-10T00:02", "I'm allergic to peanuts."),
]
LIES: list[Any] = [
    "I live in Lisbon",
    None,
    {"message": "m1"},
    {"message": "m1", "quote": "I live in Lisbon", "attribute": "home", "value": ["Lisbon"]},
    {"message": "m1", "quote": "I live in Rome", "attribute": "home", "value": "Rome"},
    {"message": "m2", "quote": "Noted", "attribute": "home", "value": "Noted"},
    {"message": "m1", "quote": "near the river", "attribute": "employer", "value": "Stripe"},
    {"message": "m9", "quote": "I live in Lisbon", "attribute": "home", "value": "Lisbon"},
]
TRUTHS = [
    {"message": "m1", "quote": "I live in Lisbon", "attribute": "home", "value": "Lisbon"},
    {"message": "m3", "quote": "I'm allergic to peanuts", "attribute": "allergy",
     "value": "peanuts"},
]  # fmt: skip

SLOW = 0.5
MISBEHAVIOURS: dict[str, tuple[float, Sequence[Reply]]] = {
    "slow": (SLOW, [Reply(wait=3)]),
    "dripping": (SLOW, [Reply(drip=3)]),
    "hanging": (SLOW, [Reply(hang=True)]),
    "429": (30, [failed(429, retry_after="1")]),
    "429 for long": (30, [failed(429, retry_after="7200")]),
    "quota": (30, [failed(429, code="insufficient_quota")]),
    "500": (30, [failed(500)] * 3),
    "503": (30, [failed(503)]),
    "400 too long": (30, [failed(400, "maximum context length", code="context_length_exceeded")]),
    "prose": (30, [Reply(content="I found nothing of note.")]),
    "broken JSON": (30, [Reply(content='{"facts": [')]),
    "another object": (30, [Reply(content='{"answer": 42}')]),
    "empty": (30, [Reply(content="")]),
    "no choices": (30, [Reply(body=b"{}")]),
    "not JSON": (30, [Reply(body=b"\x00\xff")]),
    "truncated": (30, [Reply(content='{"facts": [{"mess', finish_reason="length")]),
    "no finish_reason": (30, [Reply(finish_reason=None)]),
    "cut body": (30, [Reply(cut=40)]),
    "cut at once": (30, [Reply(cut=0)]),
    "refusal": (30, [Reply(refusal="I can't.")]),
    "filtered": (30, [Reply(finish_reason="content_filter")]),
    "off-schema": (30, [Reply(content=json.dumps({"facts": [*LIES, *TRUTHS]}))]),
    "1 MB": (30, [Reply(content="x" * 1_100_000)]),
    "1 MB of facts": (30, [Reply(content=json.dumps({"facts": LIES * 9000}))]),
    "HTML": (30, [html()]),
    "HTML error": (30, [Reply(status=502, body=b"<h1>Bad gateway</h1>", content_type="text/html")]),
}


def status(user: Any) -> ingest.Status:
    with acting_for(user.pk):
        return ingest.status(user_id=user.pk, conversation="c1")


def all_is_known_once(user: Any) -> None:
    assert current(user, "home") == ["Lisbon"]
    assert current(user, "allergy") == ["peanuts"]
    assert len(facts(user)) == 2
    with acting_for(user.pk):
        assert Evidence.objects.filter(user_id=user.pk).count() == 2
        assert not Outbox.objects.filter(user_id=user.pk, done_at__isnull=True).exists()
    assert status(user) == ingest.Status(0, 3, 0)


@pytest.mark.parametrize("misbehaviour", MISBEHAVIOURS)
def test_one_failure_delays_and_loses_nothing(
    owner: Any, model_server: StandIn, patience: Patience, misbehaviour: str
) -> None:
    seconds, replies = MISBEHAVIOURS[misbehaviour]
    patience(seconds)
    deliver(owner, MESSAGES)
    model_server.script(*replies)
    read_all(owner)
    assert not model_server.replies  # it did misbehave
    seen = status(owner)
    assert (seen.failed, seen.pending + seen.processed) == (0, 3)

    patience(30)
    read_all(owner)
    all_is_known_once(owner)
    # Delivered and read again, nothing is added.
    deliver(owner, MESSAGES)
    assert read_all(owner) == 0
    all_is_known_once(owner)


def test_each_lie_is_counted_beside_the_truths(owner: Any, model_server: StandIn) -> None:
    model_server.script(Reply(content=json.dumps({"facts": [*LIES, *TRUTHS]})))
    tell(owner, *MESSAGES)
    with acting_for(owner.pk):
        (run,) = Extraction.objects.filter(user_id=owner.pk)
    assert run.candidates == 2
    assert sum(run.dropped.values()) == len(LIES)
    assert run.dropped["unsupported"] == 1


def test_a_message_that_never_gets_through_is_set_aside_alone(
    owner: Any, model_server: StandIn
) -> None:
    def answer(request: dict[str, Any]) -> str:
        poisoned = any("zzz" in turn["content"] for turn in honest_model.shown(request))
        return "No." if poisoned else honest_model.answer(request)

    model_server.answer = answer
    deliver(owner, [*MESSAGES, said("2026-01-10T00:03", "I live in zzz, they say.")])
    for _attempt in range(5):
        read_all(owner)
        assert current(owner, "allergy") == ["peanuts"]
    assert status(owner) == ingest.Status(0, 3, 1)
    # The conversation goes on, and the one can be tried again.
    tell(owner, said("2026-01-11", "I work at Acme."))
    assert current(owner, "employer") == ["Acme"]
    model_server.answer = honest_model.answer
    assert pipeline.retry_failed(user_id=owner.pk) == 1
    read_all(owner)
    assert status(owner) == ingest.Status(0, 5, 0)


@pytest.mark.parametrize(
    "reply", [failed(503), failed(429), failed(401), Reply(cut=0)], ids=["5xx", "429", "401", "cut"]
)
def test_an_outage_of_hours_sets_nothing_aside(
    owner: Any, model_server: StandIn, standing_clock: FixedClock, reply: Reply
) -> None:
    deliver(owner, MESSAGES)
    tries = 0
    while standing_clock.time.hour < 20:  # from noon
        standing_clock.advance(minutes=5)
        if pipeline.due():
            model_server.script(reply)
            pipeline.sweep()
            read_all(owner)
            tries += 1
    assert tries > 5  # more than a failing message has
    with acting_for(owner.pk):
        row = Outbox.objects.get(user_id=owner.pk)
    assert (row.attempts, row.failed_at) == (0, None)
    assert row.not_before - standing_clock.time <= timedelta(hours=1)
    assert status(owner).pending == 3
    standing_clock.advance(hours=1)
    assert pipeline.sweep() == 1
    read_all(owner)
    all_is_known_once(owner)


def test_the_servers_own_wait_is_kept(
    owner: Any, model_server: StandIn, standing_clock: FixedClock
) -> None:
    deliver(owner, MESSAGES)
    model_server.script(failed(429, retry_after="7200"))
    read_all(owner)
    assert len(model_server.requests) == 1
    standing_clock.advance(seconds=7199)
    assert pipeline.due() == []
    standing_clock.advance(seconds=1)
    assert len(pipeline.due()) == 1


def test_truncated_and_refused_attempts_are_paid_for(
    owner: Any, other: Any, model_server: StandIn
) -> None:
    def used(user: Any) -> int:
        with acting_for(user.pk):
            return TokenUse.objects.get(user_id=user.pk).tokens

    tell(owner, *MESSAGES)
    model_server.script(Reply(finish_reason="length"), Reply(refusal="No."))
    tell(other, *MESSAGES)
    read_all(other)
    assert current(other, "home") == ["Lisbon"]
    # One call, against the whole, the first half refused, the second half, the first again.
    assert used(other) > 2 * used(owner)
    with acting_for(other.pk):
        assert used(other) == sum(
            Extraction.objects.filter(user_id=other.pk).values_list("tokens", flat=True)
        )


def test_the_model_is_shown_what_it_needs_as_data(owner: Any, model_server: StandIn) -> None:
    tell(owner, *MESSAGES)
    tell(owner, said("2026-01-11", "I left Lisbon."))
    system, user = model_server.requests[-1].body["messages"]
    data = json.loads(user["content"])
    assert "I left Lisbon" not in system["content"]
    assert [turn["content"] for turn in data["turns"]] == ["I left Lisbon."]
    assert [turn["role"] for turn in data["context"]] == ["user", "assistant", "user"]
    assert {"home", "allergy"} <= {hint["key"] for hint in data["attributes"]}
    assert len(data["attributes"]) <= 40
    home = {"attribute": "home", "value": "Lisbon", "scope": "", "polarity": "affirmed"}
    assert {"subject": "user", **home} in data["known"]
