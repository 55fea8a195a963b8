"""Signing in with a passkey, an app's code and a recovery code, in a real browser whose
authenticator is Chromium's virtual one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from playwright.sync_api import expect

from accounts.models import User
from tests.browsing import check
from tests.conftest import BROWSER_WAITS, Site
from tests.notebook import log

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fresh_rate_limits() -> None:
    cache.clear()


@pytest.fixture
def proved(site: Site, owner: User) -> User:
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    return owner


def window(browser: Browser, site: Site, **options: Any) -> tuple[BrowserContext, Page]:
    """By a name: browsers make no passkey for a bare IP address."""
    url = site.url.replace("127.0.0.1", "localhost")
    context = browser.new_context(base_url=url, locale="en-GB", **options)
    page = context.new_page()
    page.set_default_timeout(BROWSER_WAITS)
    return context, page


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    context, page = window(browser, site)
    yield page
    context.close()


@pytest.fixture
def device(page: Page) -> str:
    """A device with a fingerprint reader that always knows its owner; its id."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    made = session.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )
    return str(made["authenticatorId"])


def sign_in(page: Page, user: User) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(str(user.email))
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def confirm(page: Page) -> None:
    page.get_by_role("heading", name="Is it still you?").wait_for()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()


def add_passkey(page: Page, user: User) -> None:
    sign_in(page, user)
    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Add a passkey").click()
    confirm(page)
    page.get_by_label("What do you call this device?").fill("My laptop")
    page.get_by_role("button", name="Add it").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()


def sign_out(page: Page) -> None:
    page.goto("/accounts/logout/")
    page.locator("#content").get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()


def test_a_passkey_signs_in_alone(proved: User, page: Page, device: str) -> None:
    add_passkey(page, proved)
    expect(page.locator(".codes li")).to_have_count(10)
    sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_role("heading", name="What I remember").wait_for()
    assert Authenticator.objects.get(type="webauthn").last_used_at is not None
    assert len(log(proved, "account.signin")) == 2


def test_a_passkey_is_the_second_step_and_confirms_that_it_is_still_you(
    proved: User, page: Page, device: str
) -> None:
    add_passkey(page, proved)
    sign_out(page)
    sign_in(page, proved)
    page.get_by_role("heading", name="The second step").wait_for()
    page.get_by_role("button", name="Use your passkey").click()
    page.get_by_role("heading", name="What I remember").wait_for()

    page.goto("/accounts/2fa/webauthn/")
    page.get_by_role("link", name="Remove My laptop").click()
    page.get_by_role("link", name="Use your passkey").click()
    page.get_by_role("button", name="Use your passkey").click()
    page.get_by_role("button", name="Remove it").click()
    page.get_by_text("You have none yet.").wait_for()
    assert not Authenticator.objects.exists()


def test_a_cancelled_passkey_is_said_and_the_way_on_stays(
    proved: User, page: Page, device: str
) -> None:
    add_passkey(page, proved)
    sign_out(page)
    page.evaluate(
        """() => {
            const cancelled = new DOMException("", "NotAllowedError");
            navigator.credentials.get = () => Promise.reject(cancelled);
        }"""
    )
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_role("alert").filter(has_text="No passkey was used").wait_for()
    expect(page.get_by_label("Password")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_an_app_and_a_recovery_code(
    proved: User, browser: Browser, site: Site, scripts: bool
) -> None:
    context, page = window(browser, site, java_script_enabled=scripts)
    sign_in(page, proved)
    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Set an app up").click()
    confirm(page)
    secret = page.locator("#totp-secret").inner_text()
    expect(page.locator(".qr path")).to_have_count(1)
    now = int(time.time()) // 30
    page.get_by_label("Code").fill(str(format_hotp_value(hotp_value(secret, now))))
    page.get_by_role("button", name="Switch it on").click()
    [code, *_others] = page.locator(".codes li").all_inner_texts()
    sign_out(page)
    sign_in(page, proved)
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", name="What I remember").wait_for()
    context.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_every_page_is_clean_for_axe_and_fits(
    proved: User, browser: Browser, site: Site, scheme: Any, width: int
) -> None:
    context, page = window(
        browser, site, color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type != "log" else None)
    page.goto("/accounts/login/")
    check(page, f"sign-in-{scheme}-{width}")
    sign_in(page, proved)
    page.goto("/accounts/2fa/totp/activate/")
    check(page, f"sign-in-again-{scheme}-{width}")
    confirm(page)
    check(page, f"sign-in-app-{scheme}-{width}")
    secret = page.locator("#totp-secret").inner_text()
    now = int(time.time()) // 30
    page.get_by_label("Code").fill(str(format_hotp_value(hotp_value(secret, now))))
    page.get_by_role("button", name="Switch it on").click()
    check(page, f"sign-in-codes-{scheme}-{width}")
    Authenticator.objects.create(
        user=proved,
        type="webauthn",
        data={"name": "My laptop", "credential": {"clientExtensionResults": {}}},
    )
    for name, address in {
        "factors": "/accounts/2fa/",
        "passkeys": "/accounts/2fa/webauthn/",
        "passkey-add": "/accounts/2fa/webauthn/add/",
        "app-off": "/accounts/2fa/totp/deactivate/",
        "codes-again": "/accounts/2fa/recovery-codes/",
        "codes-new": "/accounts/2fa/recovery-codes/generate/",
        "devices": "/accounts/sessions/",
    }.items():
        if name == "passkey-add":
            Authenticator.objects.filter(type="webauthn").delete()
        page.goto(address)
        check(page, f"sign-in-{name}-{scheme}-{width}")
    sign_out(page)
    sign_in(page, proved)
    check(page, f"sign-in-second-{scheme}-{width}")
    assert complaints == []
    context.close()
