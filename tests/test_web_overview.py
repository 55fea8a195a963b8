"""The overview narrowed, ordered and looked back: what stands there, and what its address says."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Application, User
from memoryapp import audit, pipeline
from memoryapp.context import acting_for
from memoryapp.models import Attribute, Conversation, Fact, FactUsage, MemoryUse
from memoryapp.web import cards, overview, wording
from memoryapp.web.looking import Look
from tests.notebook import BEGAN, facts, learn, many, moved, text
from tests.test_web_timeline import asked

HTMX: Any = {"HX-Request": "true"}
SENTENCES = {
    "lisbon": "You live in Lisbon.",
    "porto": "You live in Porto.",
    "dark": "you use dark mode.",
    "mira": "Mira lives in Rome.",
    "cello": "playing the cello",
    "asthma": "asthma",
}


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def chatty(owner: User) -> Application:
    return Application.objects.create(owner=owner, name="Chatty")


@pytest.fixture
def notebook(owner: User, chatty: Application) -> dict[str, UUID]:
    """A few memories of every kind that filters tell apart, by a word of each."""
    mira: Any = {"subject": "person:mira", "conversation": "elsewhere"}
    made = {
        "lisbon": moved(owner),
        "dark": learn(owner, "dark mode in my IDE", "dark mode", "theme", "dark mode", scope="ide"),
        "mira": learn(owner, "Mira lives in Rome", "lives in Rome", "city", "Rome", **mira),
        "cello": learn(
            owner, "I play the cello", "the cello", "hobby", "playing the cello", days=3
        ),
        "asthma": learn(
            owner, "I have asthma", "have asthma", "health_condition", "asthma", days=4
        ),
    }
    found = {name: one for name, one in made.items() if one is not None}
    by = audit.Actor.user(owner)
    found["asthma"] = pipeline.approve(user_id=owner.pk, fact_id=found["asthma"], by=by)
    found["cello"] = pipeline.edit_fact(
        user_id=owner.pk,
        fact_id=found["cello"],
        value="playing the cello well",
        supersession="correction",
        by=by,
    )
    pipeline.weigh_fact(user_id=owner.pk, fact_id=found["dark"], weights={"pinned": True}, by=by)
    with acting_for(owner.pk):
        Conversation.objects.filter(user_id=owner.pk, external_id="elsewhere").update(
            application_id=chatty.pk
        )
        FactUsage.objects.create(
            user_id=owner.pk,
            fact_id=found["lisbon"],
            recall_count=4,
            last_recalled_at=timezone.now() - timedelta(days=1),
        )
        MemoryUse.objects.create(
            user_id=owner.pk,
            fact_id=found["lisbon"],
            at=timezone.now() - timedelta(days=1),
            application_id=chatty.pk,
            via=MemoryUse.Via.CHAT,
        )
    return found


def shown(page: str) -> set[str]:
    """Which of the sentences stand in the list, not counting what they were before."""
    listed = page[page.index('<div id="list"') :] if '<div id="list"' in page else page
    listed = re.sub(r'<details class="past">.*?</details>', "", listed, flags=re.DOTALL)
    return {name for name, sentence in SENTENCES.items() if sentence in listed}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", {"lisbon", "dark", "mira", "cello", "asthma"}),
        ("?group=home", {"lisbon"}),
        ("?group=people", {"mira"}),
        ("?origin=said", {"lisbon", "dark", "mira", "asthma"}),
        ("?origin=edited", {"cello"}),
        ("?origin=brought", set()),
        ("?app={app}", {"mira"}),
        ("?scope={dark}", {"dark"}),
        ("?subject={mira}", {"mira"}),
        ("?pinned=1", {"dark"}),
        ("?delicate=1", {"asthma"}),
        ("?unused=1", {"dark", "mira"}),
        ("?status=past", {"porto", "cello"}),
        ("?status=away", set()),
        ("?pinned=1&group=home", set()),
        ("?group=%27&origin=x&app=x&sort=x&status=x&page=x", "all"),
    ],
)
def test_each_filter_leaves_what_it_says(
    notebook: dict[str, UUID], chatty: Application, owner: User, me: Client, query: str, names: Any
) -> None:
    with acting_for(owner.pk):
        # Long known, all but what was changed by hand today.
        Fact.objects.filter(user_id=owner.pk, id=notebook["asthma"]).update(
            recorded_at=timezone.now()
        )
    page = text(me.get("/" + query.format(app=chatty.pk, **notebook)))
    assert shown(page) == (set(SENTENCES) - {"porto"} if names == "all" else names)


def test_a_filter_that_is_on_is_said_and_taken_off_again(
    notebook: dict[str, UUID], me: Client
) -> None:
    page = text(me.get(f"/?pinned=1&scope={notebook['dark']}&sort=used"))
    assert "One memory." in page
    assert 'aria-label="Without “In your IDE”"' in page
    assert f'href="/?scope={notebook["dark"]}&amp;pinned=1"' in page
    assert ">Clear all<" in page
    assert f'<option value="{notebook["dark"]}" selected>In your IDE</option>' in page
    assert ">Clear all<" not in text(me.get("/"))


def test_another_users_scope_and_application_narrow_nothing_and_name_nothing(
    notebook: dict[str, UUID], other: User
) -> None:
    client = Client()
    client.force_login(other)
    learn(other, "I play chess", "I play chess", "hobby", "chess")
    page = text(client.get(f"/?scope={notebook['dark']}&subject={notebook['mira']}"))
    assert "chess" in page
    assert "IDE" not in page
    assert "Mira" not in page
    # Nothing of an address that isn't the reader's own is repeated (BREACH).
    written = uuid4()
    page = text(client.get(f"/?scope={written}&subject={written}&app={written}&page=7{written}"))
    assert str(written) not in page


@pytest.mark.parametrize("sort", ["oldest", "used", "surest", "alphabet"])
def test_orders(notebook: dict[str, UUID], owner: User, me: Client, sort: str) -> None:
    """What was said last comes first otherwise: see what is pinned, below."""
    with acting_for(owner.pk):
        mine = Fact.objects.filter(user_id=owner.pk)
        mine.update(pinned=False, confidence=0.7)
        mine.filter(id=notebook["lisbon"]).update(
            recorded_at=BEGAN - timedelta(days=9), value_key="a", confidence=0.8
        )
    page = text(me.get(f"/?sort={sort}"))
    start = page.index('<ul class="facts">')
    assert SENTENCES["lisbon"] in page[start : page.index("</li>", start)]


def test_what_is_pinned_comes_first_and_says_so(owner: User, me: Client) -> None:
    old = learn(owner, "I speak Dutch", "I speak Dutch", "language", "Dutch")
    learn(owner, "I speak Hindi", "I speak Hindi", "language", "Hindi", days=9)
    page = text(me.get("/"))
    assert page.index("You speak Hindi") < page.index("You speak Dutch")
    assert old is not None
    by = audit.Actor.user(owner)
    pipeline.weigh_fact(user_id=owner.pk, fact_id=old, weights={"pinned": True}, by=by)
    page = text(me.get("/"))
    assert page.index("You speak Dutch") < page.index("You speak Hindi")
    assert ">Pinned</span>" in page
    assert ">Pinned</span>" in text(me.get("/?sort=alphabet"))


def test_how_often_and_when_last_and_by_whom(notebook: dict[str, UUID], me: Client) -> None:
    page = text(me.get("/?group=home"))
    assert "Used 4 times, most recently yesterday by Chatty." in page
    assert "Used" not in text(me.get("/?group=people")).partition('id="list"')[2]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [(0.0, "never used in answers"), (0.2, "matters little"), (1.0, "this matters."), (0.5, "")],
)
def test_an_importance_that_was_chosen_is_said(owner: User, chosen: float, words: str) -> None:
    fact_id = learn(owner, "I speak Dutch", "I speak Dutch", "language", "Dutch")
    assert fact_id is not None
    by = audit.Actor.user(owner)
    pipeline.weigh_fact(user_id=owner.pk, fact_id=fact_id, weights={"importance": chosen}, by=by)
    with acting_for(owner.pk):
        [card] = cards.cards(owner.pk, [fact_id])
    assert words in card.weight
    assert bool(card.weight) == bool(words)


# -- Looking back ---------------------------------------------------------------------------------


def test_a_day_shows_what_was_so_then_and_the_way_back(
    notebook: dict[str, UUID], me: Client
) -> None:
    page = text(me.get("/?on=2026-03-20"))
    assert shown(page) == {"porto", "dark", "mira", "cello", "asthma"}
    assert "This is what was so on 20 March 2026, as far as I know today." in page
    assert "Back to today" in page
    assert reverse("fact_edit", args=[facts_of(notebook, page)]) not in page
    assert shown(text(me.get("/?on=2026-03-20&group=home"))) == {"porto"}
    assert shown(text(me.get("/?on=1990-01-01"))) == set()


def facts_of(notebook: dict[str, UUID], page: str) -> UUID:
    """The id of the memory of Porto, which can't be changed: it is the past."""
    found = re.search(r'id="fact-([0-9a-f-]+)"(?:(?!</li>).)*Porto', page, re.DOTALL)
    assert found is not None
    return UUID(found[1])


