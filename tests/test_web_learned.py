"""What was just learned, on the page: the list, the quiet word, and taking it back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.utils import timezone

from accounts.models import User
from memoryapp import registry, store
from memoryapp.context import acting_for
from memoryapp.models import AuditEvent, Extraction
from tests.chat import current
from tests.conftest import BROWSER_WAITS, Site
from tests.memory import TESTER, candidate, heard
from tests.serving import asgi_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["asgi_site"]


def read(user: User, attribute: str, value: str, on: float = 1) -> UUID:
    """A reading, just now, that taught one thing."""
    message = heard(user, f"{attribute} is {value}", on=on)
    now = timezone.now()
    with acting_for(user.pk):
        extraction = Extraction.objects.create(
            user_id=user.pk, extractor="test", version="1", started_at=now, ended_at=now,
            outcome="ok", messages=1, candidates=1,
        )  # fmt: skip
        store.apply(
            user_id=user.pk, candidates=[candidate(message, attribute, value)],
            registry=registry.load(), by=TESTER, now=now, extraction=extraction,
        )  # fmt: skip
    return extraction.id


@pytest.fixture
def me(owner: User) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def text(response: Any) -> str:
    return str(response.content.decode())


def test_each_reading_with_what_it_taught(owner: User, me: Client) -> None:
    read(owner, "home", "Oslo")
    read(owner, "home", "Bergen", on=2)
    page = text(me.get("/learned/"))
    assert page.index("Bergen") < page.index("Oslo")
    assert page.count("Take it back</span>") == 1
    assert "It has changed again since." in page
    assert page.count("<span>Today</span>") == 2


def test_taken_back_without_a_script(owner: User, me: Client) -> None:
    read(owner, "home", "Oslo")
    extraction = read(owner, "home", "Bergen", on=2)
    page = text(me.post(f"/learned/{extraction}/undo/", follow=True))
    assert "Taken back. What it had replaced holds again." in page
    assert "You have taken it back." in page
    assert current(owner, "home") == ["Oslo"]
    again = text(me.post(f"/learned/{extraction}/undo/", follow=True))
    assert "You have taken it back." in again


def test_the_word_says_how_much_and_nothing_of_what(owner: User, me: Client) -> None:
    one, two = read(owner, "home", "Oslo"), read(owner, "sport", "chess")
    word = text(me.get(f"/news/?reading={one}"))
    assert "1 new memory" in word
    assert f"/learned/{one}/undo/" in word
    assert "Oslo" not in word
    word = text(me.get(f"/news/?reading={one}&reading={two}&reading=nonsense"))
    assert "2 new memories" in word
    assert "/undo/" not in word
    me.post(f"/learned/{one}/undo/")
    assert text(me.get(f"/news/?reading={one}")).strip() == ""


def test_another_users_is_not_there(owner: User, other: User, me: Client) -> None:
    theirs = read(other, "home", "Oslo")
    assert me.post(f"/learned/{theirs}/undo/").status_code == 404
    assert text(me.get(f"/news/?reading={theirs}")).strip() == ""
    assert "Oslo" not in text(me.get("/learned/"))
    assert current(other, "home") == ["Oslo"]
    with acting_for(owner.pk):
        assert AuditEvent.objects.filter(
            action="access.refused", object=f"extraction:{theirs}"
        ).exists()


def test_who_is_not_signed_in(client: Client, db: None) -> None:
    assert client.get("/live/").status_code == 204  # a browser then stops asking
    assert client.get("/learned/").status_code == 302
    assert client.post(f"/learned/{uuid4()}/undo/").status_code == 302


def test_the_stream_of_a_session_ends_with_it(owner: User, me: Client) -> None:
    response: Any = me.get("/live/", headers={"Last-Event-ID": "0"})
    assert response["Content-Type"].startswith("text/event-stream")
    assert response["Cache-Control"] == "no-store"
    read(owner, "home", "Oslo")
    first = b"".join(response).decode()
    assert "event: memory.created" in first
    second: Any = me.get("/live/", headers={"Last-Event-ID": "0"})
    me.session.flush()
    assert "event: memory.created" not in b"".join(second).decode()


@pytest.fixture
def window(browser: Browser, asgi_site: Site, broker_url: str, owner: User) -> Iterator[Page]:
    """The signed-in owner's window; a script error or a refused resource fails the test."""
    client = Client()
    client.force_login(owner)
    context = browser.new_context(base_url=asgi_site.url, locale="en-GB")
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": asgi_site.url}])
    page = context.new_page()
    page.set_default_timeout(BROWSER_WAITS)
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type != "log" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


@pytest.mark.slow
def test_a_quiet_word_with_undo_in_the_browser(window: Page, owner: User) -> None:
    read(owner, "home", "Oslo")
    with window.expect_response(re.compile("/live/")):
        window.goto("/")
    window.get_by_text("You live in Oslo").first.wait_for()
    window.get_by_role("link", name="Settings").focus()
    read(owner, "home", "Bergen", on=2)
    word = window.locator("#news")
    word.get_by_text("1 new memory").wait_for()
    # Said, not shouted: the focus stays where it was.
    assert window.evaluate("document.activeElement.textContent.trim()") == "Settings"
    found = Axe().run(window, options={"runOnly": ["wcag2a", "wcag2aa", "wcag22aa"]})
    assert found.response["violations"] == []
    word.get_by_role("button", name="Undo").click()
    word.get_by_text("Taken back. What it had replaced holds again.").wait_for()
    window.locator("#list").get_by_text("You live in Oslo").first.wait_for()
    assert current(owner, "home") == ["Oslo"]
    word.get_by_role("button", name="Close").click()
    assert word.inner_html() == ""


@pytest.mark.slow
def test_a_hidden_window_misses_nothing(window: Page, owner: User) -> None:
    with window.expect_response(re.compile("/live/")):
        window.goto("/settings/")
    hide = """(hidden) => {
        Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    read(owner, "sport", "chess")
    window.locator("#news").get_by_text("1 new memory").wait_for()
    window.evaluate(hide, True)
    read(owner, "home", "Oslo")
    with window.expect_response(re.compile("/live/")):
        window.evaluate(hide, False)
    window.locator("#news").get_by_text("2 new memories").wait_for()
