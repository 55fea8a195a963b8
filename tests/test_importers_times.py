from __future__ import annotations

from datetime import datetime

import pytest

from memoryapp.importers.times import moment, written
from tests.exports import at

WHEN = at(2026, 3, 2, 9, 15, 30)
SECONDS = 1772442930


@pytest.mark.parametrize(
    "value",
    [
        SECONDS,
        float(SECONDS),
        str(SECONDS),
        f"{SECONDS}.0",
        SECONDS * 1000,
        SECONDS * 1_000_000,
        SECONDS * 1_000_000_000,
        "2026-03-02T09:15:30Z",
        "2026-03-02T09:15:30",
        "2026-03-02 09:15:30+00:00",
        "2026-03-02T01:15:30.000000-08:00",
        "2026-03-02T09:15:30.000000000Z",
    ],
)
def test_times_of_every_kind(value: object) -> None:
    assert moment(value) == WHEN


@pytest.mark.parametrize(
    "value",
    [None, "", 0, -1, True, "soon", [], float("nan"), float("inf"), 10**30, "9" * 70,
     "08:12:16 GMT-0400 (Eastern Daylight Time)", "0001-01-01T00:00:00+14:00"],
)  # fmt: skip
def test_what_is_no_time(value: object) -> None:
    assert moment(value) is None


@pytest.mark.parametrize(
    ("text", "when", "exact"),
    [
        ("Mar 2, 2026, 4:15:30\u202fAM EST", WHEN, True),
        ("Mar 2, 2026, 2:45:30\xa0PM GMT+05:30", WHEN, True),
        ("2 Mar 2026, 17:15:30 GMT+8", WHEN, True),
        ("02.03.2026, 10:15:30 MEZ", WHEN, True),
        ("2. März 2026, 10:15:30 MEZ", WHEN, True),
        ("2 mars 2026, 10:15:30 CET", WHEN, True),
        ("2 de mar de 2026, 06:15:30 BRT", WHEN, True),
        ("2026/03/02 18:15:30 JST", WHEN, True),
        ("Mar 2, 2026, 9:15:30 AM WXYZ", WHEN, False),
        ("Mar 2, 2026, 12:15:30 AM UTC", at(2026, 3, 2, 0, 15, 30), True),
    ],
)
def test_times_written_for_people(text: str, when: datetime, exact: bool) -> None:
    assert written(text) == (when, exact)


@pytest.mark.parametrize(
    "text", ["Prompted", "Xyz 2, 2026, 9:15:30 AM UTC", "31.02.2026, 10:15:30"]
)
def test_words_are_no_time(text: str) -> None:
    assert written(text) is None
