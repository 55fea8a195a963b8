from __future__ import annotations

from memoryapp.importers import preview
from tests.exports import Outcome, at, export, text, zipped


def test_the_branch_written_last_stands() -> None:
    found = Outcome(export("claude/conversations.json"))
    assert found.said("cl-shift") == ["I work mornings at the bakery.", "Mornings it is."]
    assert found.skipped["inactive_branch"] == 2


def test_a_named_leaf_wins_over_the_last_one_and_content_over_an_empty_text() -> None:
    found = Outcome(export("claude/api_conversation.json"))
    assert found.said("cl-api") == ["I play the oboe.", "Since when?"]


def test_a_paste_is_the_message_but_quoted_so_that_it_is_no_evidence() -> None:
    found = Outcome(export("claude/conversations.json"))
    assert found.said("cl-paste") == [
        "> I am allergic to sesame.\n> So says the letter.",
        "The meeting is on Thursday.",
    ]
    assert found.noted["attached_text"] == 1
    assert found.skipped["file"] == 1


def test_a_placeholder_for_a_device_never_counts_as_words() -> None:
    assert "not supported" not in repr(Outcome(export("claude/conversations.json")).items)


def test_the_text_counts_where_content_is_missing_or_no_list() -> None:
    found = Outcome(export("claude/conversations.json"))
    assert found.said("cl-odd") == [
        "Content is a string here.",
        "Content is null here.",
        "No id and no time.",
    ]
    assert found.times("cl-odd")[2] == at(2026, 3, 4, 10, 0, 1)
    assert found.noted["time_inferred"] == 1


def test_what_was_left_out_is_counted() -> None:
    seen = preview(export("claude/conversations.json"))
    assert (seen.conversations, seen.messages, seen.memories) == (3, 7, 0)
    assert seen.skipped == {
        "inactive_branch": 2,
        "reasoning": 1,
        "tool_call": 1,
        "file": 1,
        "empty": 1,
        "no_messages": 1,
        "system": 1,
    }


def test_summaries_become_statements_with_their_section_and_project() -> None:
    found = Outcome(export("claude/memories.json"))
    told = [
        (memory.text, memory.metadata["section"], memory.metadata.get("project"), memory.created_at)
        for memory in found.memories
    ]
    assert told == [
        ("Works mornings at a bakery. Her manager is Dr. Lind.", "Work context", None, None),
        ("Allergic to sesame.", "Personal context", None, None),
        ("A recipe site in Astro.", "Purpose & context", "proj-1", None),
    ]


def test_the_archive_is_one_import() -> None:
    names = ("conversations", "memories", "projects", "users")
    members = {f"{name}.json": text(f"claude/{name}.json") for name in names}
    members["design_chats/one.json"] = text("claude/design_chat.json")
    seen = preview(zipped(dict(members)))
    assert (seen.format, seen.conversations, seen.memories) == ("claude", 4, 3)
    assert seen.skipped["project_instructions"] == 1
    assert seen.skipped["not_needed"] == 1


def test_a_design_chat_wraps_its_messages() -> None:
    found = Outcome(export("claude/design_chat.json"))
    assert found.said("cl-design") == ["Make the header green."]
    assert found.times("cl-design") == [at(2026, 5, 1, 10, 0, 1)]
