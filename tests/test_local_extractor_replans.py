"""A plan that is moved or called off: what was planned before ends, and nothing else does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from memoryapp.extract import extract
from memoryapp.providers.local_extractor import LocalExtractor
from memoryapp.records import Batch, KnownFact, Turn
from tests.chat import said, tell
from tests.notebook import facts

WEDDING = "wedding, 12 August 2026"
CRETE = "trip to Crete, May 2026"
DENTIST = "dentist appointment, 9 March 2026"
KNOWN = [KnownFact("user", "plan", "", value) for value in (WEDDING, CRETE, DENTIST)]


def ended(text: str) -> list[tuple[str, bool]]:
    turn = Turn(UUID(int=1), "user", text, datetime(2026, 3, 3, 10, tzinfo=UTC))
    found = extract(Batch([turn], known=KNOWN), LocalExtractor())
    return [(c.value, c.correction) for c in found.candidates if c.operation == "end"]


@pytest.mark.parametrize(
    ("text", "plan", "correction"),
    [
        ("Our wedding is on 22 August now.", WEDDING, False),
        ("My dentist appointment is next Friday.", DENTIST, False),
        ("The dentist appointment got moved to 12 March.", DENTIST, False),
        ("Our wedding is on the 14th of June, I typed 24th by mistake.", WEDDING, True),
        ("We cancelled the trip to Crete.", CRETE, False),
        ("We're not going to Crete any more.", CRETE, False),
        ("The Crete trip is off.", CRETE, False),
        ("We had to cancel the dentist appointment.", DENTIST, False),
    ],
)
def test_the_plan_that_is_meant_ends(text: str, plan: str, correction: bool) -> None:
    assert ended(text) == [(plan, correction)]


@pytest.mark.parametrize(
    "text",
    [
        "I have a dentist appointment on 30 March.",
        "I'm flying to Crete in June.",
        "Our wedding is on 12 August.",
        "I'm not going to bed yet.",
        "If we cancelled the trip to Crete, what would it cost?",
        "Mum cancelled her subscription.",
        "The oven is off.",
        "My exam is on 22 August.",
    ],
)
def test_no_other_plan_does(text: str) -> None:
    assert ended(text) == []


def test_only_the_new_date_is_current(owner: Any) -> None:
    tell(owner, said("2026-03-03", "My wedding is on 12 August 2090."))
    tell(owner, said("2026-03-09", "Our wedding is on 22 August 2090 now."), conversation="b")
    assert {(fact.value, fact.status) for fact in facts(owner, attribute="plan")} == {
        ("wedding, 22 August 2090", "current"),
        ("wedding, 12 August 2090", "retracted"),
    }
