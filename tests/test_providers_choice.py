"""Which adapter the settings choose, and that each is made once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from memoryapp import providers
from memoryapp.records import ChatMessage
from tests.model_server import StandIn


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    providers.reset()
    yield
    providers.reset()


def test_the_defaults_need_no_server(settings: Settings) -> None:
    assert settings.EMBEDDER == settings.EXTRACTOR == "local"
    assert providers.embedder().model == "minilm-int8"
    assert providers.chat_model() is None


def test_each_is_made_once_until_reset() -> None:
    first = providers.embedder()
    assert providers.embedder() is first
    providers.reset()
    assert providers.embedder() is not first


def test_a_named_server_is_used(settings: Settings, model_server: StandIn) -> None:
    settings.OPENAI_BASE_URL = model_server.url
    settings.OPENAI_API_KEY = "key"
    settings.EXTRACTOR = settings.EMBEDDER = "openai"
    settings.EXTRACTION_MODEL = "some-model"
    settings.EMBEDDING_MODEL = "some-embedder"
    settings.EMBEDDING_DIMENSION = model_server.dimension
    model = providers.chat_model()
    assert model is not None
    assert model.complete([ChatMessage("user", "hello")]).text
    assert providers.embedder().query("hello").shape == (model_server.dimension,)
    assert [request.body["model"] for request in model_server.requests] == [
        "some-model",
        "some-embedder",
    ]
    assert model_server.requests[0].headers["Authorization"] == "Bearer key"
    assert (providers.extractor().name, providers.extractor().version[-10:]) == (
        "openai",
        "some-model",
    )


def test_the_openai_extractor_without_a_server_is_refused(settings: Settings) -> None:
    settings.EXTRACTOR = "openai"
    with pytest.raises(ImproperlyConfigured, match="OPENAI_BASE_URL"):
        providers.extractor()


def test_the_multilingual_embedder(settings: Settings) -> None:
    settings.EMBEDDER = "local-multilingual"
    assert providers.embedder().weight == 0.6
    assert providers.embedder().query("hola").shape == (384,)


def test_the_clock_is_in_utc() -> None:
    assert providers.clock().now().tzinfo is UTC
    assert callable(providers.clock)  # not the module of that name


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys; import memoryapp.providers as p; p.clock(); "
        "print([m for m in ('onnxruntime', 'openai', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
