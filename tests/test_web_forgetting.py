"""Forgetting on the page, without scripts: each way shows what goes, asks, and gives a
receipt."""

from __future__ import annotations

import html
import re
import time
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiKey, Application, EndUser, PageLink, User
from memoryapp import pipeline
from memoryapp.audit import Actor
from memoryapp.context import acting_for
from memoryapp.models import Conversation, ErasureReceipt, Fact, Message, NeverTopic
from memoryapp.web import forgetting as words_of
from tests.notebook import delicate, facts, learn, log, moved, talk_of, text, word

PASSWORD = "correct horse battery"


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def plain(response: Any) -> str:
    """The text of a page, tags apart."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text(response))).split())


def still_me(client: Client) -> None:
    """Shows once more who it is, by password."""
    answer = client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert answer.status_code == 302


def receipt_of(user: User) -> ErasureReceipt:
    with acting_for(user.pk):
        return ErasureReceipt.objects.get(user_id=user.pk)


def brought(user: User) -> Application:
    """Two facts that came through an application alone, and one that didn't."""
    application = Application.objects.create(
        owner=User.objects.create_user("maker@example.com"), name="Chatty"
    )
    learn(user, "I live in Porto.", "I live in Porto", "city", "Porto", conversation="app")
    learn(user, "I play chess.", "I play chess", "hobby", "chess", conversation="app")
    learn(user, "I use Vim.", "I use Vim", "editor", "Vim", days=60)
    with acting_for(user.pk):
        Conversation.objects.filter(external_id="app").update(application_id=application.pk)
    return application


def values(user: User) -> list[str]:
    return sorted(fact.value for fact in facts(user))


LARGE = ["forget_everything", "forget_account"]
OTHERS = ["forgetting", "forget_topic", "forget_somebody", "forget_dates", "receipts"]


# -- Who may look, and what a look does ------------------------------------------------------------


@pytest.mark.parametrize("name", [*LARGE, *OTHERS])
def test_signed_out_people_are_sent_to_sign_in(db: None, name: str) -> None:
    response = Client().get(reverse(name))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("account_login"))


@pytest.mark.parametrize("name", [*LARGE, *OTHERS])
def test_a_look_erases_nothing_and_is_kept_nowhere(owner: User, me: Client, name: str) -> None:
    moved(owner)
    still_me(me)
    response = me.get(reverse(name), {"word": "x", "confirmed": "1"})
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert values(owner) == ["Lisbon", "Porto"]


def test_the_page_leads_to_every_way(owner: User, me: Client) -> None:
    application = brought(owner)
    page = text(me.get(reverse("forgetting")))
    for name in [*LARGE, *OTHERS[1:], "conversations"]:
        assert f'href="{reverse(name)}"' in page
    assert reverse("forget_application", args=[application.pk]) in page


def test_what_isnt_ones_own_is_not_found(owner: User, other: User, me: Client) -> None:
    application = brought(other)
    done = pipeline.erase_facts(user_id=other.pk, fact_ids=[moved(other)], by=Actor.user(other))
    receipt = done.pk
    for url in (
        reverse("forget_application", args=[application.pk]),
        reverse("receipt", args=[receipt]),
    ):
        assert me.get(url).status_code == 404
    assert [event.object for event in log(owner, "access.refused")] == [
        f"application:{application.pk}",
        f"receipt:{receipt}",
    ]


# -- One and several ------------------------------------------------------------------------------


def test_what_goes_is_said_to_the_sentence(owner: User, me: Client) -> None:
    page = plain(me.get(reverse("fact_forget", args=[moved(owner)])))
    assert "You live in Lisbon." in page
    assert "You live in Porto. until 2 April 2026" in page
    assert "2 memories, with their past" in page
    assert "2 quotes of yours, blanked out in their messages" in page


