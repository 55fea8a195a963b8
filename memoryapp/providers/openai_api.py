"""Any OpenAI-compatible server: requests and chat. The only importer of `openai`.

The official client carries the requests; retries, limits and the reading of answers are
ours, because servers that speak this protocol keep it to very different degrees
(FINDINGS): answers are read as plain JSON and checked here.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, TypeVar, cast

import httpx2
import openai

from memoryapp.ports import ProviderError
from memoryapp.providers.vectors import clean
from memoryapp.records import ChatMessage, Completion
from memoryapp.tokens import count

OPENAI_URL = "https://api.openai.com/v1"
CHAT_BYTES = 1024 * 1024
EMBEDDING_BYTES = 16 * 1024 * 1024  # numbers written out are long
LONGEST_WAIT = 60.0
_WAIT_BASE = 0.5
_random = secrets.SystemRandom()
_PASSING = {"timeout", "unavailable", "rate_limited", "server_error"}
_OPTIONAL = ("temperature", "reasoning_effort", "max_tokens", "max_completion_tokens")
_ABOUT_CONTENT = {"too_large", "refused"}
_TOO_LONG = (
    "context_length_exceeded",
    "context length",
    "context size",
    "context window",
)

Answer = TypeVar("Answer")
Endpoint = Literal["chat", "embeddings"]
Format = Literal["json_schema", "json_object", "text"]


class _Bounded(httpx2.SyncByteStream):
    """A body that may be neither longer nor slower than agreed."""

    def __init__(self, stream: httpx2.SyncByteStream, most: int, deadline: float) -> None:
        self._stream, self._most, self._deadline = stream, most, deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._stream:
            size += len(chunk)
            if size > self._most:
                raise ProviderError("too_large")
            if time.monotonic() > self._deadline:
                raise ProviderError("timeout")
            yield chunk

    def close(self) -> None:
        self._stream.close()


class ModelServer:
    """A connection to one server, and how patient we are with it. An attempt takes
    ``timeout`` seconds, or twice that when the server falls silent in the middle of its
    answer; ``retries`` counts the attempts after the first. Safe to share between
    threads; after a fork it connects anew."""

    def __init__(
        self,
        *,
        api_key: str = "",
        base_url: str = "",
        timeout: float = 60,
        retries: int = 3,
        most_bytes: int = CHAT_BYTES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base_url = base_url or OPENAI_URL
        self.is_openai = httpx2.URL(self.base_url).host == "api.openai.com"
        self._api_key = api_key or "none"
        self._timeout = timeout
        self._retries = retries
        self._most_bytes = most_bytes
        self._sleep = sleep
        self._lock = threading.Lock()
        self._client: tuple[int, openai.OpenAI] | None = None

    def patiently(self, attempt: Callable[[], Answer]) -> Answer:
        """What ``attempt`` returns. Waits and tries again after what may pass: no
        connection, a timeout, 408, 409, 429, 5xx. Raises the last ProviderError, at once
        when the server asks for a longer wait than ``LONGEST_WAIT``."""
        for retry in range(self._retries + 1):
            try:
                return attempt()
            except ProviderError as problem:
                error = problem
            asked = error.retry_after or 0.0
            if error.code not in _PASSING or retry == self._retries or asked > LONGEST_WAIT:
                break
            # Jitter, so that workers that failed together don't come back together.
            wait = min(LONGEST_WAIT, _WAIT_BASE * 2**retry) * _random.uniform(0.5, 1.0)
            self._sleep(max(wait, asked))
        raise error

    def post(self, endpoint: Endpoint, body: Mapping[str, Any]) -> dict[str, Any]:
        """The server's JSON object, in one attempt. Raises ProviderError: a Rejected when
        the server said no."""
        error: ProviderError
        try:
            client = self._connected()
            resource: Any = client.chat.completions if endpoint == "chat" else client.embeddings
            content = resource.with_raw_response.create(**body).content
        except ProviderError as problem:
            error = problem
        except openai.APITimeoutError:
            error = ProviderError("timeout")
        except openai.APIConnectionError:
            error = ProviderError("unavailable")
        except openai.APIStatusError as problem:
            error = _rejected(problem)
        except openai.OpenAIError:
            error = ProviderError("malformed")
        else:
            return _object(content)
        # Raised here, outside of the handlers: the client's errors carry the server's
        # words, which may repeat the user's, and must not travel along as __context__.
        raise error

    def close(self) -> None:
        with self._lock:
            if self._client is not None and self._client[0] == os.getpid():
                self._client[1].close()
            self._client = None

    def _connected(self) -> openai.OpenAI:
        with self._lock:
            if self._client is None or self._client[0] != os.getpid():
                self._client = (os.getpid(), self._connect())
            return self._client[1]

    def _connect(self) -> openai.OpenAI:
        http = httpx2.Client(
            timeout=self._timeout,
            # A redirect would send the user's words to a host that nobody named.
            follow_redirects=False,
            event_hooks={"request": [_note_start], "response": [self._bound]},
            headers={"Accept-Encoding": "identity"},
        )
        return openai.OpenAI(
            api_key=self._api_key,
            base_url=self.base_url,
            timeout=self._timeout,
            max_retries=0,
            http_client=http,
        )

    def _bound(self, response: httpx2.Response) -> None:
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise ProviderError("malformed")  # not asked for, and its true size is unknown
        if int(response.headers.get("Content-Length") or 0) > self._most_bytes:
            raise ProviderError("too_large")
        response.stream = _Bounded(
            cast(httpx2.SyncByteStream, response.stream),
            self._most_bytes,
            response.request.extensions["started"] + self._timeout,
        )


def _note_start(request: httpx2.Request) -> None:
    request.extensions["started"] = time.monotonic()


class Rejected(ProviderError):
    """The server answered with an error. ``status`` is HTTP's; ``named`` holds those of our
    optional parameters that its explanation names. The explanation itself isn't kept."""

    def __init__(
        self,
        code: str,
        status: int,
        named: frozenset[str],
        *,
        retry_after: float | None = None,
        permanent: bool = False,
    ) -> None:
        super().__init__(code, retry_after=retry_after, permanent=permanent)
        self.status = status
        self.named = named


