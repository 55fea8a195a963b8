"""What is no longer so: ended where it is known, and only there."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memoryapp.extract import extract
from memoryapp.providers.local_extractor import LocalExtractor
from memoryapp.records import Batch, KnownFact, Turn

KNOWN = [
    KnownFact("user", "hobby", "", "chess"),
    KnownFact("user", "work_mode", "", "from home"),
    KnownFact("user", "job_title", "", "student"),
    KnownFact("user", "instrument", "", "cello"),
    KnownFact("user", "pet", "", "Pim (cat)"),
    KnownFact("user", "household", "", "Tom"),
    KnownFact("person:mira", "hobby", "", "rowing"),
]


def ended(text: str) -> list[tuple[str, str]]:
    turn = Turn(UUID(int=1), "user", text, datetime(2026, 5, 1, tzinfo=UTC))
    found = extract(Batch([turn], known=KNOWN), LocalExtractor())
    return [(c.attribute, c.value) for c in found.candidates if c.operation == "end"]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I don't play chess any more.", ("hobby", "chess")),
        ("I gave up chess last year.", ("hobby", "chess")),
        ("I don't work from home any longer.", ("work_mode", "from home")),
        ("I'm no longer a student.", ("job_title", "student")),
        ("I stopped playing the cello.", ("instrument", "cello")),
        ("I no longer have a cat.", ("pet", "Pim (cat)")),
        ("We don't live with Tom anymore.", ("household", "Tom")),
    ],
)
def test_what_is_known_and_named_ends(text: str, fact: tuple[str, str]) -> None:
    assert ended(text) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "I don't play tennis any more.",
        "I don't think about it anymore.",
        "Mira gave up rowing.",
        "I stopped at the shop.",
        "I gave up on the whole thing.",
        "If I gave up chess I'd have more time.",
        "Should I say that I don't play chess any more?",
        "My brother said he doesn't play chess anymore.",
    ],
)
def test_nothing_else_does(text: str) -> None:
    assert ended(text) == []
