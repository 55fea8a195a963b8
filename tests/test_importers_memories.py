"""mem0, OpenMemory, Letta: statements rather than messages."""

from __future__ import annotations

import json

import pytest

from memoryapp.importers import ImportRefused, preview
from tests.exports import Outcome, at, export, of_bytes, of_json, text, zipped


def test_mem0_rows_keep_their_times_and_what_the_assistant_said_stays_out() -> None:
    found = Outcome(export("mem0/library.json"))
    assert found.statements == ["Works at Northwind as a planner", "Works at Contoso as a lead"]
    assert found.memories[0].created_at == at(2026, 1, 5, 17)
    assert found.memories[0].updated_at is None
    assert found.memories[1].metadata["expiration_date"] == "2026-12-01"
    assert found.skipped == {"from_assistant": 1, "graph_relation": 1}


def test_mem0_rows_that_contradict_each_other_both_come_and_say_which_replaced_which() -> None:
    found = Outcome(export("mem0/platform.json"))
    assert [memory.metadata.get("replaced_by") for memory in found.memories] == ["p2", None]
    assert found.skipped == {"further_pages": 118}


def test_mem0_lists_of_exactly_one_default_page_may_be_cut() -> None:
    rows = [{"id": str(at), "memory": f"Likes dish {at}", "user_id": "u"} for at in range(20)]
    assert Outcome(of_json({"results": rows})).noted == {"maybe_cut": 1}
    assert Outcome(of_json(rows[:19])).noted == {}


def test_mem0_rows_of_several_people_are_noted_and_history_is_no_memory() -> None:
    rows = [{"id": "1", "memory": "Likes tea", "user_id": "u"}]
    assert Outcome(of_json([*rows, {**rows[0], "id": "2", "user_id": "v"}])).noted == {
        "several_users": 2
    }
    history = [{"id": "h", "memory_id": "1", "event": "ADD", "new_memory": "Likes tea"}]
    seen = preview(of_json(history))
    assert (seen.format, seen.memories, seen.skipped) == ("mem0", 0, {"history_entry": 1})


def test_the_mem0_plugins_blocks_may_hold_a_line() -> None:
    found = Outcome(export("mem0/plugin.md"))
    assert [(memory.external_id, memory.text) for memory in found.memories] == [
        ("pm1", "Prefers short answers.\n\n---\n\nEven in mail."),
        ("pm2", "Uses context managers."),
    ]
    assert found.memories[0].metadata["categories"] == ["writing", "style"]


def test_openmemorys_deleted_rows_come_without_their_text() -> None:
    found = Outcome(export("openmemory/memories.json"))
    alive, deleted = found.memories
    assert (alive.text, alive.metadata["categories"], alive.metadata["app"]) == (
        "Prefers aisle seats",
        ["travel"],
        "editor",
    )
    assert (deleted.external_id, deleted.deleted, deleted.text) == ("o2", True, "")
    assert "Utrecht" not in repr(found.items)
    seen = preview(export("openmemory/memories.json"))
    assert (seen.memories, seen.skipped) == (1, {"deleted": 1, "paused": 1, "archived": 1})


def test_openmemorys_archive_and_its_limits() -> None:
    manifest = text("openmemory/memories.json")
    seen = preview(zipped({"memories.json": manifest, "memories.jsonl.gz": b"\x1f\x8b"}))
    assert (seen.format, seen.memories, seen.skipped["duplicate"]) == ("openmemory", 1, 1)
    crowded = {"memories.json": manifest} | {f"{at}.txt": "x" for at in range(64)}
    with pytest.raises(ImportRefused, match="too_many_members"):
        preview(zipped(dict(crowded)))
    rows = json.loads(manifest)
    rows["memories"][0]["content"] = "x" * (2 * 1024 * 1024)
    assert preview(of_json(rows)).skipped["record_too_large"] == 1
    rows["filler"] = "y" * (9 * 1024 * 1024)
    with pytest.raises(ImportRefused, match="too_large"):
        preview(of_json(rows))


def test_lettas_blocks_about_the_user_become_statements() -> None:
    found = Outcome(export("letta/agent.af"))
    assert [(memory.text, memory.metadata["section"]) for memory in found.memories] == [
        ("First name: Mira", "human"),
        ("Hobbies: sailing, chess", "human"),
        ("Likes short replies.", "preferences"),
        ("Writes in Portuguese.", "preferences"),
    ]
    assert found.memories[0].created_at == at(2026, 1, 22, 2, 8)
    assert found.skipped["placeholder"] == 2
    assert found.skipped["about_the_block"] == 1
    assert found.skipped["not_about_user"] == 1


def test_lettas_replies_are_calls_and_its_harness_speaks_as_the_user() -> None:
    found = Outcome(export("letta/agent.af"))
    (conversation,) = found.conversations.values()
    assert [(message.role, message.content) for message in conversation.messages] == [
        ("user", "I sail on Sundays."),
        ("assistant", "What boat?"),
        ("user", "A small sloop."),
    ]
    assert (found.skipped["system"], found.skipped["tool"], found.skipped["tool_call"]) == (2, 1, 1)


def test_letta_files_may_be_a_string_of_json_or_of_an_older_shape() -> None:
    wrapped = of_bytes(json.dumps(text("letta/agent.af")).encode())
    assert Outcome(wrapped).items == Outcome(export("letta/agent.af")).items
    older = Outcome(export("letta/older.af"))
    assert older.statements == ["Name: Jon"]
    assert next(iter(older.conversations.values())).messages[0].content == "Hi there"


def test_lettas_local_ids_do_not_collide_between_files() -> None:
    other = text("letta/agent.af").replace("2026-01-22T02:06:3", "2026-02-22T02:06:3")
    first = Outcome(export("letta/agent.af")).conversations.keys()
    assert not first & Outcome(of_bytes(other.encode())).conversations.keys()
