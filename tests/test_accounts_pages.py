"""allauth's pages in our clothes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import allauth
import allauth.account.urls
import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.test.signals import template_rendered
from django.urls import reverse
from pytest_django import Settings

from accounts.models import User

ALLAUTH = Path(allauth.__file__).parent
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fresh_rate_limits() -> None:
    cache.clear()


@contextmanager
def _templates() -> Iterator[list[Path]]:
    used: list[Path] = []

    def note(template: Any, **_: Any) -> None:
        # An included template without a file of its own has no path.
        used.append(Path(str(template.origin)))

    template_rendered.connect(note)
    try:
        yield used
    finally:
        template_rendered.disconnect(note)


class Visitor:
    """Goes through the pages and remembers which it has seen."""

    def __init__(self) -> None:
        self.client = Client()
        self.seen: set[str] = set()

    def get(self, name: str, path: str | None = None, **data: str) -> str:
        with _templates() as used:
            page = self.client.get(path or reverse(name), data, follow=path is not None)
        assert page.status_code == 200, name
        assert not [path for path in used if ALLAUTH in path.parents], name
        assert 'class="entry stack"' in page.text, name
        assert page.text.count("<h1>") == 1, name
        self.seen.add(name)
        return page.text

    def post(self, name: str, **data: str) -> Any:
        with _templates() as used:
            answer = self.client.post(reverse(name), data)
        assert not [path for path in used if ALLAUTH in path.parents], name
        return answer


def _code() -> str:
    return re.search(r"^([A-Z0-9-]{6,})$", str(mail.outbox[-1].body), re.MULTILINE)[1]  # type: ignore[index]


def test_every_page_is_ours(owner: User) -> None:
    visitor = Visitor()
    assert owner.email
    for name in (
        "account_login",
        "account_signup",
        "account_inactive",
        "account_request_login_code",
        "account_reset_password",
        "account_reset_password_done",
        "account_reset_password_from_key_done",
    ):
        visitor.get(name)
    visitor.post("account_reset_password", email=owner.email)
    link = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))[1]  # type: ignore[index]
    visitor.get("account_reset_password_from_key", link)
    visitor.post("account_request_login_code", email=owner.email)
    visitor.get("account_confirm_login_code")
    wrong = visitor.post("account_confirm_login_code", code="NOTIT")
    assert 'role="alert"' in wrong.text
    visitor.post("account_confirm_login_code", code=_code())
    for name in (
        "account_email",
        "account_change_password",
        "account_logout",
    ):
        visitor.get(name)
    visitor.get("account_reauthenticate")
    visitor.get("account_request_reauthentication_code")
    visitor.post("account_request_reauthentication_code", recipient=owner.email)
    visitor.get("account_confirm_reauthentication_code")
    visitor.post("account_email", action_add="", email="second@example.com")
    visitor.get("account_email_verification_sent")
    visitor.post("account_email_verification_sent", code=_code())
    assert "second@example.com" in visitor.get("account_email")
    owner.set_unusable_password()
    owner.save()
    visitor.client.force_login(owner)
    visitor.get("account_set_password")

    assert visitor.seen == {pattern.name for pattern in allauth.account.urls.urlpatterns}


def test_signing_up_asks_for_the_mailed_code_and_keeps_the_language(db: None) -> None:
    client = Client(headers={"accept-language": "de"})
    client.post(
        reverse("account_signup"), {"email": "New@Example.com", "password1": "a long pass phrase"}
    )
    assert "_auth_user_id" not in client.session

    client.post(reverse("account_email_verification_sent"), {"code": _code()})

    user = User.objects.get()
    assert client.session["_auth_user_id"] == str(user.pk)
    assert (user.email, user.language) == ("new@example.com", "de")


def test_a_used_reset_link_says_so(owner: User) -> None:
    page = Client().get(
        reverse("account_reset_password_from_key", kwargs={"uidb36": "x", "key": "y-z"})
    )
    assert "This link doesn’t work any more" in page.text


def test_a_password_signs_in_whatever_the_case_of_the_address(client: Client, owner: User) -> None:
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)

    answer = client.post(
        reverse("account_login"), {"login": "OWNER@Example.com", "password": PASSWORD}
    )

    assert answer.headers["Location"] == reverse("memories")
    assert client.session["_auth_user_id"] == str(owner.pk)


def test_a_wrong_password_says_so_without_saying_which(client: Client, owner: User) -> None:
    answers = [
        client.post(reverse("account_login"), {"login": login, "password": "wrong"})
        for login in ("owner@example.com", "nobody@example.com")
    ]
    errors = [re.findall(r'role="alert"><p>(.*?)</p>', answer.text) for answer in answers]
    assert errors[0] == errors[1] != []


def test_closed_signup_is_closed_and_not_offered(
    client: Client, db: None, settings: Settings
) -> None:
    assert reverse("account_signup") in client.get(reverse("account_login")).text
    settings.SIGNUP_OPEN = False

    answer = client.post(
        reverse("account_signup"), {"email": "new@example.com", "password1": PASSWORD}
    )

    assert "doesn’t take new accounts" in answer.text
    assert not User.objects.exists()
    assert reverse("account_signup") not in client.get(reverse("account_login")).text
    client.post(reverse("account_request_login_code"), {"email": "new@example.com"})
    assert "There is no account with it" in mail.outbox[-1].body
    assert "signup" not in mail.outbox[-1].body


def test_errors_are_tied_to_their_fields(client: Client, db: None) -> None:
    page = client.post(reverse("account_signup"), {"email": "x", "password1": "short"}).text
    for field in ("id_email", "id_password1"):
        described = re.search(rf'aria-describedby="([^"]+)"[^>]*id="{field}"', page)
        assert described
        assert f"{field}_error" in described[1].split()
        for target in described[1].split():
            assert page.count(f'id="{target}"') == 1
