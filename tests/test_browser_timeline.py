"""The timeline, people and pets, and the figures in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browsing import Open, check, complaints, open_page
from tests.notebook import learn, moved

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]


@pytest.fixture(params=[True, False], ids=["scripts", "no-scripts"])
def page(request: pytest.FixtureRequest, open_page: Open) -> Page:
    return open_page(java_script_enabled=request.param)


def notebook(user: User) -> None:
    moved(user)
    learn(user, "I play chess", "I play chess", "hobby", "chess", days=2)
    learn(user, "I gave up chess", "gave up chess", "hobby", "chess", days=70, operation="end")


def test_the_timeline_is_sifted_and_leads_to_why(owner: User, page: Page) -> None:
    notebook(owner)
    page.goto("/timeline/")
    expect(page.get_by_role("heading", level=2)).to_have_text(
        ["May 2026", "April 2026", "March 2026"]
    )
    page.get_by_label("Part of your life").select_option("Home")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".entry")).to_have_count(2)
    expect(page.locator("#lede")).to_contain_text("2 entries fit")
    assert "area=home" in page.url
    page.locator(".entry").filter(has_text="You live in Lisbon").get_by_role(
        "link", name="Why"
    ).click()
    page.get_by_role("heading", name="Why I remember this").wait_for()
    expect(page.locator("mark")).to_have_text("I moved to Lisbon")


def test_with_scripts_a_choice_shows_at_once_and_keeps_its_focus(
    owner: User, open_page: Open
) -> None:
    notebook(owner)
    page = open_page()
    page.goto("/timeline/")
    chosen = page.get_by_label("What happened")
    chosen.focus()
    chosen.select_option("No longer so")
    expect(page.locator(".entry")).to_have_count(1)
    expect(chosen).to_be_focused()
    page.go_back()
    expect(page.locator(".entry")).to_have_count(4)


ADDRESSES = ["/timeline/", "/timeline/?kind=expired", "/timeline/?order=learned"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_every_state_is_clean_for_axe_and_fits(
    owner: User, open_page: Open, scheme: Any, width: int
) -> None:
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.goto("/timeline/")
    check(page, f"timeline-empty-{scheme}-{width}")
    notebook(owner)
    for address in ADDRESSES:
        page.goto(address)
        check(page, f"timeline{address[11:].replace('?', '-')}-{scheme}-{width}".replace("=", "-"))


def test_from_right_to_left_on_a_narrow_screen(owner: User, open_page: Open) -> None:
    owner.language = "ar"
    owner.save(update_fields=["language"])
    notebook(owner)
    page = open_page(viewport={"width": 320, "height": 640})
    page.goto("/timeline/")
    check(page, "timeline-rtl")
