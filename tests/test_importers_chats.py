"""LibreChat and Open WebUI."""

from __future__ import annotations

import json

from memoryapp.importers import preview
from tests.exports import Outcome, at, export, of_bytes, of_json, text


def test_librechats_last_branch_without_partial_or_failed_answers() -> None:
    found = Outcome(export("librechat/flat.json"))
    assert found.said("lc-1") == [
        "Tell me a long story about my dog Pim",
        "Pim was a terrier.",
        "Shorter please",
    ]
    assert found.skipped == {"inactive_branch": 3, "error": 1, "reasoning": 1, "tool_call": 1}


def test_librechats_persona_is_no_person() -> None:
    messages = Outcome(export("librechat/flat.json")).conversations["lc-1"].messages
    assert [message.role for message in messages] == ["user", "assistant", "user"]


def test_librechats_nested_messages_take_their_neighbours_time() -> None:
    found = Outcome(export("librechat/nested.json"))
    assert found.said("lc-2") == [
        "I use fish as my shell",
        "Then source the .fish file.",
        "It works now",
    ]
    assert found.times("lc-2")[2] == at(2024, 5, 1, 16, 35, 12, 604000)
    assert found.noted == {"time_inferred": 1}


def test_librechats_older_tree_and_a_very_deep_one() -> None:
    deep: dict[str, object] = {"messageId": "m0", "isCreatedByUser": True, "text": "The end"}
    for step in range(1, 2000):
        mine = step % 2 == 0
        deep = {"messageId": f"m{step}", "isCreatedByUser": mine, "text": "…", "children": [deep]}
    encoder = json.JSONEncoder()
    parts = ['{"conversationId": "deep", "messagesTree": [']
    closing = ""
    at_node: dict[str, object] | None = deep
    while at_node is not None:
        children = at_node.pop("children", None)
        parts.append(encoder.encode(at_node)[:-1] + ', "children": [')
        closing += "]}"
        at_node = children[0] if isinstance(children, list) else None
    found = Outcome(of_bytes(("".join(parts) + closing + "]}").encode()))
    assert len(found.said("deep")) == 2000
    assert found.said("deep")[-1] == "The end"


def test_open_webuis_branch_ends_at_the_current_message() -> None:
    found = Outcome(export("openwebui/chats.json"))
    assert found.said("ow-branch") == ["I live in Linz, suggest a route", "Danube path."]
    assert found.times("ow-branch")[0] == at(2023, 11, 14, 22, 47, 10)


def test_open_webuis_reasoning_and_tool_calls_are_stripped() -> None:
    found = Outcome(export("openwebui/chats.json"))
    assert found.said("ow-reason")[1] == "255"
    assert found.said("ow-tool")[1] == "It is 18 degrees."
    seen = preview(export("openwebui/chats.json"))
    assert (seen.conversations, seen.messages) == (4, 7)
    assert seen.skipped == {
        "inactive_branch": 2,
        "reasoning": 1,
        "tool_call": 1,
        "file": 2,
        "unfinished": 1,
    }


def test_open_webuis_memories_and_everybodys_chats() -> None:
    found = Outcome(export("openwebui/memories.json"))
    assert found.statements == ["User lives in Linz.", "User prefers metric units."]
    assert found.memories[1].updated_at == at(2023, 11, 14, 22, 48, 20)
    chats = json.loads(text("openwebui/chats.json"))
    chats[0]["user_id"] = "somebody else"
    assert Outcome(of_json(chats)).noted["several_users"] == 2
