from __future__ import annotations

import pytest

from memoryapp.importers import detect
from tests.exports import Outcome, at, of_bytes

MIXED = """Here is everything I remember about you so far, as you asked me to list it:

## Identity
- **Name:** Mira
* Lives in Porto
1. Has two cats,
   both grey
- Pets:
  - Pim (terrier)
  - Otto (cat)
• Age: ?

Career:
Works as a nurse at St. Olav. She likes the night shift. Studied in Lund.
Languages: Portuguese, Swedish
Anything else you want to add?
```
"""

CLAUDE = """```
Identity
[2026-01-15] - Lives in Porto.
[unknown] - Speaks Portuguese.
Preferences
[Jan 3, 2026] - Likes short answers.
- [2025-11-30] Takes no milk.
```"""


def test_each_entry_is_one_statement_under_its_heading() -> None:
    found = Outcome(of_bytes(MIXED.encode()))
    assert [(memory.text, memory.metadata.get("section")) for memory in found.memories] == [
        ("Name: Mira", "Identity"),
        ("Lives in Porto", "Identity"),
        ("Has two cats, both grey", "Identity"),
        ("Pets: Pim (terrier)", "Identity"),
        ("Pets: Otto (cat)", "Identity"),
        ("Works as a nurse at St. Olav. She likes the night shift.", "Career"),
        ("Studied in Lund.", "Career"),
        ("Languages: Portuguese, Swedish", "Career"),
    ]
    assert found.skipped == {"placeholder": 1, "question": 1}


def test_the_format_that_claudes_prompt_asks_for() -> None:
    source = of_bytes(CLAUDE.encode())
    assert detect(source) == "paste"
    found = Outcome(source)
    told = [
        (memory.text, memory.created_at, memory.metadata.get("section"))
        for memory in found.memories
    ]
    assert told == [
        ("Lives in Porto.", at(2026, 1, 15), "Identity"),
        ("Speaks Portuguese.", None, "Identity"),
        ("Likes short answers.", at(2026, 1, 3), "Preferences"),
        ("Takes no milk.", at(2025, 11, 30), "Preferences"),
    ]


def test_a_dated_list_is_not_mistaken_for_json() -> None:
    assert detect(of_bytes(b"[2026-01-15] - Lives in Porto.\n[2026-01-16] - A nurse.")) == "paste"


def test_prose_is_read_when_the_caller_says_it_is_a_paste() -> None:
    prose = "Mira lives in Porto. 她喜欢茶。她有两只猫。 Mr. Li, e.g. her boss, is 1.5 m tall!"
    source = of_bytes(prose.encode())
    assert detect(source) is None
    assert Outcome(source, format="paste").statements == [
        "Mira lives in Porto.",
        "她喜欢茶。",
        "她有两只猫。",
        "Mr. Li, e.g. her boss, is 1.5 m tall!",
    ]


def test_the_same_statement_twice_is_one() -> None:
    found = Outcome(of_bytes(b"- Lives in Porto\n- lives in Porto.\n"))
    assert found.statements == ["Lives in Porto"]
    assert found.skipped == {"duplicate": 1}


@pytest.mark.parametrize(
    "data",
    [
        "\ufeff- Lives in Porto\r\n- Is a nurse\r\n".encode(),
        "- Lives in Porto\n- Is a nurse\n".encode("utf-16"),
        b"- Lives in Porto\n- Is a nurse\x00\n".replace(b"\x00", b""),
    ],
)
def test_marks_and_line_ends_of_every_system(data: bytes) -> None:
    assert Outcome(of_bytes(data), format="paste").statements == ["Lives in Porto", "Is a nurse"]
