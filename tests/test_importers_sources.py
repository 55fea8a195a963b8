"""Detection, archives, limits, and what holds for every format."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest

from memoryapp.importers import FORMATS, ImportRefused, Limits, Source, detect, preview, read
from tests.exports import EXPORTS, Outcome, export, of_bytes, of_json, text, zipped

KNOWN = {
    "chatgpt/conversations-000.json": "chatgpt",
    "chatgpt/conversations-001.json": "chatgpt",
    "claude/conversations.json": "claude",
    "claude/memories.json": "claude",
    "claude/projects.json": "claude",
    "claude/api_conversation.json": "claude",
    "claude/design_chat.json": "claude",
    "gemini/MyActivity.json": "gemini",
    "gemini/MyActivity.html": "gemini",
    "gemini/studio.json": "gemini",
    "mem0/library.json": "mem0",
    "mem0/platform.json": "mem0",
    "mem0/plugin.md": "mem0",
    "openmemory/memories.json": "openmemory",
    "librechat/flat.json": "librechat",
    "librechat/nested.json": "librechat",
    "openwebui/chats.json": "openwebui",
    "openwebui/memories.json": "openwebui",
    "letta/agent.af": "letta",
    "letta/older.af": "letta",
}


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_format_is_known_by_its_keys_whatever_the_name(name: str) -> None:
    data = (EXPORTS / name).read_bytes()
    assert detect(of_bytes(data, "conversations.json")) == KNOWN[name]


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_reading_twice_gives_the_same_items_with_ids_of_their_own(name: str) -> None:
    first = list(read(export(name)))
    assert first == list(read(of_bytes((EXPORTS / name).read_bytes())))
    found = Outcome(export(name))
    ids = [memory.external_id for memory in found.memories]
    assert len(set(ids)) == len(ids)
    for conversation in found.conversations.values():
        messages = [message.external_id for message in conversation.messages]
        assert len(set(messages)) == len(messages)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_preview_counts_what_reading_gives(name: str) -> None:
    found, seen = Outcome(export(name)), preview(export(name))
    assert seen.conversations == len(found.conversations)
    assert seen.messages == sum(len(one.messages) for one in found.conversations.values())
    assert seen.memories == sum(not memory.deleted for memory in found.memories)
    assert seen.notes == found.noted
    assert {**seen.skipped, "deleted": 0} == {**found.skipped, "deleted": 0}


@pytest.mark.parametrize(
    "name", [name for name in sorted(KNOWN) if name[-5:] not in (".html", "in.md")]
)
def test_cutting_an_export_short_is_said(name: str) -> None:
    data = (EXPORTS / name).read_bytes()
    assert Outcome(of_bytes(data.rstrip()[:-2])).skipped["malformed"] == 1


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b'[{"foo": 1, "bar": {"mapping": 1}}]', ("array: foo, bar",)),
        (b'{"weather": "fine"}', ("object: weather",)),
        (b"[]", ("array",)),
        (b"{", ("broken",)),
        (b"", ("empty",)),
        (b"Dear diary, today it rained.", ("text",)),
        (b"<html><body>Hello</body></html>", ("html",)),
    ],
)
def test_what_is_not_recognised_is_described(data: bytes, seen: tuple[str, ...]) -> None:
    source = of_bytes(data)
    assert detect(source) is None
    with pytest.raises(ImportRefused) as refused:
        preview(source)
    assert (refused.value.code, refused.value.seen) == ("unknown_format", seen)
    assert refused.value.supported == FORMATS
    assert str(refused.value) == "unknown_format"


def test_an_array_whose_first_records_are_broken_is_still_known() -> None:
    records = [{"title": "no mapping"}] * 3 + json.loads(text("chatgpt/conversations-001.json"))
    assert detect(of_json(records)) == "chatgpt"


def test_the_wanted_format_must_be_the_one_that_is_there() -> None:
    with pytest.raises(ImportRefused, match="unknown_format"):
        preview(export("chatgpt/conversations-000.json"), format="claude")


def test_of_two_formats_in_an_archive_one_is_read_and_the_other_counted() -> None:
    members = {f"{at}.json": text("librechat/flat.json") for at in range(2)}
    seen = preview(zipped({**members, "claude.json": text("claude/memories.json")}))
    assert (seen.format, seen.conversations) == ("librechat", 1)
    assert seen.skipped["other_format"] == 1


# -- Archives --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["/etc/x.json", "../x.json", "a/../../x.json", "C:\\x.json", "a\\..\\x.json", "a\x01.json"],
)
def test_names_that_climb_are_refused(name: str) -> None:
    with pytest.raises(ImportRefused, match="unsafe_name"):
        detect(zipped({name: "[]"}))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("conversations.json", "[]")
        archive.writestr("conversations.json", text("chatgpt/conversations-001.json"))
    with pytest.raises(ImportRefused, match="unsafe_name"):
        detect(of_bytes(target.getvalue()))


def test_links_are_refused() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        info = zipfile.ZipInfo("conversations.json")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(ImportRefused, match="symlink"):
        detect(of_bytes(target.getvalue()))


def test_encrypted_members_are_refused() -> None:
    data = bytearray(zipped({"a.json": "[]"}).file.read())  # type: ignore[union-attr]
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1
    with pytest.raises(ImportRefused, match="encrypted"):
        detect(of_bytes(bytes(data)))


def test_an_archive_in_the_archive_stays_closed_whatever_its_name() -> None:
    bike = text("chatgpt/conversations-001.json")
    inner = zipped({"conversations.json": bike}).file.read()  # type: ignore[union-attr]
    seen = preview(zipped({"conversations.json": bike, "more.json": inner, "x.zip": inner}))
    assert seen.skipped["nested_archive"] == 2
    with pytest.raises(ImportRefused, match="unknown_format"):
        preview(zipped({"more.json": inner}))


def test_bombs_are_refused_before_they_unpack() -> None:
    with pytest.raises(ImportRefused, match="suspicious_ratio"):
        detect(zipped({"a.json": b" " * (20 * 1024 * 1024)}))


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (Limits(members=2), "too_many_members"),
        (Limits(unpacked=1000), "too_large"),
        (Limits(upload=100), "too_large"),
        (Limits(records=1), "too_many_records"),
    ],
)
def test_each_limit_is_kept(limits: Limits, code: str) -> None:
    members = {f"{at}.json": text("chatgpt/conversations-001.json") for at in range(3)}
    with pytest.raises(ImportRefused, match=code):
        preview(zipped(dict(members), limits=limits))


def test_a_directory_larger_than_any_is_refused_before_it_is_parsed() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for at in range(17_000):
            archive.writestr(f"{'x' * 200}{at}", b"")
    with pytest.raises(ImportRefused, match="too_many_members"):
        detect(of_bytes(target.getvalue(), limits=Limits(members=10**9)))


def test_a_lying_size_does_not_unpack_more() -> None:
    data = bytearray(zipped({"a.json": text("claude/conversations.json")}).file.read())  # type: ignore[union-attr]
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (100).to_bytes(4, "little")
    with pytest.raises(ImportRefused, match="broken_archive"):
        preview(of_bytes(bytes(data)))


def test_a_broken_archive_is_refused() -> None:
    data = zipped({"a.json": text("claude/conversations.json")}).file.read()  # type: ignore[union-attr]
    with pytest.raises(ImportRefused, match="broken_archive"):
        detect(of_bytes(data[:-40]))


# -- Streams -----------------------------------------------------------------------------------


def test_a_record_too_large_is_left_out_and_the_next_ones_come() -> None:
    small = json.loads(text("chatgpt/conversations-001.json"))[0]
    large = {"id": "large", "filler": ["x" * 1000] * 1000, "mapping": {}}
    found = Outcome(of_json([large, small], limits=Limits(record=512 * 1024)))
    assert found.said("conv-bike") == ["My bike has a 54 cm frame."]
    assert found.skipped["record_too_large"] == 1


def test_one_endless_string_is_refused() -> None:
    data = b'[{"mapping": {}, "title": "' + b"x" * (4 * 1024 * 1024)
    with pytest.raises(ImportRefused, match="record_too_large"):
        preview(of_bytes(data, limits=Limits(record=1024 * 1024)))


def test_nesting_without_end_is_malformed() -> None:
    data = b'[{"mapping": {"a": ' + b"[" * 100_000
    assert preview(of_bytes(data)).skipped == {"malformed": 1}


def test_text_that_postgres_cannot_hold_is_cleaned() -> None:
    data = text("librechat/flat.json").replace("dog Pim", "dog\\u0000 \\ud83d Pim")
    said = Outcome(of_bytes(data.encode())).said("lc-1")[0]
    assert "\x00" not in said
    assert said.encode("utf-8").startswith(b"Tell me a long story about my dog")


HOSTILE = [
    "# " + " #" * 60_000,
    "**a " * 60_000,
    "**" + "a" * 60_000,
    "- a\n" + "  b\n" * 15_000,
    "He. " * 60_000,
    "\n" * 200_000 + "- a",
    "a:" * 60_000,
    "<antThinking>" * 60_000,
    "\ue200" * 60_000 + "【1" * 60_000,
    "<details>" * 60_000,
    "```" * 60_001,
    "<!--" * 60_000,
    "<a " * 60_000,
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_no_text_takes_longer_than_its_length_deserves(number: int) -> None:
    hostile = HOSTILE[number]
    rows = {
        "chatgpt/conversations-000.json": ("Lives in Bergen.", "At Nordnes", "I teach chemistry."),
        "claude/conversations.json": ("Mornings it is.",),
        "claude/memories.json": ("Allergic to sesame.",),
        "openwebui/chats.json": ("\\n255",),
        "gemini/MyActivity.json": ("Second hello",),
    }
    for name, words in rows.items():
        data = text(name)
        for word in words:
            assert word in data
            data = data.replace(word, json.dumps(hostile, ensure_ascii=False)[1:-1])
        with suppress(ImportRefused):
            preview(of_bytes(data.encode()))
    with suppress(ImportRefused):
        detect(of_bytes(hostile.encode()))
        preview(of_bytes(hostile.encode()), format="paste")


MEASURE = """
import sys
from pathlib import Path
from memoryapp.importers import Source, preview

