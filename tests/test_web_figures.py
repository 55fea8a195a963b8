"""The page of figures: what each chart says, in a sentence, in shapes and in a table."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Application, User
from memoryapp import audit, pipeline
from memoryapp.context import acting_for
from memoryapp.models import Conversation, FactUsage
from tests.notebook import delicate, learn, many, moved, text
from tests.test_web_timeline import asked


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def look(client: Client) -> dict[str, Any]:
    """Of each chart, by its title: its sentence, its table's rows and its shapes."""
    page = text(client.get(reverse("figures")))
    found: dict[str, Any] = {}
    for figure in re.findall(r"<figure.*?</figure>", page, re.DOTALL):
        title = re.search(r"<h2[^>]*>(.*?)</h2>", figure)
        reading = re.search(r"<figcaption>(.*?)</figcaption>", figure)
        assert title is not None
        assert reading is not None
        rows = re.findall(r"<tr><th scope=\"row\"[^>]*>(.*?)</th><td>(.*?)</td>", figure)
        shapes = re.findall(r"<rect class=\"(\w+)\" .*?width=\"(.*?)\" height=\"(.*?)\"", figure)
        found[title[1]] = (reading[1], rows, shapes)
    return found


def test_without_memories_there_is_nothing_to_count(owner: User, me: Client) -> None:
    delicate(owner)
    assert "There is nothing to count yet." in text(me.get(reverse("figures")))


def test_memories_over_time_with_the_months_that_have_none(owner: User, me: Client) -> None:
    moved(owner)
    learn(owner, "I play chess", "I play chess", "hobby", "chess", days=100)
    reading, rows, shapes = look(me)["New memories over time"]
    assert rows == [("March 2026", "1"), ("April 2026", "1"), ("May 2026", "0"), ("June 2026", "1")]
    assert reading == (
        "Most was new in March 2026: 1 of 3 memories, those that are past now included."
    )
    assert [height for _class, _width, height in shapes] == ["100.0", "100.0", "0.0", "100.0"]


def test_many_years_are_shown_by_year(owner: User, me: Client) -> None:
    many(owner, 50, gap=timedelta(days=30))
    _reading, rows, _shapes = look(me)["New memories over time"]
    assert [label for label, _n in rows] == ["2022", "2023", "2024", "2025", "2026"]
    assert sum(int(number) for _label, number in rows) == 50


def test_parts_of_a_life_the_largest_first(owner: User, me: Client) -> None:
    moved(owner)
    learn(owner, "Mira likes tea", "likes tea", "likes", "tea", subject="person:mira")
    learn(owner, "Mira likes go", "likes go", "likes", "go", subject="person:mira")
    reading, rows, shapes = look(me)["By part of your life"]
    assert rows == [("People and pets", "2"), ("Home", "1")]
    assert reading == "Most is kept under “People and pets”: 2 of 3 memories that hold now."
    assert [width for _class, width, _height in shapes] == ["100.0", "50.0"]


def test_used_and_unused_are_apart_by_more_than_colour(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    learn(owner, "I play chess", "I play chess", "hobby", "chess")
    assert look(me)["Used in answers"][0] == "No answer has used any of them yet."
    with acting_for(owner.pk):
        FactUsage.objects.create(
            user_id=owner.pk, fact_id=fact_id, recall_count=2,
            last_recalled_at=timezone.now() - timedelta(days=31),
        )  # fmt: skip
    reading, rows, shapes = look(me)["Used in answers"]
    assert rows == [("In the last 30 days", "0"), ("Earlier", "1"), ("Not yet", "1")]
    assert reading.startswith("Answers have used 1 of the 2 memories that hold now, 0 of them")
    assert [one for one, _width, _height in shapes] == ["filled", "filled", "pale"]


def test_where_they_came_from(owner: User, me: Client) -> None:
    moved(owner)
    fact_id = learn(owner, "I play chess", "I play chess", "hobby", "chess")
    assert fact_id is not None
    learn(owner, "I speak Dutch", "I speak Dutch", "language", "Dutch", conversation="app")
    learn(owner, "I speak Thai", "I speak Thai", "language", "Thai", conversation="app")
    application = Application.objects.create(name="Harbour & co", owner=owner)
    with acting_for(owner.pk):
        Conversation.objects.filter(external_id="app").update(application_id=application.pk)
    pipeline.edit_fact(
        user_id=owner.pk, fact_id=fact_id, value="go", supersession="change",
        by=audit.Actor.user(owner),
    )  # fmt: skip
    reading, rows, _shapes = look(me)["Where they came from"]
    assert rows[0] == ("Said through Harbour &amp; co", "2")
    assert sorted(rows[1:]) == [("Said in a chat", "1"), ("Written here by you", "1")]
    assert reading == "Most have this origin: Said through Harbour &amp; co (2 of 4)."


def test_shapes_need_no_style_of_their_own_and_tell_readers_nothing_twice(
    owner: User, me: Client
) -> None:
    moved(owner)
    page = text(me.get(reverse("figures")))
    assert "style=" not in page
    drawings = re.findall(r'<(?:div|ul) class="(?:columns|bars)"[^>]*>', page)
    assert drawings
    assert all('aria-hidden="true"' in drawing for drawing in drawings)
    assert "<text" not in page


def test_numbers_are_written_for_the_drawing_in_every_language(owner: User, me: Client) -> None:
    owner.language = "de"
    owner.save(update_fields=["language"])
    for n in range(3):
        learn(owner, f"I speak tongue{n}", f"tongue{n}", "language", f"tongue{n}")
    learn(owner, "I live in Porto", "I live in Porto", "home", "Porto")
    page = text(me.get(reverse("figures")))
    assert 'width="33.33"' in page


def test_nothing_of_others_is_counted(owner: User, other: User, me: Client) -> None:
    moved(other)
    assert look(me) == {}


def test_the_number_of_queries_does_not_grow(owner: User, me: Client) -> None:
    moved(owner)
    before = asked(me, reverse("figures"))
    many(owner, 40)
    assert asked(me, reverse("figures")) == before