def test_what_was_so_and_what_i_had_been_told_differ(owner: User, me: Client) -> None:
    """In April it was said that it had been so since February."""
    learn(
        owner,
        "I’ve worked at Bosch since February",
        "worked at Bosch since February",
        "employer",
        "Bosch",
        days=30,
        valid_from=BEGAN - timedelta(days=20),
    )
    assert "You work at Bosch" in text(me.get("/?on=2026-03-10"))
    page = text(me.get("/?on=2026-03-10&told=1"))
    assert "You work at Bosch" not in page
    assert "This is what I would have known on 10 March 2026." in page
    assert "You work at Bosch" in text(me.get("/?on=2026-04-10&told=1"))


def test_a_correction_made_later_is_not_known_yet(owner: User, me: Client) -> None:
    learn(owner, "My name is Samantha", "Samantha", "name", "Samantha")
    learn(owner, "No, it is Sam!", "Sam", "name", "Sam", days=30, correction=True)
    assert "Samantha" not in text(me.get("/?on=2026-03-20"))
    assert "Samantha" in text(me.get("/?on=2026-03-20&told=1"))


def test_words_said_later_are_not_shown_as_known_then(owner: User, me: Client) -> None:
    learn(owner, "I live in Porto", "I live in Porto", "city", "Porto")
    learn(owner, "Still in Porto, of course", "Still in Porto", "city", "Porto", days=30)
    assert "Still in Porto" in text(me.get("/?on=2026-03-20"))
    page = text(me.get("/?on=2026-03-20&told=1"))
    assert "Still in Porto" not in page
    assert '<q dir="auto">I live in Porto</q>' in page


