"""Apps and keys in a real browser: with and without scripts, for everyone's eyes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from accounts.models import ApiKey, Application, EndUser, User
from tests.browsing import Open, check, complaints, open_page, page, scripts

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page", "page", "scripts"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]


def connected(owner: User, other: User) -> EndUser:
    application = Application.objects.create(owner=other, name="Penpal")
    return EndUser.objects.create(application=application, external_id="7", user=owner)


def test_a_switch_and_its_undo(owner: User, other: User, page: Page) -> None:
    link = connected(owner, other)
    page.goto("/apps/")
    reading = page.get_by_role("switch", name="It may look up")
    expect(reading).to_be_checked()
    reading.click()
    expect(page.get_by_role("switch", name="It may look up")).not_to_be_checked()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("switch", name="It may look up")).to_be_checked()
    link.refresh_from_db()
    assert (link.may_read, link.may_write) == (True, True)


def test_disconnect(owner: User, other: User, page: Page) -> None:
    link = connected(owner, other)
    page.goto("/apps/")
    page.get_by_role("link", name="Disconnect").click()
    page.get_by_role("button", name="Disconnect").click()
    page.get_by_text("“Penpal” is disconnected.").wait_for()
    link.refresh_from_db()
    assert (link.may_read, link.may_write) == (False, False)


def test_a_key_is_made_and_revoked(owner: User, page: Page) -> None:
    page.goto("/apps/")
    page.get_by_role("link", name="Make a key").click()
    page.get_by_label("What is it for?").fill("My laptop")
    page.get_by_label("In 30 days").check()
    page.get_by_role("button", name="Make the key").click()
    shown = page.get_by_label("The key").inner_text()
    key = ApiKey.objects.authenticate(shown)
    assert key is not None
    assert key.owner == owner
    assert "mem_" not in page.url
    page.get_by_text("An assistant that takes MCP servers").click()
    assert f"Bearer {shown}" in page.get_by_label("Settings").inner_text()

    page.get_by_role("link", name="I have kept it").click()
    assert shown not in page.content()
    page.get_by_role("link", name="Revoke My laptop").click()
    page.get_by_role("button", name="Revoke it").click()
    page.get_by_text("The key is revoked.").wait_for()
    assert ApiKey.objects.authenticate(shown) is None


def test_one_click_copies(owner: User, open_page: Open, site: Any) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto("/apps/")
    page.get_by_text("A chat that speaks").click()
    page.get_by_role("button", name="Copy").first.click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"{site.url}/v1"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 320)])
def test_every_page_is_clean_for_axe_and_fits(
    owner: User,
    other: User,
    open_page: Open,
    complaints: list[str],
    scheme: Any,
    width: int,
) -> None:
    link = connected(owner, other)
    application = Application.objects.create(owner=owner, name="Übersetzungsassistenzanwendung")
    mine, _secret = ApiKey.objects.issue(owner=owner, name="Laptop", scopes=["recall:read"])
    ApiKey.objects.issue(owner=owner, name="Server", application=application)
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    for name, address in {
        "apps": "/apps/",
        "disconnect": f"/apps/{link.application_id}/disconnect/",
        "key-new": f"/apps/keys/new/?like={mine.pk}",
        "key-revoke": f"/apps/keys/{mine.pk}/revoke/",
        "application-new": "/apps/mine/new/",
        "application": f"/apps/mine/{application.pk}/",
        "application-close": f"/apps/mine/{application.pk}/close/",
    }.items():
        page.goto(address)
        for closed in page.locator("#content details > summary").all():
            closed.click()
        check(page, f"apps-{name}-{scheme}-{width}")
    page.goto("/apps/")
    page.get_by_role("switch").first.click()
    page.get_by_role("button", name="Undo").wait_for()
    check(page, f"apps-undo-{scheme}-{width}")
    page.goto("/apps/keys/new/")
    page.get_by_label("What is it for?").fill("Laptop")
    page.get_by_role("button", name="Make the key").click()
    page.get_by_label("The key").wait_for()
    check(page, f"apps-key-shown-{scheme}-{width}")
    page.reload()
    assert re.search("shown already", page.content())
    check(page, f"apps-key-again-{scheme}-{width}")
    assert ["409" in said for said in complaints] == [True]
    complaints.clear()
