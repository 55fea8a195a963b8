"""What the learned heads find where the rules find nothing, and when they aren't asked."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import pytest

from memoryapp.extract import extract
from memoryapp.providers import local_minilm
from memoryapp.providers.local_extractor import LocalExtractor, heads, words
from memoryapp.providers.local_extractor.attributes import registry
from memoryapp.providers.local_minilm import MiniLM, token_vectors
from memoryapp.records import Batch, Candidate, Turn

SENT_AT = datetime(2026, 3, 3, 10, tzinfo=UTC)


def found(text: str, extractor: LocalExtractor | None = None) -> list[Candidate]:
    turn = Turn(UUID(int=1), "user", text, SENT_AT)
    return list(extract(Batch([turn]), extractor or LocalExtractor()).candidates)


def written(facts: list[Candidate]) -> set[str]:
    return {
        ("NOT " if fact.polarity == "negated" else "")
        + ("END " if fact.operation == "end" else "")
        + f"{fact.subject}.{fact.attribute}={fact.value}"
        for fact in facts
    }


FOUND = {
    "We ended up in Antwerp after ten years abroad.": "user.home=Antwerp",
    "I've always been scared of heights.": "user.dislikes=heights",
    "My weekend project is a treehouse.": "user.project=treehouse",
    "Everything I write goes into Obsidian.": "user.uses=Obsidian",
    "I've always had a passion for old maps.": "user.likes=old maps",
    "I earn my keep as a locksmith.": "user.job_title=locksmith",
}


@pytest.mark.parametrize("text", FOUND)
def test_only_the_heads_find_it(text: str) -> None:
    assert found(text, LocalExtractor(last=())) == []
    assert written(found(text)) == {FOUND[text]}


def test_what_is_found_is_a_candidate_like_any_other() -> None:
    text = "Any ideas for dinner? We ended up in Antwerp after ten years abroad."
    (fact,) = found(text)
    assert fact.quote is not None
    assert fact.quote.text == text[fact.quote.start : fact.quote.end]
    assert fact.quote.text.startswith("We ended up")
    assert (fact.kind, fact.sensitivity) == ("personal", "")
    assert 0 < fact.confidence < 0.85


@pytest.mark.parametrize(
    "text",
    [
        "I met a plumber on the train.",
        "I booked a hotel in Antwerp that costs a lot.",
        "My client has asthma.",
        "I watched a tennis match on TV.",
        "Your passion for old maps is inspiring.",
        "We might end up in Antwerp.",
        "I'm working on a problem set.",
        "I love how you put it.",
    ],
)
def test_nothing_is_found_in(text: str) -> None:
    assert found(text) == []


def test_small_talk_questions_and_requests_never_reach_the_encoder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(text: str) -> None:
        raise AssertionError("the encoder was asked")

    monkeypatch.setattr(words, "token_vectors", refuse)
    for text in (
        "Hello there, how are you?",
        "Can you summarise this article for me?",
        "What is the capital of Peru?",
        "I wonder if it will rain.",
        "Write a poem about the sea.",
        "Thanks, that was helpful!",
    ):
        assert found(text) == []
    with pytest.raises(AssertionError, match="encoder"):
        found("We ended up in Antwerp after ten years abroad.")


def test_one_message_asks_the_encoder_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    real = local_minilm.token_vectors

    def counted(text: str) -> object:
        asked.append(text)
        return real(text)

    monkeypatch.setattr(words, "token_vectors", counted)
    found("We ended up in Antwerp after ten years abroad. " * 60)
    assert 0 < len(asked) <= 12


def test_the_weights_are_small_and_speak_of_known_attributes() -> None:
    assert heads.WEIGHTS.stat().st_size < 3_000_000
    named = heads.heads().attributes
    assert named[0] == ""
    assert set(named[1:]) <= set(registry())


def test_tokens_come_with_their_place_and_share_the_embedders_session() -> None:
    text = "Zoë sells 3 kayaks\0 in Łódź."
    vectors, places = token_vectors(text)
    assert vectors.shape == (len(places), MiniLM.dimension)
    assert text[places[0][0] : places[0][1]] == "Zoë"
    assert [start for start, _ in places] == sorted(start for start, _ in places)
    session = local_minilm._parts()[1]
    MiniLM().query("kayak")
    assert local_minilm._parts()[1] is session
    assert token_vectors("")[0].shape == (0, MiniLM.dimension)


def test_a_clause_of_too_many_words_is_left_alone() -> None:
    assert found("We ended up in Antwerp " + "and then further on to the next one " * 20) == []


def test_the_pieces_of_a_product_make_the_product() -> None:
    rng = np.random.default_rng(1)
    rows, weights = (rng.random(shape, dtype=np.float32) for shape in ((7, 900), (900, 5)))
    assert np.allclose(heads._product(rows, weights), rows @ weights, rtol=1e-5)