@pytest.mark.parametrize("day", ["2999-01-01", "0001-01-01", "tomorrow", "2026-02-30"])
def test_a_day_that_cannot_be_looked_back_to_is_said(
    notebook: dict[str, UUID], me: Client, day: str
) -> None:
    page = text(me.get(f"/?on={day}"))
    assert "I can’t look back to that day." in page
    assert "You live in Lisbon." in page


# -- Search within it -----------------------------------------------------------------------------


def find(me: Client, query: str, **fields: Any) -> set[str]:
    return shown(text(me.post(reverse("search"), {"query": query, **fields}, headers=HTMX)))


def test_search_finds_by_the_beginning_of_a_word(notebook: dict[str, UUID], me: Client) -> None:
    assert "lisbon" in find(me, "Lisb")
    assert "cello" in find(me, "cel")


@pytest.mark.parametrize("query", ["%", "_", "\\", "%z_", "?!"])
def test_signs_of_the_database_are_nothing_special(
    notebook: dict[str, UUID], me: Client, query: str
) -> None:
    assert find(me, query) == set()


def test_search_stays_within_the_filters_and_the_day(notebook: dict[str, UUID], me: Client) -> None:
    assert find(me, "Rome") == {"mira"}
    assert find(me, "Rome", group="home") == set()
    assert find(me, "Porto", on="2026-03-20", group="home") == {"porto"}
    assert find(me, "Porto", status="past") == {"porto"}
    assert find(me, "dark mode", pinned="1") == {"dark"}
    assert find(me, "dark mode", delicate="1") == set()


def test_no_word_of_the_user_gets_into_an_address(notebook: dict[str, UUID], me: Client) -> None:
    data = {"query": "Lisbon", "group": "home", "scope": str(notebook["dark"])}
    response = me.post(reverse("search"), data, headers=HTMX)
    assert response["HX-Replace-Url"] == f"/?group=home&scope={notebook['dark']}"
    page = text(me.post(reverse("search"), {"query": "Lisbon", "group": "home"}))
    assert not [
        one for one in re.findall(r'(?:href|action|hx-\w+)="([^"]*)"', page) if "isb" in one
    ]
    assert '<input type="hidden" name="group" value="home">' in page
    away = me.post(reverse("search"), {"query": "", "group": "home"})
    assert away["Location"] == "/?group=home"


