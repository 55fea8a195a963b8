"""The addresses: who may speak to them, and what each does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import aclosing, asynccontextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from memoryapp import providers
from memoryapp.api.proxy import local, relay
from memoryapp.api.proxy.caller import Call, in_thread
from memoryapp.api.proxy.errors import Refused, of_server, refusal_of
from memoryapp.api.proxy.memory import (
    Memory,
    check_messages,
    inject,
    keep,
    look,
    wishes,
    written,
)
from memoryapp.api.proxy.turns import chat_of
from memoryapp.ports import ProviderError
from memoryapp.providers import openai_upstream
from memoryapp.providers.openai_upstream import Reply, upstream
from memoryapp.threads import Receive, Scope, Send, unless_gone

CHAT = "/v1/chat/completions"
MODELS = "/v1/models"
STARTING_SECONDS = 20.0
STOPPING_SECONDS = 2.0
JSON = "application/json"
EVENTS = {"Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no"}


@asynccontextmanager
async def lifespan() -> AsyncIterator[None]:
    # Not for ever, and whatever becomes of it: the rest works without.
    await asyncio.wait({asyncio.create_task(in_thread(_warm))}, timeout=STARTING_SECONDS)
    yield
    await written(STOPPING_SECONDS)
    await openai_upstream.close()


def _warm() -> None:
    """A local encoder is loaded at its first use: a first chat would be too early for its
    memory."""
    if settings.EMBEDDER == "local":
        providers.embedder().query("hello")


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """One HTTP request."""
    call = Call(scope, receive, send)
    with translation.override(call.language):
        try:
            await _route(call)
        except ConnectionError:
            return  # nobody is there
        except Exception as error:
            if call.started:
                raise
            refused = refusal_of(error)
            await call.tell(refused.body, refused.status, refused.headers)


async def _route(call: Call) -> None:
    path = call.path.rstrip("/")
    allowed = "POST" if path == CHAT else "GET"
    if path not in (CHAT, MODELS) and not path.startswith(MODELS + "/"):
        raise Refused(
            HTTPStatus.NOT_FOUND,
            _("There is no such address here: /v1 has /chat/completions and /models."),
            code="unknown_url",
        )
    if call.method != allowed:
        raise Refused(
            HTTPStatus.METHOD_NOT_ALLOWED,
            _("Use one of: %(methods)s.") % {"methods": allowed},
            code="method_not_supported",
            headers={"Allow": allowed},
        )
    key = await call.admit()
    if path == CHAT:
        await _chat(call, known=key is not None)
    elif path == MODELS:
        await _models(call)
    else:
        await _model(call, path.removeprefix(MODELS + "/"))


# -- Models --------------------------------------------------------------------------------------


async def _models(call: Call) -> None:
    server = upstream()
    if server is None:
        await call.tell({"object": "list", "data": [local.described()]})
        return
    async with server.exchange("GET", "/models") as reply:
        body = await relay.whole(reply.pieces)
    listed = _object(body) if reply.status == HTTPStatus.OK else None
    if listed is None or not isinstance(listed.get("data"), list):
        await _refusal(call, reply, body)
        return
    if not any(isinstance(m, dict) and m.get("id") == local.MODEL for m in listed["data"]):
        listed["data"].append(local.described())
    await call.tell(listed, headers=relay.passed(reply.headers))


async def _model(call: Call, name: str) -> None:
    server = upstream()
    if name == local.MODEL:
        await call.tell(local.described())
    elif server is None:
        raise Refused(
            HTTPStatus.NOT_FOUND,
            _("There is no such model here. See /v1/models."),
            code="model_not_found",
            param="model",
        )
    else:
        async with server.exchange("GET", "/models/" + quote(name)) as reply:
            body = await relay.whole(reply.pieces)
        await _refusal(call, reply, body)


async def _refusal(
    call: Call, reply: Reply, body: bytes, headers: Mapping[str, str] | None = None
) -> None:
    """The server's answer as it is, but for a redirect, which nobody would follow safely, and
    for its refusal of our own key, which isn't the caller's affair."""
    if reply.status == HTTPStatus.UNAUTHORIZED:
        raise of_server(ProviderError("unauthorised"))
    if reply.status < HTTPStatus.BAD_REQUEST and _object(body) is None:
        raise of_server(ProviderError("malformed"))
    told = {**relay.passed(reply.headers), **(headers or {})}
    told["Content-Type"] = reply.headers.get("content-type", JSON)
    await call.answer(reply.status, body, told)


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


# -- Chat ----------------------------------------------------------------------------------------


async def _chat(call: Call, *, known: bool) -> None:
    body = await call.json()
    messages = check_messages(body)
    wished = wishes(call, body)
    server = upstream() if body["model"] != local.MODEL else None
    if server is None:
        local.check(body)
    memory = await look(call, wished, chat_of(messages), known=known)
    if server is None:
        await _from_memory(call, body, memory)
        return
    if memory.grounding is not None:
        body["messages"] = inject(messages, memory.grounding)
    sent = json.dumps(body).encode()
    beta = call.header("OpenAI-Beta")
    headers = {"OpenAI-Beta": beta} if beta else {}

    async def exchanged() -> bool:
        async with server.exchange("POST", "/chat/completions", sent, headers) as reply:
            await _pass_on(call, reply, memory)
        return True

    # Who leaves ends it at the model server too: nobody pays for words that nobody reads.
    await _unless_gone(call, exchanged(), memory)


async def _unless_gone(call: Call, work: Coroutine[Any, Any, bool], memory: Memory) -> None:
    """Does the work to its end, or until its reader has left or takes nothing any more: then
    the user's turns are stored without an answer."""
    try:
        gone = await unless_gone(work, call.receive) is None
    except ConnectionError:
        gone = True
    if gone:
        await keep(call, memory, None)


