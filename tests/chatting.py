"""Chatting at ``/v1`` in tests, with the `openai` client and with raw sockets."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from openai import OpenAI

from accounts.models import ApiKey, User
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Message
from tests.conftest import Site
from tests.model_server import StandIn
from tests.serving import asgi_site

__all__ = ["asgi_site"]


def secret_of(user: User, **more: Any) -> str:
    return ApiKey.objects.issue(owner=user, name="own", **more)[1]


def openai_client(site: Site, secret: str) -> OpenAI:
    return OpenAI(base_url=f"{site.url}/v1", api_key=secret, max_retries=0)


@pytest.fixture
def patience(settings: Any) -> None:
    """The memory may take its time: the machine is busy with other tests."""
    settings.CHAT_MEMORY_MILLISECONDS = 60_000


@pytest.fixture
def client(asgi_site: Site, owner: User, patience: None) -> Iterator[OpenAI]:
    """The owner's, with a personal key."""
    with openai_client(asgi_site, secret_of(owner)) as made:
        yield made


@pytest.fixture
def upstream(model_server: StandIn, settings: Any) -> StandIn:
    """The model server behind ``/v1``."""
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = model_server.url, "sk-ours"
    says(model_server, "Noted.")
    return model_server


def says(server: StandIn, text: str) -> None:
    """What its model answers from now on."""
    server.answer = lambda _request: text


def user(content: Any) -> Any:
    return {"role": "user", "content": content}


def assistant(content: Any) -> Any:
    return {"role": "assistant", "content": content}


def talks(person: User) -> list[list[tuple[str, str]]]:
    """The person's conversations as they are stored, oldest first: role and text."""
    with acting_for(person.pk):
        return [
            list(
                Message.objects.filter(user_id=person.pk, conversation_id=talk.id)
                .order_by("sent_at", "id")
                .values_list("role", "content")
            )
            for talk in Conversation.objects.filter(user_id=person.pk).order_by("created_at")
        ]


def post(site: Site, secret: str, body: Any, **headers: str) -> socket.socket:
    """A chat request on a socket of its own, sent; nothing of its answer is read."""
    data = json.dumps(body).encode()
    lines = {
        "Host": urlsplit(site.url).netloc,
        "Authorization": f"Bearer {secret}",
        "Content-Type": "application/json",
        "Content-Length": str(len(data)),
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    connection = connect(site)
    connection.sendall(f"POST /v1/chat/completions HTTP/1.1\r\n{head}\r\n".encode() + data)
    return connection


def connect(site: Site) -> socket.socket:
    address = urlsplit(site.url)
    return socket.create_connection((address.hostname, address.port), timeout=30)


def answer(connection: socket.socket) -> tuple[http.client.HTTPResponse, dict[str, Any]]:
    response = http.client.HTTPResponse(connection)
    response.begin()
    body = json.loads(response.read())
    connection.close()
    return response, body
