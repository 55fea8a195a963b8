"""Which devices are signed in, and signing them out."""

from __future__ import annotations

import re

import pytest
from allauth.usersessions.models import UserSession
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.devices import device
from accounts.models import Application, EndUser, PageLink, User
from tests.notebook import log, text

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
)


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


def on(user: User, user_agent: str) -> Client:
    client = Client(headers={"user-agent": user_agent})
    client.force_login(user)
    client.get("/")
    return client


def signed_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_devices_are_listed_in_words_and_one_is_signed_out(owner: User) -> None:
    here, there = on(owner, FIREFOX), on(owner, SAFARI)
    page = text(here.get(reverse("usersessions_list")))
    assert "Firefox on Windows" in page
    assert "Safari on iPhone" in page
    assert "On 2 devices." in page
    assert "Mozilla/5.0" not in page

    row = UserSession.objects.get(user_agent=SAFARI)
    answer = here.post(reverse("session_end", args=[row.pk]), follow=True)
    assert "That device is signed out." in text(answer)
    assert signed_in(here)
    assert not signed_in(there)
    assert len(log(owner, "account.sessions")) == 1


def test_all_others_are_signed_out_and_this_one_stays(owner: User) -> None:
    here = on(owner, FIREFOX)
    others = [on(owner, SAFARI), on(owner, "curl/8")]
    assert "All your other devices" in text(here.post(reverse("usersessions_list"), follow=True))
    assert signed_in(here)
    assert not any(signed_in(one) for one in others)


def test_nobody_ends_anothers_session_nor_this_very_one(owner: User, other: User) -> None:
    here, theirs = on(owner, FIREFOX), on(other, FIREFOX)
    for user in (owner, other):
        row = UserSession.objects.get(user=user)
        assert here.post(reverse("session_end", args=[row.pk])).status_code == 404
    assert signed_in(here)
    assert signed_in(theirs)


def test_no_address_is_kept(owner: User) -> None:
    on(owner, FIREFOX).get("/", headers={"x-forwarded-for": "203.0.113.9"})
    assert [row.ip for row in UserSession.objects.all()] == ["0.0.0.0"]


def test_reading_pages_writes_nothing(owner: User) -> None:
    client = on(owner, FIREFOX)
    before = UserSession.objects.get().last_seen_at
    client.get("/")
    assert UserSession.objects.get().last_seen_at == before


def test_an_applications_session_cannot_reach_the_list(owner: User, other: User) -> None:
    application = Application.objects.create(owner=other, name="Chat")
    EndUser.objects.create(application=application, external_id="7", user=owner)
    _link, token = PageLink.objects.issue(user=owner, application=application)
    on(owner, FIREFOX)
    client = Client()
    client.post(reverse("accounts:enter", args=[token]))
    row = UserSession.objects.get(user_agent=FIREFOX)
    assert client.post(reverse("session_end", args=[row.pk])).status_code == 404
    assert UserSession.objects.filter(pk=row.pk).exists()


def test_signing_in_and_out_is_in_the_log(owner: User) -> None:
    client = Client()
    for password in ("wrong", "correct horse battery"):
        client.post(reverse("account_login"), {"login": owner.email, "password": password})
    # The address isn't proved yet: the mailed code proves it, and signs in.
    code = re.search(r"^([A-Z0-9-]{6,})$", str(mail.outbox[-1].body), re.MULTILINE)
    assert code
    client.post(reverse("account_email_verification_sent"), {"code": code[1]})
    assert len(log(owner, "account.refuse")) == 1
    assert [event.actor for event in log(owner, "account.refuse")] == ["system:sign-in"]
    client.post(reverse("account_logout"))
    assert len(log(owner, "account.signin")) == 1
    assert len(log(owner, "account.signout")) == 1

    _link, token = PageLink.objects.issue(user=owner)
    client.post(reverse("accounts:enter", args=[token]))
    assert len(log(owner, "account.signin")) == 2


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        (FIREFOX, "Firefox on Windows"),
        (SAFARI, "Safari on iPhone"),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like"
            " Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
            "Edge on Mac",
        ),
        (
            "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko)"
            " Chrome/140.0.0.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        ("curl/8.5.0", "curl"),
        ("", "A device that doesn’t say what it is"),
        ("<script>", "A device that doesn’t say what it is"),
    ],
)
def test_device(user_agent: str, words: str) -> None:
    assert device(user_agent) == words
