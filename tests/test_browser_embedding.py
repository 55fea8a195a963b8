"""The page in another site's frame, in a real browser: the frame's site is `localhost`, ours
`127.0.0.1`, which browsers take for two sites."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from accounts.embedding import embedded_path
from accounts.models import Application, EndUser, PageLink, User
from accounts.theming import Theme
from tests.browsing import ARTEFACTS
from tests.conftest import BROWSER_WAITS, Site
from tests.notebook import facts, moved

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator, Page

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]


class _Chat(BaseHTTPRequestHandler):
    """A page with nothing but a frame, whose address stands behind the question mark."""

    def do_GET(self) -> None:
        address = self.path.partition("?")[2]
        body = (
            '<!doctype html><html lang="en"><title>Chat</title><h1>Chat</h1>'
            f'<iframe title="Memories" width="900" height="700" src="{address}"></iframe>'
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def chat() -> Iterator[str]:
    """The address of a chat's site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Chat)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def end_user(site: Site, owner: User, chat: str) -> User:
    application = Application.objects.create(owner=owner, name="Chat", embed_origins=[chat])
    user = EndUser.objects.resolve(application=application, external_id="u1")
    moved(user)
    return user


def address(site: Site, user: User, theme: Theme | None = None) -> str:
    application = user.end_user.application
    _link, token = PageLink.objects.issue(
        user=user, application=application, embed=True, theme=theme
    )
    return site.url + embedded_path(application.pk, f"/enter/{token}/")


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def page(request: pytest.FixtureRequest, browser: Browser, site: Site) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", java_script_enabled=request.param)
    page = context.new_page()
    page.set_default_timeout(BROWSER_WAITS)
    yield page
    context.close()


def opened(page: Page, chat: str, there: str, *, scripts: bool = True) -> FrameLocator:
    page.goto(f"{chat}/?{there}")
    frame = page.frame_locator("iframe")
    if not scripts:
        frame.get_by_role("button", name="Open the page").click()
    frame.get_by_text("You live in Lisbon.").first.wait_for()
    # A page can be read before the theme's stylesheet has come.
    page.frames[1].wait_for_load_state()
    return frame


def test_the_allowed_site_shows_it_and_forgetting_takes_a_number(
    request: pytest.FixtureRequest, site: Site, page: Page, chat: str, end_user: User
) -> None:
    scripts = "no-scripts" not in request.node.name
    theme = Theme(accent="#7a1f5c", radius=12, scheme="light")
    frame = opened(page, chat, address(site, end_user, theme), scripts=scripts)
    if scripts:
        colour = frame.locator("html").evaluate(
            "root => getComputedStyle(root).getPropertyValue('--action').trim()"
        )
        assert colour == "#7a1f5c"
        ARTEFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTEFACTS / "embedded-light-1280.png")

    for step in ("asked", "sure"):
        frame.locator(".fact").get_by_role("link", name="Forget", exact=True).first.click()
        frame.get_by_role("button", name="Forget", exact=True).first.click()
        if step == "asked":
            frame.get_by_role("heading", name="Are you sure?").wait_for()
            assert facts(end_user, status="current")
            number = frame.locator("label[for=number]").inner_text().split()[-1]
            frame.get_by_label("Type").fill(number)
            frame.get_by_role("button", name="Go on").click()
            frame.get_by_text("for ten minutes").wait_for()
            page.goto(page.url.partition("?")[0] + "?" + site.url + _home(end_user))
    frame.get_by_text("Forgotten for good").first.wait_for()
    assert not facts(end_user, status="current")


def _home(user: User) -> str:
    return embedded_path(user.end_user.application_id, "/")


def refused(page: Page, address: str) -> None:
    """The browser loads the page around the frame, and says that it shows no frame."""
    with page.expect_console_message(lambda said: "frame-ancestors" in said.text):
        page.goto(address, wait_until="commit")
    expect(page.frame_locator("iframe").get_by_role("button")).to_have_count(0)


def test_another_site_shows_nothing(site: Site, page: Page, chat: str, end_user: User) -> None:
    Application.objects.update(embed_origins=["https://chat.example.com"])
    refused(page, f"{chat}/?{address(site, end_user)}")


def test_the_usual_page_is_in_nobodys_frame(
    site: Site, page: Page, chat: str, end_user: User
) -> None:
    refused(page, f"{chat}/?{site.url}/accounts/login/")


def test_a_frames_session_is_kept_from_the_site_itself(
    site: Site, browser: Browser, chat: str, end_user: User
) -> None:
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.set_default_timeout(BROWSER_WAITS)
    opened(page, chat, address(site, end_user))
    page.goto(site.url + _home(end_user))
    page.get_by_role("heading", name="This page is closed").wait_for()
    page.goto(site.url)
    page.get_by_role("heading", name="Sign in").wait_for()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_clean_for_axe_in_the_frame(
    site: Site, browser: Browser, chat: str, end_user: User, scheme: Any
) -> None:
    context = browser.new_context(locale="en-GB", color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(BROWSER_WAITS)
    theme = Theme(accent="#7a1f5c", accent_dark="#f0a8d8", font="sans", density="compact")
    opened(page, chat, address(site, end_user, theme))
    inside = page.frames[1]
    found = Axe().run(inside).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
    page.screenshot(path=ARTEFACTS / f"embedded-themed-{scheme}.png")
    context.close()
