"""A stand-in model server: the OpenAI protocol over a real socket, well-behaved or not.

It isn't a mock: the real client talks to it, so what is tested is what runs. Each request
takes the next scripted reply; when none is scripted, the server behaves. By hand:
``python tests/model_server.py --port 0`` prints its address; its model finds no facts.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import pytest

NOTHING_FOUND = '{"facts": [], "forget": []}'


@dataclass(frozen=True)
class Reply:
    """How one request is answered.

    ``status`` with ``error`` for refusals; ``content`` for the model's words (None: the
    server's own answer); ``body`` for a raw body instead of all that. ``wait`` delays the
    answer, ``drip`` spreads its body over that many seconds, ``hang`` never answers, and
    ``cut`` closes the connection after so many bytes of the body.
    """

    status: int = 200
    content: str | None = None
    finish_reason: str | None = "stop"
    refusal: str | None = None
    usage: bool = True
    body: bytes | None = None
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    wait: float = 0.0
    drip: float = 0.0
    hang: bool = False
    cut: int | None = None


def failed(status: int, message: str = "no", *, code: str = "", **headers: str) -> Reply:
    """An error in OpenAI's form; ``retry_after="2"`` becomes a header."""
    return Reply(
        status=status,
        error={"message": message, "type": "error", "code": code or None, "param": None},
        headers={name.replace("_", "-").title(): value for name, value in headers.items()},
    )


def html() -> Reply:
    return Reply(body=b"<!doctype html><title>Sign in</title>", content_type="text/html")


@dataclass(frozen=True)
class Recorded:
    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]


Answerer = Callable[[dict[str, Any]], str]


class StandIn:
    """The server's state, for tests to script and to look at."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Recorded] = []
        self.replies: deque[Reply] = deque()
        self.formats = {"json_schema", "json_object"}
        self.unsupported_status = 500
        self.unknown_parameters: set[str] = set()
        self.api_key: str | None = None
        self.dimension = 8
        self.answer: Answerer = lambda _request: NOTHING_FOUND
        self.stopping = threading.Event()
        self._lock = threading.Lock()

    def script(self, *replies: Reply) -> None:
        """The replies to the next requests, in order."""
        self.replies.extend(replies)

    def find(self, facts: Sequence[Mapping[str, Any]] = (), forget: Sequence[Any] = ()) -> None:
        """What the model finds from now on."""
        text = json.dumps({"facts": list(facts), "forget": list(forget)}, ensure_ascii=False)
        self.answer = lambda _request: text

    def take(self, recorded: Recorded) -> Reply:
        with self._lock:
            self.requests.append(recorded)
            if self.api_key and recorded.headers.get("Authorization") != f"Bearer {self.api_key}":
                return failed(401, "wrong key", code="invalid_api_key")
            if self.replies:
                return self.replies.popleft()
        for name in sorted(self.unknown_parameters & recorded.body.keys()):
            return failed(400, f"Unsupported parameter: '{name}'", code="unsupported_parameter")
        asked = recorded.body.get("response_format", {}).get("type")
        if asked and asked not in self.formats:
            return failed(self.unsupported_status, "response_format")
        return Reply()

    @property
    def asked_formats(self) -> list[str]:
        """The response format of each chat request so far."""
        return [
            request.body.get("response_format", {}).get("type", "text")
            for request in self.requests
            if request.path.endswith("/chat/completions")
        ]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    state: StandIn

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that give up are part of the tests; nothing is printed."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def state(self) -> StandIn:
        return cast(_Server, self.server).state

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        if self.path.endswith("/models"):
            models = [{"id": "stand-in", "object": "model", "created": 0, "owned_by": "tests"}]
            self._send(Reply(), json.dumps({"object": "list", "data": models}).encode())
        else:
            self._send(failed(404), b"{}")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            self._send(failed(400, "not JSON"), b"")
            return
        headers = {name.title(): value for name, value in self.headers.items()}
        reply = self.state.take(Recorded(self.path, body, headers))
        if reply.hang:
            self.state.stopping.wait(30)
            self.close_connection = True
            return
        self.state.stopping.wait(reply.wait)
        if reply.body is not None or reply.error is not None:
            self._send(reply, reply.body or b"")
        elif self.path.endswith("/chat/completions"):
            self._chat(reply, body)
        elif self.path.endswith("/embeddings"):
            self._send(reply, json.dumps(self._embeddings(body)).encode())
        else:
            self._send(failed(404), b"")

    def _chat(self, reply: Reply, body: dict[str, Any]) -> None:
        content = self.state.answer(body) if reply.content is None else reply.content
        words = sum(len(str(message["content"]).split()) for message in body["messages"])
        usage = {
            "prompt_tokens": words,
            "completion_tokens": len(content.split()),
            "total_tokens": words + len(content.split()),
        }
        base = {"id": "chatcmpl-1", "created": int(time.time()), "model": body["model"]}
        if body.get("stream"):
            self._stream(reply, base, content, usage, body)
            return
        message = {
            "role": "assistant",
            "content": None if reply.refusal else content,
            "refusal": reply.refusal,
        }
        choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
        answer = {**base, "object": "chat.completion", "choices": [choice]}
        if reply.usage:
            answer["usage"] = usage
        self._send(reply, json.dumps(answer).encode())

    def _stream(
        self,
        reply: Reply,
        base: dict[str, Any],
        content: str,
        usage: dict[str, int],
        body: dict[str, Any],
    ) -> None:
        base = {**base, "object": "chat.completion.chunk"}
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": part} for part in re.findall(r"\S+\s*|\s+", content)]
        chunks = [
            {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
            for delta in deltas
        ]
        if reply.finish_reason is not None:
            last = {"index": 0, "delta": {}, "finish_reason": reply.finish_reason}
            chunks.append({**base, "choices": [last]})
        if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
            chunks.append({**base, "choices": [], "usage": usage})
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.state.stopping.wait(reply.drip / len(chunks))
        if reply.finish_reason is not None:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": _vector(text, body.get("dimensions") or self.state.dimension),
            }
            for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return {"object": "list", "data": data, "model": body["model"], "usage": usage}

    def _send(self, reply: Reply, body: bytes) -> None:
        if reply.error is not None:
            body = json.dumps({"error": reply.error}).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.cut is not None:
            self.wfile.write(body[: reply.cut])
            self.close_connection = True
            return
        steps = 20 if reply.drip else 1
        for step in range(steps):
            self.wfile.write(body[len(body) * step // steps : len(body) * (step + 1) // steps])
            self.state.stopping.wait(reply.drip / steps)


def _vector(text: str, dimension: int) -> list[float]:
    """Words hashed to places: texts that share words lie nearer to each other."""
    vector = [0.0] * dimension
    for word in re.findall(r"\w+", text.lower()) or [""]:
        vector[hashlib.sha256(word.encode()).digest()[0] % dimension] += 1.0
    return vector


@contextlib.contextmanager
def running_model_server(port: int = 0) -> Iterator[StandIn]:
    """A stand-in on a free loopback port, its ``url`` ending in ``/v1``, until the block ends."""
    server = _Server(("127.0.0.1", port), _Handler)
    server.state = StandIn()
    server.state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.state
    finally:
        server.state.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def model_server() -> Iterator[StandIn]:
    with running_model_server() as server:
        yield server


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A stand-in OpenAI-compatible server.")
    parser.add_argument("--port", type=int, default=0)
    with running_model_server(parser.parse_args().port) as running:
        print(running.url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
