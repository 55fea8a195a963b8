"""Answers from memory alone: what is said of the present, of the past, and of nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.utils import translation

from accounts.models import User
from memoryapp import pipeline
from memoryapp.answering import answer
from memoryapp.audit import Actor
from memoryapp.records import (
    EvidenceView,
    Excerpt,
    Hit,
    Link,
    RecallOptions,
    RecallResult,
    ScoreParts,
)
from memoryapp.second_person import in_the_past
from tests.remember import remember

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def hit(
    statement: str = "You live in Porto.",
    value: str = "Porto",
    *,
    number: int = 1,
    quote: str | None = "I moved to Porto in March.",
    said: str = "2026-05-03",
    attribute: str = "home",
    relevance: float = 1.0,
    chain: tuple[Link, ...] = (),
    **fact: Any,
) -> Hit:
    return Hit(
        fact={
            "id": str(UUID(int=number)),
            "subject": "user",
            "attribute": attribute,
            "scope": "",
            "value": value,
            "polarity": "affirmed",
            "statement": statement,
            "kind": "personal",
            "status": "current",
            "valid_from": day(said),
            "valid_to": None,
            "precision": "instant",
            **fact,
        },
        score=relevance,
        parts=ScoreParts(*[relevance] * 8),
        evidence=[] if quote is None else [EvidenceView(quote, "user", day(said), "talk")],
        chain=chain,
    )


LEEDS = Link(
    UUID(int=9), "Leeds", "You live in Leeds.", day("2019-01-01"), day("2026-03-01"), "change"
)
NEVER = Link(UUID(int=8), "Oporto", "You live in Oporto.", day("2026-03-01"), None, "correction")
PORTO = hit(chain=(NEVER, LEEDS), valid_from=day("2026-03-01"), precision="month")


def said(question: str, *hits: Hit, now: datetime = NOW, **options: Any) -> str:
    return answer(question, RecallResult(hits, abstained=not hits), now, **options).text


def test_a_fact_with_its_dates_its_past_and_its_proof() -> None:
    given = answer("Where do I live?", RecallResult([PORTO], abstained=False), NOW)
    assert given.text == (
        "You live in Porto (since March 2026; before that in Leeds). "
        "You told me on 3 May 2026: “I moved to Porto in March.” [1]"
    )
    assert not given.abstained
    [cited] = given.citations
    assert (cited.number, cited.fact_id, cited.quote, cited.sent_at) == (
        1,
        UUID(int=1),
        "I moved to Porto in March.",
        day("2026-05-03"),
    )


@pytest.mark.parametrize(
    "question",
    [
        "Where did I live in 2024?",
        "Where was I living before?",
        "Where did I use to live, I mean previously?",
        "Where did I live on 3 May 2021?",
    ],
)
def test_the_past_is_told_as_past(question: str) -> None:
    given = answer(question, RecallResult([PORTO], abstained=False), NOW)
    assert given.text.startswith(
        "You lived in Leeds (from 1 January 2019 to 1 March 2026). [1] Now you live in Porto ("
    )
    assert [cited.fact_id.int for cited in given.citations] == [9, 1]
    assert not given.abstained


def test_a_time_of_which_nothing_is_known() -> None:
    for question in ("Where did I live in 2011?", "Where did I live on 4 July 2018?"):
        given = answer(question, RecallResult([PORTO], abstained=False), NOW)
        assert given.abstained
        assert given.text.startswith("I don’t have that for then. What I have: You live in Porto")
    given = answer("Where did I live before?", RecallResult([hit()], abstained=False), NOW)
    assert given.abstained
    assert given.text.startswith("I don’t have what was before. What I have: You live in Porto.")


def test_what_was_replaced_is_told_once() -> None:
    leeds = hit(
        "You live in Leeds.", "Leeds", number=9, status="superseded", valid_to=day("2026-03-01"),
        quote="I live in Leeds.", said="2019-01-01",
    )  # fmt: skip
    assert said("Where did I live in 2024?", PORTO, leeds) == (
        "You lived in Leeds (until 1 March 2026). "
        "You told me on 1 January 2019: “I live in Leeds.” [1]"
    )


def test_of_several_facts_those_of_the_time_are_told() -> None:
    spring = hit(
        "What happened: ran the Porto marathon.",
        "ran the Porto marathon",
        number=2,
        attribute="event",
        kind="event",
        precision="day",
        valid_from=day("2026-04-12"),
        valid_to=day("2026-04-13"),
        quote="I ran the Porto marathon on 12 April.",
        said="2026-04-13",
    )
    text = said("Which things happened in April 2026?", hit(said="2026-05-03"), spring)
    assert text == (
        "What happened: ran the Porto marathon (on 12 April 2026). "
        "You told me on 13 April 2026: “I ran the Porto marathon on 12 April.” [1]"
    )


def test_what_holds_no_longer() -> None:
    gone: dict[str, Any] = {"status": "retracted", "valid_to": day("2026-02-01")}
    assert said("Do I play chess?", hit("You play chess.", "chess", **gone)).startswith(
        "You played chess (until 1 February 2026)."
    )
    hobby = hit("A hobby of yours: chess.", "chess", **gone)
    assert said("Do I play chess?", hobby).startswith("A hobby of yours: chess (until 1 February")
    lease = hit(valid_to=day("2027-01-01"))
    assert said("Where do I live?", lease).startswith("You live in Porto (until 1 January 2027).")
    over = hit(valid_to=day("2026-05-20"))
    assert said("Where do I live?", over).startswith("You lived in Porto (until 20 May 2026).")


def test_what_was_never_so_is_no_past() -> None:
    assert "Oporto" not in said("Where do I live?", PORTO)
    only = hit(chain=(NEVER,))
    assert said("Where do I live?", only).startswith("You live in Porto. You told me")


def test_lists_and_counts() -> None:
    pets = [
        hit(f"You have a pet: {name}.", name, number=n, attribute="pet", quote=f"{name} is my cat.")
        for n, name in enumerate(("Pim", "Otto"), 1)
    ]
    assert said("How many pets do I have?", *pets) == (
        "I know of 2:\n"
        "- You have a pet: Pim. You told me on 3 May 2026: “Pim is my cat.” [1]\n"
        "- You have a pet: Otto. You told me on 3 May 2026: “Otto is my cat.” [2]"
    )
    numbered = hit("You have two brothers.", "two brothers", attribute="sibling")
    assert said("How many siblings do I have?", numbered, numbered).startswith("- You have two")


def test_one_thing_asked_is_one_thing_told() -> None:
    other = hit("You like jazz.", "jazz", number=2, attribute="likes", relevance=0.5)
    assert "jazz" not in said("Where do I live?", hit(), other)
    assert "jazz" not in said("Which city do I live in?", hit(), other)
    assert "jazz" in said("Which things do I love?", hit(), other)
    assert "jazz" in said("What do you know about me?", hit(), other)
    near = hit("Your address is Rua 5.", "Rua 5", number=2, attribute="address", relevance=0.9)
    assert "Rua 5" in said("Where do I live?", hit(), near)


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("Do I live in Porto?", "Yes. You live in Porto ("),
        ("Do I live in Leeds?", "Not any more. You live in Porto ("),
        ("Do I live in Rome?", "You live in Porto ("),
        ("Do I love Porto?", "You live in Porto ("),
        ("Do I live in Porto or in Leeds?", "You live in Porto ("),
        ("Don’t I live in Porto?", "You live in Porto ("),
    ],
)
def test_yes_and_no(question: str, lead: str) -> None:
    assert said(question, PORTO).startswith(lead)


def test_a_denial_is_a_no() -> None:
    nuts = hit("You are not allergic to nuts.", "nuts", attribute="allergy", polarity="negated")
    assert said("Am I allergic to nuts?", nuts).startswith("No. You are not allergic to nuts.")
    assert said("Am I fond of nuts?", nuts).startswith("You are not allergic to nuts.")


def test_nothing_known_is_said() -> None:
    given = answer("Where do I live?", RecallResult((), abstained=True), NOW)
    assert given.text.startswith("I don’t have that.")
    assert given.abstained
    assert given.citations == ()


def test_what_is_no_question_gets_a_hint() -> None:
    for words in ("Hello there", "I moved to Rome.", "Thanks!", "My cat is called Pim"):
        given = answer(words, RecallResult([PORTO], abstained=False), NOW)
        assert given.text.startswith("I answer only from what you have told me.")
        assert (given.citations, given.abstained) == ((), True)
    for words in ("I forgot where I live", "my home?", "¿Dónde vivo?", "Wo wohne ich"):
        assert said(words, PORTO).startswith("You live in Porto")


def test_conversations_answer_when_no_fact_does() -> None:
    def excerpt(quote: str, role: str, **more: bool) -> Excerpt:
        return Excerpt(quote, role, day("2026-04-02"), "talk", UUID(int=7), 1.0, **more)

    excerpts = (
        excerpt("Try the Casa Guedes.", "assistant"),
        excerpt("Where should I eat?", "user"),
        excerpt("I live in Leeds.", "user", outdated=True),
    )
    result = RecallResult((), abstained=False, excerpts=excerpts)
    given = answer("What did you recommend?", result, NOW)
    assert given.text == (
        "I found this in our conversations.\n"
        "- I wrote on 2 April 2026: “Try the Casa Guedes.” [1]\n"
        "- You wrote on 2 April 2026: “Where should I eat?” [2]\n"
        "- You wrote on 2 April 2026, and it no longer holds: “I live in Leeds.” [3]"
    )
    assert (given.passages[0].number, given.passages[0].quote) == (1, "Try the Casa Guedes.")
    assert not given.abstained


@pytest.mark.parametrize(
    ("question", "as_of", "text"),
    [
        (
            "Where do I live?",
            None,
            "You live in Porto (before that in Leeds). "
            "You told me on 3 May 2026: “I moved to Porto.” [1]",
        ),
        (
            "Where did I live?",
            "2025-12-01",
            "You lived in Leeds (until 3 May 2026). "
            "You told me on 10 June 2025: “I live in Leeds.” [1]",
        ),
        ("Am I allergic to nuts?", None, "No. You are not allergic to nuts. You told me"),
        ("What is my blood type?", None, "I don’t have that."),
    ],
)
def test_what_recall_really_finds(owner: User, question: str, as_of: str | None, text: str) -> None:
    remember(owner, "home", "Leeds", "2025-06-10", words="I live in Leeds.")
    remember(owner, "home", "Porto", "2026-05-03", words="I moved to Porto.")
    remember(owner, "allergy", "nuts", polarity="negated", words="I have no nut allergy.")
    remember(owner, "hobby", "chess", words="I play chess.")
    result = pipeline.recall(
        user_id=owner.pk,
        query=question,
        options=RecallOptions(as_of=day(as_of) if as_of else None),
        by=Actor.user(owner),
    )
    assert answer(question, result, NOW).text.startswith(text)


def test_words_of_the_past_can_do_no_harm() -> None:
    text = said(
        "Where do I live?",
        hit(
            "You live in \u202eotroP\n\n# Heading.",
            quote="![x](https://evil.example/?q=1) <img src=x>\x00 " + "long " * 100,
        ),
    )
    assert "\n" not in text
    assert "](" not in text
    assert "<" not in text
    assert text.isprintable()
    assert len(text) < 400


def test_dates_are_the_users() -> None:
    late = hit(said="2026-05-03T23:30", quote="I moved.")
    assert "on 4 May 2026" in said("Where do I live?", late, time_zone="Asia/Kolkata")
    assert "on 3 May 2026" in said("Where do I live?", late, time_zone="no/where")
    with translation.override("de"):
        assert "3. Mai 2026" in said("Where do I live?", hit())


def test_what_was_entered_by_hand_has_no_quotation() -> None:
    assert said("Where do I live?", hit(quote=None)).endswith(
        "You live in Porto. You entered this yourself. [1]"
    )


@pytest.mark.parametrize(
    ("now", "then"),
    [
        ("You live in Leeds.", "You lived in Leeds."),
        ("You don’t eat meat.", "You didn’t eat meat."),
        ("You are allergic to nuts.", "You were allergic to nuts."),
        ("You study law.", "You studied law."),
        ("You play the cello.", "You played the cello."),
        ("Your editor is Vim.", "Your editor was Vim."),
        ("Mira lives in Oslo.", "Mira lived in Oslo."),
        ("Mira’s job is nurse.", "Mira’s job was nurse."),
        ("You studied at Delft.", "You studied at Delft."),
        ("You have been to Peru.", "You have been to Peru."),
        ("A hobby of yours: chess.", ""),
        ("Ты живёшь в Риге.", ""),
    ],
)
def test_sentences_in_the_past(now: str, then: str) -> None:
    assert in_the_past(now) == then
