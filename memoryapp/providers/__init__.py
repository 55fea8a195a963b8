"""The adapters behind the ports, chosen by the settings. This is where to get them.

Each is made once for a process and shared by its threads. Making one is cheap: models are
loaded and connections opened at first use.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

from django.conf import settings

from memoryapp.ports import ChatModel, Clock, Embedder, Extractor

# At the top, since importing the module later would put it in the place of clock() below.
from memoryapp.providers.clock import SystemClock

Made = TypeVar("Made")
_lock = threading.Lock()
_made: dict[str, Any] = {}


def _once(name: str, make: Callable[[], Made]) -> Made:
    if name not in _made:
        with _lock:
            if name not in _made:
                _made[name] = make()
    return cast(Made, _made[name])


def clock() -> Clock:
    """The present time."""
    return _once("clock", SystemClock)


def embedder() -> Embedder:
    """The embedder that EMBEDDER names. Raises ImproperlyConfigured when its package is
    missing."""
    return _once("embedder", _embedder)


def meanings() -> Embedder:
    """The small local embedder, whichever EMBEDDER names: for thresholds that were measured
    in its space."""
    return _once("meanings", _local_embedder)


def chat_model() -> ChatModel | None:
    """The model that EXTRACTION_MODEL names, or None when the settings name no server."""
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return None
    return _once("chat_model", _chat_model)


def extractor() -> Extractor:
    """The extractor that EXTRACTOR names."""
    if settings.EXTRACTOR == "openai":
        model = chat_model()  # before _once: the lock isn't reentrant
        return _once("extractor", lambda: _openai_extractor(model))
    return _once("extractor", _local_extractor)


def reset() -> None:
    """Closes and forgets everything made so far, so that changed settings take effect."""
    with _lock:
        for made in _made.values():
            if hasattr(made, "close"):
                made.close()
        _made.clear()


def _after_fork() -> None:
    # A lock that another thread held at the fork would never be released in the child.
    global _lock
    _lock = threading.Lock()
    _made.clear()


os.register_at_fork(after_in_child=_after_fork)


def _server(most_bytes: int) -> Any:
    from memoryapp.providers.openai_api import ModelServer

    return ModelServer(
        api_key=settings.OPENAI_API_KEY,
        base_url=settings.OPENAI_BASE_URL,
        timeout=settings.MODEL_TIMEOUT_SECONDS,
        retries=settings.MODEL_RETRIES,
        most_bytes=most_bytes,
    )


def _embedder() -> Embedder:
    if settings.EMBEDDER == "openai":
        from memoryapp.providers.openai_api import EMBEDDING_BYTES
        from memoryapp.providers.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(
            settings.EMBEDDING_MODEL,
            settings.EMBEDDING_DIMENSION,
            _server(EMBEDDING_BYTES),
        )
    if settings.EMBEDDER == "local-multilingual":
        from memoryapp.providers.local_multilingual import Multilingual

        return Multilingual()
    return _local_embedder()


def _local_embedder() -> Embedder:
    from memoryapp.providers.local_minilm import MiniLM

    return MiniLM()


def _chat_model() -> ChatModel:
    from memoryapp.providers.openai_api import CHAT_BYTES, OpenAIChat

    return OpenAIChat(settings.EXTRACTION_MODEL, _server(CHAT_BYTES))


def _openai_extractor(model: ChatModel | None) -> Extractor:
    from django.core.exceptions import ImproperlyConfigured

    from memoryapp.providers.openai_extractor import OpenAIExtractor

    if model is None:
        raise ImproperlyConfigured(
            "EXTRACTOR is `openai`, but no server is named. Set OPENAI_API_KEY or OPENAI_BASE_URL."
        )
    return OpenAIExtractor(model)


def _local_extractor() -> Extractor:
    from memoryapp.providers.local_extractor import LocalExtractor

    return LocalExtractor()
