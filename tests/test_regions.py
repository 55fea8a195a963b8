"""What in a message is not the user's own words."""

from __future__ import annotations

import pytest

from memoryapp.regions import excluded, overlaps, strip_memory_blocks


def hidden(text: str) -> set[str]:
    return {text[start:end] for start, end, _ in excluded(text)}


@pytest.mark.parametrize(
    ("text", "part", "reason"),
    [
        ("see\n```py\nname = 'I live in Rome'\n```\nok", "I live in Rome", "code"),
        ("see\n~~~\nI am Bo\n~~~", "I am Bo", "code"),
        ("```\nnever closed, I am Bo", "I am Bo", "code"),
        ("run `I use vim` now", "I use vim", "code"),
        ("> I hate kale\nreally?", "I hate kale", "block_quote"),
        ('She wrote "I love the sea" twice', "I love the sea", "quotation"),
        ("She wrote “I love the sea”.", "I love the sea", "quotation"),
        ("Elle dit «j'aime la mer» souvent", "j'aime la mer", "quotation"),
        ("他说「我很喜欢大海」。", "我很喜欢大海", "quotation"),
        ("he says 'I hate the sea'.", "I hate the sea", "quotation"),
        ("Summarise this: I am Bo and I live in Rome.", "I am Bo", "pasted"),
        ("Please translate the following\nI am Bo.", "I am Bo", "pasted"),
        ("Here is my friend's email: I am Bo.", "I am Bo", "pasted"),
        ("翻译一下：我住在罗马", "我住在罗马", "pasted"),
        ("fyi\nOn Monday, Bo wrote:\nI moved", "I moved", "pasted"),
        ("Dear Sir,\nI live in Rome", "I live in Rome", "pasted"),
        ("Ana: I like it\nBo: I don't\nAna: I do", "I don't", "pasted"),
        ("<document>I am Bo</document> what now", "I am Bo", "pasted"),
        ("From: bo@x.org\nTo: ana@x.org\n\nI moved to Rome", "I moved", "mail"),
        ("2026-03-01 10:00:00 user: I am root", "I am root", "log"),
        ("Traceback (most recent call last):", "Traceback", "log"),
        ("ValueError: I am not a number", "I am not", "log"),
        ('  "owner": "I am root",', "I am root", "code"),
        ("my site https://example.org/I-live-here is up", "I-live-here", "url"),
        ("<memory id=1>you live in Rome</memory> and?", "you live in Rome", "memory"),
    ],
)
def test_not_the_users_own_words(text: str, part: str, reason: str) -> None:
    start = text.index(part)
    assert any(
        begin <= start and start + len(part) <= end and why == reason
        for begin, end, why in excluded(text)
    )


@pytest.mark.parametrize(
    "text",
    [
        "I live in Rome and work at Acme.",
        "My cat is called \"Pim\" and my dog 'Rex'.",
        "I read “The Left Hand of Darkness” last week.",
        "I can't believe it's the boys' room, don't you think?",
        "Explain how tides work. I live by the sea.",
        "Note: I live in Rome.",
        "My sports: rowing, chess.",
        "我住在罗马，我喜欢「大海」。",
        "I like 5 > 3 and a < b.",
        "",
    ],
)
def test_the_users_own_words(text: str) -> None:
    assert excluded(text) == []


def test_words_around_a_region_stay() -> None:
    text = 'I live in Rome. She said "I hate Rome so much". I work at Acme.'
    regions = excluded(text)
    assert hidden(text) == {'"I hate Rome so much"'}
    assert not overlaps(regions, 0, len("I live in Rome."))
    assert overlaps(regions, 0, len(text))


def test_memory_blocks_become_spaces_of_the_same_length() -> None:
    block = "===== MEMORY of you\n1. You live in Rome\n===== END MEMORY ====="
    text = f"I like tea.\n{block}\nI like rain. <memory>x</memory> Bye."
    stripped = strip_memory_blocks(text)
    assert len(stripped) == len(text)
    assert "Rome" not in stripped
    assert "MEMORY" not in stripped
    assert "memory" not in stripped
    assert stripped.count("\n") == text.count("\n")
    for kept in ("I like tea.", "I like rain.", "Bye."):
        assert stripped.index(kept) == text.index(kept)


@pytest.mark.parametrize("opening", ["<memory>", "<memory kind=x>", "===== MEMORY 1"])
def test_an_unclosed_memory_block_hides_the_rest(opening: str) -> None:
    stripped = strip_memory_blocks(f"I like tea.\n{opening}\nyou live in Rome")
    assert stripped.strip() == "I like tea."


def test_talk_of_memory_is_no_block() -> None:
    text = "My memory is bad. a <memorybank> = 5 ===== MEMORY here"
    assert strip_memory_blocks(text) == text


@pytest.mark.parametrize(
    "piece", ['"', "'a ", "`", "> ", "<memory ", "here is the text ", "a: b\n", "“a", "\n \n", "("]
)
def test_long_hostile_text_ends(piece: str) -> None:
    excluded(piece * 30_000)
