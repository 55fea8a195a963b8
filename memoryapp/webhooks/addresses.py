"""Where a webhook may go: to the open internet over TLS, and into the operator's own networks
only where a setting names them. Who sets a webhook up chooses an address that our server
then calls, from inside our network."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Addresses of IPv4 in other clothes: what they lead to counts.
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Not open internet, whatever the library says of them in some versions.
_CLOSED = [
    ipaddress.ip_network(text)
    for text in ("64:ff9b:1::/48", "fec0::/10", "192.88.99.0/24", "100.64.0.0/10", "::/96")
]


class Unfit(ValueError):
    """The address can't be used. ``code``: ``url``, ``https``, ``forbidden_address``."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Target:
    """A URL in its parts; ``host`` in the letters of DNS."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"


def parse(url: str) -> Target:
    """Raises Unfit for what isn't an https address without a password in it. Plain http is
    for the operator's own networks."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode() if parts.hostname else ""
    except (ValueError, UnicodeError):
        raise Unfit("url") from None
    fit = url.isascii() and url.isprintable() and " " not in url
    if not fit or parts.scheme not in {"https", "http"} or not host or parts.fragment:
        raise Unfit("url")
    if parts.username is not None or parts.password is not None or port == 0:
        raise Unfit("url")
    secure = parts.scheme == "https"
    if not secure and not settings.WEBHOOK_ALLOWED_NETWORKS:
        raise Unfit("https")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(secure, host, port or (443 if secure else 80), path)


def resolve(target: Target) -> Address:
    """The one address to connect to. It is looked up here and then held to: a name that says
    something else the next moment leads nowhere new. Raises OSError when the name is unknown,
    and Unfit when any of its addresses isn't one to send to."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(str(where[0]).partition("%")[0]) for *_, where in found]
    if not addresses or not all(allowed(each, secure=target.secure) for each in addresses):
        raise Unfit("forbidden_address")
    return _preferred(addresses)


def _preferred(addresses: Sequence[Address]) -> Address:
    # IPv4 first: a server without IPv6 would lose each attempt.
    return min(addresses, key=lambda each: each.version)


def allowed(address: Address, *, secure: bool = True) -> bool:
    """Whether something may be sent to the address: one of the open internet, over TLS, or
    one that the operator allows."""
    inner = _inner(address)
    if any(
        each.version == network.version and each in network
        for each in (address, inner)
        for network in settings.WEBHOOK_ALLOWED_NETWORKS
    ):
        return True
    return secure and _is_open(inner) and (inner.version == 4 or _is_open(address))


def _is_open(address: Address) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address.version == each.version and address in each for each in _CLOSED)
    )


def _inner(address: Address) -> Address:
    """The IPv4 address inside one of IPv6, if there is one."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address
