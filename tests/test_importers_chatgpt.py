from __future__ import annotations

import json

from memoryapp.importers import preview
from tests.exports import Outcome, at, export, of_bytes, of_json, text, zipped


def test_the_active_branch_alone_with_its_citations_stripped() -> None:
    found = Outcome(export("chatgpt/conversations-000.json"))
    assert found.said("conv-swim") == [
        "I live in Bergen. Where can I swim?",
        "At Nordnes, it is heated.",
        "Enjoy!",
    ]
    assert found.times("conv-swim")[0] == at(2025, 12, 29, 9, 21, 0, 250000)
    # The edited question, its answer, the regenerated answer, and the slim one's typo.
    assert found.skipped["inactive_branch"] == 4


def test_a_hidden_node_in_the_chain_does_not_break_it() -> None:
    found = Outcome(export("chatgpt/conversations-000.json"))
    assert found.said("conv-beaker") == ["What is this?", "A beaker."]
    assert found.said("conv-voice") == ["My brother Rui visits on Friday", "How nice!"]


def test_what_is_no_message_is_counted_by_its_reason() -> None:
    seen = preview(export("chatgpt/conversations-000.json"))
    assert (seen.conversations, seen.messages, seen.memories) == (5, 11, 5)
    assert seen.skipped == {
        "inactive_branch": 4,
        "system": 1,
        "tool": 2,
        "tool_call": 1,
        "reasoning": 2,
        "file": 1,
        "audio": 2,
        "no_messages": 1,
        "do_not_remember": 1,
        "temporary": 1,
        "repeated": 2,
    }
    assert seen.notes == {"time_inferred": 1, "time_unknown": 2}


def test_conversations_not_to_be_remembered_leave_nothing() -> None:
    source = export("chatgpt/conversations-000.json")
    found = Outcome(source)
    assert not {"conv-private", "conv-temp"} & found.conversations.keys()
    assert "Zed" not in repr(found.items)


def test_without_any_time_the_message_says_so() -> None:
    found = Outcome(export("chatgpt/conversations-000.json"))
    assert found.said("conv-bare") == ["I keep bees.", "Lovely."]
    assert found.times("conv-bare") == [None, None]


def test_slim_exports_have_no_children_and_a_lost_leaf_gives_the_largest_subtree() -> None:
    found = Outcome(export("chatgpt/conversations-000.json"))
    assert found.said("conv-slim") == ["I use a standing desk.", "Good for the back."]
    assert found.times("conv-slim")[0] == found.times("conv-slim")[1]


def test_memories_saved_by_the_assistant_keep_their_exact_time() -> None:
    found = Outcome(export("chatgpt/conversations-000.json"))
    saved = {memory.text: memory for memory in found.memories}
    assert saved["Lives in Bergen."].created_at == at(2025, 12, 29, 9, 21, 3)
    assert saved["Lives in Oslo."].created_at == at(2025, 3, 2)
    assert saved["Lives in Bergen."].metadata["current"] is True


def test_a_memory_missing_from_the_newest_snapshot_is_not_current() -> None:
    def snapshot(own_id: str, when: float, listed: str) -> dict[str, object]:
        message = {
            "id": own_id,
            "author": {"role": "assistant"},
            "content": {"content_type": "model_editable_context", "model_set_context": listed},
        }
        mapping = {own_id: {"message": message, "parent": None}}
        return {"id": own_id, "update_time": when, "current_node": own_id, "mapping": mapping}

    newest_first = [
        snapshot("b", 1767000000, "1. [2025-12-01]. Has two dogs."),
        snapshot("a", 1757000000, "1. [2025-01-01]. Has a dog.\n2. [2025-02-01]. Likes tea."),
    ]
    found = Outcome(of_json(newest_first))
    assert {memory.text: memory.metadata["current"] for memory in found.memories} == {
        "Has two dogs.": True,
        "Has a dog.": False,
        "Likes tea.": False,
    }


def test_custom_instructions_come_once_with_their_earliest_time() -> None:
    found = Outcome(export("chatgpt/conversations-000.json"))
    told = [
        (memory.text, memory.metadata["section"], memory.created_at)
        for memory in found.memories
        if memory.metadata["source"] == "custom_instructions"
    ]
    first, second = at(2025, 12, 29, 9, 36, 40), at(2025, 12, 29, 9, 53, 20)
    assert told == [
        ("I teach chemistry.", "about_user", first),
        ("Answer in metric units.", "about_replies", first),
        ("Preferred name: Ines", "about_user", second),
    ]


def test_shards_are_read_together_and_overlaps_come_once() -> None:
    archive = zipped(
        {
            "conversations-000.json": text("chatgpt/conversations-000.json"),
            "conversations-001.json": text("chatgpt/conversations-001.json"),
            "user.json": text("chatgpt/user.json"),
            "shared_conversations.json": text("chatgpt/shared_conversations.json"),
            "chat.html": "<html><body>everything again</body></html>",
            "file-abc.png": b"\x89PNG",
            "file-notes.zip": b"PK\x03\x04",
        }
    )
    found = Outcome(archive)
    assert found.said("conv-bike") == ["My bike has a 54 cm frame."]
    assert len(found.conversations) == 6
    assert found.skipped["duplicate"] == 1
    assert found.skipped["nested_archive"] == 1
    assert found.skipped["not_needed"] == 4


def test_a_repeated_conversation_brings_only_its_new_messages() -> None:
    conversation = json.loads(text("chatgpt/conversations-001.json"))[0]
    grown = json.loads(json.dumps(conversation))
    grown["mapping"]["k2"] = {
        "message": {
            "id": "k2m",
            "author": {"role": "assistant"},
            "content": {"content_type": "text", "parts": ["A good size."]},
        },
        "parent": "k1",
    }
    grown["current_node"] = "k2"
    source = of_json([conversation, grown])
    pieces = [item.messages for item in Outcome(source).items if hasattr(item, "messages")]
    assert [[message.content for message in piece] for piece in pieces] == [
        ["My bike has a 54 cm frame."],
        ["A good size."],
    ]
    seen = preview(source)
    assert (seen.conversations, seen.messages) == (1, 2)


def test_a_byte_order_mark_a_single_object_and_a_wrapped_list_are_read() -> None:
    bike = json.loads(text("chatgpt/conversations-001.json"))[0]
    for data in (
        b"\xef\xbb\xbf" + json.dumps([bike]).encode(),
        json.dumps(bike).encode(),
        json.dumps({"conversations": [bike]}).encode(),
        json.dumps({"session": {}, "raw_provider_payload": bike}).encode(),
    ):
        assert Outcome(of_bytes(data)).said("conv-bike") == ["My bike has a 54 cm frame."]


def test_a_ring_of_parents_ends() -> None:
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}
    mapping = {
        "a": {"message": message, "parent": "b"},
        "b": {"message": message, "parent": "a"},
    }
    found = Outcome(of_json([{"id": "ring", "mapping": mapping}]))
    assert found.said("ring") == ["Hi", "Hi"]
    ids = [message.external_id for message in found.conversations["ring"].messages]
    assert len(set(ids)) == 2


def test_odd_shapes_are_counted_not_fatal() -> None:
    odd = [
        7,
        None,
        {"id": "1", "mapping": []},
        {"id": "2", "mapping": {"a": None, "b": {"message": "text"}, "c": {"message": {}}}},
        {"id": "3", "mapping": {"a": {"message": {"author": {"role": "user"}, "content": None}}}},
    ]
    seen = preview(of_json(odd))
    assert seen.conversations == 0
    assert seen.skipped == {"malformed": 3, "no_messages": 1, "empty": 3}