async def _pass_on(call: Call, reply: Reply, memory: Memory) -> None:
    kind = reply.headers.get("content-type", "")
    headers = {**relay.passed(reply.headers), **memory.headers}
    if reply.status != HTTPStatus.OK or not kind.startswith("text/event-stream"):
        body = await relay.whole(reply.pieces)
        completion = _object(body) if reply.status == HTTPStatus.OK else None
        if completion is None:
            await _refusal(call, reply, body, memory.headers)
            return
        await keep(call, memory, relay.answer_of(completion))
        await call.tell({**completion, "memory": memory.told}, headers=headers)
        return
    await call.begin(reply.status, {**headers, **EVENTS})
    stream = relay.Stream(memory.told)
    try:
        async with aclosing(stream.events(reply.pieces)) as events:
            async for event in events:
                if relay.is_done(event):
                    await keep(call, memory, stream.answer)
                await call.piece(event)
    except ProviderError as error:
        # The server broke off in the middle: said as OpenAI says it, where the client reads.
        await keep(call, memory, None)
        await call.piece(b"data: " + json.dumps(of_server(error).body).encode() + b"\n\n")
    # Some servers end without a last event; nothing is stored twice.
    await keep(call, memory, stream.answer)
    await call.piece(b"", last=True)


async def _from_memory(call: Call, body: Mapping[str, Any], memory: Memory) -> None:
    text, memory = local.answered(memory)
    if not body.get("stream"):
        await keep(call, memory, text)
        await call.tell(local.completion(memory, text), headers=memory.headers)
        return
    options = body.get("stream_options")
    usage = isinstance(options, dict) and bool(options.get("include_usage"))

    async def told() -> bool:
        await call.begin(HTTPStatus.OK, {**memory.headers, **EVENTS})
        for chunk in local.chunks(memory, text, usage=usage):
            await call.piece(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        await keep(call, memory, text)
        await call.piece(b"data: [DONE]\n\n", last=True)
        return True

    await _unless_gone(call, told(), memory)
