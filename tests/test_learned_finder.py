"""What the reader finds where the rules find nothing, and when it isn't asked."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memoryapp.extract import extract
from memoryapp.providers import local_minilm
from memoryapp.providers.local_extractor import LocalExtractor, passages, reader
from memoryapp.providers.local_extractor.attributes import registry
from memoryapp.providers.local_extractor.clauses import clauses, own_words
from memoryapp.providers.local_extractor.poles import pole
from memoryapp.providers.local_minilm import MiniLM
from memoryapp.records import Batch, Candidate, Turn
from memoryapp.training.data import AROUND

SENT_AT = datetime(2026, 3, 3, 10, tzinfo=UTC)


def found(text: str, extractor: LocalExtractor | None = None) -> list[Candidate]:
    turn = Turn(UUID(int=1), "user", text, SENT_AT)
    return list(extract(Batch([turn]), extractor or LocalExtractor()).candidates)


def written(facts: list[Candidate]) -> set[str]:
    return {
        ("NOT " if fact.polarity == "negated" else "")
        + ("END " if fact.operation == "end" else "")
        + f"{fact.subject}.{fact.attribute}={fact.value}"
        for fact in facts
    }


FOUND = {
    "I earn my keep as a locksmith.": {"user.job_title=locksmith"},
    "Mushrooms and I don't get along.": {"NOT user.likes=Mushrooms"},
    "My daughters Lamar and Sidra share a room.": {
        "person:lamar.relation=daughter",
        "person:sidra.relation=daughter",
    },
    "Penicillin brings me out in hives, is amoxicillin the same?": {"user.allergy=Penicillin"},
    # What others say hides neither what stands before it nor what a doctor found.
    "My psychiatrist says I have bipolar disorder and wants me to keep a log.": {
        "user.mental_health=bipolar disorder"
    },
    "My doctor told me I have asthma.": {"user.health_condition=asthma"},
    "My wife's a structural engineer and says this beam is too thin.": {
        "person:wife.job_title=structural engineer"
    },
    "Can you rewrite the holiday plan? My house is a 1930s semi in Stockport.": {
        "user.housing=1930s semi",
        "user.home=Stockport",
    },
    "I've been a mudlogger for 22 years.": {"user.job_title=mudlogger"},
    # A job that a verb tells, worded for the page.
    "I drive a lorry for a living.": {"user.job_title=driving a lorry"},
    "My dad drives trams and my mum cleans offices.": {
        "person:dad.job_title=driving trams",
        "person:mum.job_title=cleaning offices",
    },
    # Plans and events of one's people; a month of which only a part is named.
    "My daughter is getting married in September and I have to give a speech.": {
        "person:daughter.plan=getting married, September 2026"
    },
    "My wife passed away in August and I never learned to cook.": {
        "person:wife.event=passed away, August 2025"
    },
    "Dads a bus driver in Port of Spain.": {
        "person:dad.job_title=bus driver",
        "person:dad.home=Port of Spain",
    },
    "I write dates always like 31.12.2025, please hold to that.": {"user.date_format=31.12.2025"},
}


@pytest.mark.parametrize("text", FOUND)
def test_it_finds_what_the_rules_overlook(text: str) -> None:
    assert not FOUND[text] <= written(found(text, LocalExtractor(last=())))
    assert FOUND[text] <= written(found(text))


ALL = {
    "What time is it in Manila when it's 9am here in Calgary?": {"user.home=Calgary"},
    "My fav restaurant here in Austin closed.": {"user.home=Austin"},
    "I live in Munich. Here in Germany we recycle.": {
        "user.home=Munich",
        "user.country=Germany",
    },
    "What are good stretches? I have scoliosis and code for a living.": {
        "user.health_condition=scoliosis",
        "user.job_title=coding",
    },
    "Is it normal that my hands shake after I take my salbutamol inhaler?": {
        "user.medication=salbutamol inhaler"
    },
    "We booked Iceland for the first two weeks of March, ring road in a camper. Is that mad?": {
        "user.plan=Iceland, March 2026"
    },
    "We don't have children and we don't plan to.": {"NOT user.children=children"},
    "I drive an old Volvo estate.": {"user.vehicle=old Volvo estate"},
    "I don't touch matcha at all.": {"NOT user.drinks=matcha"},
    # The other one's, what it ends with, and where one moves without leaving home.
    "The Yaris is my mum's, mine is the old Berlingo.": {"user.vehicle=old Berlingo"},
    "Every script assumes bash, but I run fish shell.": {"user.shell=fish shell"},
    "I moved from Notion to Obsidian last month.": {
        "END user.uses=Notion",
        "user.uses=Obsidian",
    },
    "I'm stuck at 87.5 on the bench and weigh 78 kilos.": {"user.weight=78 kilos"},
    "Beagle Rex barks at night, he's our dog.": {"user.pet=Rex (beagle)"},
    "I don't eat meat, only on Sundays.": {"NOT user.eats=meat"},
    "I'm Deaf and I use BSL.": {"user.accessibility=Deaf", "user.uses=BSL"},
    "Just promoted to Head of Procurement at Tesco.": {
        "user.job_title=Head of Procurement",
        "user.employer=Tesco",
    },
}


@pytest.mark.parametrize("text", ALL)
def test_it_finds_this_and_no_more(text: str) -> None:
    assert written(found(text)) == ALL[text]


@pytest.mark.parametrize(
    ("text", "value", "attribute", "sign", "stands"),
    [
        ("bullets do my head in", "bullets", "answer_format", 0, ("negated", "state")),
        ("I moved from Notion to Obsidian", "Obsidian", "uses", 2, ("affirmed", "state")),
        ("I gave up on learning Arabic", "Arabic", "learning", 0, ("affirmed", "end")),
        ("I don't play tennis any more", "tennis", "sport", 2, ("negated", "state")),
        ("I started as an apprentice", "apprentice", "job_title", 0, ("affirmed", "end")),
        ("espresso is my vice", "espresso", "drinks", 1, ("affirmed", "state")),
        ("I used to hate olives", "olives", "likes", 1, None),
        ("I take my tea with no lemon", "lemon", "drinks", 0, None),
        ("I come from Ghent", "Ghent", "origin", 2, None),
        ("I like olives", "olives", "likes", 0, ("affirmed", "state")),
    ],
)
def test_the_nearest_words_tell_how_a_value_stands(
    text: str, value: str, attribute: str, sign: int, stands: tuple[str, str] | None
) -> None:
    (clause,) = clauses(Turn(UUID(int=1), "user", text, SENT_AT), own_words(text))
    start = clause.text.index(value.lower())
    assert pole(attribute, clause, (start, start + len(value)), sign) == stands


def test_what_is_found_is_a_candidate_like_any_other() -> None:
    text = "Any ideas for dinner? I earn my keep as a locksmith."
    (fact,) = found(text)
    assert fact.quote is not None
    assert fact.quote.text == text[fact.quote.start : fact.quote.end]
    assert fact.quote.text.startswith("I earn my keep")
    assert (fact.kind, fact.sensitivity) == ("personal", "")
    assert 0 < fact.confidence < 0.86


@pytest.mark.parametrize(
    "text",
    [
        "I met a plumber on the train.",
        "I booked a hotel in Antwerp that costs a lot.",
        "My client has asthma.",
        "I watched a tennis match on TV.",
        "Your knowledge of old maps is impressive.",
        "We might end up in Antwerp.",
        "I'm working on a problem set.",
        "I love how you put it.",
        "If I lived in Antwerp I'd cycle more.",
        "In my story the hero is a locksmith in Antwerp.",
        "My neighbour says I have bipolar disorder.",
        "Can you turn her five tablets into a list: ramipril, aspirin, bisoprolol?",
        "I'm going to the shops in a minute.",
        "I used to hate olives, now I eat them from the jar.",
        "I applied to MIT and Caltech.",
        "The homepage route I implemented in Flask works, now the form.",
        "Father Declan closed his eyes when we sang.",
        "Rewrite the list: I live in Madrid and I like apples.",
        "Let's play a game where I'm a detective of 45 from Shanghai.",
        "Convert to passive voice: my uncle moved to Denver.",
        "[12:04] Nadia: I hate trains [12:05] Omar: I live in Split",
        "I'd have to do the access course first.",
        "I love all the yellow leaves in that picture.",
        "It's a yoga studio I go to often.",
        "Yesterday we were volunteering at a homeless shelter.",
        "Thanks for telling me straight.",
        "She sounds like a handful, your Matilda. Five going on forty-five.",
        "What can a vegan eat in Warsaw?",
        "We're here in Lisbon for a week, any tips?",
        "My friend says here in Oslo it rains.",
        "The chef and I do the dishes together in that film.",
    ],
)
def test_nothing_is_found_in(text: str) -> None:
    assert found(text) == []


def test_small_talk_questions_and_requests_never_reach_the_encoder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(text: str) -> None:
        raise AssertionError("the encoder was asked")

    monkeypatch.setattr(passages, "read", refuse)
    for text in (
        "Hello there, how are you?",
        "Can you summarise this article for me?",
        "What is the capital of Peru?",
        "I wonder if it will rain.",
        "Write a poem about the sea.",
        "Thanks, that was helpful!",
    ):
        assert found(text) == []
    with pytest.raises(AssertionError, match="encoder"):
        found("We ended up in Antwerp after ten years abroad.")


def test_one_message_asks_the_encoder_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def counted(text: str) -> object:
        asked.append(text)
        return reader.read(text)

    monkeypatch.setattr(passages, "read", counted)
    found("We ended up in Antwerp after ten years abroad. " * 200)
    assert 0 < len(asked) <= passages.PASSAGES


def test_the_weights_are_small_and_speak_of_known_attributes() -> None:
    assert reader.WEIGHTS.stat().st_size < 8_000_000
    named = reader._network()[1]
    assert named[0] == ""
    assert set(named[1:]) <= set(registry()) | AROUND


def test_marks_stand_where_the_words_are() -> None:
    text = "Zoë, my sister, sells 3 kayaks a day in Łódź \U0001f6f6 and I teach maths."
    marks = reader.read(text)
    assert {(text[mark.start : mark.end], mark.attribute) for mark in marks} >= {
        ("Zoë", "name"),
        ("Łódź", "home"),
    }
    assert [mark.start for mark in marks] == sorted(mark.start for mark in marks)
    assert reader.read("") == []


def test_the_embedder_and_the_reader_share_one_encoder() -> None:
    reader.read("We live in Ghent.")
    parts = local_minilm._parts()
    MiniLM().query("kayak")
    assert local_minilm._parts() is parts


def test_a_clause_of_too_many_words_is_left_alone() -> None:
    assert found("We ended up in Antwerp " + "and then further on to the next one " * 60) == []
