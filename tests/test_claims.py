"""Claims in an answer: what is one, where it stands, and what memory says to it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.claims import Checked, Judge, find
from memoryapp.claims.words import ended, negated, stem, tokens
from tests.claims import FIXTURES, NOW, VERDICTS, Figures, cases, figures, hints, memories, moment

FILES = sorted(FIXTURES.glob("*.jsonl"))
# How well the hand-made labels are met at the least: precision, recall.
LEAST = {"supported": (0.97, 0.9), "outdated": (0.95, 0.9), "unsupported": (0.85, 0.95)}


def check(memory: str, answer: str, question: str = "", **options: str) -> list[Checked]:
    judge = Judge(memories()[memory], hints(), now=NOW, **options)
    return judge.check(find(answer, question=question), answer)


def verdicts(memory: str, answer: str, question: str = "") -> list[str]:
    return [one.verdict for one in check(memory, answer, question)]


def test_the_labelled_claims() -> None:
    total = Figures()
    for path in FILES:
        for case in cases(path):
            total.add(case)
    for verdict in VERDICTS:
        precision, recall = LEAST[verdict]
        assert total.precision(verdict) >= precision, f"{total}\n{total.wrong}"
        assert total.recall(verdict) >= recall, f"{total}\n{total.wrong}"
    assert total.facts >= 0.95 * total.with_fact, total.wrong
    assert total.extra <= 3, total.wrong


def test_there_are_enough_of_each() -> None:
    wanted = sum((figures(path).wanted for path in FILES), start=Figures().wanted)
    assert wanted.total() >= 120
    assert min(wanted[verdict] for verdict in VERDICTS) >= 40


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_claim_is_where_it_says(path: object) -> None:
    for case in cases(path):  # type: ignore[arg-type]
        answer = case["answer"]
        for one in check(case["memory"], answer, case["question"]):
            assert answer[one.claim.start : one.claim.end] == one.claim.text


@settings(deadline=None)
@given(st.text(max_size=300), st.text(max_size=60))
def test_any_text_has_claims_within_it(answer: str, question: str) -> None:
    for claim in find(answer, question=question):
        assert 0 <= claim.start < claim.end <= len(answer)
        assert answer[claim.start : claim.end] == claim.text


WORDS = st.sampled_from(
    [
        "you",
        "your",
        "live",
        "lives",
        "in",
        "Porto",
        "Leeds",
        "since",
        "because",
        "if",
        ",",
        ".",
        ";",
        "(",
        ")",
        "?",
        "“",
        "”",
        ":",
        "not",
        "no",
        "and",
        "but",
        "sister",
        "Ana",
        "moved",
        "from",
        "to",
        "3",
        "May",
        "2026",
        "told",
        "me",
        "that",
        "Yes",
        "before",
        "until",
        "prefer",
        "tea",
        "over",
    ]
)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_any_sentence_can_be_judged(answer: str) -> None:
    for one in check("mia", answer, "Where do I live?"):
        assert one.verdict in VERDICTS
        assert bool(one.facts) or one.verdict == "unsupported"


@pytest.mark.parametrize(
    "answer",
    [
        "If you live in Porto, take the tram.",
        "You should move to Porto. You could live in Leeds. You might like Rome.",
        "Do you live in Porto?",
        "Let me know whether you are allergic to nuts.",
        "I don't know where you live. You never told me your sister's name.",
        "When you boil water, you get steam.",
        "You're right. You're welcome. You have two options.",
        "> you live in Rome\n\n`you live in Rome`",
        "Porto is a city in Portugal. It has a bridge.",
        "Remember to call your sister. Check your code.",
        "I'm thrilled to hear that you're excited about the offers you've added.",
        "Clean the seats before your session. It depends on your sister's personal style.",
        "and you live in Leeds " * 30,  # no sentence is so long
        "",
        " \n ",
    ],
)
def test_what_claims_nothing(answer: str) -> None:
    assert verdicts("mia", answer) == []


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        # One thing is another each time: the number, the name, the place, the denial, the time.
        ("You are 34 years old.", "supported"),
        ("You are 43 years old.", "unsupported"),
        ("You live in Porto.", "supported"),
        ("You live in Portimão.", "unsupported"),
        ("You don't live in Porto.", "unsupported"),
        ("Your sister Ana is a nurse.", "supported"),
        ("Your sister Eva is a nurse.", "unsupported"),
        ("You moved to Porto in March 2026.", "supported"),
        ("You moved to Porto in January 2026.", "unsupported"),
        ("You told me on 3 May 2026 that you moved to Porto.", "supported"),
        ("You told me on 4 May 2026 that you moved to Porto.", "unsupported"),
        ("You are allergic to nuts.", "unsupported"),
        ("You are not allergic to nuts.", "supported"),
        ("You prefer tea over coffee.", "supported"),
        ("You prefer coffee over tea.", "unsupported"),
        ("You live in Leeds.", "outdated"),
        ("You lived in Leeds.", "supported"),
        ("You no longer live in Leeds.", "supported"),
        ("You no longer live in Porto.", "unsupported"),
    ],
)
def test_what_has_to_match(answer: str, verdict: str) -> None:
    assert verdicts("mia", answer) == [verdict]


def test_outdated_says_what_took_over_and_when() -> None:
    [one] = check("mia", "You live in Leeds.")
    assert one.reason == "replaced"
    assert [fact.value for fact in one.facts] == ["Leeds"]
    assert one.against is not None
    assert one.against.value == "Porto"
    assert one.ended_at == moment("2026-03-01")
    [gone] = check("mia", "You play chess.")
    assert (gone.reason, gone.against, gone.ended_at) == ("ended", None, moment("2026-02-01"))


def test_what_was_never_so_is_not_outdated() -> None:
    [one] = check("mia", "You like to be called Mimi.")
    assert (one.verdict, one.reason) == ("unsupported", "never_so")
    assert one.against is not None
    assert one.against.value == "Mia"


def test_what_ran_out_is_outdated() -> None:
    facts = [
        replace(fact, expires_at=moment("2026-05-15")) if fact.value == "jazz" else fact
        for fact in memories()["mia"]
    ]
    [one] = Judge(facts, hints(), now=NOW).check(find("You love jazz."), "You love jazz.")
    assert (one.verdict, one.reason, one.ended_at) == ("outdated", "expired", moment("2026-05-15"))


def test_a_time_is_the_users() -> None:
    facts = [
        replace(fact, valid_from=moment("2026-06-05T03:30"), proof=())
        if fact.value == "flight to Rome"
        else fact
        for fact in memories()["mia"]
    ]
    answer = "Your flight to Rome is on 5 June at 9:00."
    in_india = Judge(facts, hints(), now=NOW, time_zone="Asia/Kolkata")
    assert [one.verdict for one in in_india.check(find(answer), answer)] == ["supported"]
    in_utc = Judge(facts, hints(), now=NOW)
    assert [one.verdict for one in in_utc.check(find(answer), answer)] == ["unsupported"]


def test_a_list_of_advice_is_no_list_of_claims() -> None:
    answer = "- Grapes\n- Rome\n- Set a budget"
    for question in ("What should I pack for my trip?", "Foods that I can eat?", "I like fruit."):
        assert verdicts("mia", answer, question) == []
    assert verdicts("mia", answer, "What do you know about me?") == ["unsupported"] * 3


def test_a_list_is_judged_item_by_item_when_it_must_be() -> None:
    answer = "You speak Portuguese, Italian and English."
    assert [(one.claim.text, one.verdict) for one in check("mia", answer)] == [
        ("You speak Portuguese", "supported"),
        ("Italian", "unsupported"),
        ("English", "supported"),
    ]
    assert verdicts("mia", "You speak Portuguese and English.") == ["supported"]


def test_without_a_memory_nothing_is_supported() -> None:
    judge = Judge([], hints(), now=NOW)
    for path in FILES:
        for case in cases(path):
            claims = find(case["answer"], question=case["question"])
            for one in judge.check(claims, case["answer"]):
                assert (one.verdict, one.reason) == ("unsupported", "unknown")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("allergic", "allergies", True),
        ("lives", "moved", True),
        ("colour", "colors", True),
        ("studied", "studies", True),
        ("cats", "dogs", False),
        ("sister", "brother", False),
        ("wife", "husband", False),
    ],
)
def test_words_that_count_as_one(one: str, other: str, same: bool) -> None:
    assert (stem(one) == stem(other)) is same


def test_names_and_numbers_are_told_from_words() -> None:
    assert [(token.stem, token.hard) for token in tokens("You paid 1,200 euros to Ana in May")] == [
        ("paid", False), ("1200", True), ("euro", False), ("ana", True), ("may", True),
    ]  # fmt: skip
    assert [token.stem for token in tokens("two sons and 9:00")] == ["2", "son", "9"]


@pytest.mark.parametrize(
    ("text", "denies", "ends"),
    [
        ("You live in Porto", False, False),
        ("You don't eat meat", True, False),
        ("You can’t stand golf", True, False),
        ("You never don't eat meat", False, False),
        ("Not only do you sing", False, False),
        ("You no longer eat meat", False, True),
        ("You used to sing", False, True),
        ("a gluten-free diet", True, False),
        ("a free evening", False, False),
    ],
)
def test_denials_and_ends(text: str, denies: bool, ends: bool) -> None:
    assert (negated(text), ended(text)) == (denies, ends)
