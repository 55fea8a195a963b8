"""Narrowing, ordering and looking back in a real browser, with and without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from accounts.models import User
from memoryapp import audit, pipeline
from tests.browsing import Open, check, complaints, open_page, scripts
from tests.notebook import delicate, learn, many, moved

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["complaints", "open_page", "scripts"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("committed_db")]


@pytest.fixture
def page(scripts: bool, owner: User, open_page: Open) -> Page:
    """The overview of somebody who moved, plays, and has pinned how their IDE looks."""
    moved(owner)
    learn(owner, "I play the cello", "I play the cello", "hobby", "playing the cello")
    pinned = learn(owner, "dark mode in my IDE", "dark mode", "theme", "dark mode", scope="ide")
    assert pinned is not None
    by = audit.Actor.user(owner)
    pipeline.weigh_fact(user_id=owner.pk, fact_id=pinned, weights={"pinned": True}, by=by)
    window = open_page(java_script_enabled=scripts)
    window.goto("/")
    return window


def show(page: Page, scripts: bool, name: str = "Show these") -> None:
    """With scripts a change is shown by itself."""
    if not scripts:
        page.get_by_role("button", name=name).click()


def facts(page: Page) -> Any:
    return page.locator("#list .fact .sentence:visible")


def test_narrow_and_clear(page: Page, scripts: bool) -> None:
    page.get_by_text("Filter and sort").click()
    page.get_by_label("Only pinned ones").check()
    show(page, scripts)
    expect(facts(page)).to_have_text(["In your IDE, you use dark mode."])
    expect(page.get_by_role("status").filter(has_text="One memory.")).to_be_visible()
    page.wait_for_url("**/?pinned=1")
    page.get_by_role("link", name="Without “Pinned”").click()
    expect(facts(page)).to_have_count(3)
    assert page.url.endswith("/")


def test_order(page: Page, scripts: bool) -> None:
    page.get_by_text("Filter and sort").click()
    page.get_by_label("First in the list").select_option("From A to Z")
    show(page, scripts)
    page.get_by_role("heading", name="From A to Z").wait_for()
    expect(facts(page)).to_have_text(
        [
            "In your IDE, you use dark mode.",
            "You live in Lisbon.",
            "A hobby of yours: playing the cello.",
        ]
    )


def test_look_back_and_return(page: Page, scripts: bool) -> None:
    page.locator("summary", has_text="Look back").click()
    page.get_by_label("What was so on this day?").fill("2026-03-20")
    show(page, scripts, "Look back")
    page.get_by_text("This is what was so on 20 March 2026").wait_for()
    expect(page.locator("#list")).to_contain_text("You live in Porto.")
    expect(page.locator("#list")).not_to_contain_text("Lisbon")
    page.get_by_role("link", name="Back to today").click()
    expect(facts(page).filter(has_text="You live in Lisbon.")).to_have_count(1)


def test_search_within_a_part_and_on_without_it(page: Page, scripts: bool) -> None:
    page.get_by_text("Filter and sort").click()
    page.get_by_label("Part of your life").select_option("Home")
    show(page, scripts)
    expect(facts(page)).to_have_count(1)
    page.get_by_role("searchbox").fill("cello")
    page.get_by_role("searchbox").press("Enter")
    page.get_by_text("I don’t remember anything about that.").first.wait_for()
    page.get_by_role("button", name="Without “Home”").click()
    expect(facts(page)).to_have_text(["A hobby of yours: playing the cello."])
    expect(page.get_by_role("searchbox")).to_have_value("cello")
    assert "cello" not in page.url
    page.get_by_role("link", name="Show everything").click()
    expect(facts(page)).to_have_count(3)


def test_a_search_goes_on_page_by_page(owner: User, open_page: Open, scripts: bool) -> None:
    many(owner, 60)
    page = open_page(java_script_enabled=scripts)
    page.goto("/")
    page.get_by_role("searchbox").fill("tongue")
    page.get_by_role("searchbox").press("Enter")
    page.get_by_text("60 memories fit").wait_for()
    page.get_by_role("button", name="Next page").click()
    page.get_by_text("Page 2 of 2").wait_for()
    expect(facts(page)).to_have_count(10)
    if scripts:
        expect(page.locator(":focus")).to_have_text("Found")


def test_a_long_part_goes_on_page_by_page(owner: User, open_page: Open, scripts: bool) -> None:
    many(owner, 60)
    page = open_page(java_script_enabled=scripts)
    page.goto("/")
    page.get_by_role("link", name="Show all 60").click()
    page.get_by_role("link", name="Next page").click()
    page.get_by_text("Page 2 of 2").wait_for()
    expect(facts(page)).to_have_count(10)


def test_on_a_phone_the_other_pages_stand_in_a_sheet(
    owner: User, open_page: Open, scripts: bool
) -> None:
    page = open_page(java_script_enabled=scripts, viewport={"width": 375, "height": 700})
    page.goto("/")
    bar = page.get_by_role("navigation", name="Pages")
    expect(bar.get_by_role("link", name="Settings")).to_be_hidden()
    bar.get_by_role("button", name="More").click()
    bar.get_by_role("link", name="Settings").click()
    page.wait_for_url("**/settings/")
    expect(bar.get_by_role("link", name="Settings")).to_be_hidden()


# -- With scripts ---------------------------------------------------------------------------------


def test_the_focus_stays_and_the_count_is_told(owner: User, open_page: Open) -> None:
    moved(owner)
    learn(owner, "I play the cello", "I play the cello", "hobby", "playing the cello")
    page = open_page()
    page.goto("/")
    page.locator("summary", has_text="Filter and sort").press("Enter")
    page.get_by_label("Part of your life").select_option("Home")
    told = page.get_by_role("status").filter(has_text="One memory.")
    expect(told).to_be_visible()
    page.get_by_label("How I know it").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**/?group=home&origin=edited")
    expect(page.get_by_role("status").filter(has_text="Nothing fits.")).to_be_visible()
    expect(page.get_by_label("How I know it")).to_be_focused()
    page.reload()
    assert page.get_by_label("Part of your life").input_value() == "home"


def test_search_stays_within_what_is_chosen_while_one_types(owner: User, open_page: Open) -> None:
    moved(owner)
    learn(owner, "I play the cello", "I play the cello", "hobby", "playing the cello")
    page = open_page()
    page.goto("/?group=home")
    page.get_by_role("searchbox").press_sequentially("cel", delay=20)
    page.get_by_text("I don’t remember anything about that.").first.wait_for()
    page.get_by_role("searchbox").fill("Lis")
    expect(facts(page)).to_have_text(["You live in Lisbon."])
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_a_server_out_of_reach_leaves_the_list_as_it_is(
    owner: User, open_page: Open, complaints: list[str]
) -> None:
    moved(owner)
    page = open_page()
    page.goto("/")
    page.route("**/search/", lambda route: route.abort())
    page.get_by_role("searchbox").fill("Lisbon")
    page.get_by_role("alert").filter(has_text="I couldn’t reach the server").wait_for()
    expect(facts(page)).to_have_text(["You live in Lisbon."])
    check(page, "overview-offline")
    complaints.clear()


# -- For everyone ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375), ("light", 320)])
def test_every_state_is_clean_for_axe_and_fits(
    owner: User, open_page: Open, scheme: Any, width: int
) -> None:
    name = f"{scheme}-{width}"
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    page.goto("/")
    check(page, f"overview-empty-{name}")
    moved(owner)
    delicate(owner)
    many(owner, 300, statement="Donaudampfschifffahrtselektrizitätenhauptbetriebswerk")
    learn(owner, "我的朋友叫王小明", "我的朋友叫王小明", "friend", "王小明")
    learn(owner, "Mira lives in Rome", "lives in Rome", "city", "Rome", subject="person:mira")
    page.goto("/")
    page.locator("summary", has_text="Filter and sort").click()
    page.locator("summary", has_text="Look back").click()
    check(page, f"overview-filters-{name}")
    page.goto("/?group=about&sort=surest&unused=1&origin=brought")
    check(page, f"overview-nothing-{name}")
    page.goto("/?on=2026-03-20&group=home")
    check(page, f"overview-as-of-{name}")
    page.goto("/?group=about&page=2")
    check(page, f"overview-long-{name}")
    page.get_by_role("searchbox").fill("tongue")
    page.get_by_role("heading", name="Found").wait_for()
    check(page, f"overview-found-{name}")
    if width < 1000:
        page.get_by_role("button", name="More").click()
        check(page, f"overview-more-{name}")


def test_from_right_to_left(owner: User, open_page: Open) -> None:
    owner.language = "ar"
    owner.save(update_fields=["language"])
    moved(owner)
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto("/?on=2026-03-20&group=home&sort=surest")
    for summary in page.locator(".fold > summary").all():
        summary.click()
    check(page, "overview-rtl")


def test_colours_forced_by_the_system(owner: User, open_page: Open) -> None:
    moved(owner)
    page = open_page(forced_colors="active", reduced_motion="reduce")
    page.goto("/?on=2026-03-20&group=home")
    check(page, "overview-forced-colours")


def test_filters_are_large_enough_for_a_finger(owner: User, open_page: Open) -> None:
    moved(owner)
    page = open_page(viewport={"width": 375, "height": 800}, has_touch=True, is_mobile=True)
    page.goto("/?on=2026-03-20&group=home")
    for summary in page.locator(".fold > summary").all():
        summary.tap()
    page.get_by_role("button", name="More").tap()
    small = page.evaluate(
        """() => [...document.querySelectorAll(
            'nav a, nav button, summary, .chip, .asof a, .choose a, select, label.choice')]
            .filter(e => e.offsetParent && e.getBoundingClientRect().height < 44)
            .map(e => e.outerHTML)"""
    )
    assert small == []
