"""The second step of signing in, and what keeps it safe."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa import urls as mfa_urls
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import Settings

from accounts.mfa import can_have_passkeys
from accounts.models import User
from tests.notebook import log, text
from tests.test_accounts_pages import Visitor

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fresh_rate_limits() -> None:
    cache.clear()


@pytest.fixture
def proved(owner: User) -> User:
    """The owner, whose address is proved."""
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    return owner


def sure(user: User) -> Client:
    """Signed in, and asked for the password a moment ago."""
    client = Client()
    client.force_login(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


def code_of(secret: str, steps: int = 0) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps)))


def with_app(user: User) -> tuple[Client, str, list[str]]:
    """Sets an authenticator app up: its secret and the recovery codes."""
    client = sure(user)
    page = text(client.get(reverse("mfa_activate_totp")))
    [secret] = re.findall(r'id="totp-secret">([A-Z2-7]+)<', page)
    shown = client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)}, follow=True)
    return client, secret, re.findall(r"<li><code>(\d+)</code></li>", text(shown))


def sign_in(user: User) -> tuple[Client, Any]:
    client = Client()
    answer = client.post(
        reverse("account_login"), {"login": user.email, "password": PASSWORD}, follow=True
    )
    return client, answer


def inside(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_a_password_alone_is_not_enough_any_more(proved: User) -> None:
    _client, secret, _codes = with_app(proved)
    client, answer = sign_in(proved)
    assert "The second step" in text(answer)
    assert not inside(client)
    wrong = client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert 'role="alert"' in text(wrong)
    assert not inside(client)
    # The code that set the app up was used: the next one is another.
    client.post(reverse("mfa_authenticate"), {"code": code_of(secret, 1)})
    assert inside(client)
    assert len(log(proved, "account.factor.refuse")) == 1


def test_every_page_is_ours(proved: User) -> None:
    visitor = Visitor()
    visitor.client = sure(proved)
    visitor.get("mfa_activate_totp")
    visitor.client, _secret, _codes = with_app(proved)
    for name in (
        "mfa_index",
        "mfa_deactivate_totp",
        "mfa_view_recovery_codes",
        "mfa_generate_recovery_codes",
        "mfa_list_webauthn",
        "mfa_add_webauthn",
        "mfa_reauthenticate",
        "usersessions_list",
    ):
        visitor.get(name)
    held = Authenticator.objects.create(
        user=proved,
        type="webauthn",
        data={"name": "Laptop", "credential": {"clientExtensionResults": {}}},
    )
    for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        visitor.get(name, reverse(name, args=[held.pk]))
    # One that asks for a device would need its keys here: the browser's tests have it.
    left = {"mfa_authenticate", "mfa_reauthenticate_webauthn", "mfa_login_webauthn"}
    # A file, of codes that are shown once.
    left |= {"mfa_download_recovery_codes"}
    assert visitor.seen - {"usersessions_list"} == _names(mfa_urls.urlpatterns) - left


def _names(patterns: Any) -> set[str]:
    return {
        name
        for pattern in patterns
        for name in (
            _names(pattern.url_patterns) if hasattr(pattern, "url_patterns") else {pattern.name}
        )
    }


def test_recovery_codes_are_shown_once_and_each_works_once(proved: User) -> None:
    client, _secret, codes = with_app(proved)
    assert len(codes) == 10
    assert not any(code in text(client.get(reverse("mfa_view_recovery_codes"))) for code in codes)
    for still in (True, False):
        stranger, _answer = sign_in(proved)
        stranger.post(reverse("mfa_authenticate"), {"code": codes[0]})
        assert inside(stranger) is still
    assert "9 codes are left" in text(client.get(reverse("mfa_index")))


def test_secrets_are_unreadable_in_the_database(proved: User) -> None:
    _client, secret, _codes = with_app(proved)
    for row in Authenticator.objects.all():
        assert secret not in str(row.data)
    held = Authenticator.objects.get(type="totp")
    assert get_adapter().decrypt(held.data["secret"]) == secret


def test_after_a_change_of_the_servers_key_no_code_fits(proved: User, settings: Settings) -> None:
    _client, secret, codes = with_app(proved)
    settings.SECRET_KEY = "another"
    held = Authenticator.objects.all()
    assert len(held) == 2
    for one in held:
        wrapped = one.wrap()
        assert not any(wrapped.validate_code(code) for code in [code_of(secret), *codes])


def test_no_page_of_secrets_is_kept_by_the_browser(proved: User) -> None:
    client = sure(proved)
    for name in ("mfa_activate_totp", "mfa_index", "mfa_add_webauthn", "usersessions_list"):
        assert "no-store" in client.get(reverse(name)).headers["Cache-Control"], name


@pytest.mark.parametrize(
    "name", ["mfa_activate_totp", "mfa_add_webauthn", "mfa_generate_recovery_codes"]
)
def test_each_change_asks_for_the_password_once_more(proved: User, name: str) -> None:
    client = Client()
    client.force_login(proved)
    answer = client.get(reverse(name))
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(reverse("account_reauthenticate"))


def test_who_has_no_password_is_told_to_choose_one_first(owner: User) -> None:
    """Whoever comes by a link alone can't be asked whether it is still them."""
    owner.set_unusable_password()
    owner.save()
    client = Client()
    client.force_login(owner)
    page = text(client.get(reverse("mfa_index")))
    assert "Choose a password first" in page
    assert reverse("account_set_password") in page
    assert reverse("mfa_add_webauthn") not in page
    assert reverse("mfa_add_webauthn") in text(sure_of(owner).get(reverse("mfa_index")))


