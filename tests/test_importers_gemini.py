from __future__ import annotations

import json

import pytest

from memoryapp.importers import ImportRefused, preview
from tests.exports import Outcome, at, export, of_bytes, of_json, text


def test_the_records_of_a_day_are_a_conversation_oldest_first() -> None:
    found = Outcome(export("gemini/MyActivity.json"))
    assert found.said("gemini:2026-03-02") == [
        "hello",
        "First hello",
        "hello",
        "Second hello",
        "Ich wohne in Köln",
        "Willkommen in Köln!",
        "My flat has 62 m²",
        "For 62 m²:\n- one\n- two",
    ]
    assert found.said("gemini:2023-08-01") == ["I have two cats"]


def test_records_of_one_second_have_ids_of_their_own() -> None:
    messages = Outcome(export("gemini/MyActivity.json")).conversations["gemini:2026-03-02"].messages
    assert len({message.external_id for message in messages}) == len(messages) == 8


def test_ids_do_not_depend_on_where_the_export_begins() -> None:
    records = json.loads(text("gemini/MyActivity.json"))
    newer = {**records[0], "title": "Prompted something new", "time": "2026-03-02T10:00:00Z"}
    whole = Outcome(of_json([newer, *records])).conversations["gemini:2026-03-02"].messages
    before = Outcome(of_json(records)).conversations["gemini:2026-03-02"].messages
    assert set(before) < set(whole)


def test_other_activity_and_missing_answers_are_counted() -> None:
    seen = preview(export("gemini/MyActivity.json"))
    assert (seen.conversations, seen.messages) == (2, 9)
    assert seen.skipped == {"other_activity": 2, "other_product": 1, "file": 1}
    assert seen.notes == {"answer_missing": 1}


def test_the_page_is_read_with_its_spaces_zones_and_languages() -> None:
    found = Outcome(export("gemini/MyActivity.html"))
    assert found.said("gemini:2025-01-02") == [
        "Ich habe zwei Katzen",
        "Schön.",
        "I grow tomatoes & beans\non the balcony",
        "Water daily.",
    ]
    assert found.times("gemini:2025-01-02")[::2] == [
        at(2025, 1, 2, 14, 4, 5),
        at(2025, 1, 2, 20, 4, 5),
    ]
    assert found.times("gemini:2025-01-01") == [at(2025, 1, 1, 7, 4, 5)]
    assert found.times("gemini:2024-12-31")[0] == at(2024, 12, 31, 15, 4, 5)
    assert found.skipped == {"other_activity": 1, "other_product": 1}
    assert found.noted == {"answer_missing": 1, "zone_unknown": 1}
    assert "secret" not in repr(found.items)


def test_the_other_layout_has_the_time_in_the_header() -> None:
    page = (
        '<html><body><div class="outer-cell"><div class="header-cell"><h3>Gemini Apps</h3>'
        "<p>Prompted<br></p><p>Jan 5, 2025, 3:04:05 PM PST</p></div>"
        '<div class="content-cell"><p>I own a kayak</p><p>Paddle on.</p><p>Safely.</p></div></div>'
        '<div class="outer-cell"><div class="header-cell"><h3>Gemini Apps</h3><p>Canvas</p>'
        "<p>Jan 3, 2025, 3:04:05 PM PST</p></div>"
        '<div class="content-cell"><p>drawing</p></div></div></body></html>'
    )
    found = Outcome(of_bytes(page.encode()))
    assert found.said("gemini:2025-01-05") == ["I own a kayak", "Paddle on.\nSafely."]
    assert found.skipped == {"other_activity": 1}


def test_a_tag_that_never_ends_is_refused() -> None:
    page = b'<html><div class="outer-cell">' + b"<!-- " + b"x" * (3 * 1024 * 1024)
    with pytest.raises(ImportRefused, match="malformed"):
        preview(of_bytes(page))


def test_ai_studio_is_another_format() -> None:
    found = Outcome(export("gemini/studio.json"))
    (conversation,) = found.conversations.values()
    assert [message.content for message in conversation.messages] == [
        "I am learning Basque.",
        "Zorionak!",
    ]
    assert found.skipped == {"reasoning": 1, "file": 1}