def test_other_things_than_shown_are_shown_again(owner: User, me: Client) -> None:
    fact_id = moved(owner)
    url = reverse("fact_forget", args=[fact_id])
    seen = word(text(me.get(url)))
    learn(owner, "Before that, in Faro", "in Faro", "city", "Faro", days=-9)
    for sent in ({"word": seen}, {"word": "nonsense"}, {}):
        response = me.post(url, sent)
        assert response.status_code == 409
        assert "Something changed since you looked" in plain(response)
    assert values(owner) == ["Faro", "Lisbon", "Porto"]
    me.post(url, {"word": word(text(response))})
    assert values(owner) == []


def test_never_again_is_a_tick(owner: User, me: Client) -> None:
    url = reverse("fact_forget", args=[moved(owner)])
    me.post(url, {"word": word(text(me.get(url))), "forever": "1"})
    with acting_for(owner.pk):
        assert not Fact.objects.exists()
    learn(owner, "I live in Lisbon now", "I live in Lisbon", "city", "Lisbon", days=900,
          conversation="later")  # fmt: skip
    assert values(owner) == []


# -- A topic, and somebody ------------------------------------------------------------------------


def hidden(page: str) -> dict[str, str]:
    return {
        name: re.search(rf'name="{name}" value="([^"]*)"', page)[1]  # type: ignore[index]
        for name in ("word", "query", "subject", "shown_facts", "shown_messages")
    }


def ticked(page: str, name: str) -> list[str]:
    return re.findall(rf'name="{name}" value="([^"]+)" id="[^"]+" checked', page)


def test_a_topic_goes_but_for_what_is_unticked(owner: User, me: Client) -> None:
    moved(owner)
    learn(owner, "I play chess in Lisbon.", "I play chess in Lisbon", "hobby", "chess")
    url = reverse("forget_topic")
    page = text(me.post(url, {"query": "Lisbon"}))
    assert not re.search(r'(?:href|action)="[^"]*Lisbon', page)
    found = ticked(page, "fact")
    # Lisbon with its past, Porto; and chess, whose quote names it.
    assert len(found) == 3
    assert len(ticked(page, "message")) == 2
    [chess] = [str(fact.id) for fact in facts(owner, attribute="hobby")]
    stays = {"fact": [one for one in found if one != chess], "message": ticked(page, "message")}
    response = me.post(url, {**hidden(page), **stays}, follow=True)
    assert values(owner) == ["chess"]
    assert "A topic was forgotten" in plain(response)
    receipt = receipt_of(owner)
    assert response.redirect_chain == [(reverse("receipt", args=[receipt.pk]), 302)]
    assert receipt.counts["facts"] == 2
    with acting_for(owner.pk):
        assert not Message.objects.filter(content__icontains="Lisbon").exists()


def test_a_topic_becomes_a_rule_when_that_is_ticked(owner: User, me: Client) -> None:
    moved(owner)
    url = reverse("forget_topic")
    page = text(me.post(url, {"query": "Lisbon"}))
    sent = {**hidden(page), "fact": ticked(page, "fact"), "rule": "1"}
    assert "I won’t remember anything about this" in plain(me.post(url, sent, follow=True))
    with acting_for(owner.pk):
        assert [topic.words for topic in NeverTopic.objects.all()] == ["Lisbon"]


def test_an_earlier_value_that_is_unticked_holds_again(owner: User, me: Client) -> None:
    lisbon = moved(owner)
    url = reverse("forget_topic")
    page = text(me.post(url, {"query": "where I live"}))
    assert str(lisbon) in ticked(page, "fact")
    assert len(ticked(page, "fact")) == 2
    me.post(url, {**hidden(page), "fact": [str(lisbon)]})
    [left] = facts(owner)
    assert (left.value, left.status) == ("Porto", Fact.Status.CURRENT)


def test_nothing_ticked_forgets_nothing_and_says_so(owner: User, me: Client) -> None:
    moved(owner)
    url = reverse("forget_topic")
    page = text(me.post(url, {"query": "Lisbon"}))
    response = me.post(url, hidden(page))
    assert response.status_code == 422
    assert "Nothing was chosen, so nothing was forgotten." in plain(response)
    assert ticked(text(response), "fact") == []
    assert values(owner) == ["Lisbon", "Porto"]


