"""What holds of every time that is found, whatever the language."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.timewords import Found, find
from memoryapp.timewords.lexicon import LANGUAGES, lexicon

NOW = datetime(2026, 3, 11, 14, 30, tzinfo=UTC)


def found(text: str, **options: Any) -> list[Found]:
    arguments: dict[str, Any] = {"now": NOW, "time_zone": "UTC", "language": "en"} | options
    return find(text, **arguments)


@pytest.mark.parametrize(
    "text",
    [
        "the server listens on port 9077",
        "port 2019 is taken",
        "upgrade to version 3.11, not 3.11.2 or v2.0",
        "15 GB of RAM and 4 cores",
        "see section 4 and page 12",
        "the address is 192.168.1.10:8080",
        "call 555-0134 or +31 20 555 0134",
        "they won 3:1, in 16:9",
        "open 24/7, add 1/2 cup, 50%",
        "it costs $2020 or 19.99",
        "I have 3 cats and 2 dogs",
        "my daughter is a 7 year old",
        "this may or may not work, may I ask",
        "march on",
        "the sun sat in the sky",
        "the first time I saw the second one",
        "room 2020, order #20240103, commit 20240103a",
        "Windows 11 and iPhone 15",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "guten Morgen",
    ],
)
def test_numbers_and_words_that_are_no_times(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("we fly on the 12th, four of us", ["12th"]),
        ("the party on the 12th, 40 guests", ["12th"]),
        ("on the 12th, four of May", ["four of may"]),
        ("we met on the 12th, 2027", []),
    ],
)
def test_a_number_behind_the_day_of_a_month(text: str, days: list[str]) -> None:
    assert [each.text.lower() for each in found(text)] == days


def test_the_user_s_clock_decides_the_day() -> None:
    late = datetime(2026, 3, 11, 23, 30, tzinfo=UTC)
    (here,) = find("today", now=late, time_zone="UTC")
    (there,) = find("today", now=late, time_zone="Asia/Tokyo")
    assert here.from_ == datetime(2026, 3, 11, tzinfo=UTC)
    assert there.from_ == datetime(2026, 3, 11, 15, tzinfo=UTC)
    assert str(there.from_) == "2026-03-12 00:00:00+09:00"


def test_a_day_on_which_the_clocks_change_has_23_hours() -> None:
    now = datetime(2026, 3, 29, 12, tzinfo=UTC)
    (day,) = find("today", now=now, time_zone="Europe/Amsterdam")
    assert day.from_ is not None
    assert day.to is not None
    assert day.to.astimezone(UTC) - day.from_.astimezone(UTC) == timedelta(hours=23)


def test_an_unknown_zone_is_utc_and_a_naive_now_is_refused() -> None:
    assert find("today", now=NOW, time_zone="Mars/Olympus") == find(
        "today", now=NOW, time_zone="UTC"
    )
    with pytest.raises(ValueError, match="aware"):
        find("today", now=datetime(2026, 3, 11), time_zone="UTC")


@pytest.mark.parametrize(
    ("text", "past", "future"),
    [("Friday", 6, 13), ("June 3rd", None, None), ("in July", None, None)],
)
def test_the_side_that_is_meant(text: str, past: int | None, future: int | None) -> None:
    (before,) = found(text, prefer="past")
    (behind,) = found(text, prefer="future")
    assert before.from_ is not None
    assert behind.from_ is not None
    assert before.from_ <= NOW < behind.from_
    if past is not None:
        assert (before.from_.day, behind.from_.day) == (past, future)


def test_a_weekday_after_the_other_closes_a_range() -> None:
    (span,) = found("from Monday to Friday", prefer="future")
    assert span.from_ == datetime(2026, 3, 16, tzinfo=UTC)
    assert span.to == datetime(2026, 3, 21, tzinfo=UTC)


def test_the_29th_of_february_is_in_a_leap_year() -> None:
    (day,) = found("on February 29")
    assert day.from_ == datetime(2024, 2, 29, tzinfo=UTC)
    assert found("2026-02-29") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("every Friday", "recurring"),
        ("weekly", "recurring"),
        ("for three hours", "duration"),
        ("at 5pm", "time"),
        ("now", "datetime"),
        ("in May 2020", "range"),
        ("yesterday", "date"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert [one.kind for one in found(text)] == [kind]


def test_a_duration_counts_from_now() -> None:
    (two,) = found("for two hours")
    (more,) = found("an hour and a half")
    assert (two.from_, two.to) == (NOW, NOW + timedelta(hours=2))
    assert more.to == NOW + timedelta(minutes=90)


def test_several_in_one_text_in_its_order() -> None:
    texts = [one.text for one in found("I left in 2019, came back last year and go tomorrow.")]
    assert texts == ["2019", "last year", "tomorrow"]


def test_no_year_outside_the_calendar_is_built() -> None:
    assert found("9999 years ago") == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_tables_say_each_month_and_day(code: str) -> None:
    meanings = [means for means in lexicon(code).words.values()]
    assert {means["D"] for means in meanings if "D" in means} == set(range(7))
    months = {means.get("M", means.get("i")) for means in meanings} - {None}
    assert months in ({*range(1, 13)}, set())  # none where months are numbered


_WORDS = st.sampled_from(
    [
        *sorted({word for code in LANGUAGES for word in lexicon(code).words}),
        *("3", "12", "2019", "1/2/2020", "5pm", "10:30", "-", ",", "'", "xyz", "🙂", "０３", "\n"),
    ]
)


@given(st.lists(_WORDS, max_size=12), st.sampled_from(["", *LANGUAGES]))
def test_any_row_of_words_is_read_without_harm(words: list[str], language: str) -> None:
    text = " ".join(words)
    times = found(text, language=language)
    assert times == found(text, language=language)
    end = 0
    for one in times:
        assert end <= one.start < one.end <= len(text)
        assert one.text == text[one.start : one.end]
        assert one.from_ is None or one.from_.tzinfo is not None
        assert one.from_ is None or one.to is None or one.from_ < one.to
        end = one.end


@given(st.text(max_size=200))
def test_any_text_is_read_without_harm(text: str) -> None:
    for one in found(text, language=""):
        assert one.text == text[one.start : one.end]
