"""People and pets: cards, one person's page, another name, two who are one, and apart again."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memoryapp.context import acting_for
from memoryapp.models import SubjectAlias
from memoryapp.web.people import key_of
from tests.notebook import facts, learn, log, text
from tests.test_web_timeline import asked

MIRA, SISTER, PIM = "person:mira", "person:sister", "pet:pim"


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def plain(page: str) -> str:
    """The words of the page's main part."""
    main = page[page.index("<main") : page.index("</main>")]
    words = " ".join(re.sub(r"<[^>]+>", " ", main).split())
    return re.sub(r"\s+([.,;:])", r"\1", words)


def known(user: User) -> None:
    learn(user, "Mira is my sister", "my sister", "relation", "sister", subject=MIRA)
    learn(user, "Mira lives in Braga", "lives in Braga", "home", "Braga", days=5, subject=MIRA)
    learn(user, "My sister loves tea", "loves tea", "likes", "tea", days=6, subject=SISTER)
    learn(user, "Pim is a beagle", "is a beagle", "species", "beagle", days=7, subject=PIM)


def person(user: User, subject: str) -> str:
    return reverse("person", args=[key_of(user, subject)])


def test_without_anybody_it_says_what_will_stand_here(me: Client) -> None:
    assert "I know of nobody yet." in text(me.get(reverse("people")))


def test_everybody_has_a_card_with_who_they_are(owner: User, me: Client) -> None:
    known(owner)
    learn(owner, "my friend 王小明", "王小明", "friend", "王小明", days=8)
    page = plain(text(me.get(reverse("people"))))
    assert "You have told me about 3 people and pets." in page
    assert "Pim beagle" in page
    assert "Your sister" in page
    assert "Mira your sister Mira lives in Braga. 2 things remembered." in page
    assert "Last mentioned on 8 March 2026." in page
    assert page.index("Pim") < page.index("Mira lives")
    assert "What you said of others in passing A friend of yours: 王小明." in page


def test_no_name_is_in_any_address(owner: User, me: Client) -> None:
    known(owner)
    for address in (reverse("people"), person(owner, MIRA)):
        links = re.findall(r'(?:href|action|hx-get)="([^"]*)"', text(me.get(address)))
        assert person(owner, PIM) in links or address != reverse("people")
        assert not [one for one in links if re.search("mira|sister|pim|beagle", one, re.I)]


def test_a_persons_page_has_everything_by_area(owner: User, me: Client) -> None:
    known(owner)
    learn(owner, "Mira moved to Faro", "moved to Faro", "home", "Faro", days=20, subject=MIRA)
    learn(owner, "Mira likes go", "likes go", "likes", "go", days=21, subject=MIRA)
    learn(
        owner, "Mira gave up go", "gave up go", "likes", "go", days=22, subject=MIRA,
        operation="end",
    )  # fmt: skip
    page = plain(text(me.get(person(owner, MIRA))))
    assert "your sister I remember 2 things. You last mentioned them on" in page
    assert re.search("Home Mira lives in Faro.*What it was before Mira lives in Braga", page)
    assert "One thing that is no longer so Mira likes go." in page


def test_delicate_things_are_covered_and_what_waits_is_told(owner: User, me: Client) -> None:
    known(owner)
    fact_id = learn(
        owner, "Mira has asthma", "has asthma", "health_condition", "asthma", days=9, subject=MIRA
    )
    page = text(me.get(person(owner, MIRA)))
    assert "asthma" not in page
    assert "One more thing about them waits for your yes." in plain(page)
    me.post(reverse("fact_approve", args=[fact_id]))
    assert "asthma" not in text(me.get(reverse("people")))
    page = text(me.get(person(owner, MIRA)))
    assert 0 < page.index('<details class="covered"') < page.index("asthma")


@pytest.mark.parametrize("name", ["person", "person_name", "person_same"])
def test_another_users_people_are_not_found(owner: User, other: User, name: str) -> None:
    known(owner)
    client = Client()
    client.force_login(other)
    url = reverse(name, args=[key_of(owner, MIRA)])
    response = client.get(url) if name == "person" else client.post(url, {"name": "Mia"})
    assert response.status_code == 404
    assert log(other, "access.refused")


def test_another_users_names_are_not_parted(owner: User, other: User, me: Client) -> None:
    known(owner)
    rename(me, owner, "Mia")
    with acting_for(owner.pk):
        alias = SubjectAlias.objects.get()
    client = Client()
    client.force_login(other)
    for alias_id in (alias.pk, uuid4()):
        assert client.post(reverse("person_part", args=[alias_id])).status_code == 404
    assert facts(owner, subject="person:mia")


