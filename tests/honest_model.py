"""The stand-in server with a small model behind it that tells the truth, and the pipeline
reading with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memoryapp import providers
from memoryapp.providers.openai_api import ModelServer, OpenAIChat
from memoryapp.providers.openai_extractor import OpenAIExtractor
from tests.conftest import FixedClock
from tests.model_server import StandIn

_STATED = (
    (re.compile(r"I live in (\w+)"), "home", "personal"),
    (re.compile(r"I'm allergic to (\w+)"), "allergy", "constraint"),
    (re.compile(r"I work at (\w+)"), "employer", "personal"),
)


def shown(request: dict[str, Any]) -> list[dict[str, str]]:
    """The new turns that a request for facts shows."""
    turns: list[dict[str, str]] = json.loads(request["messages"][1]["content"])["turns"]
    return turns


def fact(turn: dict[str, str], quote: str, value: str, attribute: str, **more: Any) -> Any:
    return {
        "message": turn["id"],
        "quote": quote,
        "subject": "user",
        "attribute": attribute,
        "value": value,
        "kind": "personal",
        **more,
    }


def answer(request: dict[str, Any]) -> str:
    """The facts that the turns plainly state."""
    if "ruling" in json.dumps(request.get("response_format", {})):
        return '{"verdict": "adds", "reason": "both hold"}'
    found = [
        fact(turn, stated[0], stated[1], attribute, kind=kind)
        for turn in shown(request)
        if turn["role"] == "user"
        for pattern, attribute, kind in _STATED
        for stated in pattern.finditer(turn["content"])
    ]
    return json.dumps({"facts": found, "forget": []})


Patience = Callable[[float], None]


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch, model_server: StandIn) -> Iterator[Patience]:
    """The pipeline reads with the honest model; called, it sets how many seconds a call may
    take. Only what the settings choose is put in place: the local encoder stays loaded."""
    model_server.answer = answer
    opened: list[OpenAIChat] = []

    def patient(seconds: float) -> None:
        server = ModelServer(base_url=model_server.url, timeout=seconds, retries=0)
        chat = OpenAIChat("stand-in", server)
        extractor = OpenAIExtractor(chat)
        opened.append(chat)
        monkeypatch.setattr(providers, "chat_model", lambda: chat)
        monkeypatch.setattr(providers, "extractor", lambda: extractor)

    patient(30)
    yield patient
    for chat in opened:
        chat.close()


@pytest.fixture
def standing_clock(clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> FixedClock:
    """The product's clock, moved by hand."""
    monkeypatch.setattr(providers, "clock", lambda: clock)
    return clock