def test_ids_that_were_not_shown_stay(owner: User, me: Client) -> None:
    moved(owner)
    hobby = learn(owner, "I play chess", "I play chess", "hobby", "chess")
    url = reverse("forget_topic")
    page = text(me.post(url, {"query": "Lisbon"}))
    me.post(url, {**hidden(page), "fact": [*ticked(page, "fact"), str(hobby)]})
    assert values(owner) == ["chess"]


def test_a_topic_that_changed_meanwhile_is_shown_again_with_the_ticks(
    owner: User, me: Client
) -> None:
    lisbon = moved(owner)
    url = reverse("forget_topic")
    page = text(me.post(url, {"query": "Lisbon"}))
    shown, first = hidden(page), ticked(page, "fact")
    forget = reverse("fact_forget", args=[lisbon])
    me.post(forget, {"word": word(text(me.get(forget)))})
    learn(owner, "Lisbon is where I work", "Lisbon is where I work", "work_location", "Lisbon")
    response = me.post(url, {**shown, "fact": first})
    assert response.status_code == 409
    assert "Something changed since you looked" in plain(response)
    assert len(facts(owner)) == 1


def test_a_topic_of_nothing(owner: User, me: Client) -> None:
    moved(owner)
    assert "I don’t remember anything about that." in plain(
        me.post(reverse("forget_topic"), {"query": "submarines"})
    )
    assert me.post(reverse("forget_topic"), {"query": " "}).status_code == 200


def test_a_delicate_fact_stays_covered_while_one_looks(owner: User, me: Client) -> None:
    delicate(owner)
    page = text(me.post(reverse("forget_topic"), {"query": "asthma"}))
    assert "Something about your health" in page
    assert page.index("Show it") < page.index("You have asthma")


def test_somebody_goes_with_what_names_them(owner: User, me: Client) -> None:
    learn(owner, "Mira plays chess", "Mira plays chess", "hobby", "chess", subject="person:mira")
    learn(owner, "My sister is Mira", "My sister is Mira", "sister", "Mira", days=2)
    learn(owner, "I use Vim", "I use Vim", "editor", "Vim", days=3)
    page = text(me.get(reverse("forget_somebody")))
    assert 'value="person:mira"' in page
    url = reverse("forget_topic")
    page = text(me.post(url, {"subject": "person:mira"}))
    assert "Forget everything about Mira?" in page
    boxes = {name: ticked(page, name) for name in ("fact", "message")}
    assert [len(found) for found in boxes.values()] == [2, 2]
    me.post(url, {**hidden(page), **boxes})
    assert values(owner) == ["Vim"]


# -- A conversation, a time, an application -------------------------------------------------------


def test_what_stays_and_why_is_said(owner: User, me: Client) -> None:
    moved(owner)
    learn(owner, "Lisbon is my home", "Lisbon is my home", "city", "Lisbon", days=40,
          conversation="elsewhere")  # fmt: skip
    page = plain(me.get(reverse("conversation_forget", args=[talk_of(owner)])))
    assert "This stays, because I know it from elsewhere, too:" in page
    assert "You live in Lisbon. You also said so elsewhere, on 12 April 2026." in page


def test_a_stretch_of_time(owner: User, me: Client) -> None:
    moved(owner)  # 3 March and 2 April
    url = reverse("forget_dates")
    days = {"from": "2026-04-02", "to": "2026-04-02"}
    page = me.get(url, days)
    assert "From 2 April 2026 to 2 April 2026" in plain(page)
    assert "You live in Lisbon." in plain(page)
    me.post(url, {**days, "word": word(text(page)), "restore_previous": "1"})
    [left] = facts(owner)
    assert (left.value, left.status) == ("Porto", Fact.Status.CURRENT)