def rename(client: Client, user: User, name: str, **data: str) -> Any:
    url = reverse("person_name", args=[key_of(user, MIRA)])
    return client.post(url, {"name": name, "confirmed": "1", **data}, follow=True)


def test_a_new_name_is_shown_before_it_is_used(owner: User, me: Client) -> None:
    known(owner)
    url = reverse("person_name", args=[key_of(owner, MIRA)])
    page = plain(text(me.post(url, {"name": "Mira  Novák"})))
    assert "Shall I call them Mira Novák?" in page
    assert "Mira Novák lives in Braga." in page
    assert facts(owner, subject=MIRA)
    page = plain(text(me.post(url, {"name": "Mira  Novák", "confirmed": "1"}, follow=True)))
    assert "Noted. The old name still means them." in page
    assert "Mira means them too." in page
    assert {fact.subject for fact in facts(owner, attribute="home")} == {"person:mira-novák"}


def test_an_old_address_leads_on(owner: User, me: Client) -> None:
    known(owner)
    old = person(owner, MIRA)
    rename(me, owner, "Mia")
    assert me.get(old).headers["Location"] == person(owner, "person:mia")


@pytest.mark.parametrize("name", ["", "  ", "!!!", "user", "the user", "Mira"])
def test_a_name_that_is_none_changes_nothing(owner: User, me: Client, name: str) -> None:
    known(owner)
    page = plain(text(rename(me, owner, name)))
    assert "Nothing was changed." in page
    assert len(facts(owner, subject=MIRA)) == 2


def test_two_are_shown_before_they_become_one_and_can_be_parted(owner: User, me: Client) -> None:
    known(owner)
    url = reverse("person_same", args=[key_of(owner, SISTER)])
    data = {"other": key_of(owner, MIRA)}
    page = text(me.post(url, data))
    assert "Are these two the same?" in plain(page)
    assert "Mira lives in Braga." in plain(page)
    # The name, rather than what she is to the user.
    assert re.search(rf'value="{key_of(owner, MIRA)}" checked', page)
    assert facts(owner, subject=SISTER)

    answer = me.post(url, {**data, "confirmed": "1", "keep": key_of(owner, MIRA)}, follow=True)
    page = plain(text(answer))
    assert "Noted: they are one." in page
    assert "Mira likes tea." in page
    assert not facts(owner, subject=SISTER)

    with acting_for(owner.pk):
        alias = SubjectAlias.objects.get()
    page = plain(text(me.post(reverse("person_part", args=[alias.pk]), follow=True)))
    assert "Taken back." in page
    assert [fact.value for fact in facts(owner, subject=SISTER)] == ["tea"]


def test_a_new_name_that_somebody_has_asks_whether_they_are_one(owner: User, me: Client) -> None:
    known(owner)
    learn(owner, "Mia lives in Rome", "lives in Rome", "home", "Rome", subject="person:mia")
    url = reverse("person_name", args=[key_of(owner, MIRA)])
    page = plain(text(me.post(url, {"name": "mia", "confirmed": "1"})))
    assert "Are these two the same?" in page
    assert facts(owner, subject=MIRA)


def test_nobody_is_merged_with_themselves(owner: User, me: Client) -> None:
    known(owner)
    key = key_of(owner, MIRA)
    url = reverse("person_same", args=[key])
    page = text(me.post(url, {"other": key, "confirmed": "1", "keep": key}, follow=True))
    assert "Choose somebody else. Nothing was changed." in page


def test_forgetting_somebody_goes_by_the_usual_way(owner: User, me: Client) -> None:
    known(owner)
    page = text(me.get(person(owner, MIRA)))
    assert f'action="{reverse("forget_topic")}"' in page
    answer = me.post(reverse("forget_topic"), {"subject": MIRA})
    assert answer.status_code == 200
    assert "Mira lives in Braga." in text(answer)


def test_the_number_of_queries_does_not_grow(owner: User, me: Client) -> None:
    known(owner)
    learn(owner, "Mira likes tea", "likes tea", "likes", "tea", days=8, subject=MIRA)
    pages = (reverse("people"), person(owner, MIRA))
    before = [asked(me, page) for page in pages]
    for n in range(9):
        learn(owner, f"Ann{n} likes tea", "likes tea", "likes", "tea", subject=f"person:ann{n}")
        learn(owner, f"Mira likes {n}", f"likes {n}", "likes", f"{n} spoons", subject=MIRA)
    assert [asked(me, page) for page in pages] == before
