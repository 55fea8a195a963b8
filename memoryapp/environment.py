"""Reading the environment's variables. A wrong value is refused with a hint."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured


def env(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def number(name: str, default: int, low: int = 0, high: int = 10**9) -> int:
    raw = env(name, str(default))
    try:
        value = int(raw)
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} must be a whole number from {low} to {high}; it is not a number."
        ) from None
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name} must be from {low} to {high}; it is {value}.")
    return value


def flag(name: str, default: bool) -> bool:
    raw = env(name, "1" if default else "0").lower()
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0; it is {raw!r}.")


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    raw = env(name, default) or default
    if raw not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}; it is {raw!r}.")
    return raw


def json_object(name: str, default: dict[str, Any]) -> dict[str, Any]:
    raw = env(name)
    if not raw:
        return default
    try:
        value = json.loads(raw)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ImproperlyConfigured(f'{name} must be a JSON object, such as {{"bucket": "x"}}.')
    return value


def kept_key(folder: Path) -> str:
    """The server's secret key: made at the first start and kept in the data folder, readable
    by its owner only."""
    path = folder / "secret-key"
    try:
        return path.read_text()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise ImproperlyConfigured(
            f"The key in the data folder can't be read ({error.strerror}). "
            "Set SECRET_KEY, or MEMORYAPP_DATA_DIR to a folder that you may write to."
        ) from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:
        pass
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder can't be written ({error.strerror}). "
            "Set MEMORYAPP_DATA_DIR to a folder that you may write to, or set SECRET_KEY."
        ) from None
    return path.read_text()
