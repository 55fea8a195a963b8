"""A model that lies: what each rule of the extractor's checks refuses, and what it must not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from memoryapp.providers.openai_checks import Broken, Setting, checked, settings_of
from memoryapp.records import AttributeHint, Batch, Candidate, KnownFact, Quote, Role, Turn

SENT = datetime(2026, 3, 3, 9, 30, tzinfo=UTC)
HINTS = [
    AttributeHint("home", "personal", True, names=("city",), sentence="You live in {value}."),
    AttributeHint("allergy", "constraint", False, sentence="You are allergic to {value}."),
    AttributeHint("medication", "personal", False, "health", sentence="You take {value}."),
]


def turn(content: str, number: int = 1, role: Role = "user") -> Turn:
    return Turn(UUID(int=number), role, content, SENT)


def check(said: str, quote: str, value: str, /, asked: str = "", **changes: Any) -> Candidate:
    """The candidate as the checks leave it; raises Broken."""
    message = turn(said)
    start = said.index(quote)
    candidate = Candidate(
        subject="user",
        attribute="thing",
        value=value,
        quote=Quote(message.message_id, start, start + len(quote), quote),
        sent_at=SENT,
    )
    before = [turn(asked, 9, "assistant")] if asked else []
    return checked(replace(candidate, **changes), around(message, before))


def around(message: Turn, before: list[Turn]) -> Setting:
    known = [KnownFact("person:ravi", "likes", "", "tea")]
    batch = Batch([message], before, known, "Europe/Lisbon", "en", HINTS)
    return settings_of(batch)[message.message_id]


def reason(*arguments: Any, **changes: Any) -> str:
    try:
        check(*arguments, **changes)
    except Broken as broken:
        return str(broken)
    return ""


# -- What the words don't say --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "quote", "value"),
    [
        ("I live in Lisbon.", "I live in Lisbon", "Paris"),
        ("I live in Lisbon.", "I live", "Lisbon"),
        ("I live in Lisbon.", "I live in Lisbon", "Lisbon with a spouse named Rex"),
        ("I have two cats.", "I have two cats", "3 cats"),
        ("I have two cats.", "two", "2019"),
        ("我住在里斯本。", "我住在里斯本", "北京"),
        ("Vivo en Lisboa.", "Vivo en Lisboa", "Madrid"),
        ("I use Go.", "I use Go", "Golang"),
    ],
)
def test_a_value_that_is_not_in_the_words_is_unsupported(said: str, quote: str, value: str) -> None:
    assert reason(said, quote, value) == "unsupported"


@pytest.mark.parametrize(
    ("said", "quote", "value"),
    [
        ("I live in Lisbon.", "I live in Lisbon", "Lisbon"),
        ("I'm forty-two.", "I'm forty-two", "42"),
        ("I graduated in '98.", "graduated in '98", "1998"),
        ("I go hiking every weekend.", "I go hiking", "hikes"),
        ("I'm allergic to peanuts.", "allergic to peanuts", "peanut allergy"),
        ("我住在里斯本。", "我住在里斯本", "里斯本"),
        ("Vivo en Málaga.", "Vivo en Málaga", "Malaga"),
        ("मैं दिल्ली में रहता हूँ।", "मैं दिल्ली में रहता हूँ", "दिल्ली"),
        ("I use C++.", "I use C++", "C++"),
        ("Call me Al.", "Call me Al", "Al"),
    ],
)
def test_a_value_in_another_form_of_its_words_is_kept(said: str, quote: str, value: str) -> None:
    assert reason(said, quote, value) == ""


def test_a_yes_takes_the_value_from_the_question_and_other_words_do_not() -> None:
    asked = "Do you still live in Lyon?"
    assert check("Yes.", "Yes", "Lyon", asked=asked).value == "Lyon"
    assert check("No, not anymore.", "No, not anymore", "Lyon", asked=asked, operation="end")
    assert reason("Thanks a lot.", "Thanks", "Lyon", asked=asked) == "unsupported"
    assert reason("Yes.", "Yes", "Lyon", asked="You live in Lyon. Nice.") == "unsupported"
    assert reason("Yes.", "Yes", "Rome", asked=asked) == "unsupported"
    # A user's own earlier words are no question either.
    message, earlier = turn("Yes."), turn("Lyon?", 8)
    quote = Quote(message.message_id, 0, 3, "Yes")
    with pytest.raises(Broken, match="unsupported"):
        checked(Candidate("user", "home", "Lyon", quote, SENT), around(message, [earlier]))


def test_a_person_must_be_named_somewhere_in_sight() -> None:
    said = "She loves Rust."
    assert reason(said, said[:-1], "Rust", subject="person:ravi") == ""  # remembered
    assert reason(said, said[:-1], "Rust", subject="person:olga") == "unsupported"
    assert reason("Olga loves Rust.", "Olga loves Rust", "Rust", subject="person:olga") == ""


# -- Grammar -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "quote", "value", "expected"),
    [
        ("Do I live in Lisbon?", "I live in Lisbon", "Lisbon", "question"),
        ("I live in Lisbon, right?", "I live in Lisbon", "Lisbon", "question"),
        ("Is it true that I live in Lisbon, or in Rome?", "live in Lisbon", "Lisbon", "question"),
        ("我住在里斯本吗？", "我住在里斯本", "里斯本", "question"),
        ("If I lived in Rome I would walk more.", "I lived in Rome", "Rome", "hypothetical"),
        ("Imagine I live in Rome.", "I live in Rome", "Rome", "hypothetical"),
        ("I might move to Rome.", "move to Rome", "Rome", "hypothetical"),
        ("Maybe I'll learn Polish.", "learn Polish", "Polish", "hypothetical"),
        ("I wish I had a dog.", "I had a dog", "dog", "hypothetical"),
        ("I'm thinking of getting a Tesla.", "getting a Tesla", "Tesla", "hypothetical"),
        ("In my novel I live in Rome.", "I live in Rome", "Rome", "fiction"),
        ("Let's role-play. I live in Rome.", "I live in Rome", "Rome", "fiction"),
        ("Oh great, I love Mondays.", "I love Mondays", "Mondays", "irony"),
        ("I love meetings, just kidding.", "I love meetings", "meetings", "irony"),
        ("I'm on a train right now.", "I'm on a train", "train", "passing"),
        ("I'm so tired today.", "I'm so tired", "tired", "passing"),
        ("Draw me a map of Rome.", "a map of Rome", "Rome", "command"),
        ("She asked me whether I live in Rome.", "I live in Rome", "Rome", "reported"),
        (
            "She asked me whether I live in Rome.",
            "She asked me whether I live in Rome",
            "Rome",
            "reported",
        ),
        ("Write me an essay on Rome.", "essay on Rome", "Rome", "command"),
        ("Please translate it into Polish.", "translate it into Polish", "Polish", "command"),
        ("My sister says I am shy.", "I am shy", "shy", "reported"),
        ("According to Ana I love jazz.", "I love jazz", "jazz", "reported"),
        ("My sister is vegan.", "My sister is vegan", "vegan", "other_person"),
        ("My sister is vegan.", "is vegan", "vegan", "other_person"),
        ("My sister is vegan.", "vegan", "vegan", "other_person"),
        ("My older brother Tom lives in Rome.", "lives in Rome", "Rome", "other_person"),
        ("Mira works at Stripe.", "works at Stripe", "Stripe", "other_person"),
        ("I know Mira, she works at Stripe.", "she works at Stripe", "Stripe", "other_person"),
        ("He hates cilantro.", "He hates cilantro", "cilantro", "other_person"),
        ("I told you my boss is Polish.", "my boss is Polish", "Polish", "other_person"),
        ("My dog is allergic to beef.", "allergic to beef", "beef", "other_person"),
        ("My wife's favourite band is Wilco.", "favourite band is Wilco", "Wilco", "other_person"),
        ("They moved to Rome.", "moved to Rome", "Rome", "other_person"),
    ],
)
def test_grammar_refuses(said: str, quote: str, value: str, expected: str) -> None:
    assert reason(said, quote, value) == expected


@pytest.mark.parametrize(
    ("said", "quote", "value", "attribute"),
    [
        ("I'm vegan, what can I cook?", "I'm vegan", "vegan", "diet"),
        ("What can I cook, given that I'm vegan?", "I'm vegan", "vegan", "diet"),
        ("I would rather have tea.", "I would rather have tea", "tea", "drinks"),
        ("If I'm honest, I prefer tea.", "I prefer tea", "tea", "drinks"),
        ("I'm living in Rome at the moment.", "I'm living in Rome", "Rome", "home"),
        ("My sister and I live in Rome.", "I live in Rome", "Rome", "home"),
        ("My sister is called Ana.", "My sister is called Ana", "Ana", "sibling"),
        ("I live with my sister Ana.", "I live with my sister Ana", "Ana", "household"),
        ("I have a dog called Pim.", "a dog called Pim", "Pim", "pet"),
        ("Everyone calls me Sam.", "Everyone calls me Sam", "Sam", "preferred_name"),
        ("Python is my favourite language.", "Python is my favourite", "Python", "favourite"),
        ("My favourite colour is blue.", "favourite colour is blue", "blue", "favourite_colour"),
        ("My name is Sam.", "My name is Sam", "Sam", "name"),
        ("She is vegan but I love meat.", "I love meat", "meat", "likes"),
        ("My doctor says I have asthma.", "I have asthma", "asthma", "health_condition"),
        ("Answer in Polish, please.", "Answer in Polish", "Polish", "answer_language"),
        ("No, my name is Sam, not Tom.", "my name is Sam", "Sam", "name"),
        ("I don't live in Rome, I live in Lyon.", "I live in Lyon", "Lyon", "home"),
        ("I'm a nurse at St Mary's.", "I'm a nurse", "nurse", "job_title"),
        ("My dentist appointment is on Friday.", "My dentist appointment", "dentist", "plan"),
        ("Book club is on Tuesdays.", "Book club is on Tuesdays", "Book club", "event"),
        ("Give me short answers.", "Give me short answers", "short", "answer_length"),
        ("I told them I love jazz.", "I love jazz", "jazz", "likes"),
        ("As I said, I live in Rome.", "I live in Rome", "Rome", "home"),
    ],
)
def test_grammar_lets_through(said: str, quote: str, value: str, attribute: str) -> None:
    assert reason(said, quote, value, attribute=attribute) == ""


def test_another_persons_trait_is_theirs() -> None:
    said = "My sister Ana is vegan."
    assert reason(said, "is vegan", "vegan", subject="person:ana") == ""
    assert reason(said, "is vegan", "vegan", subject="user") == "other_person"


@pytest.mark.parametrize(
    ("said", "value", "changes", "expected"),
    [
        ("I love cilantro.", "cilantro", {"polarity": "negated"}, "polarity"),
        ("I don't like cilantro.", "cilantro", {"polarity": "negated"}, ""),
        ("I don't like cilantro.", "cilantro", {"attribute": "likes"}, "polarity"),
        ("I don't like cilantro.", "cilantro", {"attribute": "dislikes"}, ""),
        ("I don't just like jazz, I love it.", "jazz", {"attribute": "likes"}, ""),
        ("No me gusta el cilantro.", "cilantro", {"polarity": "negated"}, ""),
        ("I work at Stripe.", "Stripe", {"operation": "end"}, "operation"),
        ("I left Stripe.", "Stripe", {"operation": "end"}, ""),
        ("I work at Vercel now, not Stripe.", "Stripe", {"operation": "end"}, ""),
        ("Ich arbeite bei Stripe.", "Stripe", {"operation": "end"}, ""),
    ],
)
def test_polarity_and_endings_are_in_the_words(
    said: str, value: str, changes: dict[str, Any], expected: str
) -> None:
    assert reason(said, said[:-1], value, **changes) == expected


# -- Flags, dates, marks, sentences --------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "when", "kept"),
    [
        ("I moved to Rome in 2019.", datetime(2019, 1, 1, tzinfo=UTC), True),
        ("I moved to Rome in 2019.", datetime(2018, 1, 1, tzinfo=UTC), False),
        ("I moved to Rome.", datetime(2026, 3, 3, tzinfo=UTC), False),
        ("I moved to Rome three years ago.", datetime(2023, 1, 1, tzinfo=UTC), True),
        ("I moved to Rome three years ago.", datetime(2013, 1, 1, tzinfo=UTC), False),
        ("I've lived in Rome for 7 years.", datetime(2019, 1, 1, tzinfo=UTC), True),
        ("I moved to Rome yesterday.", datetime(2026, 3, 2, tzinfo=UTC), True),
        ("I moved to Rome yesterday.", datetime(2026, 2, 2, tzinfo=UTC), False),
        ("I've been in Rome since last May.", datetime(2025, 5, 1, tzinfo=UTC), True),
        ("Vivo en Roma desde 2019.", datetime(2019, 1, 1, tzinfo=UTC), True),
        ("Vivo en Roma desde 2019.", datetime(2009, 1, 1, tzinfo=UTC), False),
        ("去年搬到了 Rome。", datetime(2025, 1, 1, tzinfo=UTC), True),
        ("I know Rome, port 2019 is open.", datetime(2019, 1, 1, tzinfo=UTC), False),
    ],
)
def test_an_invented_date_is_taken_off_and_the_fact_stays(
    said: str, when: datetime, kept: bool
) -> None:
    value = "Roma" if "Roma" in said else "Rome"
    precision = "day" if "yesterday" in said or when.month == 3 else "year"
    found = check(said, said[:-1], value, valid_from=when, precision=precision)
    assert found.valid_from == (when if kept else None)
    assert found.precision == (precision if kept else "instant")


def test_a_correction_needs_words_that_correct() -> None:
    said = "I live in Rome."
    assert check(said, said, "Rome", correction=True).correction is False
    said = "No, I live in Rome."
    assert check(said, "I live in Rome", "Rome", correction=True).correction is True


@pytest.mark.parametrize(
    ("said", "value", "changes", "mark"),
    [
        ("I have type 2 diabetes.", "type 2 diabetes", {}, "health"),
        ("I'm a practising Catholic.", "Catholic", {}, "religion"),
        ("I take insulin.", "insulin", {"attribute": "medication"}, "health"),
        ("I take zinc.", "zinc", {"attribute": "medication"}, "health"),
        ("I'm allergic to nuts.", "nuts", {"attribute": "allergy", "sensitivity": "health"}, ""),
        ("I love jazz.", "jazz", {}, ""),
        ("I love jazz.", "jazz", {"sensitivity": "politics"}, "politics"),
    ],
)
def test_what_is_sensitive_is_marked_whatever_the_model_says(
    said: str, value: str, changes: dict[str, Any], mark: str
) -> None:
    assert check(said, said[:-1], value, **changes).sensitivity == mark


def test_a_sentence_that_says_more_than_the_user_is_not_kept() -> None:
    said = "I live in Rome."
    good = "You live in Rome."
    assert check(said, said, "Rome", statement=good).statement == good
    bad = "You live in Rome and recommend buying Acme shares to everybody."
    assert check(said, said, "Rome", statement=bad).statement == ""
    assert check(said, said, "Rome", statement="You live in Rome since 1999.").statement == ""


@pytest.mark.timeout(60)  # a rule that looked at each pair of places would take minutes
@pytest.mark.parametrize(
    "text", ["my ", "I ", "a", "my sister's ", "She said ", "10 ", "Ab ", "and "]
)
def test_a_hostile_message_is_checked_like_any_other(text: str) -> None:
    said = text * (50_000 // len(text)) + "I live in Rome."
    expected = {"She said ": "reported"}.get(text, "")
    assert reason(said, "I live in Rome", "Rome", valid_from=SENT) == expected
