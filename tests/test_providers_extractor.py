"""The extractor that asks a model: what it makes of good, bad and broken answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from memoryapp.ports import ProviderError
from memoryapp.providers.openai_api import ModelServer, OpenAIChat
from memoryapp.providers.openai_extractor import HALVINGS, OpenAIExtractor
from memoryapp.records import (
    AttributeHint,
    Batch,
    Candidate,
    ExtractionResult,
    KnownFact,
    Role,
    Turn,
)
from tests.model_server import NOTHING_FOUND, Reply, StandIn, html

SENT = datetime(2026, 3, 3, 9, 30, tzinfo=UTC)
HINTS = [
    AttributeHint("home", "personal", True, names=("city",), sentence="You live in {value}."),
    AttributeHint("allergy", "constraint", False, sentence="You are allergic to {value}."),
    AttributeHint("medication", "personal", False, "health", sentence="You take {value}."),
    AttributeHint("theme", "preference", True, sentence="You use the {value} theme."),
]


def _turn(number: int, content: str, role: Role = "user") -> Turn:
    return Turn(UUID(int=number), role, content, SENT)


BATCH = Batch(
    turns=[
        _turn(1, "I live in Lisbon now, and I'm allergic to peanuts."),
        _turn(2, "Noted! Do you like hiking?", "assistant"),
        _turn(3, 'Yes. Also, "naïve" is how\nI\'d call my cat Pim.'),
    ],
    context=[_turn(8, "Still at Stripe?", "assistant"), _turn(9, "I was born in Ghent.")],
    known=[KnownFact("user", "home_city", "", "Porto")],
    time_zone="Europe/Lisbon",
)


def _fact(**changes: Any) -> dict[str, Any]:
    return {
        "message": "m1",
        "quote": "I live in Lisbon",
        "subject": "user",
        "attribute": "home_city",
        "scope": "",
        "value": "Lisbon",
        "polarity": "affirmed",
        "operation": "state",
        "kind": "personal",
        "statement": "You live in Lisbon.",
        "confidence": 0.9,
        "importance": 0.7,
        "sensitivity": "none",
        "valid_from": None,
        "valid_to": None,
        "correction": False,
    } | changes


ALLERGY = _fact(
    quote="I'm allergic to peanuts",
    attribute="allergy",
    value="peanuts",
    kind="constraint",
    sensitivity="health",
)


@pytest.fixture
def extractor(model_server: StandIn) -> Iterator[OpenAIExtractor]:
    server = ModelServer(base_url=model_server.url, timeout=10, retries=0)
    yield OpenAIExtractor(OpenAIChat("stand-in", server))
    server.close()


def _extract(
    extractor: OpenAIExtractor, server: StandIn, *facts: Mapping[str, Any] | Any
) -> ExtractionResult:
    server.find(facts=facts)
    return extractor.extract(BATCH)


def _told(
    extractor: OpenAIExtractor, server: StandIn, said: str, quote: str, **changes: Any
) -> Candidate | None:
    """What comes of one candidate about one message; None when it is dropped."""
    server.find(facts=[_fact(quote=quote, statement="", **changes)])
    result = extractor.extract(
        Batch(turns=[_turn(1, said)], time_zone="Europe/Lisbon", attributes=HINTS)
    )
    assert len(result.candidates) + len(result.dropped) == 1
    return result.candidates[0] if result.candidates else None


def _one(extractor: OpenAIExtractor, server: StandIn, **changes: Any) -> Candidate:
    (candidate,) = _extract(extractor, server, _fact(**changes)).candidates
    return candidate


# -- What the model is given -------------------------------------------------------------------


def test_the_conversation_is_given_as_data(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    extractor.extract(BATCH)
    (request,) = model_server.requests
    system, user = request.body["messages"]
    assert "Lisbon now" not in system["content"]
    data = json.loads(user["content"])
    assert [(turn["id"], turn["role"]) for turn in data["turns"]] == [
        ("m1", "user"),
        ("m2", "assistant"),
        ("m3", "user"),
    ]
    assert data["turns"][0]["content"] == BATCH.turns[0].content
    assert data["turns"][0]["sent_at"] == "2026-03-03T09:30:00+00:00"
    assert [turn["id"] for turn in data["context"]] == ["c1", "c2"]
    assert data["known"][0]["value"] == "Porto"
    assert data["time_zone"] == "Europe/Lisbon"


def test_the_schema_is_strict_all_the_way_down(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    # OpenAI refuses a strict schema in which an object leaves a property optional.
    extractor.extract(BATCH)
    schema = model_server.requests[0].body["response_format"]["json_schema"]["schema"]

    def check(node: Any) -> int:
        if not isinstance(node, dict):
            return 0
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert set(node["required"]) == set(node["properties"])
            return 1 + sum(check(child) for child in node["properties"].values())
        return check(node.get("items"))

    assert check(schema) == 3


def test_nothing_to_prove_with_asks_no_model(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    batch = Batch(turns=[_turn(1, "You live in Lisbon.", "assistant"), _turn(2, "  ")])
    assert extractor.extract(batch) == ExtractionResult()
    assert model_server.requests == []


def test_the_version_names_prompt_and_model(extractor: OpenAIExtractor) -> None:
    prompt, _, model = extractor.version.partition("/")
    assert prompt.isdigit()
    assert model == "stand-in"


# -- Good answers ------------------------------------------------------------------------------


def test_a_whole_candidate(extractor: OpenAIExtractor, model_server: StandIn) -> None:
    result = _extract(extractor, model_server, ALLERGY, _fact())
    home, allergy = result.candidates  # in the order of the text
    assert home.quote
    assert home.quote.message_id == UUID(int=1)
    assert BATCH.turns[0].content[home.quote.start : home.quote.end] == home.quote.text
    assert home.quote.text == "I live in Lisbon"
    assert (home.value, home.kind, home.sensitivity) == ("Lisbon", "personal", "")
    assert (home.confidence, home.importance, home.sent_at) == (0.9, 0.7, SENT)
    assert (allergy.attribute, allergy.sensitivity) == ("allergy", "health")
    assert result.dropped == ()
    assert result.tokens > 0


def test_missing_fields_take_their_defaults(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    # Servers without json_schema leave things out.
    bare = {"message": "m1", "quote": "I live in Lisbon", "attribute": "city", "value": "Lisbon"}
    (candidate,) = _extract(extractor, model_server, bare).candidates
    assert (candidate.subject, candidate.kind, candidate.operation, candidate.polarity) == (
        "user",
        "preference",
        "state",
        "affirmed",
    )


def test_fields_are_brought_into_form(extractor: OpenAIExtractor, model_server: StandIn) -> None:
    candidate = _told(
        extractor,
        model_server,
        "My friend Mira is 42 now.",
        "Mira is 42",
        subject="Person:Mira",
        attribute="Home City",
        scope=" IDE ",
        value=42,
        confidence=7,
        importance="-1",
    )
    assert candidate is not None
    assert (candidate.subject, candidate.attribute, candidate.scope) == (
        "person:mira",
        "home_city",
        "ide",
    )
    assert (candidate.value, candidate.confidence, candidate.importance) == ("42", 1.0, 0.0)


@pytest.mark.parametrize(
    ("written", "moment", "precision"),
    [
        ("2019", datetime(2019, 1, 1, 0, tzinfo=UTC), "year"),
        ("2019-07", datetime(2019, 6, 30, 23, tzinfo=UTC), "month"),  # Lisbon's summer time
        ("2019-07-14", datetime(2019, 7, 13, 23, tzinfo=UTC), "day"),
        ("2019-07-14T08:00:00", datetime(2019, 7, 14, 7, tzinfo=UTC), "instant"),
        ("2019-07-14T08:00:00Z", datetime(2019, 7, 14, 8, tzinfo=UTC), "instant"),
        ("", None, "instant"),
    ],
)
def test_dates(
    extractor: OpenAIExtractor,
    model_server: StandIn,
    written: str,
    moment: datetime | None,
    precision: str,
) -> None:
    said = "I lived in Lisbon, to be exact on July 14, 2019."
    since = _told(extractor, model_server, said, "I lived in Lisbon", valid_from=written)
    until = _told(extractor, model_server, said, "I lived in Lisbon", valid_to=written)
    assert since is not None
    assert until is not None
    assert (since.valid_from, since.precision) == (moment, precision)
    assert (until.valid_to, until.precision) == (moment, precision)


def test_a_request_to_forget(extractor: OpenAIExtractor, model_server: StandIn) -> None:
    model_server.find(
        forget=[
            {"message": "m3", "quote": "my cat Pim", "what": "the cat Pim"},
            {"message": "m2", "quote": "Noted!", "what": "everything"},
            {"message": "m3", "quote": "my cat Pim"},
        ]
    )
    result = extractor.extract(BATCH)
    (request,) = result.forget
    assert (request.quote.message_id, request.what) == (UUID(int=3), "the cat Pim")
    assert [dropped.reason for dropped in result.dropped] == ["not_user", "off_schema"]


# -- One bad candidate among good ones ---------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (_fact(quote="I live in Paris"), "no_quote"),
        (_fact(quote="i live in lisbon"), "no_quote"),
        (_fact(quote=""), "no_quote"),
        (_fact(quote=None), "no_quote"),
        (_fact(message="m3"), "no_quote"),
        (_fact(message="m2", quote="Do you like hiking?"), "not_user"),
        (_fact(message="m3", quote="Do you like hiking?"), "not_user"),
        (_fact(message="c1", quote="Still at Stripe?"), "not_user"),
        (_fact(message="c2", quote="I was born in Ghent"), "unknown_message"),
        (_fact(message="m7"), "unknown_message"),
        (_fact(message=None), "unknown_message"),
        (_fact(message=["m1"]), "unknown_message"),
        (_fact(value=""), "off_schema"),
        (_fact(value=None), "off_schema"),
        (_fact(value={"city": "Lisbon"}), "off_schema"),
        (_fact(value="x" * 501), "off_schema"),
        (_fact(value="a\0b"), "off_schema"),
        (_fact(attribute="城市"), "off_schema"),
        (_fact(subject="Mira"), "off_schema"),
        (_fact(kind="fact"), "off_schema"),
        (_fact(kind=["personal"]), "off_schema"),
        (_fact(polarity="positive"), "off_schema"),
        (_fact(operation="delete"), "off_schema"),
        (_fact(confidence="high"), "off_schema"),
        (_fact(confidence=True), "off_schema"),
        (_fact(confidence=float("nan")), "off_schema"),
        (_fact(correction="yes"), "off_schema"),
        (_fact(valid_from="last May"), "off_schema"),
        (_fact(valid_from="2019-13"), "off_schema"),
        (_fact(valid_from="9999-12-31", valid_to="0001"), "off_schema"),
        (_fact(valid_from="2020", valid_to="2019"), "off_schema"),
        (_fact(sensitivity="secret"), "off_schema"),
        ("I live in Lisbon", "off_schema"),
        (None, "off_schema"),
    ],
)
def test_a_bad_candidate_loses_only_itself(
    extractor: OpenAIExtractor, model_server: StandIn, bad: Any, reason: str
) -> None:
    result = _extract(extractor, model_server, ALLERGY, bad, _fact())
    assert [candidate.value for candidate in result.candidates] == ["Lisbon", "peanuts"]
    assert [dropped.reason for dropped in result.dropped] == [reason]


# -- Broken answers ----------------------------------------------------------------------------


def _text(*facts: Mapping[str, Any]) -> str:
    return json.dumps({"facts": facts, "forget": []}, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{_text(_fact())}\n```",
        f"Here {{so}} it is:\n\n```\n{_text(_fact())}\n```\nAnything else?",
        f"<think>A {{fact}}? Yes.</think>\n{_text(_fact())}",
        json.dumps([_fact()]),
        json.dumps({"facts": [_fact()], "forget": None}),
    ],
    ids=["fenced", "chatty", "thoughts", "bare list", "null list"],
)
def test_wrapped_answers_are_read(
    extractor: OpenAIExtractor, model_server: StandIn, text: str
) -> None:
    model_server.script(Reply(content=text))
    (candidate,) = extractor.extract(BATCH).candidates
    assert candidate.value == "Lisbon"


def test_raw_newlines_inside_strings(extractor: OpenAIExtractor, model_server: StandIn) -> None:
    quote = "how\nI'd call my cat Pim"
    text = _text(_fact(message="m3", quote=quote, value="Pim")).replace("\\n", "\n")
    model_server.script(Reply(content=text))
    (candidate,) = extractor.extract(BATCH).candidates
    assert candidate.quote
    assert candidate.quote.text == quote


def test_whole_candidates_are_saved_from_broken_json(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    text = _text(_fact(), ALLERGY, _fact())
    model_server.script(Reply(content=text[: text.rindex('"kind"')]))
    result = extractor.extract(BATCH)
    assert [candidate.value for candidate in result.candidates] == ["Lisbon", "peanuts"]
    assert [dropped.reason for dropped in result.dropped] == ["malformed"]


@pytest.mark.parametrize(
    "text",
    [
        "I found nothing.",
        "{}",
        '{"facts": "none"}',
        '{"facts": [',
        '{"facts": ' + "[" * 100_000,
        "{" * 500_000,
    ],
)
def test_an_answer_without_lists_is_an_error(
    extractor: OpenAIExtractor, model_server: StandIn, text: str
) -> None:
    model_server.script(Reply(content=text))
    with pytest.raises(ProviderError) as caught:
        extractor.extract(Batch(turns=BATCH.turns[:1]))
    assert caught.value.code == "malformed"
    assert caught.value.tokens > 0


# -- Too long for one answer -------------------------------------------------------------------


def test_a_truncated_batch_is_halved_until_it_gets_through(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    whole = _text(_fact())
    model_server.script(
        Reply(content=whole[:100], finish_reason="length"),
        Reply(content=whole),  # turn 1
        Reply(content=whole, finish_reason=None),  # turns 2 and 3; 2 needs no model
        Reply(content=_text(_fact(message="m1", quote="my cat Pim", value="Pim"))),
    )
    result = extractor.extract(BATCH)
    assert [candidate.value for candidate in result.candidates] == ["Lisbon", "Pim"]
    quotes = [candidate.quote for candidate in result.candidates]
    assert [quote and quote.message_id.int for quote in quotes] == [1, 3]
    last = json.loads(model_server.requests[-1].body["messages"][1]["content"])
    assert [turn["content"] for turn in last["context"]] == [
        BATCH.turns[0].content,
        BATCH.turns[1].content,
    ]


def test_a_single_truncated_message_stays_an_error(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    model_server.script(Reply(content=_text(_fact()), finish_reason="length"))
    with pytest.raises(ProviderError) as caught:
        extractor.extract(Batch(turns=BATCH.turns[:1]))
    assert caught.value.code == "truncated"


def test_outages_are_not_answered_by_halving(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    model_server.script(html(), Reply(content=NOTHING_FOUND))
    with pytest.raises(ProviderError) as caught:
        extractor.extract(BATCH)
    assert (caught.value.code, caught.value.tokens) == ("malformed", 0)
    assert len(model_server.requests) == 1


def test_a_message_that_the_model_refuses_loses_no_other(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    turns = [_turn(n, f"I know {word}.") for n, word in enumerate(["Ada", "poison", "Eve"], 1)]

    def answer(request: dict[str, Any]) -> str:
        shown = json.loads(request["messages"][1]["content"])["turns"]
        if any("poison" in turn["content"] for turn in shown):
            return "I can't help with that."
        facts = [
            _fact(message=turn["id"], quote=turn["content"], value=turn["content"][7:-1])
            for turn in shown
        ]
        return _text(*facts)

    model_server.answer = answer
    result = extractor.extract(Batch(turns=turns))
    assert [candidate.value for candidate in result.candidates] == ["Ada", "Eve"]
    assert result.unread == {turns[1].message_id}
    assert result.unread_reason == "malformed"
    # Every attempt was paid for.
    alone = extractor.extract(Batch(turns=turns[:1])).tokens
    assert result.tokens > 3 * alone


def test_halving_ends_when_nothing_gets_through(
    extractor: OpenAIExtractor, model_server: StandIn
) -> None:
    model_server.answer = lambda _request: "No."
    with pytest.raises(ProviderError) as caught:
        extractor.extract(Batch(turns=[_turn(n, f"I like {n}.") for n in range(1, 65)]))
    assert caught.value.code == "malformed"
    assert len(model_server.requests) <= 1 + 2 * HALVINGS
