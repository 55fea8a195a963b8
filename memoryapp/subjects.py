"""Whom a fact is about, as text: ``user``, ``person:mira``, ``pet:pim``."""

from __future__ import annotations

import re
import unicodedata

USER = "user"
# Words for the two who talk, and for nobody in particular: no one's name.
_NO_NAMES = frozenset((
    "user", "users", "the-user", "this-user", "current-user", "human", "the-human", "customer",
    "assistant", "the-assistant", "ai", "the-ai", "ai-assistant", "bot", "chatbot", "chatgpt",
    "gpt", "claude", "gemini", "copilot", "model", "system", "agent", "i", "me", "my", "myself",
    "you", "your", "yourself", "we", "us", "he", "she", "they", "them", "him", "her", "it",
    "someone", "somebody", "anyone", "anybody", "everyone", "everybody", "nobody", "person",
    "people", "unknown", "speaker", "narrator", "author", "nutzer", "der-nutzer", "benutzer",
    "usuario", "el-usuario", "utilisateur", "l-utilisateur",
    "用户", "用戶", "助手", "ユーザー", "उपयोगकर्ता",
))  # fmt: skip
_SUBJECT = re.compile(r"([a-z][a-z_]{0,30}):(.+)", re.DOTALL)


def slug(name: str) -> str:
    """A name as part of a subject: lower case, words joined by hyphens, letters
    of every script kept. Empty when the name has no letter or digit."""
    text = unicodedata.normalize("NFC", name).lower()
    kept = "".join(
        char if unicodedata.category(char)[0] in "LMN" else "-" for char in text.replace("'", "")
    )
    return re.sub(r"-+", "-", kept).strip("-")[:80]


def subject(kind: str, name: str) -> str:
    """``subject("person", "Mira") == "person:mira"``; empty when the name is."""
    part = slug(name)
    return f"{kind}:{part}" if part else ""


def canonical(text: str) -> str:
    """A subject in its one spelling, or empty when the text is not a subject."""
    text = text.strip()
    if text.lower() == USER:
        return USER
    found = _SUBJECT.fullmatch(text[:1].lower() + text[1:] if text else text)
    return subject(found[1], found[2]) if found else ""


def nobody(subject: str) -> bool:
    """Whether a subject in its one spelling calls a person by a word that is no name:
    ``person:the-user``, ``person:assistant``. ``user`` itself is somebody."""
    kind, _, name = subject.partition(":")
    return kind in ("person", "user", "assistant") and (
        name in _NO_NAMES or (kind != "person" and bool(name))
    )
