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
        ("Rate this poem:\n\nI am the sea\nI love the wind", "I am the sea", "pasted"),
        ("“Tides”, by Bo:\n\nI am the sea\nI love the wind", "I love the wind", "pasted"),
        (
            "I'd suggest Rome since you live there.\n1. **Go** now\nLet me know if you'd like!",
            "I'd suggest Rome",
            "pasted",
        ),
        ('my config {"owner": "I am root"}', "I am root", "code"),
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
        "I wrote a poem once.\nI live by the sea.\nI like rain.",
        "Sure, I understand that. I live in Rome.",
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


@pytest.mark.parametrize(
    "block",
    [
        "<memories>\n- lives in Porto\n</memories>",
        "<user_memories>Porto</user_memories>",
        "<userMemories>\nPorto\n</userMemories>",
        "<long-term-memory source='x'>Porto</long-term-memory>",
        "<context>\nThe user lives in Porto\n</context>\n",
        "<user_profile>\n  <city>Porto</city>\n</user_profile>",
        "--- BEGIN MEMORIES ---\nPorto\n--- END MEMORIES ---",
        "[User Context]\nPorto\n[/User Context]",
        "Relevant memories:\n- lives in Porto\n- likes tea",
        "What you know about the user:\n* lives in Porto",
        "## What I remember about you\n\n- lives in Porto\n- likes tea\n",
        "Memories:\n1. lives in Porto\n   (since 2019)\n2. likes tea\n",
        "Saved memories\n- lives in Porto\n",
        "**User profile**\nCity: Porto\n",
        "Here are some memories from past conversations:\nlives in Porto\n",
        "Information about the user: lives in Porto\n",
        "🧠 Memories (3):\n- lives in Porto\n",
        "Use the following memories to answer:\n- lives in Porto\n",
        "The following is what you know about the user:\n- Porto\n",
        "[Relevant past messages]\nPorto\n[/Relevant past messages]",
        "Previous conversation summary:\nPorto\n",
        "Was ich über den Nutzer weiß:\n- Porto\n",
        "Souvenirs :\n- Porto\n",
        "Recuerdos relevantes:\n- Porto\n",
        "关于用户的信息：\n- Porto\n",
        "ユーザー情報:\n- Porto\n",
        'Context: {"user_profile": {"city": "Porto"}}',
        '[{"id": 1, "memory": "lives in Porto"},\n {"id": 2, "memory": "a [b]"}]',
    ],
)
def test_recalled_memory_is_stripped_whatever_put_it_there(block: str) -> None:
    stripped = strip_memory_blocks(f"I like tea.\n{block}\n\nI like rain.")
    assert "Porto" not in stripped
    assert "I like tea." in stripped
    assert "I like rain." in stripped


@pytest.mark.parametrize(
    "text",
    [
        "Facts about me:\n- I live in Rome\n- I work at Acme",
        "Things you should know about me:\n- I live in Rome",
        "My memories: I grew up in Rome.",
        "Save these to your memories:\n- I live in Rome",
        "Things to remember:\n- I live in Rome",
        "My favourite memory:\n- the day I met Ana",
        "Memory foam is great, I love it.",
        "What do you remember about my dog?",
        "I work on <context> tags in React.",
        "What you know about Rome\nI live there",
        'I like [a] and {b}, and I use "x".',
    ],
)
def test_what_only_looks_like_recalled_memory_stays(text: str) -> None:
    assert strip_memory_blocks(text) == text


def test_what_follows_a_list_of_memories_is_the_users_own() -> None:
    text = "Memories:\n- lives in Porto\nI live in Rome."
    assert strip_memory_blocks(text).strip() == "I live in Rome."


def test_talk_of_memory_is_no_block() -> None:
    text = "My memory is bad. a <memorybank> = 5 ===== MEMORY here"
    assert strip_memory_blocks(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        '"',
        "'a ",
        "`",
        "> ",
        "<memory ",
        "here is the text ",
        "a: b\n",
        "“a",
        "\n \n",
        "(",
        "[{",
        "memories:\n",
        "# memory\n\n",
        "<context> ",
        "- a\n",
        '[{"a":',
    ],
)
def test_long_hostile_text_ends(piece: str) -> None:
    excluded(piece * 30_000)
