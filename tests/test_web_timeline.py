"""The timeline: what began, changed, ended, ran out and was forgotten, in words."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from memoryapp import audit, erase, store
from memoryapp.context import acting_for
from tests.notebook import BEGAN, delicate, learn, many, moved, text

HTMX: Any = {"HX-Request": "true"}
SYSTEM = audit.Actor.system("test")


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def look(client: Client, query: str = "", **options: Any) -> str:
    """The page's text, its markup and runs of blanks left out."""
    page = text(client.get(reverse("timeline") + query, **options))
    plain = re.sub(r"<[^>]+>", " ", page[page.index('id="timeline"') :])
    return re.sub(r"\s+([.,;:])", r"\1", " ".join(plain.split()))


def asked(client: Client, address: str) -> int:
    """How many queries a page needs, what a first visit writes not counted."""
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return len(queries)


def forget(user: User, fact_id: UUID) -> None:
    with acting_for(user.pk):
        erase.erase_facts(user_id=user.pk, fact_ids=[fact_id], by=SYSTEM)


def test_without_memories_it_says_what_will_stand_here(me: Client) -> None:
    page = text(me.get(reverse("timeline")))
    assert "Nothing has begun or changed yet." in page
    assert "<select" not in page


def test_a_change_says_what_was_before_and_since_when(owner: User, me: Client) -> None:
    moved(owner)
    page = look(me)
    assert (
        "Changed You live in Lisbon. Before that, since 3 March 2026: You live in Porto. "
        "So since 2 April 2026, the day you told me." in page
    )
    assert "New You live in Porto. It was so from 3 March 2026 until 2 April 2026." in page
    assert page.index("April 2026") < page.index("Lisbon") < page.index("March 2026 New")


def test_a_correction_stands_once_where_it_was_so(owner: User, me: Client) -> None:
    learn(owner, "I live in Porto", "I live in Porto", "city", "Porto")
    learn(
        owner,
        "Sorry, I meant Braga",
        "I meant Braga",
        "city",
        "Braga",
        days=40,
        correction=True,
    )
    page = look(me)
    assert "Corrected You live in Braga. I had it wrong: You live in Porto." in page
    assert page.count("Porto") == 1
    # Since March, and learned in April: it stands where it was so.
    assert "So since 3 March 2026. You told me on 12 April 2026." in page
    assert "March 2026 Corrected" in page
    assert "April 2026 Corrected" in look(me, "?order=learned")


def test_what_is_no_longer_so_ends(owner: User, me: Client) -> None:
    learn(owner, "I speak Dutch", "I speak Dutch", "language", "Dutch")
    learn(owner, "I gave up Dutch", "gave up Dutch", "language", "Dutch", days=2, operation="end")
    page = look(me, "?kind=ended")
    assert (
        "No longer so You speak Dutch. It was so from 3 March 2026 until 5 March 2026. "
        "You told me on 3 March 2026. I learned of its end on 5 March 2026." in page
    )
    assert " New " not in page


def test_what_ran_out_says_so(owner: User, me: Client) -> None:
    learn(owner, "I’ll take the red one", "the red one", "decision", "the red one", kind="decision")
    with acting_for(owner.pk):
        store.expire(user_id=owner.pk, by=SYSTEM, now=BEGAN + timedelta(days=100))
    page = look(me, "?kind=expired")
    assert "Ran out" in page
    assert "I kept it from 3 March 2026 until 1 June 2026; nothing new was said" in page


def test_of_what_was_forgotten_only_the_number_is_left(owner: User, me: Client) -> None:
    forget(owner, moved(owner))
    page = look(me)
    assert "Forgotten 2 memories, for good. You had me forget today." in page
    assert "Lisbon" not in page
    assert "Porto" not in page


def test_words_that_name_only_a_year_stand_in_the_year_without_a_month(
    owner: User, me: Client
) -> None:
    learn(
        owner,
        "I’ve played chess since 2019",
        "played chess since 2019",
        "hobby",
        "chess",
        valid_from=datetime(2019, 1, 1, tzinfo=UTC),
        precision="year",
    )
    page = look(me)
    assert (
        "Some time in 2019 New A hobby of yours: chess. So since 2019. You told me on 3 March"
        in page
    )
    assert "March 2026 New" in look(me, "?order=learned")


def test_delicate_things_stay_covered_wherever_they_stand(owner: User, me: Client) -> None:
    fact_id = delicate(owner)
    assert "asthma" not in look(me)
    me.post(reverse("fact_approve", args=[fact_id]))
    page = text(me.get(reverse("timeline")))
    start = page.index('<details class="covered"')
    assert start < page.index("asthma") < page.index("</details>", start)
    assert page.count("asthma") == 1


def test_filters_take_words_of_ours_and_nothing_else(owner: User, me: Client) -> None:
    moved(owner)
    learn(owner, "I play chess", "I play chess", "hobby", "chess", days=3)
    learn(owner, "Mira likes tea", "likes tea", "likes", "tea", days=4, subject="person:mira")
    assert "Lisbon" in look(me, "?area=home")
    assert "chess" not in look(me, "?area=home")
    assert "tea" in look(me, "?area=people")
    assert "Lisbon" not in look(me, "?area=people")
    assert "Nothing of that kind happened." in look(me, "?area=home&kind=expired")
    everything = look(me)
    assert look(me, "?area=nonsense&kind=x&order=y&page=%00") == everything


def test_open_attributes_count_for_the_area_of_their_kind(owner: User, me: Client) -> None:
    learn(owner, "My kiln is blue", "My kiln is blue", "kiln", "blue", kind="project")
    assert "blue" in look(me, "?area=projects")
    assert "blue" not in look(me, "?area=work")


def test_it_is_read_by_pages_and_a_month_is_one_step_away(owner: User, me: Client) -> None:
    many(owner, 120, gap=timedelta(days=5))
    first = text(me.get(reverse("timeline")))
    assert first.count("You speak tongue") == 50
    assert "Page 1 of 3" in first
    last = text(me.get(reverse("timeline") + "?page=99"))
    assert last.count("You speak tongue") == 20
    # A year of the first page, and a month of the last page's year that begins before it.
    for page, anchor in ((last, "m-2025-12"), (last, "m-2024-12")):
        target = re.search(rf'href="\?page=(\d)#{anchor}"', page)
        assert target is not None
        there = text(me.get(reverse("timeline") + f"?page={target[1]}"))
        assert f'id="{anchor}"' in there


def test_every_entry_leads_to_why(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    assert f'hx-get="{reverse("fact", args=[fact_id])}"' in text(me.get(reverse("timeline")))


def test_with_scripts_only_the_list_is_sent(owner: User, me: Client) -> None:
    moved(owner)
    fragment = text(me.get(reverse("timeline") + "?area=home", headers=HTMX))
    assert "<html" not in fragment
    assert "<select" not in fragment
    assert "You live in Lisbon." in fragment


def test_nothing_of_others_is_in_it(owner: User, other: User, me: Client) -> None:
    moved(other)
    fact_id = learn(other, "I play chess", "I play chess", "hobby", "chess")
    assert fact_id is not None
    forget(other, fact_id)
    assert "Nothing has begun or changed yet." in text(me.get(reverse("timeline")))


def test_the_number_of_queries_does_not_grow(owner: User, me: Client) -> None:
    moved(owner)
    before = asked(me, reverse("timeline"))
    many(owner, 40)
    assert asked(me, reverse("timeline")) == before