@pytest.mark.parametrize("restore", [True, False])
def test_what_was_replaced_may_hold_again_or_go(owner: User, me: Client, restore: bool) -> None:
    moved(owner)
    url = reverse("forget_dates")
    days = {"from": "2026-04-01", "to": "2026-04-30"}
    page = text(me.get(url, days))
    assert 'name="restore_previous" id="restore" value="1" checked' in page
    box = {"restore_previous": "1"} if restore else {}
    me.post(url, {**days, "word": word(page), **box})
    assert values(owner) == (["Porto"] if restore else [])


@pytest.mark.parametrize(
    "days",
    [
        {"from": "2026-05-01", "to": "2026-04-01"},
        {"from": "soon", "to": "2026-04-01"},
        {"from": "2026-04-01"},
        {"from": "0001-01-01", "to": "9999-12-31"},
    ],
)
def test_days_that_are_none(owner: User, me: Client, days: dict[str, str]) -> None:
    response = me.get(reverse("forget_dates"), days)
    assert response.status_code == 422
    assert "Choose two days, the earlier one first." in plain(response)


def test_many_things_at_once_need_to_be_asked_by_oneself(
    owner: User, me: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words_of, "LARGE", 1)
    moved(owner)
    url = reverse("forget_dates")
    days = {"from": "2026-03-01", "to": "2026-04-30"}
    page = text(me.get(url, days))
    assert "Show that it’s me" in page
    assert me.post(url, {**days, "word": word(page)}).status_code == 403
    assert values(owner) == ["Lisbon", "Porto"]
    still_me(me)
    me.post(url, {**days, "word": word(text(me.get(url, days)))})
    assert values(owner) == []


def test_what_an_application_brought(owner: User, me: Client) -> None:
    url = reverse("forget_application", args=[brought(owner).pk])
    page = me.get(url)
    assert "Forget everything that “Chatty” brought?" in plain(page)
    assert "2 messages, word for word" in plain(page)
    assert me.post(url, {"word": word(text(page))}).status_code == 403
    still_me(me)
    response = me.post(url, {"word": word(text(me.get(url)))}, follow=True)
    assert "What an app had brought was forgotten" in plain(response)
    assert values(owner) == ["Vim"]


# -- Everything, and the account ------------------------------------------------------------------


def test_everything_goes_and_the_account_stays(owner: User, me: Client) -> None:
    moved(owner)
    url = reverse("forget_everything")
    page = text(me.get(url))
    assert f"{reverse('account_reauthenticate')}?next=" in page
    assert me.post(url, {"word": word(page)}).status_code == 403
    still_me(me)
    response = me.post(url, {"word": word(text(me.get(url)))}, follow=True)
    assert "Everything was forgotten" in plain(response)
    assert values(owner) == []
    assert "I remember nothing about you yet." in plain(me.get("/"))
    assert "There is nothing of it." in plain(me.get(url))


def test_the_account_closes_with_a_last_page(owner: User, me: Client) -> None:
    moved(owner)
    ApiKey.objects.issue(owner=owner, name="own")
    elsewhere = Client()
    elsewhere.force_login(owner)
    elsewhere.get("/")
    url = reverse("forget_account")
    assert me.post(url, {"word": word(text(me.get(url)))}).status_code == 403
    still_me(me)
    user_id = owner.pk
    response = me.post(url, {"word": word(text(me.get(url)))})
    assert response.status_code == 200
    with acting_for(user_id):
        receipt = ErasureReceipt.objects.get(user_id=user_id)
    page = plain(response)
    assert "Everything is forgotten" in page
    assert f"Receipt {receipt.pk}" in page
    assert "nobody can lead them back to words or to you" in page
    assert not User.objects.filter(pk=user_id).exists()
    assert not ApiKey.objects.exists()
    assert not Session.objects.exists()
    for client in (me, elsewhere):
        assert client.get("/")["Location"].startswith(reverse("account_login"))


def test_an_account_that_others_hang_on_says_so(owner: User, me: Client) -> None:
    application = Application.objects.create(owner=owner, name="Chatty")
    EndUser.objects.resolve(application=application, external_id="someone")
    moved(owner)
    still_me(me)
    url = reverse("forget_account")
    response = me.post(url, {"word": word(text(me.get(url)))})
    assert response.status_code == 409
    assert "Close the application first." in plain(response)
    assert values(owner) == ["Lisbon", "Porto"]