def test_search_goes_on_page_by_page(owner: User, me: Client) -> None:
    many(owner, overview.PER_PAGE + 3)
    first = text(me.post(reverse("search"), {"query": "tongue"}, headers=HTMX))
    assert first.count('class="fact"') == overview.PER_PAGE
    assert "53 memories fit, the closest first." in first
    assert "Page 1 of 2" in first
    second = text(me.post(reverse("search"), {"query": "tongue", "page": "2"}, headers=HTMX))
    assert second.count('class="fact"') == 3
    assert "data-focus" in second
    assert not set(re.findall(r"tongue \d+", first)) & set(re.findall(r"tongue \d+", second))


# -- What holds it up -----------------------------------------------------------------------------


def test_the_database_parts_a_life_as_the_wording_does(owner: User) -> None:
    known = cards.registry()
    kinds = [*wording.GROUP_OF_KIND, "personal"]
    with acting_for(owner.pk):
        for subject in ("user", "pet:pim"):
            for attribute in [*known, "unheard_of"]:
                kind = kinds[len(attribute) % len(kinds)]
                many(owner, 1, subject=subject, attribute=attribute, kind=kind)
        parts = {
            part: set(overview.shown(owner.pk, Look(group=part)).ids) for part in wording.GROUPS
        }
    for fact in facts(owner):
        group = wording.group_of(fact.subject, fact.attribute, fact.kind, known)
        assert fact.id in parts[group] or len(parts[group]) == overview.PER_PAGE
    assert sum(map(len, parts.values())) > Attribute.objects.count()


def test_queries_are_as_many_for_a_hundred_as_for_one(owner: User, me: Client) -> None:
    many(owner, 1)
    few = asked(me, "/")
    many(owner, 99, attribute="hobby", scope="ide", subject="person:mira")
    assert asked(me, "/") <= few
    assert few <= 25


def test_what_came_before_is_found_step_by_step(owner: User) -> None:
    """Dark, light, dark: and each value of a key with several has a past of its own."""
    for day, value in enumerate(("dark", "light", "dark")):
        learn(owner, f"I use {value} mode, day {day}", f"{value} mode", "theme", value, days=day)
    learn(owner, "I speak Dutch", "I speak Dutch", "language", "Dutch")
    learn(owner, "No Dutch for me", "No Dutch", "language", "Dutch", days=1, operation="end")
    learn(owner, "I speak Dutch again", "speak Dutch again", "language", "Dutch", days=2)
    learn(owner, "I speak Hindi", "I speak Hindi", "language", "Hindi")
    with acting_for(owner.pk):
        held = facts(owner, status=Fact.Status.CURRENT, operation="state")
        past = {card.value: card.past for card in cards.cards(owner.pk, [one.id for one in held])}
    assert [one.sentence for one in past["dark"]] == ["You use light.", "You use dark."]
    assert len(past["Dutch"]) == 1
    assert past["Hindi"] == []


def test_pages_travel_compressed_and_nothing_else_does(owner: User, me: Client) -> None:
    moved(owner)
    gzip: Any = {"Accept-Encoding": "gzip"}
    page = me.get("/", headers=gzip)
    assert page["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in page["Vary"]
    # As long as its answers are told apart by random bytes (BREACH).
    assert len({len(me.get("/", headers=gzip).content) for _ in range(8)}) > 1
    assert "Content-Encoding" not in me.get("/")
    assert "Content-Encoding" not in me.get(reverse("live"), headers=gzip)


def test_the_rail_marks_the_page_and_leads_on_without_scripts(owner: User, me: Client) -> None:
    page = text(me.get("/"))
    assert page.count('aria-current="page"') == 1
    assert re.search(r'<a href="/"\s+aria-current="page">', page)
    assert 'popovertarget="rail-more"' in page
    assert re.search(r'id="rail-more"\s+popover', page)
    assert 'aria-current="page"' not in text(me.get("/nowhere/"))


def test_a_form_without_scripts_leads_to_a_short_address(me: Client) -> None:
    response = me.get("/?group=home&origin=&app=&status=now&sort=newest&on=")
    assert response["Location"] == "/?group=home"