def _rejected(problem: openai.APIStatusError) -> Rejected:
    status = problem.status_code
    body = problem.body if isinstance(problem.body, dict) else {}
    reason = str(body.get("code") or body.get("type") or "")
    explanation = json.dumps(problem.body, default=str)[:4000].lower()
    retry_after = _retry_after(problem.response.headers)
    permanent = False
    if status in (401, 403):
        code, permanent = "unauthorised", True
    elif status == 413 or (status == 400 and any(words in explanation for words in _TOO_LONG)):
        code = "too_large"
    elif status == 400 and "content_filter" in reason:
        code = "refused"
    elif status == 429:
        code = "rate_limited"
        if reason == "insufficient_quota" and retry_after is None:
            retry_after = 3600.0  # an empty account doesn't fill within a minute
    elif status in (408, 504):
        code = "timeout"
    elif status == 409 or status >= 500:
        code = "server_error"
    else:
        code, permanent = "rejected", True
    named = frozenset(word for word in _OPTIONAL if word in explanation)
    return Rejected(code, status, named, retry_after=retry_after, permanent=permanent)


def _retry_after(headers: httpx2.Headers) -> float | None:
    raw = headers.get("Retry-After")
    if raw is None:
        return None
    try:
        seconds = float(raw)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(raw) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _object(content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise ProviderError("malformed")
    return answer


class OpenAIChat:
    """A chat model on an OpenAI-compatible server.

    What the server can't do is learnt and remembered for this object's life: 400, 404 or
    422 to a response format counts at once, 500 only when it happens twice with the next
    format working right after (a 500 may be chance)."""

    def __init__(self, name: str, server: ModelServer) -> None:
        self.name = name
        self._server = server
        self._strikes: dict[Format, int] = {"json_schema": 0, "json_object": 0}
        thinking = server.is_openai and name.startswith(("gpt-5", "o1", "o3", "o4"))
        # OpenAI's newer models know max_completion_tokens alone, most other servers
        # max_tokens alone; _adapt corrects what we guess wrong.
        self._extras: dict[str, Any] = (
            {"reasoning_effort": "low"} if thinking else {"temperature": 0}
        )
        self._limit = "max_completion_tokens" if server.is_openai else "max_tokens"
        self._limit_changed = False

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        schema_name: str = "answer",
        max_tokens: int = 2048,
    ) -> Completion:
        return self._server.patiently(
            lambda: self._attempt(messages, schema, schema_name, max_tokens)
        )

    def _attempt(
        self,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any] | None,
        schema_name: str,
        max_tokens: int,
    ) -> Completion:
        formats: list[Format] = []
        if schema is not None:
            formats = [form for form, strikes in self._strikes.items() if strikes < 2]
        failed: dict[Format, int] = {}
        for form in formats:
            try:
                completion = self._ask(messages, schema, schema_name, max_tokens, form)
            except Rejected as problem:
                if problem.status not in (400, 404, 422, 500) or problem.code in _ABOUT_CONTENT:
                    raise
                failed[form] = 1 if problem.status == 500 else 2
            else:
                self._strikes[form] = 0
                break
        else:
            completion = self._ask(messages, schema, schema_name, max_tokens, "text")
        for form, strikes in failed.items():
            self._strikes[form] += strikes
        return completion

    def _ask(
        self,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any] | None,
        schema_name: str,
        max_tokens: int,
        form: Format,
    ) -> Completion:
        """One answer, after dropping parameters that the server says it doesn't know."""
        body = {
            "model": self.name,
            "messages": _messages(messages, schema, form),
            **_response_format(form, schema, schema_name),
        }
        while True:
            sent = {**body, **self._extras, self._limit: max_tokens}
            try:
                return _completion(self._server.post("chat", sent), body, form)
            except Rejected as problem:
                if problem.status not in (400, 422) or not self._adapt(problem.named):
                    raise

    def _adapt(self, named: frozenset[str]) -> bool:
        """Changes one parameter that the server named. False when there is nothing left
        to change: each is changed once at most."""
        for extra in list(self._extras):
            if extra in named:
                del self._extras[extra]
                return True
        # "Use 'max_completion_tokens' instead": both are named, the one we sent is wrong.
        if self._limit in named and not self._limit_changed:
            (self._limit,) = {"max_tokens", "max_completion_tokens"} - {self._limit}
            self._limit_changed = True
            return True
        return False

    def close(self) -> None:
        self._server.close()


