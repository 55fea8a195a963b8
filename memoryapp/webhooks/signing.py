"""Secrets and signatures, as Standard Webhooks 1.0 has them.

A secret is ``whsec_`` and 32 bytes in base64. It isn't stored: it is made from a random salt
and the server's SECRET_KEY, so that a copy of the database can't sign in our name.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime

from django.utils.crypto import salted_hmac

PREFIX = "whsec_"
_PURPOSE = "memoryapp.webhooks.secret"


def new_salt() -> bytes:
    return secrets.token_bytes(32)


def key(salt: bytes) -> bytes:
    """The 32 bytes that sign."""
    return salted_hmac(_PURPOSE, salt, algorithm="sha256").digest()


def secret(salt: bytes) -> str:
    """The key as its receiver gets to see it, once."""
    return PREFIX + base64.b64encode(key(salt)).decode()


def check_hash(salt: bytes) -> bytes:
    """By which the key is known again; it doesn't lead back to it."""
    return hashlib.sha256(b"check " + key(salt)).digest()


def headers(id: str, at: datetime, body: bytes, keys: Sequence[bytes]) -> dict[str, str]:
    """The three headers; one signature for each key, so that a receiver may still have the
    old secret while it is rotated."""
    timestamp = str(int(at.timestamp()))
    signed = f"{id}.{timestamp}.".encode() + body
    signatures = (base64.b64encode(hmac.digest(each, signed, "sha256")).decode() for each in keys)
    return {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{each}" for each in signatures),
    }
