"""The model that needs none: it answers from memory alone, with citations, or says that it
doesn't have that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from memoryapp import answering, tokens
from memoryapp.api.proxy.errors import invalid
from memoryapp.api.proxy.memory import Memory

MODEL = "memory"
_WORDS = re.compile(r"\S+\s*|\s+")


def described() -> dict[str, Any]:
    return {"id": MODEL, "object": "model", "created": 0, "owned_by": "memoryapp"}


def check(body: Mapping[str, Any]) -> None:
    """Raises Refused for what only a model can do: an answer in a given form."""
    form = body.get("response_format")
    kind = form.get("type") if isinstance(form, dict) else None
    if kind not in (None, "text"):
        raise _needs_model("response_format")
    if body.get("tool_choice") not in (None, "none", "auto"):
        raise _needs_model("tool_choice")


def _needs_model(param: str) -> Exception:
    return invalid(
        param,
        _(
            "No model is configured here: answers come from memory alone. Whoever runs this "
            "server sets OPENAI_BASE_URL or OPENAI_API_KEY."
        ),
        "model_needed",
    )


def answered(memory: Memory) -> tuple[str, Memory]:
    """The answer's text, and the memory with what the text cites."""
    zone = language = None
    if memory.who is not None:
        zone, language = memory.who.user.time_zone, memory.who.user.language
    with translation.override(language or translation.get_language()):
        match memory.status:
            case "unavailable":
                return _(
                    "I can’t look into your memory just now. Ask me again in a moment."
                ), memory
            case "off":
                return _("I answer from memory alone, and this chat doesn’t use it."), memory
            case "denied":
                return _("You don’t let this application read your memory."), memory
        if memory.result is None:
            return _("I read words only. Ask me something about yourself."), memory
        found = answering.answer(
            memory.chat.question, memory.result, memory.now, time_zone=zone or "UTC"
        )
    status = "none" if found.abstained else "used"
    return found.text, replace(
        memory,
        citations=tuple(found.citations),
        status=status,  # type: ignore[arg-type]  # one of the two
        grounding=None,  # no block was shown to anybody
    )


def _usage(memory: Memory, text: str) -> dict[str, int]:
    asked = sum(tokens.count(turn.text) for turn in memory.chat.turns)
    said = tokens.count(text)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _base(memory: Memory, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{uuid7().hex}",
        "object": kind,
        "created": int(memory.now.timestamp()),
        "model": MODEL,
    }


def completion(memory: Memory, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        **_base(memory, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": _usage(memory, text),
        "memory": memory.told,
    }


def chunks(memory: Memory, text: str, *, usage: bool) -> Iterator[dict[str, Any]]:
    base = _base(memory, "chat.completion.chunk")
    deltas: Sequence[dict[str, Any]] = [
        {"role": "assistant", "content": ""},
        *({"content": word} for word in _WORDS.findall(text)),
    ]
    for delta in deltas:
        yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    yield {**base, "choices": [last], "memory": memory.told}
    if usage:
        yield {**base, "choices": [], "usage": _usage(memory, text)}
