"""What the pages show without scripts, and whom they refuse."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from memoryapp import audit, registry, store
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Fact, Message
from memoryapp.web import dates
from memoryapp.web.overview import PER_GROUP
from tests.notebook import delicate, facts, learn, log, many, moved, talk_of, text

HTMX: Any = {"HX-Request": "true"}


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


# -- Who may look ---------------------------------------------------------------------------------

PLAIN = ["memories", "review", "conversations", "activity", "settings", "memories_status"]
OF_A_FACT = [
    ("fact", "get"),
    ("fact_edit", "get"),
    ("fact_edit", "post"),
    ("fact_forget", "get"),
    ("fact_forget", "post"),
    ("fact_approve", "post"),
    ("fact_reject", "post"),
    ("fact_never", "post"),
]
OF_A_TALK = ["conversation", "conversation_forget"]


@pytest.mark.parametrize("name", [*PLAIN, "search", "example", "forget"])
def test_signed_out_people_are_sent_to_sign_in(db: None, name: str) -> None:
    response = Client().get(reverse(name))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("account_login"))


def test_a_fragment_for_the_signed_out_is_refused_not_redirected(db: None) -> None:
    assert Client().get(reverse("memories_status"), headers=HTMX).status_code == 403


@pytest.mark.parametrize("name", PLAIN)
def test_no_page_is_kept_by_browser_or_proxy(me: Client, name: str) -> None:
    response = me.get(reverse(name))
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert "private" in response["Cache-Control"]


@pytest.mark.parametrize(("name", "method"), OF_A_FACT)
def test_another_users_fact_is_not_found_and_the_attempt_is_logged(
    owner: User, other: User, name: str, method: str
) -> None:
    fact_id = (
        delicate(owner) if name in {"fact_approve", "fact_reject", "fact_never"} else moved(owner)
    )
    client = Client()
    client.force_login(other)
    data = {"value": "Rome", "supersession": "change"} if method == "post" else None
    response = getattr(client, method)(reverse(name, args=[fact_id]), data)
    assert response.status_code == 404
    assert "Lisbon" not in text(response)
    [event] = log(other, "access.refused")
    assert event.object == f"fact:{fact_id}"
    assert not log(owner, "access.refused")
    [held] = facts(owner, pk=fact_id)
    assert held.status in {Fact.Status.CURRENT, Fact.Status.PENDING}


@pytest.mark.parametrize("name", OF_A_TALK)
def test_another_users_conversation_is_not_found(owner: User, other: User, name: str) -> None:
    moved(owner)
    client = Client()
    client.force_login(other)
    conversation_id = talk_of(owner)
    url = reverse(name, args=[conversation_id])
    assert client.get(url).status_code == 404
    if name == "conversation_forget":
        assert client.post(url).status_code == 404
    assert log(other, "access.refused")
    assert talk_of(owner) == conversation_id


def test_another_users_fact_among_ones_own_stops_the_forgetting(
    owner: User, other: User, me: Client
) -> None:
    mine, theirs = moved(owner), moved(other)
    response = me.post(reverse("forget"), {"fact": [mine, theirs], "word": "x"})
    assert response.status_code == 404
    assert facts(owner, pk=mine, status=Fact.Status.CURRENT)
    assert facts(other, pk=theirs, status=Fact.Status.CURRENT)


# -- The overview ---------------------------------------------------------------------------------


def test_the_empty_notebook_offers_the_example(me: Client) -> None:
    page = text(me.get("/"))
    assert "I remember nothing about you yet." in page
    assert reverse("example") in page
    assert 'role="search"' not in page


def test_the_overview_says_what_holds_with_the_words_behind_it(owner: User, me: Client) -> None:
    moved(owner)
    delicate(owner)
    page = text(me.get("/"))
    assert "I remember one thing about you. One needs your eye." in page
    assert "You live in Lisbon." in page
    assert "I moved to Lisbon" in page
    assert "What it was before" in page
    assert "You live in Porto." in page
    assert "asthma" not in page


def test_what_people_say_is_text_not_markup(owner: User, me: Client) -> None:
    learn(owner, "Call me <b>Ana</b> & co", "<b>Ana</b> & co", "name", "<b>Ana</b> & co")
    page = text(me.get("/"))
    assert "<b>Ana</b>" not in page
    assert "&lt;b&gt;Ana&lt;/b&gt; &amp; co" in page


def test_an_approved_delicate_fact_is_covered(owner: User, me: Client) -> None:
    me.post(reverse("fact_approve", args=[delicate(owner)]))
    page = text(me.get("/"))
    assert "Something about your health" in page
    assert page.index("Something about your health") < page.index("asthma")


def test_a_long_group_is_cut_and_shown_whole_by_pages(owner: User, me: Client) -> None:
    many(owner, 60)
    first = text(me.get("/"))
    assert "I remember 60 things about you." in first
    assert first.count("You speak tongue") == PER_GROUP
    assert "Show all 60" in first
    second = text(me.get("/?group=about&page=2"))
    assert second.count("You speak tongue") == 10
    assert text(me.get("/?group=nonsense&page=-4")).count("You speak tongue") == PER_GROUP


def test_a_fact_that_ended_is_no_longer_listed(owner: User, me: Client) -> None:
    learn(owner, "I speak Dutch", "I speak Dutch", "language", "Dutch")
    learn(owner, "I gave up Dutch", "gave up Dutch", "language", "Dutch", days=2, operation="end")
    assert "You speak Dutch" not in text(me.get("/"))


# -- Search ---------------------------------------------------------------------------------------


def test_search_takes_the_query_from_the_body_and_finds(owner: User, me: Client) -> None:
    moved(owner)
    learn(owner, "I play the cello", "I play the cello", "hobby", "playing the cello")
    response = me.post(reverse("search"), {"query": "Lisbon"})
    page = text(response)
    assert "You live in Lisbon." in page
    assert 'value="Lisbon"' in page
    fragment = text(me.post(reverse("search"), {"query": "Lisbon"}, headers=HTMX))
    assert "<html" not in fragment
    assert "You live in Lisbon." in fragment


def test_search_says_when_there_is_nothing(owner: User, me: Client) -> None:
    moved(owner)
    page = text(me.post(reverse("search"), {"query": "zygomorphic quaternion"}))
    assert "I don’t remember anything about that." in page
    assert "You live in Lisbon." not in page


def test_search_never_crosses_users(owner: User, other: User, me: Client) -> None:
    moved(other)
    assert "You live in Lisbon" not in text(me.post(reverse("search"), {"query": "Lisbon"}))


def test_an_empty_or_linked_search_shows_everything(owner: User, me: Client) -> None:
    moved(owner)
    assert me.get(reverse("search")).status_code == 302
    assert me.post(reverse("search"), {"query": " \x00"}).status_code == 302
    assert "You live in Lisbon." in text(me.post(reverse("search"), {"query": ""}, headers=HTMX))


# -- Why ------------------------------------------------------------------------------------------


def test_why_shows_the_words_in_their_message_the_past_and_the_decision(
    owner: User, me: Client
) -> None:
    page = text(me.get(reverse("fact", args=[moved(owner)])))
    assert "News: <mark>I moved to Lisbon</mark>!" in page
    assert "You live in Porto." in page
    assert "It replaced what you had said before." in page
    assert ">3 March 2026</time> until <time" in page


def test_why_keeps_the_quote_when_the_message_was_purged(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    with acting_for(owner.pk):
        Message.objects.filter(user_id=owner.pk).update(content="")
    page = text(me.get(reverse("fact", args=[fact_id])))
    assert "<mark>I moved to Lisbon</mark>" in page
    assert "The rest of the message is no longer kept." in page


def test_why_in_the_drawer_is_a_fragment(owner: User, me: Client) -> None:
    url = reverse("fact", args=[moved(owner)])
    assert "<html" not in text(me.get(url, headers=HTMX))
    card = text(me.get(f"{url}?card=edit", headers=HTMX))
    assert card.strip().startswith('<li class="fact"')
    assert card.count("data-focus") == 1


def test_a_fact_that_never_was_is_not_found_and_logged(owner: User, me: Client) -> None:
    assert me.get(reverse("fact", args=[uuid4()])).status_code == 404
    assert len(log(owner, "access.refused")) == 1


def test_a_conversation_began_with_its_first_message(owner: User, me: Client) -> None:
    """Not when it came here: a frontend may send last year's talks today."""
    moved(owner)
    with acting_for(owner.pk):
        Conversation.objects.filter(user_id=owner.pk).update(created_at=timezone.now())
        first = Message.objects.filter(user_id=owner.pk).order_by("sent_at").first()
    assert first is not None
    began = f'began <time datetime="{first.sent_at:%Y-%m-%d}'
    assert began in text(me.get(reverse("conversations")))
    page = text(me.get(reverse("conversation", args=[talk_of(owner)])))
    assert f"A conversation that began {dates.when(first.sent_at)}" in page


