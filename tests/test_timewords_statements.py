"""Dated statements: the local extractor's facts hold from and until what the words say."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memoryapp.providers.local_extractor import LocalExtractor
from memoryapp.providers.local_extractor.dates import find, until, validity
from memoryapp.records import Batch, Candidate, Turn

SENT = datetime(2026, 3, 11, 14, 30, tzinfo=UTC)


def facts(text: str) -> list[Candidate]:
    turn = Turn(UUID(int=1), "user", text, SENT)
    return list(LocalExtractor().extract(Batch(turns=[turn], time_zone="UTC")).candidates)


@pytest.mark.parametrize(
    ("text", "attribute", "value", "since", "precision"),
    [
        ("I've lived in Hamburg since 2015.", "home", "Hamburg", (2015, 1), "year"),
        ("I moved to Porto three years ago.", "home", "Porto", (2023, 1), "year"),
        ("Vivo en Madrid desde 2019.", "home", "Madrid", (2019, 1), "year"),
        ("Me mudé a Sevilla hace tres años.", "home", "Sevilla", (2023, 1), "year"),
        (
            "Trabajo en Telefónica desde enero de 2022.",
            "employer",
            "Telefónica",
            (2022, 1),
            "month",
        ),
        ("Ich wohne seit drei Jahren in Leipzig.", "home", "Leipzig", (2023, 1), "year"),
        ("Seit März 2021 wohne ich in Köln.", "home", "Köln", (2021, 3), "month"),
        ("Ich arbeite seit 2015 bei Siemens.", "employer", "Siemens", (2015, 1), "year"),
        ("J'habite à Lyon depuis 2018.", "home", "Lyon", (2018, 1), "year"),
        ("J'ai déménagé à Nantes en mars dernier.", "home", "Nantes", (2025, 3), "month"),
        ("我去年搬到了上海", "home", "上海", (2025, 1), "year"),
    ],
)
def test_since_when(
    text: str, attribute: str, value: str, since: tuple[int, int], precision: str
) -> None:
    (fact,) = facts(text)
    assert (fact.attribute, fact.value) == (attribute, value)
    assert fact.valid_from == datetime(*since, 1, tzinfo=UTC)
    assert fact.precision == precision
    assert fact.valid_to is None


@pytest.mark.parametrize("text", ["Vivo en Madrid.", "Ich wohne in Köln.", "J'habite à Lyon."])
def test_what_names_no_time_says_none(text: str) -> None:
    (fact,) = facts(text)
    assert (fact.valid_from, fact.valid_to) == (None, None)


def test_until_when() -> None:
    assert until("i worked at nokia until 2020", SENT, "UTC") == datetime(2021, 1, 1, tzinfo=UTC)
    assert until("i work at nokia", SENT, "UTC") is None


def test_a_time_to_come_begins_nothing() -> None:
    assert validity("mañana voy a madrid", SENT, "UTC") is None
    valid = validity("ich bleibe bis mai 2026 in rom", SENT, "UTC")
    assert valid is not None
    assert (valid.valid_from, valid.valid_to) == (None, datetime(2026, 6, 1, tzinfo=UTC))


def test_the_rules_date_has_its_lead_and_lasting_words() -> None:
    when = find("flying to rome on march 14", SENT, "UTC", future=True)
    assert when is not None
    assert (when.lead, when.label, when.precision) == ("on", "14 March 2026", "day")
    assert find("we march on and it may rain", SENT, "UTC", future=True) is None
    assert find("the friday report is late", SENT, "UTC", future=True) is None
