"""Which sites may show the page in a frame."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# What a Content-Security-Policy can't be broken out of: no space, semicolon, comma or star.
_ORIGIN = re.compile(r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?", re.ASCII)
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1"})
MOST = 20


def clean_origin(text: str) -> str:
    """The origin as browsers write it: scheme, host in ASCII, port unless it is the usual
    one. Raises ValidationError for anything but an origin over TLS, or one of this machine."""
    refusal = ValidationError(
        _("“%(origin)s” isn’t the address of a site. It looks like https://chat.example.com"),
        code="origin",
        params={"origin": text[:200]},
    )
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError:  # UnicodeError is one
        raise refusal from None
    if parts.username or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise refusal
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    origin = f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, usual) else "")
    if not _ORIGIN.fullmatch(origin):
        raise refusal
    if parts.scheme == "http" and host not in _THIS_MACHINE:
        raise ValidationError(
            _("“%(origin)s” must begin with https: anybody on the way could change that page."),
            code="origin",
            params={"origin": origin},
        )
    return origin


def validate_origin(text: str) -> None:
    """Raises ValidationError unless ``text`` is an origin as ``clean_origin`` returns it."""
    if clean_origin(text) != text:
        raise ValidationError(_("Write it as %(origin)s"), params={"origin": clean_origin(text)})
