"""Apps and keys: who may do what with the memory, and ending it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import SCOPES, ApiKey, Application, EndUser, PageLink, User
from memoryapp import audit
from memoryapp.context import acting_for
from memoryapp.models import Conversation, Message
from memoryapp.web.key_forms import PERSONAL_SCOPES, SCOPE_WORDS
from tests.notebook import learn, log, text

KEY = re.compile(r"mem_[a-z0-9]{8}_[0-9a-f]{64}")


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


@pytest.fixture
def chat(owner: User, other: User) -> EndUser:
    """The owner's link to somebody else's application."""
    application = Application.objects.create(owner=other, name="Chat & Co")
    return EndUser.objects.create(application=application, external_id="7", user=owner)


def new_key(client: Client, address: str = "", **data: Any) -> Any:
    sent = {"key_id": str(uuid4()), "name": "Laptop", "scopes": ["recall:read"], "expires": "90"}
    return client.post(address or reverse("key_new"), {**sent, **data})


def access(link: EndUser) -> tuple[bool, bool]:
    link.refresh_from_db()
    return link.may_read, link.may_write


# -- Applications that have to do with the user ---------------------------------------------------


def test_an_app_is_shown_with_what_it_did(me: Client, owner: User, chat: EndUser) -> None:
    learn(owner, "I live in Porto.", "I live in Porto", "city", "Porto", conversation="theirs")
    learn(owner, "I play chess.", "I play chess", "hobby", "chess", conversation="mine")
    now = timezone.now()
    with acting_for(owner.pk):
        Conversation.objects.filter(external_id="theirs").update(application_id=chat.application_id)
        Message.objects.update(received_at=now)
        for at in (now, now - timedelta(days=31)):
            audit.record(
                user_id=owner.pk,
                by=audit.Actor.application(chat.application_id),
                events=[audit.Event("recall"), audit.Event("messages.add")],
                now=at,
            )

    page = text(me.get(reverse("apps")))

    assert "Chat &amp; Co" in page
    assert "It brought me 1 message in" in page
    assert "It looked something up 1 time in" in page
    assert "1 thing that I remember now comes from it." in page
    assert page.count('aria-checked="true"') == 2
    assert reverse("forget_application", args=[chat.application_id]) in page


def test_a_switch_is_one_touch_and_so_is_taking_it_back(
    me: Client, owner: User, chat: EndUser
) -> None:
    address = reverse("app_access", args=[chat.application_id])
    page = text(me.post(address, {"may_read": "0"}, follow=True))
    assert access(chat) == (False, True)
    assert "What “Chat &amp; Co” may do is changed." in page

    undo = dict(re.findall(r'<input type="hidden" name="(may_\w+)" value="(\d)"', page))
    assert "It is as it was." in text(me.post(address, {**undo, "undo": "1"}, follow=True))
    assert access(chat) == (True, True)
    assert len(log(owner, "settings.change")) == 2
    assert 'name="undo"' not in text(me.get(reverse("apps")))


def test_disconnecting_shuts_it_out_and_uses_its_links_up(
    me: Client, owner: User, chat: EndUser
) -> None:
    _link, token = PageLink.objects.issue(user=owner, application=chat.application)
    _mine, personal = PageLink.objects.issue(user=owner)
    address = reverse("app_disconnect", args=[chat.application_id])
    assert access(chat) == (True, True)
    assert "What I learned through it stays" in text(me.get(address))

    page = text(me.post(address, follow=True))

    assert access(chat) == (False, False)
    assert "Disconnected." in page
    assert PageLink.objects.usable(token) is None
    assert PageLink.objects.usable(personal) is not None
    assert len(log(owner, "app.disconnect")) == 1


def test_another_users_app_is_not_there_and_the_attempt_is_logged(
    me: Client, owner: User, other: User
) -> None:
    theirs = Application.objects.create(owner=other, name="Theirs")
    link = EndUser.objects.create(application=theirs, external_id="1", user=other)
    key, _secret = ApiKey.objects.issue(owner=other, name="theirs")
    for address in (
        reverse("app_disconnect", args=[theirs.pk]),
        reverse("app_access", args=[theirs.pk]),
        reverse("key_revoke", args=[key.pk]),
        reverse("application_origins", args=[theirs.pk]),
        reverse("application_close", args=[theirs.pk]),
    ):
        assert me.post(address, {"may_read": "0", "origins": ""}).status_code == 404, address
    assert access(link) == (True, True)
    key.refresh_from_db()
    assert key.revoked_at is None
    assert len(log(owner, "access.refused")) == 5


# -- Keys -----------------------------------------------------------------------------------------


def test_a_key_is_shown_once_and_nowhere_kept(me: Client, owner: User) -> None:
    wish = str(uuid4())
    answer = new_key(me, key_id=wish, scopes=["recall:read", "facts:read"])
    [secret] = set(KEY.findall(text(answer)))
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    key = ApiKey.objects.authenticate(secret)
    assert key is not None
    assert (key.owner, key.application, key.scopes) == (owner, None, ["recall:read", "facts:read"])
    assert key.expires_at is not None
    assert abs(key.expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=5)
    assert secret not in str(dict(me.session))
    assert [event.object for event in log(owner, "key.make")] == [f"key:{key.pk}"]

    again = new_key(me, key_id=wish)
    assert again.status_code == 409
    assert "shown already" in text(again)
    assert ApiKey.objects.count() == 1
    listed = text(me.get(reverse("apps")))
    assert secret not in listed
    assert key.prefix in listed


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"name": ""}, "Give it a name"),
        ({"name": "\u200b"}, "Give it a name"),
        ({"scopes": []}, "Choose at least one thing"),
        ({"scopes": ["webhooks:write"]}, "Select a valid choice"),
        ({"expires": "9999"}, "Select a valid choice"),
    ],
)
def test_a_key_that_cannot_be_made_says_why(me: Client, sent: dict[str, Any], said: str) -> None:
    answer = new_key(me, **sent)
    assert answer.status_code == 422
    assert said in text(answer)
    assert not ApiKey.objects.exists()


def test_an_old_key_is_renewed_with_what_keys_may_do_today(me: Client, owner: User) -> None:
    old, _secret = ApiKey.objects.issue(owner=owner, name="Laptop", scopes=["recall:read"])
    assert "Make a new one that may do all" in text(me.get(reverse("apps")))
    same = text(me.get(reverse("key_new"), {"like": str(old.pk)}))
    assert re.findall(r'name="scopes" value="([^"]+)"[^>]* checked', same) == ["recall:read"]
    more = text(me.get(reverse("key_new"), {"like": str(old.pk), "more": "1"}))
    ticked = set(re.findall(r'name="scopes" value="([^"]+)"[^>]* checked', more))
    assert ticked == set(PERSONAL_SCOPES)
    assert 'value="Laptop"' in more

    made = new_key(me, f"{reverse('key_new')}?like={old.pk}&more=1", scopes=list(ticked))
    assert reverse("key_revoke", args=[old.pk]) in text(made)


def test_revoking_asks_first_and_is_for_good(me: Client, owner: User) -> None:
    key, secret = ApiKey.objects.issue(owner=owner, name="Laptop")
    address = reverse("key_revoke", args=[key.pk])
    assert "can’t be brought back" in text(me.get(address))
    assert ApiKey.objects.authenticate(secret) is not None
    for _again in range(2):
        assert "The key is revoked." in text(me.post(address, follow=True))
    assert ApiKey.objects.authenticate(secret) is None
    assert len(log(owner, "key.revoke")) == 1


def test_in_an_applications_session_there_are_no_keys(owner: User, chat: EndUser) -> None:
    """A key made there would outlive the session, and its hour."""
    key, _secret = ApiKey.objects.issue(owner=owner, name="Laptop")
    _link, token = PageLink.objects.issue(user=owner, application=chat.application)
    client = Client()
    client.post(reverse("accounts:enter", args=[token]))
    page = text(client.get(reverse("apps")))
    assert "Chat &amp; Co" in page
    assert key.prefix not in page
    for name, arguments in [
        ("key_new", []), ("key_revoke", [key.pk]), ("application_new", []),
        ("usersessions_list", []), ("mfa_index", []),
    ]:  # fmt: skip
        assert client.get(reverse(name, args=arguments)).status_code == 404, name
    assert new_key(client).status_code == 404


def test_every_scope_has_words() -> None:
    assert set(SCOPE_WORDS) == set(SCOPES)


# -- A developer's applications -------------------------------------------------------------------


def test_an_application_its_key_and_its_end(me: Client, owner: User) -> None:
    made = me.post(reverse("application_new"), {"name": "My chat"})
    application = Application.objects.get(owner=owner)
    assert made.headers["Location"] == reverse("application", args=[application.pk])
    twice = me.post(reverse("application_new"), {"name": "My chat"})
    assert (twice.status_code, "already" in text(twice)) == (422, True)

    shown = new_key(me, reverse("application_key", args=[application.pk]), scopes=list(SCOPES))
    [secret] = set(KEY.findall(text(shown)))
    key = ApiKey.objects.authenticate(secret)
    assert key is not None
    assert key.application == application
    assert key.prefix not in text(me.get(reverse("apps")))
    assert key.prefix in text(me.get(reverse("application", args=[application.pk])))

    me.post(reverse("application_close", args=[application.pk]))
    assert ApiKey.objects.authenticate(secret) is None
    assert "It was closed" in text(me.get(reverse("application", args=[application.pk])))
    assert {event.action for event in _log(owner)} >= {"app.make", "key.make", "app.close"}


def _log(user: User) -> list[Any]:
    from memoryapp.models import AuditEvent

    with acting_for(user.pk):
        return list(AuditEvent.objects.filter(user_id=user.pk))


def origins(client: Client, application: UUID, sent: str) -> Any:
    return client.post(reverse("application_origins", args=[application]), {"origins": sent})


def test_sites_are_kept_as_browsers_write_them(me: Client, owner: User) -> None:
    application = Application.objects.create(owner=owner, name="My chat")
    sent = "https://Chat.Example.com:443/\nhttps://büro.example\nhttp://localhost:3000\n"
    assert origins(me, application.pk, sent + sent).status_code == 302
    application.refresh_from_db()
    assert application.embed_origins == [
        "https://chat.example.com", "https://xn--bro-hoa.example", "http://localhost:3000",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sent",
    [
        "http://chat.example.com", "https://*.example.com", "*", "chat.example.com", "https://",
        "https://chat.example.com;script-src", "https://a.example,https://b.example", "null",
        "https://user@chat.example.com", "https://chat.example.com/page", "javascript:alert(1)",
        "https://chat.example.com:99999", "https://'self'", "https://a..b", "data:text/html,x",
    ],
)  # fmt: skip
def test_what_is_no_site_is_refused(me: Client, owner: User, sent: str) -> None:
    application = Application.objects.create(owner=owner, name="My chat")
    answer = origins(me, application.pk, sent)
    assert answer.status_code == 422
    application.refresh_from_db()
    assert application.embed_origins == []
