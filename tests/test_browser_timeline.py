"""The timeline, people and pets, and the figures in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browsing import Open, check, complaints, open_page, page, scripts
from tests.notebook import learn, moved

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page", "page", "scripts"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]


def notebook(user: User) -> None:
    moved(user)
    learn(user, "Mira is my sister", "my sister", "relation", "sister", subject="person:mira")
    learn(user, "Mira is in Braga", "is in Braga", "home", "Braga", days=1, subject="person:mira")
    learn(user, "My sister loves tea", "loves tea", "likes", "tea", subject="person:sister")
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
    expect(page.locator("#sifted")).to_contain_text("2 entries fit")
    page.wait_for_url("**area=home**")
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
    expect(page.locator(".entry")).to_have_count(7)


def test_two_who_are_one_become_one_and_are_parted_again(owner: User, page: Page) -> None:
    notebook(owner)
    page.goto("/people/")
    page.get_by_role("link", name="Your sister").click()
    page.get_by_label("They are the same as").select_option("Mira (your sister)")
    page.get_by_role("button", name="See both").click()
    page.get_by_role("heading", name="Are these two the same?").wait_for()
    expect(page.get_by_label("Mira")).to_be_checked()
    page.get_by_role("button", name="Yes, they are the same").click()
    page.get_by_role("heading", name="Mira", level=1).wait_for()
    expect(page.locator(".fact")).to_have_count(3)
    page.get_by_role("button", name="They are two").click()
    page.get_by_text("Taken back.").wait_for()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your sister")
    assert "mira" not in page.url.lower()


def test_a_person_gets_another_name(owner: User, page: Page) -> None:
    notebook(owner)
    page.goto("/people/")
    page.get_by_role("link", name="Mira").click()
    page.get_by_label("Call them something else").fill("Mira Novak")
    page.get_by_role("button", name="See how it reads").click()
    page.get_by_text("Mira Novak lives in Braga.").wait_for()
    page.get_by_role("button", name="Yes, use this name").click()
    page.get_by_role("heading", name="Mira Novak", level=1).wait_for()


ADDRESSES = [
    "/timeline/", "/timeline/?kind=expired", "/timeline/?order=learned", "/people/", "/figures/",
]  # fmt: skip
EMPTY = ["/timeline/", "/people/", "/figures/"]


def name_of(address: str) -> str:
    return re.sub(r"\W+", "-", address).strip("-")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_every_state_is_clean_for_axe_and_fits(
    owner: User, open_page: Open, scheme: Any, width: int
) -> None:
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    for address in EMPTY:
        page.goto(address)
        check(page, f"{name_of(address)}-empty-{scheme}-{width}")
    notebook(owner)
    for address in ADDRESSES:
        page.goto(address)
        check(page, f"{name_of(address)}-{scheme}-{width}")
    page.goto("/people/")
    page.get_by_role("link", name="Your sister").click()
    check(page, f"person-{scheme}-{width}")
    page.get_by_role("button", name="See both").click()
    check(page, f"person-same-{scheme}-{width}")


def test_from_right_to_left_on_a_narrow_screen(owner: User, open_page: Open) -> None:
    owner.language = "ar"
    owner.save(update_fields=["language"])
    notebook(owner)
    page = open_page(viewport={"width": 320, "height": 640})
    for address in ADDRESSES:
        page.goto(address)
        check(page, f"{name_of(address)}-rtl")