# -- Progress -------------------------------------------------------------------------------------


def test_progress_counts_what_is_read_and_stops_asking_when_done(owner: User, me: Client) -> None:
    moved(owner)
    with acting_for(owner.pk):
        unread = Message.objects.filter(user_id=owner.pk).order_by("sent_at").last()
        assert unread is not None
        Message.objects.filter(pk=unread.pk).update(state=Message.State.PENDING)
    page = text(me.get("/"))
    assert "Reading your conversations: 1 of 2 messages. 1 thing found so far." in page
    assert 'hx-trigger="every 2s"' in page
    url = reverse("memories_status")
    assert 'id="list"' not in text(me.get(f"{url}?seen=1", headers=HTMX))
    assert 'id="list"' in text(me.get(f"{url}?seen=0", headers=HTMX))
    with acting_for(owner.pk):
        Message.objects.filter(pk=unread.pk).update(state=Message.State.FAILED)
    assert "hx-trigger" not in text(me.get(url, headers=HTMX))
    assert "One message couldn’t be read" in text(me.get("/"))


def test_the_example_is_stored_and_waits_to_be_read(owner: User, me: Client) -> None:
    page = text(me.post(reverse("example"), follow=True))
    assert "I’m reading the example." in page
    assert "Reading your conversations: 0 of " in page
    with acting_for(owner.pk):
        unread = Message.objects.filter(user_id=owner.pk, state=Message.State.PENDING).count()
    assert unread
    me.post(reverse("example"))
    with acting_for(owner.pk):
        assert Message.objects.filter(user_id=owner.pk).count() == unread


# -- Errors ---------------------------------------------------------------------------------------


def test_errors_are_pages_of_ours(me: Client) -> None:
    response = me.get("/nowhere/")
    assert response.status_code == 404
    assert "There is nothing here" in text(response)


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "410", "429", "500"])
def test_error_pages_stand_without_context(db: None, name: str) -> None:
    from django.template.loader import render_to_string

    html = render_to_string(f"{name}.html")
    assert "<h1>" in html
    assert "app.css" in html
    assert "<style" not in html


def test_a_decision_reason_that_the_core_writes_has_words_of_its_own(owner: User) -> None:
    from memoryapp.models import Decision
    from memoryapp.web import logbook

    moved(owner)
    fact_id = delicate(owner)
    with acting_for(owner.pk):
        store.approve(
            user_id=owner.pk,
            fact_id=fact_id,
            registry=registry.load(),
            by=audit.Actor.user(owner),
        )
        rows = list(Decision.objects.filter(user_id=owner.pk))
    assert rows
    for row in rows:
        assert row.reason in logbook._REASONS, row.reason
