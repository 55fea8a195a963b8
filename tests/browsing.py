"""Windows of a real browser on the page, for the signed-in owner, and what every state of
it must answer for. A test module imports the fixtures and names them in ``__all__``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Error

from accounts.models import User
from tests.conftest import BROWSER_WAITS, Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

ARTEFACTS = Path(__file__).parent.parent / "artefacts"
Open = Callable[..., "Page"]
# htmx calls it an error that a newer request replaced one under way (hx-sync): it is meant. Any
# other failure has a line of its own beside the first of these.
REPLACED = ("htmx:afterRequest,", "htmx:sendAbort,")


@pytest.fixture
def complaints() -> list[str]:
    """What browsers said on their consoles: nothing, unless a test expects and removes it."""
    return []


@pytest.fixture
def open_page(browser: Browser, site: Site, owner: User, complaints: list[str]) -> Iterator[Open]:
    """Opens windows for the signed-in owner. A script error, a refused resource or a
    warning on the console in any of them fails the test."""
    client = Client()
    client.force_login(owner)
    contexts = []

    def complain(said: ConsoleMessage) -> None:
        if said.type != "log" and not said.text.startswith(REPLACED):
            complaints.append(said.text)

    def window(**options: Any) -> Page:
        options.setdefault("locale", "en-GB")
        context = browser.new_context(base_url=site.url, **options)
        contexts.append(context)
        context.add_cookies(
            [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site.url}]
        )
        page = context.new_page()
        page.set_default_timeout(BROWSER_WAITS)
        page.on("console", complain)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield window
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def scripts(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def page(scripts: bool, open_page: Open) -> Page:
    """A window with scripts, and one without."""
    return open_page(java_script_enabled=scripts)


def fact(page: Page, words: str) -> Locator:
    return page.locator(".fact").filter(has_text=words)


def check(page: Page, name: str) -> None:
    """Keeps a picture, and holds the page to WCAG as far as axe sees and to its width."""
    ARTEFACTS.mkdir(exist_ok=True)
    try:
        page.screenshot(path=ARTEFACTS / f"{name}.png")
    except Error as error:
        # Chromium without a graphics card fails now and then, on any page.
        if "Unable to capture screenshot" not in str(error):
            raise
        page.screenshot(path=ARTEFACTS / f"{name}.png")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == [], name
