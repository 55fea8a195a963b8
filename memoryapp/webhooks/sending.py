"""One request to a receiver: to the address that was checked, within a time, without
following it anywhere, and without keeping a word of the answer."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

from .addresses import Address, Target, Unfit, parse, resolve


@dataclass(frozen=True, slots=True)
class Answer:
    """``status`` is 0 when no answer came; ``error`` is empty for a success, else a word:
    ``status``, ``redirect``, ``timeout``, ``tls``, ``connection``, ``unknown_host``,
    ``forbidden_address``, ``url``, ``https``, ``malformed``. ``retry_after`` is in seconds,
    when the receiver named a time."""

    status: int
    error: str
    milliseconds: int
    retry_after: float | None = None

    @property
    def delivered(self) -> bool:
        return not self.error


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send it. Raises nothing for what the receiver does."""
    began = time.monotonic()
    status, error, retry_after = _attempt(url, body, headers)
    return Answer(status, error, int((time.monotonic() - began) * 1000), retry_after)


def _attempt(url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str, float | None]:
    try:
        target = parse(url)
        address = resolve(target)
    except Unfit as error:
        return 0, error.code, None
    except OSError:
        return 0, "unknown_host", None
    connection = _Pinned(target, address, settings.WEBHOOK_TIMEOUT_SECONDS)
    try:
        connection.request("POST", target.path, body, {"Host": target.authority, **headers})
        response = connection.getresponse()
        if connection.late:
            return 0, "timeout", None  # what came ended where we ended it
        retry_after = response.headers.get("Retry-After", "")
        seconds = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None
        return response.status, _error(response.status), seconds
    except ssl.SSLError as error:
        return 0, "timeout" if connection.late else _of_tls(error), None
    except TimeoutError:
        return 0, "timeout", None
    except OSError:
        return 0, "timeout" if connection.late else "connection", None
    except http.client.HTTPException:
        return 0, "timeout" if connection.late else "malformed", None
    finally:
        connection.close()


def _of_tls(error: ssl.SSLError) -> str:
    # One that hangs up midway is no matter of certificates.
    return "connection" if isinstance(error, ssl.SSLEOFError) else "tls"


def _error(status: int) -> str:
    if 200 <= status < 300:
        return ""
    return "redirect" if 300 <= status < 400 else "status"


class _Pinned(http.client.HTTPConnection):
    """A connection to the address that was checked, under the name that was asked for, which
    ends after ``seconds`` however slowly the other side talks."""

    def __init__(self, target: Target, address: Address, seconds: float) -> None:
        super().__init__(target.host, target.port, timeout=seconds)
        self._target, self._address = target, address
        self._until = time.monotonic() + seconds
        self._watch: threading.Timer | None = None
        self.late = False

    def connect(self) -> None:
        family = socket.AF_INET if self._address.version == 4 else socket.AF_INET6
        plain = socket.socket(family, socket.SOCK_STREAM)
        self.sock = plain
        plain.settimeout(self.timeout)
        plain.connect((str(self._address), self._target.port))
        # A timeout of a socket is for one read each: a drop a second would go on for ever.
        self._watch = threading.Timer(max(0.0, self._until - time.monotonic()), self._end)
        self._watch.daemon = True
        self._watch.start()
        if self._target.secure:
            context = ssl.create_default_context()
            secured = context.wrap_socket(
                plain, server_hostname=self._target.host, do_handshake_on_connect=False
            )
            self.sock = secured  # before the handshake, which has to end in time too
            secured.do_handshake()

    def _end(self) -> None:
        self.late = True
        sock = self.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return  # it was over by itself

    def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        super().close()