# -- Showing that it is still oneself -------------------------------------------------------------


def test_a_proven_address_gets_a_code_when_there_is_no_password(owner: User) -> None:
    owner.set_unusable_password()
    owner.save()
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    client = Client()
    client.force_login(owner)
    moved(owner)
    page = text(client.get(reverse("forget_everything")))
    assert f"{reverse('account_request_reauthentication_code')}?next=" in page


def by_link(user: User, application: Application | None = None) -> Client:
    client = Client()
    _link, token = PageLink.objects.issue(user=user, application=application)
    assert client.post(reverse("accounts:enter", args=[token])).status_code == 302
    return client


def test_who_comes_by_a_link_alone_types_a_word(owner: User) -> None:
    application = Application.objects.create(owner=owner, name="Chatty")
    user = EndUser.objects.resolve(application=application, external_id="someone")
    moved(user)
    client = by_link(user, application)
    url = reverse("forget_everything")
    page = text(client.get(url))
    assert "To be sure, type “forget”." in plain(client.get(url))
    for typed in ("", "no"):
        answer = client.post(url, {"word": word(page), "typed": typed})
        assert answer.status_code == 403
        assert "That isn’t the word." in plain(answer)
    assert values(user) == ["Lisbon", "Porto"]
    client.post(url, {"word": word(page), "typed": " Forget "})
    assert values(user) == []


def test_a_link_is_fresh_for_some_minutes_only(owner: User) -> None:
    application = Application.objects.create(owner=owner, name="Chatty")
    user = EndUser.objects.resolve(application=application, external_id="someone")
    moved(user)
    client = by_link(user, application)
    session = client.session
    session["entered_by_link_at"] = time.time() - timedelta(minutes=16).total_seconds()
    session.save()
    url = reverse("forget_account")
    page = client.get(url)
    assert "by a fresh link" in plain(page)
    answer = client.post(url, {"word": word(text(page)), "typed": "forget"})
    assert answer.status_code == 403
    assert values(user) == ["Lisbon", "Porto"]


def test_who_has_a_password_shows_it_even_by_a_fresh_link(owner: User) -> None:
    moved(owner)
    page = text(by_link(owner).get(reverse("forget_everything")))
    assert "Show that it’s me" in page
    assert 'name="typed"' not in page


def test_the_link_to_the_application_goes_with_the_account(owner: User) -> None:
    application = Application.objects.create(owner=owner, name="Chatty")
    user = EndUser.objects.resolve(application=application, external_id="someone")
    client, url = by_link(user, application), reverse("forget_account")
    moved(user)
    client.post(url, {"word": word(text(client.get(url))), "typed": "forget"})
    assert not EndUser.objects.exists()
    assert User.objects.get() == owner


# -- Receipts -------------------------------------------------------------------------------------


def test_receipts_say_when_and_how_much_and_not_what(owner: User, me: Client) -> None:
    url = reverse("fact_forget", args=[moved(owner)])
    page = text(me.post(url, {"word": word(text(me.get(url)))}, follow=True))
    receipt = receipt_of(owner)
    assert reverse("receipt", args=[receipt.pk]) in page
    listed = plain(me.get(reverse("receipts")))
    assert "What you chose was forgotten" in listed
    assert "2 memories" in listed
    page = plain(me.get(reverse("receipt", args=[receipt.pk])))
    assert "Asked for by you" in page
    assert "Not yet" in page
    assert "2 messages, blanked out in part or as a whole" in page
    assert "Lisbon" not in page + listed
    with acting_for(owner.pk):
        cleaned = ErasureReceipt.objects.create(
            user_id=owner.pk,
            target="facts",
            requested_at=receipt.requested_at,
            completed_at=receipt.completed_at,
            storage_completed_at=timezone.now(),
        )
    page = plain(me.get(reverse("receipt", args=[cleaned.pk])))
    assert "Gone from the storage" in page
    assert "Not yet" not in page