def _messages(
    messages: Sequence[ChatMessage], schema: Mapping[str, Any] | None, form: Format
) -> list[dict[str, str]]:
    found = [{"role": message.role, "content": clean(message.content)} for message in messages]
    if schema is None or form == "json_schema":
        return found
    rule = (
        "Answer with one JSON object that follows this JSON Schema, and nothing else:\n"
        + json.dumps(schema, ensure_ascii=False)
    )
    if found and found[0]["role"] == "system":
        # Some chat templates allow a single system message, the first.
        found[0]["content"] += "\n\n" + rule
        return found
    return [{"role": "system", "content": rule}, *found]


def _response_format(form: Format, schema: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    if form == "text":
        return {}
    if form == "json_object":
        return {"response_format": {"type": "json_object"}}
    json_schema = {"name": name, "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": json_schema}}


def _completion(answer: Mapping[str, Any], body: Mapping[str, Any], form: Format) -> Completion:
    """The text of a whole answer. Raises ProviderError ``refused``, ``truncated`` (also
    when the answer doesn't say that it is complete) or ``malformed``, with the tokens that
    it took all the same."""
    try:
        choice = answer["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ProviderError("malformed") from None
    usage = answer.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    if not isinstance(tokens, int) or tokens <= 0:
        # Budgets must count something on servers that don't report usage.
        asked = sum(count(message["content"]) for message in body["messages"])
        tokens = asked + count(content if isinstance(content, str) else "")
    if refusal or reason == "content_filter":
        raise ProviderError("refused", tokens=tokens)
    if reason is None or reason == "length":
        raise ProviderError("truncated", tokens=tokens)
    if not isinstance(content, str) or not content.strip():
        raise ProviderError("malformed", tokens=tokens)
    return Completion(text=content, tokens=tokens, format=form)
