"""What a person changes on the page, without scripts: edits, forgetting, answers, settings."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memoryapp import audit
from memoryapp.context import acting_for
from memoryapp.models import (
    AuditEvent,
    ErasureRequest,
    Evidence,
    Fact,
)
from tests.notebook import BEGAN, delicate, facts, learn, moved, talk_of, text, word

HTMX: Any = {"HX-Request": "true"}


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


# -- Edit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "retired"), [("change", False), ("correction", True)])
def test_an_edit_keeps_the_old_value_as_the_past(
    owner: User, me: Client, kind: str, retired: bool
) -> None:
    url = reverse("fact_edit", args=[moved(owner)])
    response = me.post(url, {"value": "  Coimbra ", "supersession": kind}, follow=True)
    page = text(response)
    assert "You live in Coimbra." in page
    assert ("It was never so" if retired else "kept as the past") not in text(me.get(url))
    assert ("never so" if retired else "kept as the past") in page
    [current] = facts(owner, status=Fact.Status.CURRENT)
    assert current.value == "Coimbra"
    [old] = facts(owner, value="Lisbon")
    assert (old.retired_at is not None) == retired
    with acting_for(owner.pk):
        proof = Evidence.objects.get(user_id=owner.pk, fact_id=current.pk)
    assert proof.source == Evidence.Source.EDIT


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "Write what it should say"),
        ("...", "Write what it should say"),
        ("x" * 501, "too long to remember"),
    ],
)
def test_an_edit_that_says_nothing_is_refused_in_words(
    owner: User, me: Client, value: str, words: str
) -> None:
    url = reverse("fact_edit", args=[moved(owner)])
    for headers in (None, HTMX):
        response = me.post(url, {"value": value, "supersession": "change"}, headers=headers)
        assert response.status_code == 422
        assert words in text(response)
    assert [f.value for f in facts(owner, status=Fact.Status.CURRENT)] == ["Lisbon"]


def test_editing_what_was_replaced_meanwhile_changes_nothing(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    url = reverse("fact_edit", args=[fact_id])
    assert me.get(url).status_code == 200
    learn(owner, "I live in Faro now", "I live in Faro", "city", "Faro", days=60)
    assert me.post(url, {"value": "Rome", "supersession": "change"}).status_code == 409
    assert [f.value for f in facts(owner, status=Fact.Status.CURRENT)] == ["Faro"]


# -- Forget ---------------------------------------------------------------------------------------


def test_forgetting_says_what_goes_and_leaves_nothing(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    url = reverse("fact_forget", args=[fact_id])
    page = text(me.get(url))
    assert "Gone for good, here and in everything I derived from it." in page
    assert "You live in Porto." in page
    assert facts(owner, pk=fact_id)
    page = text(me.post(url, {"word": word(page)}, follow=True))
    assert "Forgotten for good" in page
    assert "Lisbon" not in page
    assert not facts(owner)
    assert me.get(reverse("fact", args=[fact_id])).status_code == 404
    assert "Lisbon" not in text(me.get(reverse("conversation", args=[talk_of(owner)])))


def test_forgetting_may_bring_the_earlier_value_back(owner: User, me: Client) -> None:
    url = reverse("fact_forget", args=[moved(owner)])
    shown = word(text(me.get(url)))
    fragment = text(me.post(url, {"restore_previous": "1", "word": shown}, headers=HTMX))
    assert "You live in Porto." in fragment
    assert "Lisbon" not in fragment
    [current] = facts(owner)
    assert (current.value, current.status) == ("Porto", Fact.Status.CURRENT)


def test_several_are_shown_before_they_go(owner: User, me: Client) -> None:
    ids = [moved(owner), learn(owner, "I play chess", "I play chess", "hobby", "chess")]
    chooser = text(me.get("/?choose=1"))
    assert chooser.count('name="fact"') == 2
    page = text(me.post(reverse("forget"), {"fact": ids}))
    assert "You live in Lisbon." in page
    assert len(facts(owner, status=Fact.Status.CURRENT)) == 2
    page = text(me.post(reverse("forget"), {"fact": ids, "word": word(page)}, follow=True))
    assert "Forgotten for good" in page
    assert not facts(owner)


def test_choosing_nothing_forgets_nothing(owner: User, me: Client) -> None:
    moved(owner)
    for chosen in ([], ["nonsense"]):
        page = text(me.post(reverse("forget"), {"fact": chosen, "word": "x"}, follow=True))
        assert "Nothing was chosen, so nothing was forgotten." in page
    assert facts(owner, status=Fact.Status.CURRENT)


def test_nothing_is_forgotten_by_a_link(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    assert me.get(reverse("forget")).status_code == 200
    me.get(reverse("fact_forget", args=[fact_id]))
    me.get(reverse("conversation_forget", args=[talk_of(owner)]))
    assert me.get(reverse("fact_reject", args=[fact_id])).status_code == 405
    assert facts(owner, pk=fact_id, status=Fact.Status.CURRENT)


def test_forms_need_their_token(owner: User) -> None:
    fact_id = moved(owner)
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    response = client.post(reverse("fact_forget", args=[fact_id]))
    assert response.status_code == 403
    assert "This page had grown old" in text(response)
    assert facts(owner, pk=fact_id)


# -- Review ---------------------------------------------------------------------------------------


def test_review_asks_and_a_yes_makes_it_current(owner: User, me: Client) -> None:
    fact_id = delicate(owner)
    page = text(me.get(reverse("review")))
    assert "One thing waits for your yes or no." in page
    assert "Something about your health" in page
    me.post(reverse("fact_approve", args=[fact_id]))
    assert facts(owner, attribute="health_condition", status=Fact.Status.CURRENT)
    assert "Nothing waits for you." in text(me.get(reverse("review")))


def test_a_no_is_kept_out_and_not_asked_again(owner: User, me: Client) -> None:
    fact_id = delicate(owner)
    fragment = text(me.post(reverse("fact_reject", args=[fact_id]), headers=HTMX))
    assert "I won’t ask again." in fragment
    assert 'id="review-count"' in fragment
    delicate(owner, conversation="again")
    assert not facts(owner, status=Fact.Status.PENDING)
    again = me.post(reverse("fact_approve", args=[fact_id]), follow=True)
    assert "settled already" in text(again)
    assert facts(owner, pk=fact_id, status=Fact.Status.REJECTED)


def test_a_pending_fact_may_be_edited_into_shape(owner: User, me: Client) -> None:
    url = reverse("fact_edit", args=[delicate(owner)])
    me.post(url, {"value": "mild asthma", "supersession": "correction"})
    [current] = facts(owner, attribute="health_condition", status=Fact.Status.CURRENT)
    assert current.value == "mild asthma"


def test_a_wish_to_forget_that_was_unclear_is_shown_and_taken_back(
    owner: User, other: User, me: Client
) -> None:
    with acting_for(owner.pk):
        ErasureRequest.objects.create(user_id=owner.pk, what="my old flat", asked_at=BEGAN)
        wish = ErasureRequest.objects.get(user_id=owner.pk)
    assert "my old flat" in text(me.get(reverse("review")))
    stranger = Client()
    stranger.force_login(other)
    url = reverse("wish_dismiss", args=[wish.pk])
    assert stranger.post(url).status_code == 404
    assert "my old flat" not in text(me.post(url, follow=True))
    with acting_for(owner.pk):
        wish.refresh_from_db()
    assert (wish.state, wish.what) == (ErasureRequest.State.DISMISSED, "")
    assert me.post(url).status_code == 404


# -- Conversations, activity, settings ------------------------------------------------------------


def test_a_conversation_shows_what_it_taught_and_is_forgotten_whole(
    owner: User, me: Client
) -> None:
    moved(owner)
    learn(owner, "I play chess", "I play chess", "hobby", "chess", conversation="elsewhere")
    assert "taught me 2 things" in text(me.get(reverse("conversations")))
    url = reverse("conversation", args=[talk_of(owner)])
    page = text(me.get(url))
    assert "<mark>I moved to Lisbon</mark>" in page
    assert "Since replaced:" in page
    confirm = reverse("conversation_forget", args=[talk_of(owner)])
    page = text(me.get(confirm))
    assert "2 messages, word for word" in page
    page = text(me.post(confirm, {"word": word(page)}, follow=True))
    assert "Forgotten for good" in page
    assert me.get(url).status_code == 404
    assert [f.value for f in facts(owner)] == ["chess"]


def test_the_log_is_in_words(owner: User, me: Client) -> None:
    moved(owner)
    with acting_for(owner.pk):
        audit.record(
            user_id=owner.pk,
            by=audit.Actor("admin", str(uuid4())),
            events=[audit.Event("admin.reveal", "fact:1")],
        )
    page = text(me.get(reverse("activity")))
    assert "A memory was noted" in page
    assert "A memory was replaced by a newer one" in page
    assert "by an administrator" in page
    # An entry names what it is about as long as that is held; the log itself has no words.
    assert "You live in Lisbon." in page
    with acting_for(owner.pk):
        stored = [str(row) for row in AuditEvent.objects.filter(user_id=owner.pk).values()]
    assert not any("Lisbon" in row for row in stored)


def test_arabic_runs_from_right_to_left(owner: User, me: Client) -> None:
    owner.language = "ar"
    owner.save(update_fields=["language"])
    assert '<html lang="ar" dir="rtl">' in text(me.get("/"))