def peak():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024

before = peak()
seen = preview(Source.of(Path(sys.argv[1])))
print(seen.conversations, seen.messages, peak() - before)
"""


@pytest.mark.slow
def test_a_hundred_mebibytes_need_little_memory(tmp_path: Path) -> None:
    def message(own_id: str, parent: str | None, role: str) -> dict[str, object]:
        content = {"content_type": "text", "parts": ["I walk the dog every day. " * 400]}
        inner = {"id": own_id, "author": {"role": role}, "create_time": 1.7e9, "content": content}
        return {"id": own_id, "message": inner, "parent": parent, "children": []}

    mapping = {"a": message("a", None, "user"), "b": message("b", "a", "assistant")}
    body = json.dumps({"title": "Dog", "mapping": mapping, "current_node": "b"})[1:]
    large, count = tmp_path / "conversations.json", 0
    with large.open("w") as file:
        file.write("[")
        while file.tell() < 100 * 1024 * 1024:
            file.write(("," if count else "") + f'{{"id": "c{count}", ' + body)
            count += 1
        file.write("]")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(large)], capture_output=True, text=True, check=True
    )
    conversations, messages, grown = map(int, done.stdout.split())
    assert (conversations, messages) == (count, 2 * count)
    assert grown < 40 * 1024 * 1024


def test_a_file_that_was_given_stays_open() -> None:
    file = io.BytesIO((EXPORTS / "claude/memories.json").read_bytes())
    assert preview(Source.of(file, "memories.json")).memories == 3
    assert not file.closed
