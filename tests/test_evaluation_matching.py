"""When a stored fact is the one that a data set expects."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memoryapp.evaluation.gold import Gold, found, gold_of_keys, right
from memoryapp.evaluation.matching import expected, fits, words, zone_of
from memoryapp.evaluation.memory import Seen


def seen(text: str, **more: object) -> Seen:
    """``person:mira.home = Oldbridge``; "not" before the value negates."""
    key, _, value = text.partition(" = ")
    subject, _, attribute = key.rpartition(".")
    negated = value.startswith("not ")
    return Seen(
        subject=subject or "user",
        attribute=attribute,
        value=value.removeprefix("not "),
        polarity="negated" if negated else "affirmed",
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Colours", {"colour"}),
        ("my favorite color", {"favourite", "colour"}),
        ("15GB", {"15", "gb"}),
        ("1.5 GB", {"1.5", "gb"}),
        ("two kids", {"2", "child"}),
        ("启航仓储", {"启", "航", "仓", "储"}),
        ("Björk’s glass", {"björk", "glass"}),
    ],
)
def test_words(text: str, found: set[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("item", "fact"),
    [
        ({"attribute": "employer", "value": "Tarn Foundry"}, "employer = Tarn Foundry"),
        ({"attribute": "job", "value": "glazier"}, "job_title = a glazier"),
        ({"attribute": "person:Mira.home", "value": "Oldbridge"}, "person:mira.home = Oldbridge"),
        ({"attribute": "allergy.nuts", "value": "none", "polarity": "negated"},
         "allergy = not nuts"),
        ({"attribute": "coffee.after_17:00", "value": "no", "polarity": "negated"},
         "drinks = not café por la tarde"),
        ({"attribute": "likes", "value": "chess"}, "hobby = chess"),
        ({"attribute": "dislikes", "value": "chess"}, "likes = not chess"),
        ({"attribute": "dislikes", "value": "chess"}, "dislikes = chess"),
        ({"attribute": "likes", "value": "chess", "polarity": "negated"}, "likes = not chess"),
        ({"attribute": "worker.memory", "value": "15 GB"}, "limit = 15 GB"),
        ({"attribute": "event:lease.date", "value": "2026-05-16"}, "event = lease, 16 May 2026"),
    ],
)  # fmt: skip
def test_fits(item: dict[str, str], fact: str) -> None:
    one = seen(fact)
    assert fits(expected(item), one, [one])


@pytest.mark.parametrize(
    ("item", "fact"),
    [
        ({"attribute": "employer", "value": "Tarn Foundry"}, "employer = Tarn"),
        ({"attribute": "employer", "value": "Tarn"}, "school = Tarn"),
        ({"attribute": "employer", "value": "Tarn"}, "employer = not Tarn"),
        ({"attribute": "home", "value": "Oldbridge"}, "person:mira.home = Oldbridge"),
        ({"attribute": "person:Mira.home", "value": "Oldbridge"}, "home = Oldbridge"),
        ({"attribute": "person:Mira.home", "value": "Oldbridge"}, "person:jon.home = Oldbridge"),
        ({"attribute": "dislikes", "value": "chess"}, "likes = chess"),
        ({"attribute": "likes", "value": "chess"}, "dislikes = chess"),
        ({"attribute": "allergy.nuts", "value": "none", "polarity": "negated"}, "allergy = nuts"),
        ({"attribute": "worker.memory", "value": "15 GB"}, "limit = 1.5 GB"),
        ({"attribute": "event:lease.date", "value": "2026-05-16"}, "event = lease, 17 May 2026"),
    ],
)
def test_does_not_fit(item: dict[str, str], fact: str) -> None:
    one = seen(fact)
    assert not fits(expected(item), one, [one])


def test_scopes_are_kept_apart() -> None:
    brief = seen("answer_length = brief")
    long = seen("answer_style = long", scope="project:astronomy")
    facts = [brief, long]
    everywhere = expected({"attribute": "answer_style", "value": "brief", "scope": "global"})
    there = expected({"attribute": "answer_style", "value": "long", "scope": "astronomy course"})
    assert fits(everywhere, brief, facts)
    assert fits(there, long, facts)
    assert not fits(there, seen("answer_style = long"), facts)
    assert not fits(everywhere, seen("answer_style = brief", scope="ide"), facts)


def test_what_is_known_of_a_pet_or_a_person_belongs_to_the_fact() -> None:
    facts = [seen("pet = Pim"), seen("pet:pim.species = cat"), seen("person:x.relation = manager")]
    assert fits(expected({"attribute": "pet", "value": "Pim (cat)"}), facts[0], facts)
    assert not fits(expected({"attribute": "pet", "value": "Pim (dog)"}), facts[0], facts)
    manager = expected({"attribute": "person:manager.name", "value": "x"})
    assert fits(manager, facts[2], facts)


def test_a_date_is_meant_where_the_user_is() -> None:
    at = datetime(2025, 11, 20, 7, tzinfo=UTC)
    fact = seen("event = meeting", valid_from=at)
    item = expected({"attribute": "event:meeting.at", "value": "2025-11-20T15:00"})
    assert fits(item, fact, [fact], timezone(timedelta(hours=8)))
    assert not fits(item, fact, [fact], UTC)


def test_zones_by_offset() -> None:
    east = datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=8)))
    assert zone_of(east) == "Etc/GMT-8"
    assert zone_of(datetime(2026, 1, 1, tzinfo=UTC)) == "UTC"


# -- Utterances --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "fact"),
    [
        (Gold(["job"], "data engineer"), "job_title = data engineer"),
        (Gold(["favourite"], "colour green"), "favourite_colour = green"),
        (Gold(["family"], "wife Anna"), "person:anna.relation = wife"),
        (Gold(["dislikes"], "mushrooms"), "likes = not mushrooms"),
        (Gold(["diet"], "meat", "-"), "eats = not meat"),
        (Gold(["plan"], "flying to Tokyo on March 14"), "plan = flying to Tokyo"),
        (gold_of_keys("home|NOT employer=riga"), "home = Riga"),
        (gold_of_keys("person:mira.home=oldbridge"), "person:mira.home = Oldbridge"),
        (gold_of_keys("NOT drinks|dislikes=coffee"), "drinks = not coffee"),
    ],
)
def test_gold_that_is_found(gold: Gold, fact: str) -> None:
    one = seen(fact)
    assert right(one, [gold], [one])
    assert found(gold, [one], [])


@pytest.mark.parametrize(
    ("gold", "fact"),
    [
        (Gold(["job"], "data engineer"), "employer = data engineer"),
        (Gold(["diet"], "meat", "-"), "eats = meat"),
        (Gold(["likes"], "mushrooms"), "likes = not mushrooms"),
        (Gold(["likes"], "cats"), "person:maya.likes = cats"),
        (Gold(["family"], "wife Anna"), "person:anna.relation = not wife"),
        (Gold(["name"], "Sam"), "name = Samantha"),
        (Gold(["family"], "friend Leo"), "person:leo.home = Madrid"),
        (gold_of_keys("home=riga"), "birthplace = Riga"),
        (gold_of_keys("NOT drinks=coffee"), "drinks = coffee"),
        (gold_of_keys("person:mira.home=oldbridge"), "home = Oldbridge"),
        (gold_of_keys("budget@kitchen=8000"), "budget = 8000"),
    ],
)
def test_gold_that_is_not(gold: Gold, fact: str) -> None:
    one = seen(fact)
    assert not right(one, [gold], [one])
    assert not found(gold, [one], [])


def test_half_a_value_is_right_but_not_found() -> None:
    gold, fact = Gold(["location"], "new york"), seen("home = York")
    assert right(fact, [gold], [fact])
    assert not found(gold, [fact], [])


def test_forgetting_is_found_in_the_request_alone() -> None:
    gold = Gold(["*"], "dog", "F")
    assert found(gold, [], ["I have a dog"])
    assert not found(gold, [seen("pet = dog")], [])


@pytest.mark.parametrize("text", ["home", "=x", "Home Town=x", "|=x"])
def test_gold_must_name_an_attribute(text: str) -> None:
    with pytest.raises(ValueError, match="not a"):
        gold_of_keys(text)
