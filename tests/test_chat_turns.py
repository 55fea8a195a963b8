"""Which of a request's turns are new: on marks alone."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.api.proxy.turns import Mark, chat_of, new


def marks(text: str) -> list[Mark]:
    """ "u1 a1 u2": the user's and the assistant's turns."""
    roles = {"u": "user", "a": "assistant"}
    return [Mark(roles[word[0]], word) for word in text.split()]


@pytest.mark.parametrize(
    ("held", "told", "fresh"),
    [
        ("", "u1", "u1"),
        ("u1 a1", "u1 a1 u2", "u2"),
        # The same once more: a client tries again, or has it answered anew.
        ("u1 a1 u2 a2", "u1 a1 u2", ""),
        # The memory was down, or sees the chat for the first time.
        ("u1 a1", "u1 a1 u2 a2 u3 a3 u4", "u2 a2 u3 a3 u4"),
        ("", "u1 a1 u2", "u1 a1 u2"),
        # The oldest turns were left out.
        ("u1 a1 u2 a2 u3 a3", "u2 a2 u3 a3 u4", "u4"),
        ("u1 a1 u2 a2 u3 a3", "a2 u3 a3 u4", "u4"),
        # The answer was cut off: what the user saw of it comes now.
        ("u1", "u1 a1cut u2", "a1cut u2"),
        # The client reformats answers.
        ("u1 a1 u2 a2", "u1 a1x u2 a2x u3", "u3"),
        # The second turn was edited; and the chat goes on from there.
        ("u1 a1 u2 a2", "u1 a1 u2x", "u2x"),
        ("u1 a1 u2 a2 u2x a2x", "u1 a1 u2x a2x u3", "u3"),
        # Back to the branch before.
        ("u1 a1 u2 a2 u2x a2x", "u1 a1 u2 a2 u3", "u3"),
        # The same words again are a turn of their own.
        ("u1 a1 u1 a2", "u1 a1 u1 a2 u1", "u1"),
        ("u1 a1 uyes a2", "u1 a1 uyes a2 uyes", "uyes"),
        ("u1 a1 uyes a2 u2 a3", "uyes a2 u2 a3 uyes", "uyes"),
    ],
)
def test_what_is_new(held: str, told: str, fresh: str) -> None:
    turns = marks(told)
    first = len(turns) == 1
    found = new(marks(held), turns, first=first, again=False)
    assert [turns[place].mark for place in found.places] == fresh.split()


def test_a_first_turn_again_is_the_last_one_or_a_new_one() -> None:
    held, told = marks("u1 a1"), marks("u1")
    again = new(held, told, first=True, again=True)
    assert not again.places
    assert again.answers == frozenset({"a1"})
    later = new(held, told, first=True, again=False)
    assert list(later.places) == [0]
    assert not later.answers
    # A client that sends its newest turn alone, and names the conversation.
    assert list(new(marks("u1 a1 u2 a2"), told, first=True, again=True).places) == [0]


def test_what_counts_as_a_turn() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    parts = [{"type": "text", "text": " What is\0 this? "}, image, {"type": "text", "text": "Hm"}]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "42"},
        {"role": "user", "content": [image]},
        {"role": "user", "content": "half \ud83d"},
        {"role": "user", "content": 5},
        {"role": "assistant"},
        {},
    ]
    chat = chat_of(messages)
    assert [(turn.role, turn.text) for turn in chat.turns] == [
        ("user", "What is  this? \nHm"),
        ("user", "half ?"),
    ]
    assert (chat.question, chat.first) == ("half ?", False)
    assert chat_of([{"role": "user", "content": "Hi"}]).first
    assert chat_of([]).question == ""
