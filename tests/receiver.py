"""A receiver of webhooks on a real socket, well-behaved or not, with TLS or without.

Each request takes the next scripted reply; when none is scripted it is accepted.
"""

from __future__ import annotations

import base64
import hmac
import json
import ssl
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast


@dataclass(frozen=True)
class Reply:
    """``hang`` never answers; ``drip`` sends a header now and then for ever; ``slam`` closes
    the connection at once."""

    status: int = 204
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    hang: bool = False
    drip: bool = False
    slam: bool = False


@dataclass(frozen=True)
class Received:
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


class Receiver:
    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Received] = []
        self.replies: deque[Reply] = deque()
        self.stopping = threading.Event()

    def script(self, *replies: Reply) -> None:
        self.replies.extend(replies)


def verified(received: Received, secret: str) -> bool:
    """Whether a signature fits, worked out anew from the specification's words."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    head = received.headers
    signed = f"{head['webhook-id']}.{head['webhook-timestamp']}.".encode() + received.body
    wanted = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    return wanted in head["webhook-signature"].split(" ")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    state: Receiver

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that give up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        state = cast(_Server, self.server).state
        body = self.rfile.read(int(self.headers["Content-Length"]))
        heads = {name.lower(): value for name, value in self.headers.items()}
        state.requests.append(Received(self.path, heads, body))
        reply = state.replies.popleft() if state.replies else Reply()
        if reply.slam:
            return
        if reply.hang:
            state.stopping.wait()
            return
        self.wfile.write(f"HTTP/1.1 {reply.status} x\r\n".encode())
        while reply.drip and not state.stopping.wait(0.1):
            self.wfile.write(b"x-drip: x\r\n")
        for name, value in reply.headers.items():
            self.wfile.write(f"{name}: {value}\r\n".encode())
        self.wfile.write(b"\r\n" + reply.body)


@contextmanager
def receiving(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver on a free loopback port until the block ends."""
    server = _Server(("127.0.0.1", 0), _Handler)
    state = server.state = Receiver()
    scheme = "http"
    if context is not None:
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        scheme = "https"
    state.url = f"{scheme}://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()


def certificate(address: str = "127.0.0.1") -> Path:
    """A self-signed certificate for the address, with its key, good for tests alone."""
    return Path(__file__).parent / "fixtures" / f"receiver-{address}.pem"


def tls(address: str = "127.0.0.1") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(address))
    return context