def sure_of(user: User) -> Client:
    user.set_password(PASSWORD)
    user.save()
    return sure(user)


def test_changes_are_in_the_log(committed_db: object, proved: User) -> None:
    client, _secret, _codes = with_app(proved)
    assert {event.object for event in log(proved, "account.factor.add")} >= {"factor:totp"}
    client.post(reverse("mfa_deactivate_totp"))
    assert {event.object for event in log(proved, "account.factor.remove")} >= {"factor:totp"}
    assert not Authenticator.objects.exists()


def test_the_admin_asks_for_the_second_step_too(admin: User) -> None:
    EmailAddress.objects.create(user=admin, email=admin.email, verified=True, primary=True)
    with_app(admin)
    client = Client()
    client.post("/admin/login/", {"username": admin.email, "password": PASSWORD})
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0].startswith(reverse("account_login"))
    for model in ("mfa/authenticator", "usersessions/usersession"):
        staff = Client()
        staff.force_login(admin)
        assert staff.get(f"/admin/{model}/").status_code == 404


def test_without_an_app_or_passkey_nothing_more_is_asked(proved: User) -> None:
    client, _answer = sign_in(proved)
    assert inside(client)


@pytest.mark.parametrize(
    ("host", "possible"),
    [
        ("localhost:8000", True),
        ("memory.example.com", True),
        ("127.0.0.1:8000", False),
        ("[::1]:8000", False),
    ],
)
def test_passkeys_need_an_address_with_a_name(
    host: str, possible: bool, settings: Settings
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    request = RequestFactory().get("/", headers={"host": host})
    assert can_have_passkeys(request) is possible
    page = text(Client(headers={"host": host}).get(reverse("account_login")))
    assert ("Sign in with a passkey" in page) is possible


def test_nonsense_for_a_passkey_is_refused(proved: User) -> None:
    for sent in ("", "{}", "[]", "null", '{"id": 1}', "x", '{"response": {"userHandle": "AAAA"}}'):
        client = Client()
        answer = client.post(reverse("mfa_login_webauthn"), {"credential": sent})
        assert answer.status_code == 302, sent
        assert not inside(client), sent
        added = sure(proved).post(reverse("mfa_add_webauthn"), {"credential": sent, "name": "x"})
        assert added.status_code == 200, sent
    assert not Authenticator.objects.exists()


def test_the_settings_lead_there(owner: User) -> None:
    client = Client()
    client.force_login(owner)
    for name in ("settings", "apps"):
        assert reverse("mfa_index") in text(client.get(reverse(name))), name


def test_changes_are_mailed_to_whoever_did_not_make_them(
    committed_db: object, proved: User
) -> None:
    client, _secret, _codes = with_app(proved)
    client.post(reverse("mfa_generate_recovery_codes"))
    client.post(
        reverse("account_change_password"),
        {
            "oldpassword": PASSWORD,
            "password1": "another long pass phrase",
            "password2": "another long pass phrase",
        },
    )
    client.post(reverse("mfa_deactivate_totp"))
    subjects = [str(sent.subject) for sent in mail.outbox]
    for words in ("authenticator app was set up", "password was changed", "switched off"):
        assert any(words in subject for subject in subjects), (words, subjects)
    for sent in mail.outbox:
        assert sent.to == [proved.email]
        assert "Wasn’t it you?" in str(sent.body)
        assert "127.0.0.1" not in str(sent.body)
